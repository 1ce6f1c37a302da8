"""Weighted counts, their shares, ratios and calibrated tables have the errors of their design: strata and clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.evidence.evidence import evidence_from_json
from pandas_dp.surveys.conclude import _calibrated

SCHEMA = pa.DataFrameSchema(
    {
        "w": pa.Column(float, pa.Check.in_range(0, 4)),
        "y": pa.Column(float, pa.Check.in_range(0, 100)),
        "x": pa.Column(float, pa.Check.in_range(0, 10)),
        "h": pa.Column(int, pa.Check.isin([0, 1, 2])),
        "psu": pa.Column(int, pa.Check.isin(list(range(12)))),
        "g": pa.Column(str, pa.Check.isin(["a", "b"])),
        "k": pa.Column(str, pa.Check.isin(["u", "v", "z"])),
    }
)
SIZES = {0: 90, 1: 120, 2: 150}
COST = 1e15
Variance = Callable[[Any], float]


def sample(seed: int = 1) -> pd.DataFrame:
    """Strata and units that differ, in everything."""
    r = np.random.default_rng(seed)
    h = np.repeat(list(SIZES), list(SIZES.values()))
    n = len(h)
    psu = r.integers(0, 12, n)
    x = r.uniform(1, 9, n)
    y = np.clip(8 * x + 6 * h + r.normal(0, 4, 12)[psu] + r.normal(0, 6, n), 0, 100)
    g = np.where(r.random(n) < 0.2 + 0.25 * h, "a", "b")
    k = np.where(psu < 5, "u", r.choice(["u", "v", "z"], n))
    return pd.DataFrame({"w": r.uniform(1, 4, n), "y": y, "x": x, "h": h, "psu": psu, "g": g, "k": k})


def by_strata(data: pd.DataFrame, fpc: dict[int, float] | None = None) -> Variance:
    def variance(z: Any) -> float:
        found = 0.0
        for h, n in SIZES.items():
            own = np.asarray(z)[data["h"] == h]
            left = 1 if fpc is None else 1 - n / fpc[h]
            found += left * n / (n - 1) * float((own**2).sum() - own.sum() ** 2 / n)
        return found

    return variance


def by_units(data: pd.DataFrame) -> Variance:
    def variance(z: Any) -> float:
        totals = np.array([np.sum(np.asarray(z)[data["psu"] == unit]) for unit in range(12)])
        return 12 / 11 * float(((totals - totals.mean()) ** 2).sum())

    return variance


FPC = {0: 900.0, 1: 300.0, 2: 400.0}
DESIGNS: dict[str, tuple[dict[str, Any], Callable[[pd.DataFrame], Variance]]] = {
    "strata": ({"strata": {"h": SIZES}}, by_strata),
    "strata of a finite population": ({"strata": {"h": SIZES}, "fpc": FPC}, lambda data: by_strata(data, FPC)),
    "clusters": ({"clusters": "psu"}, by_units),
}


def asked(name: str, data: pd.DataFrame) -> tuple[pd.DataFrame, Variance]:
    design, variance = DESIGNS[name]
    session = pdp.Session(rho=1e20, schema=SCHEMA)
    return session.protect(data, design=pdp.Design(weights="w", **design)), variance(data)


def half_widths(release: pd.DataFrame) -> Any:
    ends = release.dp.confint(0.5).to_numpy(dtype=float)
    return (ends[:, 1::2] - ends[:, 0::2]) / 2


@pytest.mark.parametrize("name", DESIGNS)
def test_counts_and_their_shares(name: str) -> None:
    data = sample()
    people, variance = asked(name, data)
    w, g = data["w"].to_numpy(), data["g"].to_numpy()
    counts, shares = (people["g"].dp.value_counts(normalize=each, sort=False, rho=COST) for each in (False, True))
    requested = [variance(w * (g == each)) for each in ("a", "b")]
    whole = half_widths(people["y"].dp.count(rho=COST)).item() / variance(w) ** 0.5
    np.testing.assert_allclose(half_widths(counts).ravel() / np.sqrt(requested), whole, rtol=1e-3)
    for each in ("a", "b"):
        p = w[g == each].sum() / w.sum()
        assert shares.loc[each, "proportion"] == pytest.approx(p, rel=1e-5)
        error = shares.dp.metadata["evidence"][0]
        again = evidence_from_json(error, shares["proportion"].to_numpy())
        place = list(shares.index).index(each)
        of = variance(w * ((g == each) - p) / w.sum()) ** 0.5
        assert again.std_error("population")[place] == pytest.approx(of, rel=1e-3)


@pytest.mark.parametrize("name", DESIGNS)
def test_shares_of_rows_and_of_columns(name: str) -> None:
    data = sample()
    people, variance = asked(name, data)
    table = people.dp.crosstab("g", "k", normalize="index", rho=COST)
    (facts,) = table.dp.metadata["evidence"]
    errors = evidence_from_json(facts, table.to_numpy(dtype=float).ravel()).std_error("population").reshape(table.shape)
    w, g, k = (data[each].to_numpy() for each in ("w", "g", "k"))
    for row, first in enumerate(table.index):
        for column, second in enumerate(table.columns):
            group = w * (g == first)
            p = (group * (k == second)).sum() / group.sum()
            of = variance(group * ((k == second) - p) / group.sum()) ** 0.5
            assert errors[row, column] == pytest.approx(of, rel=2e-3)


def test_ratios_have_errors_by_clusters() -> None:
    data = sample()
    people, variance = asked("clusters", data)
    release = people.dp.ratio("y", "x", rho=COST)
    w, y, x = (data[each].to_numpy() for each in ("w", "y", "x"))
    ratio = (w * y).sum() / (w * x).sum()
    assert release["ratio"].item() == pytest.approx(ratio, rel=1e-4)
    assert release["std_error"].item() ** 2 == pytest.approx(
        variance(w * (y - ratio * x)) / (w * x).sum() ** 2, rel=1e-3
    )
    plain = np.sqrt(len(w) / (len(w) - 1) * ((w * (y - ratio * x)) ** 2).sum()) / (w * x).sum()
    assert release["std_error"].item() != pytest.approx(plain, rel=0.02)  # the design matters
    inside = data["g"].to_numpy() == "b"
    in_group = people.dp.groupby("g").ratio("y", "x", rho=COST).loc["b", "std_error"]
    part = (w * y)[inside].sum() / (w * x)[inside].sum()
    of = variance(inside * w * (y - part * x)) ** 0.5 / (w * x)[inside].sum()
    assert in_group == pytest.approx(of, rel=1e-3)


@pytest.mark.parametrize("name", DESIGNS)
def test_ratios_and_domains_are_those_of_survey_formulas(name: str) -> None:
    """Of all rows, of a filter and of a group: R's svyratio, svymean and svyby, with the finite population too."""
    data = sample()
    people, variance = asked(name, data)
    w, y, x = (data[each].to_numpy(float) for each in ("w", "y", "x"))
    inside = (data["g"] == "b").to_numpy()
    filtered = people[people["g"] == "b"]
    ratios = (
        (people.dp.ratio("y", "x", rho=COST)["std_error"].item(), np.ones(len(w))),
        (filtered.dp.ratio("y", "x", rho=COST)["std_error"].item(), inside),
        (people.dp.groupby("g").ratio("y", "x", rho=COST).loc["b", "std_error"], inside),
    )
    for found, rows in ratios:
        of = rows * w
        ratio = (of * y).sum() / (of * x).sum()
        assert found == pytest.approx(variance(of * (y - ratio * x)) ** 0.5 / (of * x).sum(), rel=1e-3)
    of = inside * w
    requested = variance(of * (y - (of * y).sum() / of.sum())) ** 0.5 / of.sum()
    means = filtered["y"].dp.mean(rho=COST), people.dp.groupby("g")["y"].mean(rho=COST).loc[["b"]]
    for mean in means:
        assert float(mean["std_error"].iloc[0]) == pytest.approx(requested, rel=1e-3)


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("of", ["counts", "sums"])
def test_calibrated_tables(name: str, of: str) -> None:
    data = sample()
    people, variance = asked(name, data)
    table = (
        people.dp.crosstab("g", "k", rho=COST) if of == "counts" else people.dp.groupby(["g", "k"])["y"].sum(rho=COST)
    )
    true = table.to_numpy(dtype=float).ravel() if of == "counts" else table["sum" if "sum" in table else "y"].to_numpy()
    totals = {"g": {"a": true[:3].sum() * 1.1, "b": true[3:].sum() * 0.9}}
    known = table.dp.calibrate(totals)
    sums = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]], float)
    _, by = _calibrated(true, sums, np.array(list(totals["g"].values())), 1e-6)
    w, y = data["w"].to_numpy(), data["y"].to_numpy()
    cells = [
        w * (1 if of == "counts" else y) * (data["g"].to_numpy() == g) * (data["k"].to_numpy() == k)
        for g in ("a", "b")
        for k in ("u", "v", "z")
    ]
    requested = [variance(line @ np.array(cells)) ** 0.5 for line in by]
    (facts,) = known.dp.metadata["evidence"]
    found = evidence_from_json(facts, known.to_numpy(dtype=float).ravel()).std_error("population")
    np.testing.assert_allclose(found, requested, rtol=5e-3)


def of_all_rows(data: pd.DataFrame) -> Variance:
    """Weights alone."""
    return lambda z: len(z) / (len(z) - 1) * float((np.asarray(z) ** 2).sum() - np.sum(z) ** 2 / len(z))


OF_MARGINS = {**DESIGNS, "weights": ({}, of_all_rows)}


def evidence_of(release: pd.DataFrame) -> Any:
    (facts,) = release.dp.metadata["evidence"]
    return evidence_from_json(facts, release.to_numpy(dtype=float).ravel())


@pytest.mark.parametrize("name", OF_MARGINS)
@pytest.mark.parametrize("of", ["count", "sum", "mean"])
def test_margins_have_the_errors_of_their_cells_together(name: str, of: str) -> None:
    """As if the margin had been asked by itself: sampling errors of cells hang together, so they do not add up."""
    data = sample()
    design, variance_of = OF_MARGINS[name]
    people = pdp.Session(rho=1e20, schema=SCHEMA).protect(data, design=pdp.Design(weights="w", **design))
    table = people.dp.crosstab("g", "k", "y", of, margins=True, rho=COST)
    variance, errors = variance_of(data), evidence_of(table).std_error("population").reshape(3, 4)
    w, y = data["w"].to_numpy(), data["y"].to_numpy()
    assert (*table.index, *table.columns) == ("a", "b", "All", "u", "v", "z", "All")
    for row, g in enumerate(table.index):
        for column, k in enumerate(table.columns):
            inside = w if g == "All" else w * (data["g"] == g).to_numpy()
            inside = inside if k == "All" else inside * (data["k"] == k).to_numpy()
            total, weighed = float((inside * y).sum()), float(inside.sum())
            requested = {"count": weighed, "sum": total, "mean": total / weighed}[of]
            assert table.iloc[row, column] == pytest.approx(requested, rel=1e-4)
            z = {"count": inside, "sum": inside * y, "mean": inside * (y - total / weighed) / weighed}[of]
            assert errors[row, column] == pytest.approx(variance(z) ** 0.5, rel=2e-3)


@pytest.mark.parametrize("of", ["count", "sum"])
def test_the_noise_of_margins_is_that_of_the_cells_that_they_add(of: str) -> None:
    with pdp.Session(rho=1, schema=SCHEMA) as session:
        people = session.protect(sample(), design=pdp.Design(weights="w", strata={"h": SIZES}))
        table = people.dp.crosstab("g", "k", "y", of, margins=True, rho=0.1)
    cells = table.iloc[:2, :3].to_numpy(dtype=float)
    np.testing.assert_allclose(table["All"].to_numpy()[:2], cells.sum(axis=1))
    np.testing.assert_allclose(table.loc["All"].to_numpy()[:3], cells.sum(axis=0))
    assert table.loc["All", "All"] == pytest.approx(cells.sum())
    errors = evidence_of(table).std_error("sample").reshape(3, 4)
    np.testing.assert_allclose(errors / errors[0, 0], np.sqrt(np.outer([1, 1, 2], [1, 1, 1, 3])))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["weights", "strata", "clusters"])
def test_intervals_of_margins_hold_the_population(name: str) -> None:
    """Of 300 samples fewer than .865 hold at a coverage of .94 with a chance below 1e-6, of each of three margins."""
    r, held, design = np.random.default_rng(7), [], OF_MARGINS[name][0]
    sizes, yes, weight = np.array(list(SIZES.values())), 0.2 + 0.25 * np.array(list(SIZES)), 2.5
    true = weight * np.array([(sizes * yes).sum(), 0.3 * sizes.sum(), sizes.sum()])
    for _ in range(300):
        h = np.repeat(list(SIZES), sizes)
        n = len(h)
        g, k = np.where(r.random(n) < yes[h], "a", "b"), r.choice(["u", "v", "z"], n, p=[0.3, 0.6, 0.1])
        w, units = r.uniform(1, 4, n), r.integers(0, 12, n)
        data = pd.DataFrame({"w": w, "y": 50.0, "x": 1.0, "h": h, "psu": units, "g": g, "k": k})
        with pdp.Session(rho=10, schema=SCHEMA) as session:
            people = session.protect(data, design=pdp.Design(weights="w", **design))
            ends = people.dp.crosstab("g", "k", margins=True, rho=2).dp.confint().to_numpy(dtype=float)
        low, high = ends.reshape(3, 4, 2)[[0, 2, 2], [3, 0, 3]].T
        held.append((low <= true) & (true <= high))
    assert np.mean(held, axis=0).min() >= 0.865


def test_shares_are_taken_of_the_cells_of_a_table_with_margins() -> None:
    people, _ = asked("clusters", sample())
    with_margins = people.dp.crosstab("g", "k", margins=True, rho=COST).dp.shares("index")
    alone = people.dp.crosstab("g", "k", normalize="index", rho=COST)
    pd.testing.assert_frame_equal(pd.DataFrame(with_margins), pd.DataFrame(alone), rtol=1e-4)


def test_counts_of_strata_whose_sizes_are_measured_leave_them_out() -> None:
    """A cell does not tell how many others its strata have; without strata errors are no smaller."""
    data = sample()
    people = pdp.Session(rho=1e20, schema=SCHEMA).protect(data, design=pdp.Design(weights="w", strata="h"))
    release = people["g"].dp.value_counts(rho=COST)
    assert release.dp.metadata["evidence"][0]["strata"] is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["strata", "clusters"])
def test_intervals_hold_the_population(name: str) -> None:
    """Of 300 samples fewer than .865 hold at a coverage of .94 with a chance below 1e-6."""
    r, held = np.random.default_rng(5), []
    levels, design = np.random.default_rng(6), DESIGNS[name][0]
    for _ in range(300):
        h = np.repeat(list(SIZES), list(SIZES.values()))
        psu = r.integers(0, 12, len(h))
        effect = levels.normal(0, 0.06, 12)[psu] if name == "clusters" else 0.0
        yes = r.random(len(h)) < 0.3 + (0.15 * h if name == "strata" else 0.15) + effect
        x = r.uniform(1, 9, len(h))
        y = np.clip(8 * x + 60 * effect + r.normal(0, 6, len(h)), 0, 100)
        w = r.uniform(1, 4, len(h))
        data = pd.DataFrame({"w": w, "y": y, "x": x, "h": h, "psu": psu, "g": np.where(yes, "a", "b"), "k": "u"})
        with pdp.Session(rho=10, schema=SCHEMA) as session:
            people = session.protect(data, design=pdp.Design(weights="w", **design))
            share = people["g"].dp.value_counts(normalize=True, sort=False, rho=2).dp.confint().loc["a"].to_numpy()
            ratio = people.dp.ratio("y", "x", rho=2).iloc[0, [2, 3]]
        true = (
            0.45
            if name == "clusters"
            else float(np.average(0.3 + 0.15 * np.array(list(SIZES)), weights=list(SIZES.values())))
        )
        held.append([share[0] <= true <= share[1], ratio.iloc[0] <= 8 <= ratio.iloc[1]])
    assert np.mean(held, axis=0).min() >= 0.865
