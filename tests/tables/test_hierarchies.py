"""Coarser levels of keys: tables of their own that agree with the finer ones, and say how far they may be off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.schema.values import Tie
from pandas_dp.tables.evidence import Tables
from pandas_dp.tables.planning.lattice import FitAround, possible_cells
from pandas_dp.tables.planning.margins import is_spare, with_implied
from tests.refusals import refused

AGES = list(range(0, 50, 5))
BAND = {age: "child" if age < 15 else "adult" if age < 40 else "old" for age in AGES}
HALF = {age: "child" if age < 15 else "grown" for age in AGES}
HIERARCHIES = {"age": {"band": BAND, "half": HALF}}
CATEGORIES: dict[str, list[Any]] = {"age": AGES, "sex": ["f", "m"]}
TABLES: list[list[str]] = [["age", "sex"], ["band", "sex"], ["half"], []]


def people(rows: int = 800) -> pd.DataFrame:
    r = np.random.default_rng(6)
    ages, sexes = np.array([*AGES, 77], object), np.array(["f", "m", None], object)
    return pd.DataFrame({"age": r.choice(ages, rows), "sex": r.choice(sexes, rows), "x": r.integers(0, 11, rows)})


def asked(frame: pd.DataFrame, tables: Any = None, **how: Any) -> pdp.Release:
    given = {"epsilon": 1, "categories": CATEGORIES, "hierarchies": HIERARCHIES}
    return frame.dp.marginals(TABLES if tables is None else tables, **{**given, **how})


@pytest.mark.parametrize("dtype", [object, "int64", "category"])
@pytest.mark.parametrize("consistent", [True, False])
def test_levels_are_counted_exactly_without_noise(dtype: Any, consistent: bool) -> None:
    data = people().assign(age=lambda d: d.age.astype(dtype))
    frame = pdp.Session(epsilon=10**9).protect(data)
    with zero_noise():
        table = asked(frame, consistent=consistent)["count"]
        cross = frame.dp.crosstab("half", "sex", epsilon=1, categories=CATEGORIES, hierarchies=HIERARCHIES)
        other = asked(frame, [["band"], []], categories=AGES, other=True, consistent=consistent)["count"]
    known = data[data.age.isin(AGES) & data.sex.notna()].astype({"age": "int64"})
    band, half = known.age.map(BAND), known.age.map(HALF)
    for sex in "fm":
        for name in ("child", "adult", "old"):
            assert table.loc[("All", sex, name, "All")] == pytest.approx(((band == name) & (known.sex == sex)).sum())
        assert cross.loc["grown", sex] == ((half == "grown") & (known.sex == sex)).sum()
    assert table.loc[("All", "All", "All", "grown")] == pytest.approx((half == "grown").sum())
    assert table.loc[(25, "m", "All", "All")] == pytest.approx(((known.age == 25) & (known.sex == "m")).sum())
    assert other.loc["other"] == pytest.approx((data.age == 77).sum())
    assert other.loc["adult"] == pytest.approx(data.age.map(lambda age: BAND.get(age) == "adult").sum())


@pytest.mark.parametrize("cost", [{"epsilon": 1}, {"rho": 0.01, "epsilon": None}], ids=str)
def test_noisy_tables_of_all_levels_agree(cost: dict[str, Any]) -> None:
    frame = pdp.Session(epsilon=10**6, delta=1e-6).protect(people())
    table = asked(frame, **cost, importance=[1, 50, 50, 1])
    assert len(table.attrs["dp"]["evidence"][0]["measured"]) > 2
    ages = table["count"].iloc[:20].to_numpy().reshape(10, 2)
    bands = table["count"].iloc[20:26].to_numpy().reshape(2, 3)
    halves, total = table["count"].iloc[26:28].to_numpy(), table["count"].iloc[28]
    assert ages[:3].sum(axis=0) == pytest.approx(bands[:, 0])
    assert ages[3:8].sum(axis=0) == pytest.approx(bands[:, 1])
    assert bands[:, 1:].sum() == pytest.approx(halves[1])
    assert halves.sum() == pytest.approx(total)


def test_the_fit_and_all_its_laws_are_those_of_a_dense_solver() -> None:
    """Each shown number's noise, and that of parts, from the pseudo-inverse of the whole design."""
    sizes, tie = (
        (10, 2, 3),
        Tie((0, 2), tuple((at, ["child", "adult", "old"].index(BAND[a])) for at, a in enumerate(AGES))),
    )
    possible = possible_cells(sizes, (3,), (tie,))  # and a structural zero
    assert possible.sum() == 20 - (1 if possible_cells(sizes, (), (tie,)).ravel()[3] else 0)
    shown, variances = ((0, 1), (1, 2), (2,), ()), {(0, 1): 4.0, (1, 2): 9.0, (): 2.0}
    noises = tuple(Noise(DiscreteGaussian(int(v))) for v in variances.values())  # type: ignore[arg-type]
    exact = {margin: noise.var for margin, noise in zip(variances, noises, strict=True)}
    evidence = Tables("count", np.zeros(0), sizes, shown, tuple(variances), noises, True, zeros=(3,), ties=(tie,))

    def summing(margin: tuple[int, ...]) -> np.ndarray:
        every = np.eye(60).reshape(-1, *sizes)
        summed = every.sum(axis=tuple(1 + p for p in range(3) if p not in margin)).reshape(60, -1).T
        return summed[:, possible.ravel()]

    design = np.vstack([summing(margin) / np.sqrt(v) for margin, v in exact.items()])
    spread = np.linalg.pinv(design.T @ design)
    r = np.random.default_rng(3)
    noisy = {margin: r.normal(size=[sizes[p] for p in margin]) for margin in variances}
    best = np.linalg.lstsq(
        design, np.concatenate([noisy[k].ravel() / np.sqrt(v) for k, v in exact.items()]), rcond=None
    )[0]
    fitted = FitAround(evidence.effects, possible).solve(noisy, shown)
    for margin in shown:
        assert fitted[margin].ravel() == pytest.approx(summing(margin) @ best, abs=1e-7)
        stated = evidence.laws(margin).spread(lambda noise: noise.var)
        assert stated == pytest.approx(np.diag(summing(margin) @ spread @ summing(margin).T), rel=1e-6, abs=1e-9)
        assert (stated[summing(margin).any(axis=1)] > 0).all()
    assert len(evidence.laws((0, 1)).noises) > 2  # bands of three, five and two
    for margin, chosen in [
        ((1,), {0: [2, 3, 4]}),
        ((2, 1), {0: [0, 3, 9]}),
        ((), {2: [1], 1: [0]}),
        ((0,), {0: [1, 7], 1: [1]}),
    ]:
        every = [chosen.get(place, list(range(size))) for place, size in enumerate(sizes)]
        rows = []
        for at in np.ndindex(*[len(every[place]) for place in margin]):
            block = [[every[p][at[margin.index(p)]]] if p in margin else every[p] for p in range(3)]
            one = np.zeros(sizes)
            one[np.ix_(*block)] = 1
            rows.append(one[possible])
        stated = evidence.laws(margin, chosen).spread(lambda noise: noise.var)
        assert stated == pytest.approx(np.diag(np.array(rows) @ spread @ np.array(rows).T), rel=1e-6, abs=1e-9)


@pytest.mark.slow
def test_intervals_of_levels_hold_and_errors_are_those_stated() -> None:
    """150 releases of 29 numbers and a part: the mean square of error over what is stated errs by some 6 per cent."""
    frame = pdp.Session(epsilon=10**9).protect(people())
    with zero_noise():
        true = asked(frame)
    held, ratios = [], []
    for _ in range(150):
        table = asked(frame, confidence=0.9)
        for mine, exact in [
            (table, true),
            (table.dp.margin(["half"], {"sex": "f"}), true.dp.margin(["half"], {"sex": "f"})),
        ]:
            truth = exact["count"].to_numpy()
            held.append((mine["lower"] <= truth + 1e-6) & (truth - 1e-6 <= mine["upper"]))
            ratios.append((mine["count"].to_numpy() - truth) / mine["std_error"].to_numpy())
    assert 0.84 < np.mean(np.concatenate(held)) < 0.96
    assert np.sqrt(np.mean(np.square(np.concatenate(ratios)))) == pytest.approx(1, abs=0.25)


@pytest.mark.slow
def test_a_coarse_level_that_matters_is_measured_and_gains() -> None:
    data = pd.DataFrame({"code": range(400)}).assign(one=0)
    groups = {code: code // 40 for code in range(400)}
    frame = pdp.Session(rho=10).protect(data)
    given = {"categories": {"code": list(range(400))}, "hierarchies": {"code": {"major": groups}}, "rho": 0.1}
    even = frame.dp.marginals([["code"], ["major"]], **given)
    alone = frame.dp.marginals([["code"]], **given)
    assert [1] in even.attrs["dp"]["evidence"][0]["measured"]
    summed = alone.dp.margin([], {"code": list(range(40))})["std_error"].item()
    assert even["std_error"].iloc[-1] < summed / 2


def test_levels_of_stored_tables_are_answered_also_from_finer_ones(tmp_path: Path) -> None:
    session, data = pdp.Session(epsilon=10**9), people()
    frame = session.protect(data)
    with zero_noise():
        tables = pdp.publish_tables(
            tmp_path / "t",
            {
                "t": lambda: asked(
                    frame, [["age", "sex"], ["band"], ["half"]], values="x", aggfunc=["count", "mean"], bounds=(0, 10)
                )
            },
        )
    known = data[data.age.isin(AGES) & data.sex.notna()]
    band = known.age.map(BAND)
    found = pdp.open_tables(tmp_path / "t").table(["sex", "band"], {"half": "grown"}, aggfunc="count")
    assert found.loc[("f", "adult"), ("x", "count", "count")] == pytest.approx(
        ((band == "adult") & (known.sex == "f")).sum()
    )
    assert found.index.tolist() == [("f", "adult"), ("f", "old"), ("m", "adult"), ("m", "old")]  # no child is grown
    means = tables.table(["band"], {"sex": "m"}, aggfunc="mean")["x", "mean", "mean"]
    theirs = known[known.sex == "m"].groupby(band).x.mean()
    assert means.loc["old"] == pytest.approx(theirs["old"], rel=1e-4)
    assert tables.table(["age"], {"band": "old"}, aggfunc="count").index.tolist() == [40, 45]
    assert tables.contents["std_error"].notna().all()
    assert tables.table(["age"], {"band": "old"}, aggfunc="count").loc[40, ("x", "count", "count")] == pytest.approx(
        (known.age == 40).sum()
    )


def test_what_follows_from_what() -> None:
    tie = Tie((0, 2), ((0, 0), (1, 0), (2, 1)))
    assert tie.implied_by([0]) == (0, 2)
    assert tie.implied_by([2]) == (2,)
    assert tie.implied_by([1]) == ()
    assert with_implied((0, 1), [tie]) == (0, 1, 2)
    assert is_spare((0, 2), [tie]) == 2
    assert is_spare((1, 2), [tie]) is None


@pytest.mark.parametrize(
    ("hierarchies", "tables", "says"),
    [
        ({"age": BAND}, [["age"]], "hierarchies must map columns to levels"),
        (["age"], [["age"]], "hierarchies must map columns to levels"),
        ({"age": {"sex": BAND}}, [["sex"]], "the level 'sex', which is a column or a level already"),
        ({"age": {"band": {0: "a"}}}, [["band"]], "must give each declared category of 'age' a group"),
        ({"age": {"band": {**BAND, 99: "a"}}}, [["band"]], "and no other"),
        ({"age": {"band": {**BAND, 0: None}}}, [["band"]], "must give each declared category"),
        (HIERARCHIES, [["age", "band"]], "the key 'band' is determined by the other keys"),
        (HIERARCHIES, [["band", "half", "sex"]], "the key 'half' is determined by the other keys"),
        (HIERARCHIES, [["bands"]], "no column of a name that was given"),
        ({"nobody": {"band": BAND}}, [["band"]], "hierarchies name what is no column"),
    ],
)
def test_refusals_of_levels_come_before_paying(hierarchies: Any, tables: Any, says: str) -> None:
    session = pdp.Session(epsilon=1)
    frame = session.protect(people(20))
    names = {name for table in tables for name in table} & {"age", "sex"} | {"age"}
    with refused(errors.PrivacyError, says):
        asked(frame, tables, hierarchies=hierarchies, categories={k: CATEGORIES[k] for k in names})
    with refused(errors.UnsupportedArgument, "'half', a level of 'age', beside 'band': both read that"):
        frame.dp.crosstab("band", "half", epsilon=1, categories=AGES, hierarchies=HIERARCHIES)
    assert session.share_used == 0


def test_a_series_maps_as_well_as_a_dictionary() -> None:
    frame = pdp.Session(epsilon=10).protect(people())
    one = asked(frame, [["band"], []], hierarchies={"age": {"band": pd.Series(BAND)}}, categories=AGES)
    assert one.index.tolist() == ["child", "adult", "old", "All"]
