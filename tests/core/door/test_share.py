"""Shares: bounds that the question itself says, whatever is declared of a column of that name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.errors import UnsupportedArgument, UnsupportedType
from tests.conftest import COMPLETE

ROWS = 400


class People(pa.DataFrameModel):
    income: float = pa.Field(ge=0, le=1_000_000)
    sex: str = pa.Field(isin=["f", "m"])
    works: bool
    moved: pd.BooleanDtype = pa.Field(nullable=True)


def people() -> pd.DataFrame:
    half = ROWS // 2
    moved = pd.array([True, False, None, False] * (ROWS // 4), dtype="boolean")
    return pd.DataFrame(
        {
            "income": [20_000.0] * (ROWS - 100) + [60_000.0] * 100,
            "sex": ["f", "m"] * half,
            "works": [True] * 300 + [False] * 100,
            "moved": moved,
        }
    )


def protected(**terms: object) -> pdp.ProtectedFrame:
    session = pdp.Session(**{"epsilon": 10**9, "schema": People, **terms})  # type: ignore[arg-type]
    return session.protect(people())


def test_a_comparison_is_answered_between_0_and_1_whatever_its_column_declares() -> None:
    rich = (protected()["income"] > 30_000).dp.share(epsilon=10**6)
    assert rich.index.tolist() == ["income"]
    assert rich["share"].item() == pytest.approx(0.25, abs=1e-3)


def test_in_a_table_and_in_groups() -> None:
    frame = protected()
    both = frame.assign(rich=frame["income"] > 30_000)
    assert both[["rich", "works"]].dp.share(epsilon=10**6)["share"].tolist() == pytest.approx([0.25, 0.75], abs=1e-3)
    by_sex = both.dp.groupby("sex")["rich"].share(epsilon=10**6)
    assert by_sex.columns.tolist() == ["share", "std_error", "lower", "upper"]
    assert by_sex["share"].tolist() == pytest.approx([0.25, 0.25], abs=1e-3)
    agreed = both.dp.groupby("sex").agg(rich=("rich", "share"), epsilon=10**6)
    assert agreed[("rich", "share")].tolist() == pytest.approx([0.25, 0.25], abs=1e-3)


def test_missing_values_are_dropped_and_count_one_half_in_a_complete_column() -> None:
    frame = protected()
    assert frame["moved"].dp.share(epsilon=10**6)["share"].item() == pytest.approx(1 / 3, abs=1e-3)
    whole = pa.DataFrameSchema({"moved": pa.Column(pd.BooleanDtype(), metadata=COMPLETE)})
    filled = pdp.Session(epsilon=10**9, schema=whole).protect(people()[["moved"]])
    assert filled["moved"].dp.share(epsilon=10**6)["share"].item() == pytest.approx(3 / 8, abs=1e-3)


def test_numbers_above_one_half_are_true_and_what_is_no_number_is_missing() -> None:
    odd = pd.DataFrame({"x": pd.Series([7, 0.6, 0.5, 0.4, -3, "yes", None, np.inf], dtype=object)})
    frame = pdp.Session(epsilon=10**9).protect(odd)
    assert frame["x"].dp.share(epsilon=10**7)["share"].item() == pytest.approx(3 / 6, abs=1e-3)


def test_the_standard_error_is_never_above_one_half_and_the_interval_stays_between_0_and_1() -> None:
    frame = protected()
    for _ in range(50):
        found = (frame["income"] > 30_000).dp.share(epsilon=0.001)
        if not found["share"].isna().item():
            assert found["std_error"].item() <= 0.5
        assert 0 <= found["lower"].item() <= found["upper"].item() <= 1


@pytest.mark.parametrize("column", ["income", "sex"])
def test_a_whole_column_that_is_no_condition_is_refused_before_it_is_paid(column: str) -> None:
    session = pdp.Session(epsilon=1, schema=People)
    with pytest.raises(UnsupportedType, match=r"share needs a condition, e\.g\. \(df\["):
        session.protect(people())[column].dp.share()
    assert session.share_used == 0


def test_bounds_of_a_share_are_refused() -> None:
    with pytest.raises(UnsupportedArgument, match=r"bounds \(0, 1\) by the question itself"):
        protected()["works"].dp.share(bounds=(0, 1))


@pytest.mark.parametrize("model", ["idp", "bdp"])
def test_the_weaker_promises_offer_it_under_its_own_name(model: str) -> None:
    frame = protected(models=["dp", "idp", "bdp"])
    found = (frame["income"] > 30_000).dp.share(epsilon=10**6, model=model)
    assert found.columns.tolist() == ["share"]
    assert found["share"].item() == pytest.approx(0.25, abs=0.01)


def test_a_share_is_read_back_with_the_same_intervals() -> None:
    with seeded_noise(3):
        found = protected()["works"].dp.share(epsilon=1)
    assert found.dp.confint().to_numpy().tolist() == found[["lower", "upper"]].to_numpy().tolist()
    assert found.dp.metadata["statistic"] == "share"


def test_its_answer_costs_what_a_mean_costs_and_is_as_near() -> None:
    """The third number of a mean's measurement comes free, so nothing is lost by sharing its proof."""
    frame = protected()
    with seeded_noise(5):
        share = frame["works"].dp.share(epsilon=1)
    with seeded_noise(5):
        mean = frame["works"].dp.mean(epsilon=1)
    assert share["share"].item() == mean["mean"].item()
