"""The rice farms with many rows a farm: what is hidden is a farm with all its seasons, and what that costs."""

import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

pd.set_option("display.width", 110)


class Seasons(pa.DataFrameModel):
    """What anyone may know of one season of a farm before the data is seen."""

    id: int
    status: str = pa.Field(isin=["mixed", "owner", "share"])
    varieties: str = pa.Field(isin=["high", "mixed", "trad"])
    noutput: int = pa.Field(in_range={"min_value": 0, "max_value": 20_000})  # kg of rice, net
    size: float = pa.Field(gt=0, le=6)  # hectares


def main() -> None:
    rows = pdp.datasets.load_rice_farms()  # 171 farms in six seasons each

    with pdp.Session(epsilon=4, schema=Seasons, unit="id", name="rice farms") as session:
        farms = session.protect(rows, roster=True, max_rows=6)  # how many farms there are is public

        print("People, by plain pandas: each farm is one row of the answer")
        totals = farms.groupby("id")["noutput"].sum()
        show("Net output of a farm in all seasons, mean", totals.dp.mean(bounds=(0, 30_000), epsilon=0.5))
        show("The same, median", totals.dp.median(bounds=(0, 30_000), epsilon=0.5))

        print("People, made here: the number of farms is public, and bounds of a season hold for a mean of seasons")
        made = farms.dp.per_person(noutput="mean", largest=("size", "max"), status="last")
        show("Mean output of a season, by farm", made["noutput"].dp.mean(epsilon=0.5))
        show("Farms by their latest status", made["status"].dp.value_counts(epsilon=0.3))

        print("Rows: every season of a farm counts, and the standard error knows that seasons of a farm hang together")
        show("Net output of a season", farms["noutput"].dp.mean(epsilon=0.5))

        print(session, end="\n\n")
        print(session.ledger[["statistic", "columns", "epsilon"]])

    with pdp.Session(epsilon=1, schema=Seasons) as one_row:
        seasons = one_row.protect(rows)
        release = seasons["noutput"].dp.mean(epsilon=0.5)
        print(f"\nWithout unit=, noise is less and so is what it hides: {release.dp.guarantee}")


def show(title: str, release: pdp.Release) -> None:
    """A release as a reader would get it, with what it keeps."""
    print(f"{title}\n{release.dp.round(1).dp.to_markdown()}")


if __name__ == "__main__":
    main()
