"""The systems of Dwork & Smith (2009), "Differential privacy for statistics: what we know and what we want to learn",
Journal of Privacy and Confidentiality 1(2), one by one: what the paper claims, what holds, what the library has instead.

    python examples/papers/statistics_library.py [--rows 1000] [--runs 30]

The paper asks for "a library of differentially private versions of the algorithms in R and SAS". It has no figures; its
claims are orders as n grows. Propose-test-release is built here, and not in the library, to be compared with it.
Errors are root mean squares over runs, relative to what is estimated where that is said.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from shown import heading, line, options

import pandas_dp as pdp
from pandas_dp.audit.noise import flipped
from pandas_dp.core.noise.choice import AboveThreshold
from pandas_dp.core.noise.laplace import DiscreteLaplace

Floats = np.ndarray[Any, Any]
EPSILON, DELTA = 0.5, 1e-6
WIDE = (-1000.0, 1000.0)  # a range that nobody had to know
RATES = (0.1, 10.0)


def rmse(errors: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(errors)))) if errors else math.nan


def asked(columns: dict[str, Any], ask: Callable[[Any], Any], **terms: Any) -> Any:
    """An answer of a session of its own."""
    with pdp.Session(**{"rho": 100, **terms}) as session:
        return ask(session.protect(pd.DataFrame(columns)))


# -- propose, test, release


def threshold(epsilon: float) -> int:
    """The least T at which a distance of 1 with noise is above it with probability delta: P(Z >= T) exactly."""
    law = DiscreteLaplace(1 / Fraction(str(epsilon)))
    return next(t for t in range(1, 10_000) if float(law.sf(t - 1)) <= DELTA)


def far_enough(distance: int, epsilon: float, r: np.random.Generator) -> bool:
    noise = r.geometric(1 - math.exp(-epsilon)) - r.geometric(1 - math.exp(-epsilon))
    return bool(distance + noise > threshold(epsilon))


def ptr_scale(x: Floats, epsilon: float, r: np.random.Generator) -> float | None:
    """The interquartile range by Dwork and Lei: half of epsilon tests whether its logarithm stays in its bin however
    few rows are changed, half is noise on the logarithm, whose bins have the width ln(1 + 1/ln n)."""
    x, n = np.sort(x), len(x)
    low, high, width = n // 4, 3 * n // 4, math.log1p(1 / math.log(n))
    for shift in (0.0, 0.5):  # bins that begin elsewhere, where the first ones do not do
        place = math.floor(math.log(x[high] - x[low]) / width + shift)
        edges = np.exp((np.array([place, place + 1]) - shift) * width)
        if far_enough(changes(x, low, high, edges), epsilon / 4, r):
            return float((x[high] - x[low]) * math.exp(r.laplace(scale=width / (epsilon / 2))))
    return None


def changes(x: Floats, low: int, high: int, edges: Floats) -> int:
    """How few rows have to change so that the distance of these ranks leaves the edges."""
    for many in range(1, min(low, 400)):
        i = np.arange(many + 1)
        narrow = x[np.maximum(high - i, low)] - x[np.minimum(low + many - i, high)]
        wide = x[np.minimum(high + i, len(x) - 1)] - x[np.maximum(low - many + i, 0)]
        if narrow.min() < edges[0] or wide.max() >= edges[1]:
            return many
    return min(low, 400)


def ptr_location(x: Floats, epsilon: float, r: np.random.Generator) -> float | None:
    """The median, rounded to bins of the width scale / n^(1/3), with noise of that width."""
    scale = ptr_scale(x, epsilon / 2, r)
    if scale is None:
        return None
    x = np.sort(x)
    middle, width = len(x) // 2, scale / len(x) ** (1 / 3)
    for shift in (0.0, 0.5):
        place = math.floor(x[middle] / width + shift)
        below, above = np.searchsorted(x, [(place - shift) * width, (place + 1 - shift) * width])
        if far_enough(min(middle - below + 1, above - middle), epsilon / 8, r):
            return (place + 0.5 - shift) * width + float(r.laplace(scale=width / (epsilon / 4)))
    return None


def compared(rows: int, runs: int, private: Any, ours: Any, truth: float, scale: float) -> tuple[float, float, float]:
    """How often propose-test-release says nothing, its error where it answers, and ours."""
    r, silent, found, other = np.random.default_rng(1), 0, [], []
    for _ in range(runs):
        x = r.normal(50, 10, rows)
        answer = private(x, EPSILON, r)
        silent += answer is None
        found += [] if answer is None else [(answer - truth) / scale]
        other.append((asked({"x": x}, ours) - truth) / scale)
    return silent / runs, rmse(found), rmse(other)


def robust(rows: int, runs: int) -> None:
    heading(f"3.2 Scale and location by propose-test-release, epsilon {EPSILON}, normal values")
    print(
        'Claimed: "no information is leaked by the decision" to reply or not; silent with probability n^(-eps ln n).\n'
        "Holds:   the decision leaks epsilon, and the test needs a delta; the noise is of the order 1/(eps ln n) of the\n"
        "         scale, and replies take thousands of rows.\n"
        "Instead: quartiles by the exponential mechanism, without a delta; Huber's location at a released scale.\n"
    )
    line("", "silent", "its error", "ours")
    sizes = (rows, 10 * rows, 100 * rows)
    for many in sizes:
        iqr = compared(
            many, runs, ptr_scale, lambda f: f["x"].dp.iqr(bounds=WIDE, epsilon=EPSILON)["iqr"].item(), 13.4898, 13.4898
        )
        line(f"interquartile range, n = {many:,}, relative", *iqr)
    rho = EPSILON**2 / 2
    for many in sizes:
        middle = compared(
            many,
            runs,
            ptr_location,
            lambda f: f["x"].dp.location(bounds=WIDE, rho=rho)["location"].item(),
            50.0,
            10.0,
        )
        line(f"location, n = {many:,}, in standard deviations; ours rho = eps^2/2", *middle)


def mode(runs: int) -> None:
    heading("3.2 The mode: where propose-test-release serves, and what does better")
    counts = {"a": 400, "b": 370, "c": 100}
    values = [name for name, many in counts.items() for _ in range(many)]
    gap, r = math.ceil((400 - 370) / 2), np.random.default_rng(2)
    replies = np.mean([far_enough(gap, EPSILON, r) for _ in range(40 * runs)])
    tops = [
        asked({"x": values}, lambda f: f["x"].dp.top_values(1, categories=list("abc"), epsilon=EPSILON).index[0])
        for _ in range(runs)
    ]
    line(f"replies, of a lead of 30 rows; threshold {threshold(EPSILON)} for delta {DELTA:g}", float(replies))
    line("top_values(1) names the mode, at that epsilon and no delta", float(np.mean([top == "a" for top in tops])))


def regression(rows: int, runs: int) -> None:
    heading("3.2 Regression")
    print(
        "Claimed: the most B-robust regression converges, silent with probability n^(-c ln n).\n"
        "Holds:   as an order; nobody computes the distance to instability that the test needs, so it cannot be run.\n"
        "Instead: least squares from one released moment matrix, with sets that allow for the noise; or by a second\n"
        "         look at scores, which lets residuals spread differently from row to row.\n"
    )
    ways: dict[str, dict[str, Any]] = {"one stage": {"stages": 1}, "two stages, HC": {"stages": 2, "cov_type": "HC"}}
    r, public = np.random.default_rng(3), []
    found: dict[str, list[float]] = {way: [] for way in ways}
    held = dict.fromkeys(ways, 0)
    for _ in range(runs):
        x = r.uniform(-1, 1, 4 * rows)
        y = 1 + 2 * x + r.standard_t(5, len(x)) * 0.5
        how = {"bounds": {"x": (-1, 1), "y": (-5, 7)}, "rho": EPSILON**2 / 2}
        for way, more in ways.items():
            fit = asked({"x": x, "y": y}, lambda f, given={**how, **more}: f.dp.ols("y", ["x"], **given))
            found[way].append(fit.loc["x", "coef"] - 2)
            held[way] += bool(fit.loc["x", "lower"] <= 2 <= fit.loc["x", "upper"])
        public.append(np.polyfit(x, y, 1)[0] - 2)
    line(f"slope, n = {4 * rows:,}, rho = eps^2/2", "error", "public", "held")
    for way in ways:
        line(f"  {way}", rmse(found[way]), rmse(public), held[way] / runs)


# -- bias-corrected maximum likelihood by blocks


def rate(rows: pd.DataFrame) -> float:
    return float(1 / rows["x"].mean())


def corrected(rows: pd.DataFrame) -> float:
    """Less its bias of first order: exactly unbiased for the rate of an exponential law."""
    return float((1 - 1 / len(rows)) / rows["x"].mean())


def likelihood(rows: int, runs: int) -> None:
    heading("3.1 Bias-corrected maximum likelihood by blocks (algorithm 1, theorem 9)")
    print(
        "Claimed: private for neighbours by one row more or less, and blocks of consecutive rows; no asymptotic cost as\n"
        "         long as epsilon is well above 1/sqrt(n) (lemma 11).\n"
        "Holds:   deleting the first row shifts every block; an estimate may leave the range that the noise is scaled\n"
        "         to; epsilon has to be well above n^(-1/6).\n"
        "Instead: blocks(k).apply(f), where a row's block depends on no other row and f's values are clamped.\n"
    )
    line("consecutive blocks, first row deleted: the average of ranges", "claimed", "moves")
    for k in (4, 10, 50):
        line(f"  k = {k}", 1 / k, shifted(k))
    line(f"rate of five values 0.001, range {RATES}", "", corrected(pd.DataFrame({"x": [0.001] * 5})))
    line("excess error at epsilon = n^(-1/4), best k", "claimed -> 0")
    for n in (1e4, 1e8, 1e12):
        k = (4 * n**3 / (3 * n**-0.5)) ** 0.2
        line(f"  n = {n:.0e}", "", 2 * n / (k**2 * n**-0.5) + k**3 / n**2)
    many, r = 10 * rows, np.random.default_rng(4)
    line(f"ours, n = {many:,}, epsilon 2", "rows", "error", "held")
    for f, k in ((rate, 200), (rate, 1000), (corrected, 200), (corrected, 1000)):
        errors, held = [], 0
        for _ in range(max(runs // 3, 8)):
            x = r.exponential(1, many)
            one = asked(
                {"x": x},
                lambda frame, f=f, k=k: (
                    frame.dp.blocks(k, bounds=(0, 50)).apply(f, bounds=RATES, isolate=False).mean(epsilon=2)
                ),
                epsilon=10,
                rho=None,
            )
            errors.append(one["mean"].item() - 1)
            held += bool(one["lower"].item() <= 1 <= one["upper"].item())
        line(f"  {f.__name__}, k = {k}", many // k, rmse(errors), held / len(errors))
    line("  1/mean of the whole column: post-processing of a mean", many, inverse_mean(many, runs))


def shifted(k: int) -> float:
    """Blocks of two, x = 1 1 0 0 1 1 0 0 ...: the mean of block ranges before and after the first row goes."""
    x = np.tile([1.0, 1.0, 0.0, 0.0], k)[: 2 * k]
    before, after = (sum(float(np.ptp(rows[at : at + 2])) for at in range(0, len(rows), 2)) for rows in (x, x[1:]))
    return abs(after - before) / k


def inverse_mean(rows: int, runs: int) -> float:
    r, errors = np.random.default_rng(5), []
    for _ in range(runs):
        mean = asked(
            {"x": r.exponential(1, rows)}, lambda f: f["x"].dp.mean(bounds=(0, 50), epsilon=2), epsilon=10, rho=None
        )
        errors.append(1 / mean["mean"].item() - 1)
    return rmse(errors)


def sufficient(rows: int, runs: int) -> None:
    heading("3.1.3 Noise on sufficient statistics, and the likelihood of what comes out")
    print(
        "Claimed: a simpler proof of theorem 9 for exponential families.\n"
        "Holds:   for the estimate. An interval that takes the noisy statistics for exact is too narrow.\n"
        "Instead: means, variances, regressions and logits whose intervals know the noise.\n"
    )
    r, ours, naive = np.random.default_rng(6), 0, 0
    for _ in range(3 * runs):
        x = r.normal(50, 10, rows)
        one = asked({"x": x}, lambda f: f["x"].dp.mean(bounds=(0, 500), rho=0.02))
        ours += bool(one["lower"].item() <= 50 <= one["upper"].item())
        naive += bool(abs(one["mean"].item() - 50) <= 1.96 * 10 / math.sqrt(rows))
    line(f"mean, n = {rows:,}, rho 0.02, bounds (0, 500): held of 95 %", "naive", "ours")
    line("", naive / (3 * runs), ours / (3 * runs))


# -- choosing, counting


def choosing(runs: int) -> None:
    heading("2 The exponential mechanism (McSherry and Talwar)")
    print(
        "Claimed: private outputs from any range.\n"
        "Holds:   and more: of bounded range, so that a rho buys twice the rate; in epsilon permute-and-flip is better.\n"
        "Instead: choose({name: column}), top_values, quantiles.\n"
    )
    line("five candidates, the best ahead by 4 rows, epsilon 1: loss", "exponential", "choose")
    gaps = np.array([0.0, -4, -4, -4, -4]) / 2
    weights = np.exp(gaps) / np.exp(gaps).sum()
    line("", float(-(weights * 2 * gaps).sum()), float(-(flipped(gaps) * 2 * gaps).sum()))
    columns = {name: np.arange(400) < many for name, many in zip("abcde", (200, 180, 180, 180, 180), strict=True)}
    among = {name: name for name in columns}
    best = [
        asked(columns, lambda f: f.dp.choose(among, bounds=(0, 1), epsilon=1)["name"].item(), epsilon=5, rho=None)
        for _ in range(3 * runs)
    ]
    line("named the best, of a lead of 20 rows", float(np.mean([each == "a" for each in best])))


def tables(rows: int) -> None:
    heading("1, 4 Contingency tables (Barak et al.) and counting queries")
    print(
        "Claimed: tables that agree and are not negative; noise o(n) for a number of counts sublinear in n.\n"
        "Holds:   for disjoint cells far more: all cells of a table cost what one costs.\n"
        "Instead: marginals planned in one budget, consistent; nonnegative(integer=True); watch for one alarm of many.\n"
    )
    r = np.random.default_rng(7)
    columns = {"a": r.integers(0, 4, rows), "b": r.integers(0, 5, rows), "c": r.integers(0, 2, rows)}
    keys = {"a": list(range(4)), "b": list(range(5)), "c": [0, 1]}
    wanted = [["a", "b"], ["a", "c"], ["b", "c"], ["a"], []]
    plan = asked(columns, lambda f: f.dp.plan_marginals(wanted, categories=keys, epsilon=EPSILON), epsilon=5, rho=None)
    line("standard deviation of a cell's noise", "each alone", "planned")
    for table in plan.index:
        line(f"  {table}", float(plan.loc[table, "margins"]), float(plan.loc[table, "planned"]))
    two = {name: keys[name] for name in "ab"}
    planned = asked(
        columns,
        lambda f: f.dp.crosstab("a", "b", margins="planned", categories=two, epsilon=EPSILON),
        epsilon=5,
        rho=None,
    )
    whole = planned.dp.nonnegative(integer=True)
    inner = whole.drop(index="All", columns="All")
    agrees = bool((inner.sum(axis=1) == whole["All"].drop("All")).all() and inner.min().min() >= 0)
    line("cells add up to margins, none is negative", agrees)
    bell = AboveThreshold(Fraction(str(EPSILON)), 1, False)
    line("1,000 overlapping counts, is any above? noise of each question", "each paid", "watch")
    line("", math.sqrt(2) * 1000 / EPSILON, math.hypot(bell.threshold.sd, bell.question.sd))


def main() -> None:
    given = options(__doc__, rows=(1000, "rows of the smallest table"), runs=(30, "tables of each size"))
    choosing(given.runs)
    likelihood(given.rows, given.runs)
    sufficient(given.rows, given.runs)
    robust(given.rows, given.runs)
    mode(given.runs)
    regression(given.rows, given.runs)
    tables(given.rows)


if __name__ == "__main__":
    main()
