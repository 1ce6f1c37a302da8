"""Counts, sums and means planned together: they agree, their errors are those stated, and they can be stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.evidence.noise import Noise, added, critical
from pandas_dp.core.label.layout import Released
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from tests.refusals import refused

CATEGORIES = {"k": ["a", "b", "c"], "j": ["1", "2"]}
TABLES: list[list[str]] = [["k", "j"], ["k"], []]


def people(rows: int = 900, seed: int = 4) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {name: r.choice(np.array([*values, None], object), rows) for name, values in CATEGORIES.items()}
    )
    return frame.assign(x=r.integers(0, 41, rows) / 4, y=r.normal(50, 9, rows))


def ask(frame: pd.DataFrame, values: Any = "x", aggfunc: Any = ("count", "sum", "mean"), **how: Any) -> pdp.Release:
    columns = [values] if isinstance(values, str) else values
    given = {"categories": CATEGORIES, "bounds": {name: {"x": (0, 10), "y": (20, 80)}[name] for name in columns}}
    return frame.dp.marginals(TABLES, values, aggfunc, **{"epsilon": 1, **given, **how})


@pytest.mark.parametrize("consistent", [True, False])
def test_tables_are_exact_without_noise(consistent: bool) -> None:
    data = people()
    frame = pdp.Session(epsilon=10**9).protect(data)
    with zero_noise():
        table = ask(frame, ["x", "y"], consistent=consistent)
    known = data.dropna()
    for name in ("x", "y"):
        theirs = known.groupby(["k", "j"])[name].agg(["count", "sum", "mean"])
        for statistic in theirs:
            mine = table[name, statistic, statistic]
            assert mine.iloc[:6].to_numpy() == pytest.approx(theirs[statistic].to_numpy(), rel=1e-4)
            assert mine.loc[("b", "All")] == pytest.approx(known[known.k == "b"][name].agg(statistic), rel=1e-4)
            assert mine.iloc[-1] == pytest.approx(known[name].agg(statistic), rel=1e-4)


@pytest.mark.parametrize("cost", [{"epsilon": 20}, {"epsilon": 0.05}, {"rho": 0.1}], ids=str)
@pytest.mark.parametrize("consistent", [True, False])
def test_a_sum_is_the_count_times_the_mean_and_margins_agree(cost: dict[str, float], consistent: bool) -> None:
    session = pdp.Session(epsilon=10**6, delta=1e-6)
    frame = session.protect(people())
    table = ask(frame, consistent=consistent, cost_shares=[3, 2, 1], **{"epsilon": None, **cost})["x"]
    count, total, mean = (table[name, name] for name in ("count", "sum", "mean"))
    assert (count[mean.notna()] > 1).all()
    inside = mean.notna() & (total > 0) & (total < 10 * count)  # elsewhere the mean is cut to its range, or not told
    assert inside.all() or "epsilon" in cost
    assert (total / count)[inside].to_numpy() == pytest.approx(mean[inside].to_numpy())
    if consistent:
        assert count.iloc[:6].sum() == pytest.approx(count.iloc[-1])
        assert total.iloc[:2].sum() == pytest.approx(total.loc[("a", "All")])
    else:
        assert (count == count.round()).all()


def test_one_measurement_pays_for_all_statistics_of_a_column() -> None:
    session = pdp.Session(epsilon=100)
    frame = session.protect(people())
    alone = ask(frame, aggfunc="mean")["mean"]
    assert session.share_used == pytest.approx(0.01)
    assert alone.shape == (10,)
    one, all_three = ask(frame, aggfunc=["mean"]), ask(frame)
    assert session.share_used == pytest.approx(0.03)
    noises = [release.attrs["dp"]["noise"] for release in (one, all_three)]
    assert noises[0] == noises[1]
    two = ask(frame, ["x", "y"])
    assert {sum(run["numbers"] for run in each) for each in two.attrs["dp"]["noise"]} == {3}
    scale = lambda release: eval(release.attrs["dp"]["noise"][0][0]["law"]["scale"])  # noqa: E731
    assert scale(two) == pytest.approx(2 * scale(one))


@pytest.mark.slow
@pytest.mark.parametrize("consistent", [True, False])
@pytest.mark.parametrize("cost", [{"epsilon": 4.0}, {"rho": 0.3}], ids=str)
def test_errors_are_those_stated_and_intervals_hold(cost: dict[str, float], consistent: bool) -> None:
    """100 releases. The mean square of error over what is stated, of the 200 numbers of a part at least, errs by some
    13 per cent, so 35 of its root are five of its own errors. Of intervals of 90 per cent fewer than 78 would be luck
    of 1e-5 even if the numbers of a release erred together; more than 99.5 of 93, which ratios hold, of 1e-5."""
    session = pdp.Session(epsilon=10**9) if "epsilon" in cost else pdp.Session(rho=10**9)
    frame = session.protect(people())
    given = {"epsilon": None, "consistent": consistent, **cost}
    with zero_noise():
        true = ask(frame, **given)
    kinds: list[tuple[str, Any]] = [("count", None), ("sum", None), ("mean", None), ("mean", {"k": ["a", "c"]})]
    held: list[list[Any]] = [[] for _ in kinds]
    ratios: list[list[Any]] = [[] for _ in kinds]
    for _ in range(100):
        table = ask(frame, **given)
        for at, (statistic, where) in enumerate(kinds):
            mine, exact = (each if where is None else each.dp.margin(["j"], where) for each in (table, true))
            evidence = Released.of(mine).evidence[["count", "sum", "mean"].index(statistic)]
            truth = exact["x", statistic, statistic].to_numpy()
            low, high = evidence.interval(0.9, "sample")
            held[at].append((low <= truth + 1e-9) & (truth - 1e-9 <= high))
            ratios[at].append((evidence.estimate - truth) / evidence.measures(0.9, "sample")["std_error"])
    for kind, inside, ratio in zip(kinds, held, ratios, strict=True):
        assert 0.78 < np.mean(inside) < 0.995, kind
        assert np.sqrt(np.mean(np.square(ratio))) == pytest.approx(1, abs=0.35), kind


@pytest.mark.parametrize("law", [DiscreteLaplace(100), DiscreteGaussian(10_000)], ids=str)  # type: ignore[arg-type]
def test_quantiles_of_ratios_hold_for_weighted_sums_of_noises(law: Any) -> None:
    """`critical` is made for one noise; sums of several have lighter tails. Against their law, at many levels."""
    noise = Noise(law)
    for weights in ([1.0], [1.0, 1.0], [1.0, 0.5, 0.5], [1.0] * 5, [3.0, *[0.2] * 30], [1.0] * 200):
        mixed = added([(noise, weight, 1) for weight in weights])
        for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
            sensitivity = float(critical(level, (mixed,))) * mixed.sd
            assert mixed.sum_of(1).tail(sensitivity * (1 + 1e-9) + 1e-9) <= (1 - level) * 1.05 + 1e-9, (weights, level)


def test_means_are_stored_and_read_off_stored_tables(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=10**9)
    data = people()
    frame = session.protect(data)
    with zero_noise():
        tables = pdp.publish_tables(tmp_path / "t", {"x": lambda: ask(frame), "y": lambda: ask(frame, "y", "mean")})
    again = pdp.open_tables(tmp_path / "t")
    known = data.dropna()
    part = again.table(["j"], {"k": ["c", "a"]}, values="x", aggfunc="mean")
    assert part["x", "mean", "mean"].to_numpy() == pytest.approx(
        known[known.k != "b"].groupby("j").x.mean().to_numpy(), rel=1e-4
    )
    assert again.table([], values="y")["mean"].item() == pytest.approx(known.y.mean(), rel=1e-4)
    cross = again.crosstab("j", "k", values="y")
    assert cross.loc["2", "b"] == pytest.approx(known[(known.j == "2") & (known.k == "b")].y.mean(), rel=1e-4)
    assert cross.dp.confint().equals(tables.crosstab("j", "k", values="y").dp.confint())
    assert tables.contents["statistic"].tolist() == ["count"] * 3 + ["sum"] * 3 + ["mean"] * 6
    with refused(errors.NotConcluded, "no stored table of these keys has counts of rows"):
        again.table(["k"])
    apart = cross.dp.contrast(("2", "a"), ("2", "b"))
    assert apart["lower"].item() < cross.loc["2", "a"] - cross.loc["2", "b"] < apart["upper"].item()


def test_a_cell_that_seems_empty_has_no_mean_and_the_whole_range_as_its_interval() -> None:
    frame = pdp.Session(epsilon=10**9).protect(people())
    given = {"categories": {"k": ["a", "never"]}, "bounds": (0, 10), "epsilon": 1}
    with zero_noise():
        table = frame.dp.marginals([["k"], []], "x", "mean", **given)
    assert np.isnan(table.loc["never", "mean"])
    assert table.loc["never", ["lower", "upper"]].tolist() == [0, 10]


def test_points_in_time_have_means_and_no_sums() -> None:
    data = people().assign(t=pd.Timestamp("2024-01-05"))
    frame = pdp.Session(epsilon=10**9).protect(data)
    given = {
        "categories": CATEGORIES["k"],
        "bounds": (pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-31")),
        "epsilon": 1,
    }
    with zero_noise():
        table = frame.dp.marginals([["k"], []], "t", ["count", "mean"], **given)
    assert abs(table["t", "mean", "mean"].iloc[-1] - pd.Timestamp("2024-01-05")) < pd.Timedelta("1min")
    assert table.dp.margin([])["t", "mean", "mean"].dtype.kind == "M"
    with refused(errors.UnsupportedType):
        frame.dp.marginals([["k"], []], "t", ["sum", "mean"], **given)
