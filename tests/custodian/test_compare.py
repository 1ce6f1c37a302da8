"""`custodian.compare`: synthetic rows beside the data, exactly, for those who may look."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused
from tests.synthetic.people import People, people

KEYS = ["sex", "work", "age"]


def marked(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.copy()
    rows.attrs["dp"] = {"kind": "synthetic"}
    return rows


def test_it_is_half_of_what_shares_differ_by_for_columns_and_pairs() -> None:
    data, rows = people(2_000, 1), people(1_000, 2)
    with pdp.Session(rho=1, schema=People, custodian=True) as session:
        found = pdp.custodian.compare(session.protect(data), marked(rows[KEYS]))
        assert len(session.ledger) == 0
    pair = [each.value_counts(["sex", "work"], normalize=True) for each in (data, rows)]
    assert found.loc["sex", "work"] == pytest.approx(pair[0].sub(pair[1], fill_value=0).abs().sum() / 2)
    alone = [each["work"].value_counts(normalize=True) for each in (data, rows)]
    assert found.loc["work", "work"] == pytest.approx(alone[0].sub(alone[1], fill_value=0).abs().sum() / 2)
    assert (found.to_numpy() == found.to_numpy().T).all()
    assert found.attrs["dp"]["kind"] == "custodian"


def test_the_same_rows_are_at_no_distance_also_with_missing_values_and_many_numbers() -> None:
    r = np.random.default_rng(1)
    data = pd.DataFrame(
        {"x": np.where(r.random(300) < 0.2, np.nan, r.normal(size=300)), "k": r.choice(["a", None], 300)}
    )
    with pdp.Session(rho=1, custodian=True) as session:
        assert (pdp.custodian.compare(session.protect(data), marked(data)) == 0).all(axis=None)


def test_what_is_refused() -> None:
    data = people(50)
    with pdp.Session(rho=1, schema=People, custodian=True) as session:
        frame = session.protect(data)
        with refused(errors.NotProtected, "rows of somebody"):
            pdp.custodian.compare(frame, data)
        with refused(errors.UnknownColumn, "a column that the data lack"):
            pdp.custodian.compare(frame, marked(data.assign(more=1)))
        with refused(errors.UnsupportedArgument, "no data"):
            pdp.custodian.compare(frame.iloc[:0], marked(data))
    with pdp.Session(rho=1, schema=People) as session, refused(errors.NoConsent, "no consent"):
        pdp.custodian.compare(session.protect(data), marked(data))
