"""Individual DP and bootstrap DP as an analyst meets them: opening, asking, refusals, label, ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from tests.refusals import refused

IDP: dict[str, Any] = {"model": "idp", "epsilon": 1}
BDP: dict[str, Any] = {"model": "bdp", "epsilon": 1}


@pytest.fixture
def opened(schema: Any) -> Iterator[pdp.Session]:
    session = pdp.Session(epsilon=1000, delta=1e-6, schema=schema, models=["idp", "bdp"])
    yield session
    session.close()


@pytest.fixture
def known(opened: pdp.Session, table: Callable[..., pd.DataFrame]) -> pd.DataFrame:
    return opened.protect(table())


def test_answers_without_noise_are_those_of_pandas(known: pd.DataFrame, table: Callable[..., pd.DataFrame]) -> None:
    plain = table()
    with zero_noise():
        for name in ("sum", "mean", "var", "std", "min", "max", "median"):
            found = getattr(known["age"].dp, name)(**IDP)[name].item()
            assert found == pytest.approx(getattr(plain["age"], name)(), rel=1e-6), name
        for q in (0.1, 0.25, 0.37):
            assert known["age"].dp.quantile(q, **IDP).iloc[0, 0] == pytest.approx(plain["age"].quantile(q))
        for model in (IDP, BDP):
            sums = known.dp.crosstab("sex", "region", values="age", aggfunc="sum", **model)
            assert sums.equals(pd.crosstab(plain["sex"], plain["region"], values=plain["age"], aggfunc="sum"))
            means = known.dp.groupby("region")["age"].mean(**model)["mean"]
            assert means.tolist() == pytest.approx(plain.groupby("region")["age"].mean().tolist())
        assert known["age"].dp.max(nth=2, **IDP)["max"].item() == plain["age"].nlargest(2).iloc[1]
        public = known.dp.groupby("sex")["age"].std(cells="public", **BDP)["std"]
        assert public.tolist() == pytest.approx(plain.groupby("sex")["age"].std().tolist(), rel=1e-6)
        assert known["age"].dp.between(20, 30, **IDP)["count"].item() == plain["age"].between(20, 30).sum()


def test_individual_promises_are_given_where_rows_come_and_go(schema: Any, table: Callable[..., pd.DataFrame]) -> None:
    with pdp.Session(epsilon=1000, schema=schema, models=["idp"], neighbours="add_remove") as session:
        known, plain = session.protect(table()), table()
        with zero_noise():
            for name in ("sum", "mean", "std", "max", "median"):
                found = getattr(known["age"].dp, name)(**IDP)[name].item()
                assert found == pytest.approx(getattr(plain["age"], name)(), rel=1e-6), name
            assert known.dp.value_counts(subset=["sex"], **IDP).iloc[:, 0].sum() == len(plain)
        pair = known["age"].dp.mean(group=2, **IDP)
        noisy = {known.dp.groupby("sex").size(**IDP).iloc[0, 0] for _ in range(30)}
    assert "2 rows added or removed together" in pair.dp.guarantee
    assert pair.attrs["dp"]["size"] is None
    assert len(noisy) > 1  # all alike: less than 1e-9


def test_a_statistic_that_nothing_moves_is_answered_with_noise_unless_the_floor_is_taken_away(
    opened: pdp.Session,
) -> None:
    """The chance that fifty answers with noise of scale 10 or more are all alike is below 1e-50."""
    flat = opened.protect(pd.DataFrame({"age": [50] * 101, "sex": ["f"] * 101}))
    asks: list[Callable[..., pd.DataFrame]] = [
        lambda **how: flat["age"].dp.median(model="idp", epsilon=0.1, **how),
        lambda **how: flat["age"].dp.sum(model="bdp", epsilon=0.1, **how),
        lambda **how: flat["age"].dp.var(model="bdp", epsilon=0.1, **how),
        lambda **how: flat["age"].dp.between(40, 60, model="bdp", epsilon=0.1, **how),
        lambda **how: flat.dp.groupby("sex").size(model="bdp", epsilon=0.1, **how),
    ]
    for ask in asks:
        assert len({ask().iloc[0, 0] for _ in range(50)}) > 1
        assert len({ask(floor=0).iloc[0, 0] for _ in range(5)}) == 1


def test_the_scale_of_individual_dp_is_the_gap_and_that_of_bootstrap_dp_the_range(opened: pdp.Session) -> None:
    """Means of 400 absolute errors, each within 40 % of the scale: eight standard errors, less than 1e-9 by luck."""
    rows = opened.protect(pd.DataFrame({"age": [30, 30, 30, 40, 60, 60, 60], "sex": "f"}))

    def scale(statistic: str, truth: float, **how: Any) -> float:
        answers = [getattr(rows["age"].dp, statistic)(epsilon=1, **how).iloc[0, 0] for _ in range(400)]
        return float(np.abs(np.array(answers) - truth).mean())

    assert scale("median", 40, model="idp", bounds=(-10_000, 10_000)) == pytest.approx(20, rel=0.4)
    assert scale("sum", 310, model="bdp", bounds=(-10_000, 10_000)) == pytest.approx(30, rel=0.4)


def test_a_truncated_count_stays_within_one_of_the_truth(known: pd.DataFrame) -> None:
    with zero_noise():
        truth = known["age"].dp.between(20, 60, **IDP)["count"].item()
    answers = {known["age"].dp.between(20, 60, truncate=True, **IDP).iloc[0, 0] for _ in range(90)}
    assert answers == {truth - 1, truth, truth + 1}  # one is missing by luck with a chance below 1e-11


def test_label_and_guarantee_say_which_promise_and_which_options(known: pd.DataFrame) -> None:
    release = known["age"].dp.between(20, 60, truncate=True, floor=0, group=2, **IDP)
    assert release.attrs["dp"]["options"] == {"group": 2, "floor": 0, "truncated": True}
    assert release.dp.guarantee == (
        "individual DP, which is weaker than DP: epsilon=1; 2 rows replaced together; laplace noise; "
        "a gap in age, declared complete, counts as the middle of its range; "
        "WITHOUT FLOOR: exact where the data leave the answer no room; TRUNCATED to within one of the truth, "
        "which gives rows away."
    )
    assert known["age"].dp.mean(epsilon=1).attrs["dp"]["options"] is None
    further_rows = pd.DataFrame({"age": [0], "sex": ["f"]})
    release = known.dp.groupby("sex")["age"].sum(cells="public", further_rows=further_rows, **BDP)
    assert release.attrs["dp"]["options"] == {"cells": "public", "further_rows": True}
    assert release.dp.guarantee.startswith("bootstrap DP, which is weaker than DP: epsilon=1;")


def test_the_ledger_books_each_release_under_its_promise_and_the_session_says_what_still_holds(
    opened: pdp.Session, known: pd.DataFrame
) -> None:
    known["age"].dp.mean(epsilon=1)
    assert "keeps differential privacy" in opened.promise
    known["age"].dp.mean(**IDP)
    assert "keeps individual DP, which is weaker" in opened.promise
    known["age"].dp.mean(model="bdp", rho=0.1)
    assert "hides a row of these very data only among the rows that occur in them" in opened.promise
    assert opened.ledger["model"].tolist() == ["dp", "idp", "bdp"]
    assert opened.ledger["mechanism"].tolist() == ["laplace", "laplace", "gaussian"]
    assert set(opened._core.ledger.totals()) == {"dp", "idp", "bdp"}


def test_all_promises_share_one_cap(schema: Any, table: Callable[..., pd.DataFrame]) -> None:
    with pdp.Session(epsilon=1, schema=schema, models=["idp", "bdp"]) as session:
        people = session.protect(table())
        people["age"].dp.mean(model="idp", epsilon=0.4)
        people["age"].dp.mean(model="bdp", epsilon=0.4)
        with pytest.raises(errors.BudgetExceeded):
            people["age"].dp.mean(epsilon=0.4)


def test_a_release_of_a_weaker_promise_refuses_intervals(known: pd.DataFrame) -> None:
    release = known["age"].dp.mean(**IDP)
    assert list(release.columns) == ["mean"]
    with refused(errors.NotConcluded):
        release.dp.confint()


def test_releases_of_a_weaker_promise_are_not_combined(known: pd.DataFrame) -> None:
    two = [known["age"].dp.mean(**IDP) for _ in range(2)]
    with refused(errors.NotConcluded, "has no weight to combine it with; ask once with the whole"):
        pdp.combine(two)
    with refused(errors.NotConcluded, "scaled by the data"):
        two[0].dp.test(50)


REFUSED: list[tuple[str, Callable[[pd.DataFrame], Any], type[Exception]]] = [
    ("rho under idp", lambda p: p["age"].dp.mean(model="idp", rho=0.1), errors.CostNotOffered),
    ("delta under idp", lambda p: p["age"].dp.mean(model="idp", epsilon=1, delta=1e-8), errors.CostNotOffered),
    ("gaussian under idp", lambda p: p["age"].dp.mean(mechanism="gaussian", **IDP), errors.UnknownMechanism),
    ("width", lambda p: p["age"].dp.mean(model="bdp", width=3), errors.UnsupportedArgument),
    ("group under dp", lambda p: p["age"].dp.mean(group=2, epsilon=1), errors.UnsupportedArgument),
    ("group under bdp", lambda p: p["age"].dp.mean(group=2, **BDP), errors.UnsupportedArgument),
    ("group of none", lambda p: p["age"].dp.mean(group=0, **IDP), errors.UnsupportedArgument),
    ("another floor", lambda p: p["age"].dp.mean(floor=3, **IDP), errors.UnsupportedArgument),
    ("cells under idp", lambda p: p.dp.groupby("sex")["age"].mean(cells="public", **IDP), errors.UnsupportedArgument),
    ("other cells", lambda p: p.dp.groupby("sex")["age"].mean(cells="open", **BDP), errors.UnsupportedArgument),
    ("public cells without cells", lambda p: p["age"].dp.mean(cells="public", **BDP), errors.UnsupportedArgument),
    ("public counts", lambda p: p.dp.crosstab("sex", "region", cells="public", **BDP), errors.UnsupportedArgument),
    (
        "scale iii of private cells",
        lambda p: p.dp.groupby("sex")["age"].sum(scale="iii", **BDP),
        errors.UnsupportedArgument,
    ),
    (
        "scale i of public cells",
        lambda p: p.dp.groupby("sex")["age"].sum(scale="i", cells="public", **BDP),
        errors.UnsupportedArgument,
    ),
    ("further rows of one number", lambda p: p["age"].dp.sum(further_rows=3, **BDP), errors.UnsupportedArgument),
    (
        "further rows without the column",
        lambda p: p["age"].dp.sum(further_rows=pd.DataFrame({"x": [1]}), **BDP),
        errors.UnknownColumn,
    ),
    (
        "laplace median of private size under bdp",
        lambda p: p[p["age"] > 3]["age"].dp.median(mechanism="laplace", **BDP),
        errors.UnsupportedArgument,
    ),
    ("bootstrap under idp", lambda p: p["age"].dp.mean(bootstrap=50, **IDP), errors.UnsupportedArgument),
    ("covariance", lambda p: p[["age", "income"]].dp.cov(**IDP), errors.UnsupportedArgument),
    ("distinct values", lambda p: p["sex"].dp.nunique(**BDP), errors.UnsupportedArgument),
    ("second maximum under dp", lambda p: p["age"].dp.max(nth=2, epsilon=1), errors.UnsupportedArgument),
    ("nth of nothing", lambda p: p["age"].dp.max(nth=0, **IDP), errors.UnsupportedArgument),
    ("truncated under dp", lambda p: p["age"].dp.between(1, 5, truncate=True, epsilon=1), errors.UnsupportedArgument),
    ("times between", lambda p: p["born"].dp.between(1, 5, epsilon=1), errors.BadBounds),
]


@pytest.mark.parametrize(("name", "ask", "error"), REFUSED, ids=[name for name, *_ in REFUSED])
def test_a_refusal_is_made_before_paying_in_these_words(
    opened: pdp.Session,
    known: pd.DataFrame,
    name: str,
    ask: Callable[[pd.DataFrame], Any],
    error: type[Exception],
) -> None:
    with refused(error, name):
        ask(known)
    assert not len(opened.ledger)


def test_a_rho_session_asks_individual_dp_for_epsilon(schema: Any, table: Callable[..., pd.DataFrame]) -> None:
    with pdp.Session(rho=1, schema=schema, models=["idp"]) as session:
        people = session.protect(table())
        with refused(errors.CostNotOffered):
            people["age"].dp.mean(model="idp")
        people["age"].dp.mean(model="idp", epsilon=1)
        assert session.ledger["epsilon"].tolist() == [1.0]


def counted(most: int) -> pa.DataFrameSchema:
    return pa.DataFrameSchema({"x": pa.Column("int64", pa.Check.in_range(0, most))})


@pytest.mark.parametrize("asks", [IDP, BDP], ids=["idp", "bdp"])
def test_whole_sums_are_exact_where_bounds_times_rows_fit_64_bits(asks: dict[str, Any]) -> None:
    most, rows = 2**45, 2**10
    with pdp.Session(epsilon=100, schema=counted(most), models=["idp", "bdp"]) as session, zero_noise():
        people = session.protect(pd.DataFrame({"x": [most] * rows}))
        for some in (people, people[people["x"] > 0]):
            found = some["x"].dp.sum(**asks)
            assert found["sum"].dtype == np.int64
            assert found["sum"].item() == most * rows


@pytest.mark.parametrize("asks", [IDP, BDP], ids=["idp", "bdp"])
def test_and_refused_by_public_facts_where_they_may_not(asks: dict[str, Any]) -> None:
    """Also of a selection that holds no row: the protected frame's size counts. Floats go on."""
    with pdp.Session(epsilon=100, schema=counted(2**60), models=["idp", "bdp"]) as session:
        people = session.protect(pd.DataFrame({"x": [0] * 9}))
        for some in (people, people[people["x"] > 0]):
            with refused(errors.UnsupportedArgument):
                some["x"].dp.sum(**asks)
        assert not len(session.ledger)
        with zero_noise():
            wide = session.protect(pd.DataFrame({"y": [2.0**70] * 9}))
            assert wide["y"].dp.sum(bounds=(0, 2.0**70), **asks)["sum"].item() == 9 * 2.0**70


@pytest.mark.parametrize("model", ["idp", "bdp"])
def test_a_place_beyond_the_public_number_of_rows_is_refused(model: str) -> None:
    session = pdp.Session(epsilon=10, models=[model])
    three = session.protect(pd.DataFrame({"age": [31.0, 54.0, 47.0]}))["age"]
    with refused(errors.BadArgument):
        three.dp.max(nth=4, model=model, epsilon=1, bounds=(0, 100))
    assert session.share_used == 0


def test_public_cells_of_a_derived_frame_are_refused() -> None:
    """Who is in none of them is private: of 60, 60 and 0, above 50, one replaced row takes 60 from the sum."""
    session = pdp.Session(epsilon=10, models=["bdp"])
    table = session.protect(pd.DataFrame({"x": [60.0, 60.0, 0.0], "k": ["a"] * 3}))
    with refused(errors.UnsupportedArgument):
        table[table["x"] > 50].dp.groupby("k", categories=["a"])["x"].sum(
            model="bdp", cells="public", bounds=(0, 100), epsilon=1
        )
    assert session.share_used == 0


@pytest.mark.parametrize("model", ["idp", "bdp"])
@pytest.mark.parametrize("question", ["sum", "iqr", "median", "max"])
def test_numbers_at_the_ends_of_what_bounds_can_be_are_no_error(model: str, question: str) -> None:
    session = pdp.Session(epsilon=10, models=[model])
    x = session.protect(pd.DataFrame({"x": [0.0, 1e49, 1e50, 3e49]}))["x"]
    getattr(x.dp, question)(model=model, epsilon=1e-12, bounds=(0, 1e50))
