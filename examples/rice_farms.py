"""Publish statistics of Indonesian rice farms under one budget, see what was spent, and write the page of it all."""

import tempfile
from pathlib import Path

import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

pd.set_option("display.width", 110)


class Farms(pa.DataFrameModel):
    """What anyone may know of a farm before the data is seen."""

    status: str = pa.Field(isin=["mixed", "owner", "share"])
    varieties: str = pa.Field(isin=["high", "mixed", "trad"])
    noutput: int = pa.Field(in_range={"min_value": 0, "max_value": 20_000})  # kg of rice, net
    size: float = pa.Field(gt=0, le=6)  # hectares


def main() -> None:
    farms = pdp.datasets.load_rice_farms()

    with pdp.Session(epsilon=4, delta=1e-6, schema=Farms, name="rice farms") as session:
        farms = session.protect(farms)

        show("Farms by status and variety", farms.dp.crosstab("status", "varieties", epsilon=0.5))
        show("Net output, mean", farms["noutput"].dp.mean(rho=0.02))
        show("Net output, median", farms["noutput"].dp.median(epsilon=0.3))
        show("Mean output by status", farms.dp.groupby("status")["noutput"].mean(rho=0.05))

        large = farms[farms["size"] > 1]
        over = large["noutput"].dp.mean(rho=0.02, note="farms over a hectare")
        show("Mean output of farms over a hectare", over)

        yields = farms["noutput"] / farms["size"]
        show("Mean output a hectare", yields.dp.mean(rho=0.02, bounds=(0, 10_000), note="output a hectare"))

        print(session, end="\n\n")
        print(session.ledger[["statistic", "columns", "by", "epsilon", "rho"]], end="\n\n")
        page = session.report(Path(tempfile.gettempdir()) / "rice_farms.html")
        print(f"All of it on one page: {page}")


def show(title: str, release: pdp.Release) -> None:
    """A release as a reader would get it."""
    print(f"{title}\n{release.dp.round(1).dp.to_markdown()}")


if __name__ == "__main__":
    main()
