"""Publish a survey with weights and strata under one budget, beside the population that it was drawn from."""

import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

pd.set_option("display.width", 110)


class Adults(pa.DataFrameModel):
    """What anyone may know of a person before the data is seen."""

    region: str = pa.Field(isin=["north", "south", "islands"])
    sex: str = pa.Field(isin=["f", "m"])
    age: int = pa.Field(ge=18, le=84)
    hours: int = pa.Field(ge=0, le=45)
    pay: float = pa.Field(ge=0, le=15_000)
    weight: float = pa.Field(ge=0, le=100)


def main() -> None:
    everybody, sample = pdp.datasets.make_population(), pdp.datasets.make_survey()

    with pdp.Session(rho=1, schema=Adults, name="survey") as session:
        adults = session.protect(sample, design=pdp.Design(weights="weight", strata="region"))

        show("Mean pay", adults["pay"].dp.mean(rho=0.1), everybody["pay"].mean())
        show("Total pay", adults["pay"].dp.sum(rho=0.1), everybody["pay"].sum())
        show("Share with more than 4,000", (adults["pay"] > 4_000).dp.share(rho=0.1), (everybody["pay"] > 4_000).mean())

        working, all_working = adults[adults["hours"] > 0], everybody[everybody["hours"] > 0]
        hourly = all_working["pay"].sum() / all_working["hours"].sum()
        show("Pay by hour of those who work", working.dp.ratio("pay", "hours", rho=0.1), hourly)

        by_sex = adults.dp.groupby("sex")["pay"].mean(rho=0.1)
        show("Mean pay by sex", by_sex, everybody.groupby("sex")["pay"].mean().to_dict())

        table = adults.dp.crosstab("sex", "region", rho=0.1)
        known = {name: everybody[name].value_counts().to_dict() for name in ("sex", "region")}
        show("People, as estimated", table, "")
        show(
            "People, calibrated to the census",
            table.dp.calibrate(known),
            pd.crosstab(everybody["sex"], everybody["region"]),
        )

        print(session, end="\n\n")


def show(title: str, release: pd.DataFrame, true: object) -> None:
    print(f"{title}\n{release}")
    if not isinstance(true, str):
        print(f"in the population:\n{true}")
    print()


if __name__ == "__main__":
    main()
