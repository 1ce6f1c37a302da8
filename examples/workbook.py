"""Several releases in one Excel workbook, with their intervals, their guarantees and the ledger.

python examples/workbook.py [folder]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pandera.pandas as pa

import pandas_dp as pdp


class Farms(pa.DataFrameModel):
    status: str = pa.Field(isin=["mixed", "owner", "share"])
    varieties: str = pa.Field(isin=["high", "mixed", "trad"])
    region: str = pa.Field(isin=["ciwangi", "gunungwangi", "langan", "malausma", "sukaambit", "wargabinangun"])
    noutput: int = pa.Field(ge=0, le=8_000)
    wage: float = pa.Field(ge=0, le=200)


def main(folder: Path) -> None:
    with pdp.Session(epsilon=6, schema=Farms, name="rice farms") as session:
        farms = session.protect(pdp.datasets.load_rice_farms())
        releases = {
            "output": farms["noutput"].dp.mean(epsilon=1),
            "varieties": farms.dp.crosstab("status", "varieties", margins=True, epsilon=1),
            "regions": farms.dp.crosstab(["region", "status"], "varieties", epsilon=1),
            "wages": farms.dp.groupby("status")["wage"].agg(["mean", "std"], epsilon=2),
            "sizes": farms["noutput"].dp.histogram(8, epsilon=1),
        }
        titles = {"output": "Output of a farm in a season, kg", "wages": "Wage by status of the farm, rupiah an hour"}
        pdp.to_excel(folder / "rice_farms.xlsx", releases, titles=titles, session=session)
    print(folder / "rice_farms.xlsx")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
