"""What a custodian saw is no data to ask, to protect, or to add to a population; nor is a protected frame."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.custodian.compare import for_the_custodian
from tests.refusals import refused

SCHEMA = pa.DataFrameSchema(
    {"x": pa.Column(float, pa.Check.in_range(0, 10)), "k": pa.Column(str, pa.Check.isin(["a", "b"]))}
)
TABLE = pd.DataFrame({"x": np.arange(10.0), "k": ["a", "b"] * 5})


def test_a_custodians_table_is_not_asked_and_not_protected() -> None:
    seen = for_the_custodian(TABLE.copy())
    with pdp.Session(epsilon=1, schema=SCHEMA) as session:
        for use in (lambda: session.protect(seen), lambda: session.protect(seen.round(1))):
            with refused(errors.NotProtected, "protecting what is for the custodian's eyes"):
                use()
        for ask in (lambda: seen["x"].dp.sum(), lambda: seen.dp.mean()):
            with refused(errors.UnsupportedArgument, "asking of what is for the custodian's eyes"):
                ask()


def test_a_population_is_public_and_has_names_of_its_own() -> None:
    other = pdp.Session(epsilon=1, schema=SCHEMA)
    private = other.protect(TABLE)
    other.close()
    twice = pd.DataFrame([[1.0, 2.0]], columns=["x", "x"])
    with pdp.Session(epsilon=9, schema=SCHEMA, models=["bdp"]) as session:
        people = session.protect(TABLE)
        for population in (private, private[["x"]], private[private["x"] > 3], people, for_the_custodian(TABLE.copy())):
            with refused(errors.NotProtected, "takes public rows"):
                people["x"].dp.sum(model="bdp", further_rows=population)
        with refused(errors.UnsupportedArgument, "share a name"):
            people["x"].dp.sum(model="bdp", further_rows=twice)
        with refused(errors.UnsupportedArgument, "where there are keys"):
            people.dp.groupby("k")["x"].sum(model="bdp", further_rows=TABLE["x"])
        assert len(session.ledger) == 0
        people["x"].dp.sum(model="bdp", further_rows=TABLE)


@pytest.mark.parametrize("how", [{}, {"bootstrap": 4}, {"bootstrap": 4, "resample": "weights"}])
@pytest.mark.parametrize("statistic", ["mean", "sum", "var", "std"])
def test_the_widest_range_is_answered(statistic: str, how: dict[str, object]) -> None:
    wide = pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, 1e50), metadata={"dp": {"complete": True}})})
    with pdp.Session(epsilon=9, schema=wide) as session:
        release = getattr(session.protect(TABLE[["x"]])["x"].dp, statistic)(epsilon=1, **how)
        assert release.shape[0] == 1
