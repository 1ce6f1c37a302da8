"""Several releases of the same numbers as one: the best weights, honest intervals, and the summed cost.

Simulations hold 4,000 tables with noise that is new in every run; `LUCK` is 4.5 standard deviations, so each fails by
luck with a chance below 1e-5.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.budget.cost import Concentrated, Pure
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.samplers.discrete import discrete_gaussian, discrete_laplace
from pandas_dp.numeric.evidence_sums import Amounts
from tests.numeric.test_coverage import LUCK, TABLES, coverage, released, tables
from tests.refusals import refused

COSTS = [Pure(Fraction(1)), Concentrated(Fraction(1, 8)), Pure(Fraction(1, 2))]


@pytest.mark.parametrize("frame", ["whole", "grouped"])
@pytest.mark.parametrize("data", ["symmetric", "binary"])
@pytest.mark.parametrize(("target", "of"), [("population", 2), ("sample", 1)])
def test_a_combined_interval_of_a_mean_holds_the_truth(data: str, frame: str, target: str, of: int) -> None:
    """Were the sampling errors of the parts taken as independent, those for the population would hold 0.74."""
    first, *others = (released(data, 500, frame, cost) for cost in COSTS)
    held = coverage(first.pooled(others), target, np.asarray(tables(data, 500)[of]))
    assert held >= 0.95 - LUCK - 0.01
    assert held <= 0.985


@pytest.mark.parametrize("frame", ["whole", "grouped"])
def test_every_sum_has_the_noise_of_its_own_average(frame: str) -> None:
    first, *others = (released("symmetric", 500, frame, cost) for cost in COSTS)
    both = first.pooled(others).sums
    for name in ("count_noise", "total_noise", "squares_noise"):
        noises = [getattr(each.sums, name) for each in (first, *others)]
        if noises[0] is not None:
            assert getattr(both, name).var == pytest.approx(1 / sum(1 / noise.var for noise in noises))
            share = 1 / noises[0].var * getattr(both, name).var
            measured = [getattr(each.sums, name.removesuffix("_noise")) for each in (first, *others)]
            assert min(np.corrcoef(getattr(both, name.removesuffix("_noise")), m)[0, 1] for m in measured) > 0
            assert 0 < share < 1


def test_a_combined_mean_is_nearer_to_the_rows_than_its_best_part() -> None:
    """Fails by luck with a chance far below 1e-5: the variances differ by a third."""
    parts = [released("symmetric", 500, "whole", Concentrated(Fraction(1, 200))) for _ in range(2)]
    truth = tables("symmetric", 500)[1]
    together = np.mean((parts[0].pooled(parts[1:]).estimate - truth) ** 2)
    assert together < 0.6 * min(np.mean((part.estimate - truth) ** 2) for part in parts)


def test_a_combined_sum_has_the_variance_it_says_and_holds_the_truth() -> None:
    laplace, gaussian = DiscreteLaplace(Fraction(4)), DiscreteGaussian(Fraction(50))
    one = Amounts("sum", 1000 + discrete_laplace(laplace.scale, TABLES), Noise(laplace))
    two = Amounts("sum", 1000 + discrete_gaussian(gaussian.sigma_squared, TABLES), Noise(gaussian))
    both = one.pooled([two])
    assert both.noise is not None
    assert both.noise.var == pytest.approx(1 / (1 / laplace.variance + 1 / gaussian.variance))
    off = both.values - 1000
    assert np.mean(off**2) == pytest.approx(both.noise.var, rel=0.2)  # 0.2 is more than six standard deviations
    for level in (0.5, 0.95):
        low, high = both.interval(level, "sample")
        luck = 4.5 * np.sqrt(level * (1 - level) / TABLES)
        assert ((low <= 1000) & (high >= 1000)).mean() == pytest.approx(level, abs=luck + 0.01)


# -- as a user asks


ASK: dict[str, Callable[[Any, dict[str, Any]], pdp.Release]] = {
    "sum": lambda p, cost: p["age"].dp.sum(**cost),
    "sum of times": lambda p, cost: p["wait"].dp.sum(**cost),
    "mean": lambda p, cost: p["income"].dp.mean(**cost),
    "mean of times": lambda p, cost: p["born"].dp.mean(**cost),
    "std": lambda p, cost: p["age"].dp.std(**cost),
    "count": lambda p, cost: p["visits"].dp.count(**cost),
    "nunique": lambda p, cost: p["sex"].dp.nunique(**cost),
    "histogram": lambda p, cost: p["age"].dp.histogram(5, **cost),
    "crosstab": lambda p, cost: p.dp.crosstab("sex", "region", **cost),
    "margins": lambda p, cost: p.dp.crosstab("sex", "region", margins=True, **cost),
    "sums by cell": lambda p, cost: p.dp.crosstab("sex", "region", values="wait", aggfunc="sum", **cost),
    "means by cell": lambda p, cost: p.dp.pivot_table("age", "sex", "region", **cost),
    "groups": lambda p, cost: p.dp.groupby("sex")[["age", "born"]].mean(**cost),
    "several": lambda p, cost: p[["age", "born", "wait"]].dp.agg(["mean", "std"], **cost),
    "columns": lambda p, cost: p[["age", "income"]].dp.sum(**cost),
    "cov": lambda p, cost: p[["age", "visits"]].dp.cov(**cost),
    "corr": lambda p, cost: p[["age", "income"]].dp.corr(**cost),
}


@pytest.mark.parametrize("name", ASK)
def test_a_combined_release_keeps_the_shape_and_supports_the_same_conclusions(name: str, people: pd.DataFrame) -> None:
    parts = [ASK[name](people, cost) for cost in ({"epsilon": 10**9}, {"rho": 10**12}, {"epsilon": 10**9})]
    both = pdp.combine(parts)
    assert isinstance(both, pdp.Release)
    assert both.index.equals(parts[0].index)
    assert both.columns.equals(parts[0].columns)
    assert [d.kind in "mM" for d in both.dtypes] == [d.kind in "mM" for d in parts[0].dtypes]
    label = both.attrs["dp"]
    assert json.loads(json.dumps(label, allow_nan=False)) == label
    assert (label["kind"], label["epsilon"], label["rho"]) == ("combined", 2e9, 1e12)
    ends = both.dp.confint()
    assert ends.shape == parts[0].dp.confint().shape
    assert ends.index.equals(parts[0].dp.confint().index)
    assert both.dp.round(1).dp.metadata["rounded"] == [1]
    shown = both.select_dtypes([int, float]).to_numpy(), parts[0].select_dtypes([int, float]).to_numpy()
    assert np.allclose(*shown, rtol=1e-3, atol=1e-3, equal_nan=True)


@pytest.mark.parametrize("statistic", ["mean", "sum", "std"])
def test_a_bootstrap_by_moments_is_combined_with_its_replicates(statistic: str, people: pd.DataFrame) -> None:
    one, two = (getattr(people["age"].dp, statistic)(rho=rho, bootstrap=20) for rho in (0.5, 1))
    both = pdp.combine([one, two])
    assert both.columns.equals(one.columns)
    assert both.dp.replicates().shape == (20, 1)
    plain = getattr(people["age"].dp, statistic)(rho=1)
    with refused(errors.NotConcluded):
        pdp.combine([one, plain])


def test_a_combined_mean_shows_the_interval_that_confint_gives(people: pd.DataFrame) -> None:
    both = pdp.combine([people["age"].dp.mean(epsilon=e) for e in (1, 2)])
    pd.testing.assert_frame_equal(both.dp.confint(0.95), pd.DataFrame(both[["lower", "upper"]]))


def test_weights_are_inverse_to_the_noise(people: pd.DataFrame) -> None:
    one, two = (people["age"].dp.sum(epsilon=e) for e in (1, 2))
    both = pdp.combine([one, two])
    share = 1 / (1 + (one["std_error"] / two["std_error"]) ** 2).item()
    assert both["sum"].item() == pytest.approx(share * one["sum"].item() + (1 - share) * two["sum"].item())


@pytest.mark.parametrize(
    ("costs", "sentence"),
    [
        ([{"epsilon": 1}, {"epsilon": 0.5}], "epsilon=1.5; one row replaced; laplace noise"),
        ([{"rho": 1}, {"rho": 0.5}], "rho=1.5 (epsilon=9.85 at delta=1e-06); one row replaced; gaussian noise"),
        ([{"epsilon": 1}, {"rho": 0.5}], "epsilon=1 and rho=0.5; one row replaced; laplace, gaussian noise"),
        (
            [{"epsilon": 1, "delta": 1e-6}, {"rho": 0.5}],
            "rho=0.524356 (epsilon=5.37 at delta=1e-06); one row replaced; gaussian noise",
        ),
    ],
    ids=str,
)
def test_the_guarantee_sums_what_was_paid(costs: list[dict[str, float]], sentence: str, people: pd.DataFrame) -> None:
    both = pdp.combine([people["age"].dp.sum(**cost) for cost in costs])
    gaps = "a gap in age, declared complete, counts as the middle of its range"
    assert both.dp.guarantee == f"differentially private: {sentence}; {gaps}; combined from 2 releases."


def test_a_combined_release_can_be_combined_and_contrasted_again(people: pd.DataFrame) -> None:
    a, b, c = (people["sex"].dp.value_counts(epsilon=e) for e in (1, 0.5, 2))
    again, at_once = pdp.combine([pdp.combine([a, b]), c]), pdp.combine([a, b, c])
    assert np.allclose(again, at_once)
    assert again.dp.metadata["epsilon"] == 3.5
    assert len(again.dp.metadata["releases"]) == 3
    found = pdp.combine([a, b]).dp.contrast("f", "m")
    assert found.attrs["dp"]["epsilon"] == 1.5


def test_a_combined_release_survives_parquet(people: pd.DataFrame, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    both = pdp.combine([people["age"].dp.mean(epsilon=e) for e in (1, 2)])
    both.to_parquet(tmp_path / "both.parquet")
    again = pd.read_parquet(tmp_path / "both.parquet")
    assert again.dp.guarantee == both.dp.guarantee
    pd.testing.assert_frame_equal(again.dp.confint(0.9), both.dp.confint(0.9))


def test_a_combined_release_takes_no_questions_and_no_changes(people: pd.DataFrame) -> None:
    both = pdp.combine([people["age"].dp.mean(epsilon=e) for e in (1, 2)])
    with refused(errors.UnsupportedArgument):
        both.dp.mean()
    both.iloc[0, 0] += 1
    with pytest.raises(errors.ChangedRelease):
        both.dp.confint()


def changed(release: pdp.Release) -> pdp.Release:
    release.iloc[0, 0] += 1
    return release


TABLE = pd.DataFrame({"age": [20, 30, 40] * 50})
REFUSALS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "statistics": lambda p: [p["age"].dp.mean(), p["age"].dp.sum()],
    "columns": lambda p: [p["age"].dp.mean(), p["income"].dp.mean()],
    "keys": lambda p: [p.dp.crosstab("sex", "region"), p.dp.crosstab("region", "sex")],
    "bounds": lambda p: [p["age"].dp.sum(), p["age"].dp.sum(bounds=(0, 99))],
    "ddof": lambda p: [p["age"].dp.var(), p["age"].dp.var(ddof=0)],
    "categories": lambda p: [p["note"].dp.nunique(categories=["a", c]) for c in "bc"],
    "edges": lambda p: [p["age"].dp.histogram([0, 10, 100]), p["age"].dp.histogram([0, 20, 100])],
    "derived": lambda p: [p[p["age"] > 9]["age"].dp.mean(), p[p["age"] > 9]["age"].dp.mean()],
    "derived and whole": lambda p: [p["age"].dp.mean(), p[p["age"] > -1]["age"].dp.mean()],
    "rounded": lambda p: [p["age"].dp.mean(), p["age"].dp.mean().dp.round(1)],
    "multiples": lambda p: [p["sex"].dp.value_counts(), p["sex"].dp.value_counts().dp.round_to(5)],
    "adjusted": lambda p: [p["sex"].dp.value_counts().dp.nonnegative() for _ in range(2)],
    "planned": lambda p: [p.dp.crosstab("sex", "region", margins="planned") for _ in range(2)],
    "hellinger": lambda p: [p["sex"].dp.value_counts(mechanism="hellinger") for _ in range(2)],
    "chosen": lambda p: [p["age"].dp.max(), p["age"].dp.max()],
    "quantiles": lambda p: [p["age"].dp.median(), p["age"].dp.median()],
    "public": lambda p: [p["age"].dp.count(), p["age"].dp.count()],
    "replicates": lambda p: [p["age"].dp.mean(rho=1, bootstrap=20, resample="weights") for _ in range(2)],
    "one": lambda p: [p["age"].dp.mean()],
    "no list": lambda p: p["age"].dp.mean(),
    "plain tables": lambda p: [pd.DataFrame(p["age"].dp.mean()) * 1, TABLE],
    "no release": lambda p: [TABLE, TABLE],
    "changed": lambda p: [p["age"].dp.mean(), changed(p["age"].dp.mean())],
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_not_the_same_is_not_combined(name: str, people: pd.DataFrame) -> None:
    ask = REFUSALS[name]
    with refused(errors.PrivacyError, name):
        pdp.combine(ask(people))


def test_a_release_counts_once(people: pd.DataFrame) -> None:
    a, b = (people["age"].dp.mean(epsilon=e) for e in (1, 2))
    for twice in ([a, a], [pdp.combine([a, b]), a]):
        with refused(errors.NotConcluded):
            pdp.combine(twice)


def test_releases_of_two_frames_are_not_combined(session: pdp.Session, table: Callable[..., pd.DataFrame]) -> None:
    """Two frames of one session, of the same columns and size; and two sessions on the same data."""
    data = table()
    frames = [session.protect(data), session.protect(data)]
    with pdp.Session(epsilon=10, schema=session.schema) as other:
        frames.append(other.protect(data))
        releases = [frame["age"].dp.mean(epsilon=1) for frame in frames]
    for pair in (releases[:2], releases[1:]):
        with refused(errors.NotConcluded):
            pdp.combine(pair)


def test_releases_of_two_relations_are_not_combined(table: Callable[..., pd.DataFrame]) -> None:
    releases = []
    for neighbours in ("replace", "add_remove"):
        with pdp.Session(epsilon=10, neighbours=neighbours, name="same") as session:
            releases.append(session.protect(TABLE)["age"].dp.sum(bounds=(0, 100), epsilon=1))
    with refused(errors.NotConcluded):
        pdp.combine(releases)
