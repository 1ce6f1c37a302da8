"""People who were sampled in clusters: errors are those of the clusters' totals, as in svydesign(ids=~psu)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest
from scipy import stats

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.evidence.evidence import evidence_from_json
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.surveys.evidence import Surveyed
from pandas_dp.surveys.evidence_strata import Clusters
from tests.refusals import refused

SCHEMA = pa.DataFrameSchema(
    {
        "w": pa.Column(float, pa.Check.in_range(0, 4)),
        "y": pa.Column(float, pa.Check.in_range(0, 100)),
        "psu": pa.Column(int, pa.Check.isin(list(range(12)))),
        "g": pa.Column(str, pa.Check.isin(["a", "b"])),
    }
)
UNITS = 12
NORTH, SOUTH = list(range(5)), list(range(5, UNITS))
BY_STRATUM = {"psu": {"north": NORTH, "south": SOUTH}}
SAMPLES = 300


def sample(r: np.random.Generator, units: int = UNITS, people: int = 25, between: float = 6.0) -> pd.DataFrame:
    """About so many people in each unit, whose means differ."""
    psu = np.repeat(np.arange(units), r.integers(people // 2, people * 3 // 2 + 1, units))
    y = 45 + r.normal(0, between, units)[psu] + r.normal(0, 15, len(psu))
    g = np.where(r.random(len(psu)) < 0.5, "a", "b")
    return pd.DataFrame({"w": r.uniform(1, 4, len(psu)), "y": np.clip(y, 0, 100), "psu": psu, "g": g})


def asked(data: pd.DataFrame, **design: Any) -> pd.DataFrame:
    return pdp.Session(rho=1e20, schema=SCHEMA).protect(data, design=pdp.Design(weights="w", **design))


def by_hand(data: pd.DataFrame, linear: Any, strata: list[list[int]], mean_of_all: bool = False) -> float:
    """Σ over strata of n/(n - 1)·Σ(z - mean of z)², z the totals of the units; one unit alone by the mean of all."""
    z = {unit: float(np.sum(linear[data["psu"] == unit])) for units in strata for unit in units}
    middle, found = np.mean(list(z.values())), 0.0
    for units in strata:
        of = np.array([z[unit] for unit in units])
        if len(of) > 1:
            found += len(of) / (len(of) - 1) * float(((of - of.mean()) ** 2).sum())
        elif mean_of_all:
            found += float((of[0] - middle) ** 2)
    return found


@pytest.mark.parametrize(("clusters", "strata"), [("psu", [NORTH + SOUTH]), (BY_STRATUM, [NORTH, SOUTH])])
def test_without_noise_errors_are_the_textbooks(clusters: Any, strata: list[list[int]]) -> None:
    data = sample(np.random.default_rng(1), between=12)
    people, w, y = asked(data, clusters=clusters), data["w"].to_numpy(), data["y"].to_numpy()
    mean, share = np.average(y, weights=w), np.average(y > 50, weights=w)
    requested = {
        "mean": (mean, by_hand(data, w * (y - mean) / w.sum(), strata)),
        "sum": ((w * y).sum(), by_hand(data, w * y, strata)),
        "share": (share, by_hand(data, w * ((y > 50) - share) / w.sum(), strata)),
    }
    releases = [people["y"].dp.mean(rho=1e15), people["y"].dp.sum(rho=1e15), (people["y"] > 50).dp.share(rho=1e15)]
    for (estimate, variance), release in zip(requested.values(), releases, strict=True):
        assert release.iloc[0, 0] == pytest.approx(estimate, rel=1e-4)
        assert release["std_error"].item() ** 2 == pytest.approx(variance, rel=1e-3)
    rows = np.sqrt(len(w) / (len(w) - 1) * ((w * (y - mean)) ** 2).sum()) / w.sum()
    assert releases[0]["std_error"].item() > 1.2 * rows  # rows as what was sampled say too little


def test_groups_and_domains_keep_units_that_have_nobody_in_them() -> None:
    data = sample(np.random.default_rng(2))
    data.loc[data["psu"] < 4, "g"] = "a"
    people, inside = asked(data, clusters=BY_STRATUM), (data["g"] == "b").to_numpy()
    w, y = data["w"].to_numpy() * inside, data["y"].to_numpy()
    mean = np.average(y, weights=w)
    requested = by_hand(data, w * (y - mean) / w.sum(), [NORTH, SOUTH])
    grouped = people.dp.groupby("g")["y"].mean(rho=1e15)
    domain = people[people["g"] == "b"]["y"].dp.mean(rho=1e15)
    for error in (grouped.loc["b", "std_error"], domain["std_error"].item()):
        assert error**2 == pytest.approx(requested, rel=1e-3)


def test_units_are_declared_by_schema_by_the_question_or_by_the_design() -> None:
    data = sample(np.random.default_rng(3))
    bare = pdp.Session(rho=1e20).protect(data, design=pdp.Design(weights="w", clusters="psu"))
    found = [
        asked(data, clusters="psu")["y"].dp.mean(rho=1e15),
        asked(data, clusters={"psu": range(UNITS)})["y"].dp.mean(rho=1e15),
        bare["y"].dp.mean(bounds={"y": (0, 100), "w": (0, 4)}, categories={"psu": list(range(UNITS))}, rho=1e15),
    ]
    assert [each["std_error"].item() for each in found] == pytest.approx([found[0]["std_error"].item()] * 3, rel=1e-4)
    assert found[1].dp.metadata["weights"]["clusters"] == "psu"
    assert found[1].dp.metadata["weights"]["nested"] == [UNITS]


@pytest.mark.parametrize("lonely", ["adjust", "certainty"])
def test_a_stratum_of_one_unit(lonely: str) -> None:
    data = sample(np.random.default_rng(4))
    strata = [[0], list(range(1, UNITS))]
    people = asked(data, clusters={"psu": dict(enumerate(strata))}, lonely=lonely)
    requested = by_hand(data, (data["w"] * data["y"]).to_numpy(), strata, mean_of_all=lonely == "adjust")
    assert people["y"].dp.sum(rho=1e15)["std_error"].item() ** 2 == pytest.approx(requested, rel=1e-4)


def test_the_noise_of_units_is_taken_out_of_their_squares() -> None:
    """The mean of 40,000 variances is within 5 standard errors of the truth: by chance outside in 1 of a million.

    Without the correction it is some 25 of them too large. Half a standard deviation of what noise is left is added.
    """
    r, cells, sizes, var = np.random.default_rng(5), 40_000, (1, 4, 7), 9 * (1 + 0.3**2)
    total, swing = r.uniform(20, 30, sum(sizes)), r.normal(0, 40, sum(sizes))
    z = swing + 0.3 * total
    of = [np.array([z[0] - z.mean()]), z[1:5] - z[1:5].mean(), z[5:] - z[5:].mean()]
    factors, loud = np.array([1, 4 / 3, 7 / 6]), np.array([11 / 12, 3, 6])
    true = float(factors @ [(each**2).sum() for each in of])
    left = np.sqrt(4 * var * factors.max() * true + 2 * var**2 * (factors**2 @ loud))
    t, s = (np.tile(each, cells) + r.normal(0, 3, cells * len(z)) for each in (total, swing))
    noise = Noise(DiscreteGaussian(9))
    found = Clusters(np.stack([t, s]), (noise, noise), sizes, "adjust").variance(np.full(cells, 0.3), np.ones(cells))
    assert abs(found.mean() - left / 2 - true) < 5 * found.std() / np.sqrt(cells)


def test_alike_units_vary_no_less_than_their_noise() -> None:
    noise = Noise(DiscreteGaussian(9))
    found = Clusters(np.ones((2, 8)), (noise, noise), (8,)).variance(np.zeros(1), np.ones(1))
    assert found.item() == pytest.approx(np.sqrt(2 * 7) * 8 / 7 * 9)


def test_a_label_tells_it_all_again() -> None:
    people = asked(sample(np.random.default_rng(13)), clusters=BY_STRATUM)
    release = people.dp.groupby("g")["y"].sum(rho=0.5)
    facts = release.dp.metadata["evidence"][0]
    again = evidence_from_json(facts, release.iloc[:, 0].to_numpy(dtype=float))
    assert isinstance(again, Surveyed)
    low, high = again.interval(0.9, "population")
    assert np.array_equal(np.stack([low, high], axis=1), release.dp.confint(0.9).to_numpy(dtype=float))
    assert again.clusters is not None
    assert again.clusters.sizes == (5, 7)


def test_degrees_of_freedom_are_units_less_strata() -> None:
    people = asked(sample(np.random.default_rng(6)), clusters=BY_STRATUM)
    release = people["y"].dp.sum(rho=1e15)
    low, high = release.dp.confint().iloc[0]
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 10) * release["std_error"].item(), rel=1e-4)


ODD: dict[str, Any] = {
    "usual": lambda d: d,
    "nobody in a declared unit": lambda d: d.assign(psu=99),
    "some in no unit": lambda d: d.assign(psu=[99 if each < 6 else each for each in d["psu"]]),
    "missing": lambda d: d.assign(psu=np.nan),
    "texts": lambda d: d.assign(psu="three"),
    "all in one": lambda d: d.assign(psu=0),
    "one row": lambda d: d.iloc[:1],
    "no rows": lambda d: d.iloc[:0],
    "no weights": lambda d: d.assign(w=np.nan),
}


@pytest.mark.parametrize("cost", [{"rho": 0.5}, {"epsilon": 1}], ids=["gaussian", "laplace"])
@pytest.mark.parametrize("clusters", ["psu", BY_STRATUM, {"psu": {0: [0], 1: list(range(1, 12))}}], ids=str)
def test_all_rows_are_answered_in_one_shape(cost: Any, clusters: Any) -> None:
    shapes = set()
    for change in ODD.values():
        data = change(sample(np.random.default_rng(7)))
        with pdp.Session(schema=SCHEMA, **dict.fromkeys(cost, 10)) as session:
            people = session.protect(data, design=pdp.Design(weights="w", clusters=clusters, lonely="adjust"))
            releases = [
                people["y"].dp.mean(**cost),
                people["y"].dp.sum(**cost),
                people[people["y"] > 200]["y"].dp.mean(**cost),
                people.dp.groupby("g")["y"].mean(**cost),
                people["g"].dp.value_counts(**cost),
                people["g"].dp.value_counts(normalize=True, **cost),
                people.dp.groupby("g").ratio("y", "w", **cost),
            ]
        for place, release in enumerate(releases):
            shapes.add((place, release.shape, tuple(map(str, release.dtypes)), tuple(map(str, release.index))))
            ends = release.dp.confint().to_numpy(dtype=float)
            assert not np.isnan(ends).any()
            assert (ends[:, 0::2] <= ends[:, 1::2]).all()
    assert len(shapes) == 7


def test_rows_of_no_declared_unit_count_in_the_estimate_and_not_in_its_error() -> None:
    data = sample(np.random.default_rng(8))
    people = asked(ODD["some in no unit"](data), clusters={"psu": list(range(6, 12))})
    release = people["y"].dp.sum(rho=1e15)
    assert release["sum"].item() == pytest.approx((data["w"] * data["y"]).sum(), rel=1e-4)
    requested = by_hand(data, (data["w"] * data["y"]).to_numpy(), [list(range(6, 12))])
    assert release["std_error"].item() ** 2 == pytest.approx(requested, rel=1e-4)


DESIGNS: dict[str, dict[str, Any]] = {
    "strata beside": {"clusters": "psu", "strata": "g"},
    "fpc": {"clusters": "psu", "fpc": 400},
    "one unit": {"clusters": {"psu": [1]}},
    "one unit in each": {"clusters": {"psu": {"n": [1], "s": [2]}}, "lonely": "adjust"},
    "lonely unsaid": {"clusters": {"psu": {"n": [1], "s": [2, 3]}}},
    "two columns": {"clusters": {"psu": [1, 2], "g": ["a"]}},
    "nothing": {"clusters": {"psu": []}},
    "a number": {"clusters": {"psu": 12}},
    "twice": {"clusters": {"psu": {"n": [1, 2], "s": [2, 3]}}},
    "floats": {"clusters": {"psu": [0.5, 1.5]}},
    "no column": {"clusters": 0.5},
    "weights as clusters": {"weights": "w", "clusters": {"w": [1, 2]}},
}
QUESTIONS: dict[str, Any] = {
    "count": lambda p: p["y"].dp.count(rho=1),
    "value_counts": lambda p: p["g"].dp.value_counts(rho=1),
    "crosstab": lambda p: p.dp.crosstab("g", "psu", rho=1),
    "count among others": lambda p: p["y"].dp.agg(["mean", "count"], rho=1),
    "size of groups": lambda p: p.dp.groupby("g").size(rho=1),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_refused(name: str) -> None:
    with refused(errors.UnsupportedArgument, name):
        pdp.Design(**DESIGNS[name])


@pytest.mark.parametrize("name", QUESTIONS)
def test_numbers_of_rows_have_no_error_by_clusters_without_weights(name: str) -> None:
    with pdp.Session(rho=10, schema=SCHEMA) as session:
        people = session.protect(sample(np.random.default_rng(9)), design=pdp.Design(clusters="psu"))
        with refused(errors.UnsupportedArgument, name):
            QUESTIONS[name](people)
        assert len(session.ledger) == 0


def test_units_that_nobody_declared_and_one_that_was_declared_alone_are_refused() -> None:
    data, bounds = sample(np.random.default_rng(10)), {"y": (0, 100), "w": (0, 4)}
    with pdp.Session(rho=10) as session:
        people = session.protect(data, design=pdp.Design(weights="w", clusters="psu"))
        with refused(errors.NoCategories):
            people["y"].dp.mean(bounds=bounds, rho=1)
        with refused(errors.UnsupportedArgument, "one"):
            people["y"].dp.mean(bounds=bounds, categories={"psu": [3]}, rho=1)
        assert len(session.ledger) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("units", "people", "rho"), [(40, 30, 2), (30, 40, 0.5)])
def test_intervals_hold_the_population(units: int, people: int, rho: float) -> None:
    """At a coverage of .94, fewer than .865 of 300 hold with a chance below 1e-6; errors by rows hold in .75."""
    schema = pa.DataFrameSchema({**SCHEMA.columns, "psu": pa.Column(int, pa.Check.isin(list(range(units))))})
    large = np.random.default_rng(11).normal(45, np.hypot(6, 15), 4_000_000)
    true, r, held = np.clip(large, 0, 100).mean(), np.random.default_rng(12), 0
    for _ in range(SAMPLES):
        with pdp.Session(rho=rho, schema=schema) as session:
            design = pdp.Design(weights="w", clusters="psu")
            low, high = session.protect(sample(r, units, people), design=design)["y"].dp.mean(rho=rho).iloc[0, [2, 3]]
            held += low <= true <= high
    assert held / SAMPLES >= 0.865
