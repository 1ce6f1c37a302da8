"""How often intervals of models hold the truth, and tests reject what is true at 5 %, asked as a user asks.

`python -m benchmarks.coverage_of_models [ROUNDS] [NAME ...]` prints a line for each case: 300 rounds unless given.
`quick` in place of a number is 20 rounds, which shows that everything runs. Noise is the library's own. Lines of
`least_squares`, `tables` and `looks` are those of `coverage_of_least_squares`, `_table_regressions` and `_stages`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr
from scipy.stats import poisson

import pandas_dp as pdp

from . import coverage_of_least_squares, coverage_of_stages, coverage_of_table_regressions

Array = np.ndarray[Any, Any]
SEED, QUICK, USUAL, MANY = 419, 20, 300, 400_000
YES = [False, True]
Generator = np.random.Generator


def protected(frame: pd.DataFrame) -> Any:
    return pdp.Session(rho=10**6, delta=1e-6).protect(frame)


def held(rounds: int, once: Callable[[Generator], tuple[Any, Any, Any]]) -> str:
    """How often `once` gives ends that hold its truth, for each number, and the median half width."""
    r, hits, widths = np.random.default_rng(SEED), [], []
    for _ in range(rounds):
        low, high, truth = (np.atleast_1d(np.asarray(each, dtype=float)) for each in once(r))
        hits.append((low <= truth) & (truth <= high))
        widths.append((high - low) / 2)
    shares = " ".join(f"{each:.3f}" for each in np.mean(hits, axis=0))
    return f"held {shares} | half width " + " ".join(f"{each:.3g}" for each in np.median(widths, axis=0))


def rejected(rounds: int, once: Callable[[Generator], float]) -> str:
    r = np.random.default_rng(SEED)
    found = np.array([once(r) for _ in range(rounds)])
    return f"rejected {np.mean(found < 0.05):.3f}, at 1 % {np.mean(found < 0.01):.3f}"


def said(cost: Any) -> str:
    return ", ".join(f"{name}={number}" for name, number in cost.items())


def anova_of_means(rounds: int) -> Iterator[str]:
    """All groups alike; values uniform or skewed."""
    for groups, n, cost in (
        (3, 300, {"rho": 0.5}),
        (3, 2000, {"rho": 0.05}),
        (20, 2000, {"rho": 0.5}),
        (20, 2000, {"rho": 0.05}),
        (60, 6000, {"rho": 0.5}),
        (80, 8000, {"rho": 0.05}),
        (3, 300, {"epsilon": 1}),
        (20, 2000, {"epsilon": 0.3}),
    ):
        keys = [f"g{at}" for at in range(groups)]
        for name, draw in {"uniform": lambda r, n: 10 * r.random(n), "skewed": lambda r, n: r.gamma(0.7, 2, n)}.items():

            def once(r: Generator, draw: Any = draw, keys: Any = keys, n: int = n, cost: Any = cost) -> float:
                rows = pd.DataFrame({"x": draw(r, n).clip(0, 10), "g": r.choice(keys, n)})
                means = protected(rows).dp.groupby("g", categories=keys)["x"].mean(bounds=(0, 10), **cost)
                return float(means.dp.anova_test().pvalue)

            yield f"anova_test, {groups} groups, {name}, n={n}, {said(cost)}: {rejected(rounds, once)}"


def mcnemar(rounds: int) -> Iterator[str]:
    for apart, n, rho in ((0.1, 300, 0.5), (0.1, 2000, 0.05), (0.01, 500, 0.5), (0.002, 500, 2), (0.4, 200, 0.1)):

        def once(r: Generator, apart: float = apart, n: int = n, rho: float = rho) -> float:
            before, turned = r.random(n) < 0.5, r.random(n) < apart
            rows = pd.DataFrame({"before": before, "after": before ^ turned})
            both = protected(rows).dp.crosstab("before", "after", categories={"before": YES, "after": YES}, rho=rho)
            return float(both.dp.mcnemar_test().pvalue)

        yield f"mcnemar_test, {apart:.0%} differ, n={n}, rho={rho}: {rejected(rounds, once)}"


def hazards(rounds: int) -> Iterator[str]:
    """Exponential times in six bins, two groups; the log odds of leaving in a bin, and what a group adds."""
    for rates, n, rho in (((0.1, 0.15), 1000, 0.5), ((0.1, 0.15), 5000, 0.05), ((0.01, 0.02), 5000, 0.5)):
        chance = -np.expm1(-np.array(rates))
        odds = np.log(chance / (1 - chance))
        truth = [*[odds[0]] * 6, odds[1] - odds[0]]

        def once(
            r: Generator, rates: Any = rates, n: int = n, rho: float = rho, truth: Any = truth
        ) -> tuple[Any, Any, Any]:
            group = r.integers(0, 2, n)
            leaves = r.exponential(1 / np.array(rates)[group])
            seen = np.floor(np.minimum(r.exponential(1 / 0.02, n), 6))
            rows = pd.DataFrame({"t": np.minimum(leaves, seen), "e": leaves <= seen, "g": np.array(["a", "b"])[group]})
            life = protected(rows).dp.survival(
                "t", "e", by="g", bins=list(range(7)), bounds=(0, 6), categories={"g": ["a", "b"]}, rho=rho
            )
            shown = life.dp.hazard()
            return shown["lower"], shown["upper"], truth

        yield f"hazard, rates {rates}, n={n}, rho={rho}: {held(rounds, once)}"


def _line(r: Generator, n: int) -> pd.DataFrame:
    x = np.clip(r.normal(0, 0.4, (n, 2)), -1, 1)
    return pd.DataFrame(x, columns=["a", "b"]).assign(y=0.1 + x @ [0.3, 0.1] + 0.2 * r.normal(size=n))


def explained(rounds: int) -> Iterator[str]:
    many = _line(np.random.default_rng(1), MANY)
    truth = 1 - 0.04 / many["y"].var()
    bounds = {"a": (-1, 1), "b": (-1, 1), "y": (-2, 2)}
    for n, rho in ((500, 0.5), (1000, 0.1), (2000, 0.5), (2000, 0.1), (20_000, 0.05)):

        def once(r: Generator, n: int = n, rho: float = rho) -> tuple[Any, Any, Any]:
            found = protected(_line(r, n)).dp.ols("y", ["a", "b"], stages=1, bounds=bounds, rho=rho).dp.r_squared()
            return found.lower, found.upper, truth

        yield f"r_squared, n={n}, rho={rho}: {held(rounds, once)}"


def instruments(rounds: int) -> Iterator[str]:
    """A regressor that shares what moves the response; one instrument, or two."""
    bounds = dict.fromkeys(["d", "y"], (-3, 3)) | dict.fromkeys(["z", "w"], (-2, 2))
    for of, n, rho in (("z", 2000, 0.5), ("z + w", 2000, 0.5), ("z", 20_000, 0.05), ("z + w", 20_000, 0.05)):

        def once(r: Generator, of: str = of, n: int = n, rho: float = rho) -> tuple[Any, Any, Any]:
            z, w, u = np.clip(r.normal(0, 0.7, (3, n)), -2, 2)
            d = np.clip(0.6 * z + 0.4 * w + 0.5 * u + 0.3 * r.normal(size=n), -3, 3)
            rows = pd.DataFrame({"z": z, "w": w, "d": d, "y": 0.2 + 0.5 * d + 0.5 * u + 0.2 * r.normal(size=n)})
            used = {name: ends for name, ends in bounds.items() if name in ("d", "y") or name in of}
            fit = protected(rows).dp.ols(f"y ~ [d ~ {of}]", bounds=used, rho=rho)
            return fit["lower"], fit["upper"], [0.2, 0.5]

        yield f"ols, d by {of}, n={n}, rho={rho}: {held(rounds, once)}"


DRAWS: dict[str, Callable[[Generator, int], Array]] = {
    "normal": lambda r, n: r.normal(4, 1, n),
    "lognormal": lambda r, n: r.lognormal(0.5, 0.7, n),
}


def two_groups(rounds: int) -> Iterator[str]:
    """The second group, of three in ten, is greater by .3: its mean, and how often a value of it is greater."""
    for name, draw in DRAWS.items():
        r = np.random.default_rng(2)
        one, two = (np.clip(draw(r, MANY) + add, 0, 10) for add in (0, 0.3))
        truths = {"t_test": two.mean() - one.mean(), "rank_test": _greater(one, two)}
        for kind, n, rho in (
            ("t_test", 400, 0.5),
            ("t_test", 2000, 0.05),
            ("rank_test", 400, 0.5),
            ("rank_test", 2000, 0.05),
        ):

            def once(
                r: Generator, draw: Any = draw, kind: str = kind, n: int = n, rho: float = rho, truths: Any = truths
            ) -> tuple[Any, Any, Any]:
                group = r.random(n) < 0.3
                rows = pd.DataFrame({"x": np.clip(draw(r, n) + 0.3 * group, 0, 10), "g": group})
                ask = getattr(protected(rows).dp, kind)
                shown = ask("x", by="g", bounds={"x": (0, 10)}, categories={"g": YES}, rho=rho)
                return shown["lower"], shown["upper"], truths[kind]

            yield f"{kind}, {name}, n={n}, rho={rho}: {held(rounds, once)}"


def _greater(one: Array, two: Array) -> float:
    """The chance that a value of the second is greater than one of the first, by 24 bins as the test has it."""
    first, second = (
        np.bincount(np.minimum((each * 2.4).astype(int), 23), minlength=24) / len(each) for each in (one, two)
    )
    below = np.cumsum(first) - first
    return float(second @ (below + first / 2))


def _of_people(r: Generator, people: int, rows: int) -> pd.DataFrame:
    """People with so many rows each, or 1 and a Poisson number where it is negative; .8 of what is not explained, a
    category, and most of a number are the person's own."""
    who = np.repeat(np.arange(people), rows if rows > 0 else 1 + r.poisson(-rows, people))
    n = len(who)
    x = (0.8 * r.normal(0, 0.35, people)[who] + 0.6 * r.normal(0, 0.35, n)).clip(-1, 1)
    g = r.choice(["a", "b"], people)[who]
    apart = np.sqrt(0.8) * r.normal(0, 1, people)[who] + np.sqrt(0.2) * r.normal(0, 1, n)
    score = 0.2 + 0.3 * x + 0.1 * (g == "b")
    y, counts = (score + 0.3 * apart).clip(-2, 2), poisson.ppf(ndtr(apart), np.exp(score)).clip(0, 15)
    return pd.DataFrame({"who": who, "x": x, "g": g, "y": y, "yes": ndtr(apart) < expit(2 * score), "n": counts})


def _of_rows(rows: pd.DataFrame, most: int) -> Array:
    """Least squares of the rows as they are weighed."""
    w = np.minimum(1.0, most / rows.groupby("who")["who"].transform("size").to_numpy())
    x = np.column_stack([np.ones(len(rows)), rows["x"], rows["g"] == "b"]).astype(float)
    return np.asarray(np.linalg.solve(x.T * w @ x, x.T @ (w * rows["y"].to_numpy())))


OF_PEOPLE: tuple[tuple[str, int, int, int, float, int], ...] = (  # people, rows, max_rows, rho, looks
    ("ols", 500, 10, 10, 1, 2),
    ("ols", 2000, 10, 10, 0.5, 2),
    ("ols", 150, 10, 10, 5, 2),
    ("ols", 300, -3, 20, 5, 2),
    ("logit", 500, 10, 10, 1, 2),
    ("logit", 2000, -3, 10, 1, 2),
    ("poisson", 2000, 10, 10, 1, 2),
    ("ols", 500, 10, 10, 1, 1),
    ("ols", 2000, -3, 10, 0.5, 1),
)


def by_person(rounds: int) -> Iterator[str]:
    """Rows of people that hang together: two stages, of the population; one stage, of the rows as they are weighed."""
    truth, ends = np.array([0.2, 0.3, 0.1]), {"y": (-2, 2), "n": (0, 15)}
    for name, people, rows, most, rho, stages in OF_PEOPLE:
        response = {"ols": "y", "logit": "yes", "poisson": "n"}[name]
        told: dict[str, Any] = {"max_rows": most, "rho": rho, "categories": {"g": ["a", "b"]}, "bounds": {"x": (-1, 1)}}
        told["bounds"] |= {response: ends[response]} if response in ends else {}
        told |= {"stages": stages} if name == "ols" else {}

        def once(r: Generator, asked: Any = (name, response, people, rows, most, stages), told: Any = told) -> Any:
            name, response, people, rows, most, stages = asked
            table = _of_people(r, people, rows)
            visits = pdp.Session(rho=10**6, unit="who").protect(table)
            fit = getattr(visits.dp, name)(response, ["x", "g"], **told)
            meant = _of_rows(table, most) if stages == 1 else truth * (2 if name == "logit" else 1)
            return fit["lower"], fit["upper"], meant

        many = f"{rows} rows" if rows > 0 else f"1 + Poisson({-rows}) rows"
        yield f"{name}, {people} people, {many}, max_rows={most}, rho={rho}, stages={stages}: {held(rounds, once)}"


def far_too_wide(rounds: int) -> Iterator[str]:
    """Trimmed means of normal values, of a range declared as it is or far too wide."""
    for end, n, rho in ((10, 300, 0.05), (10, 1000, 0.05), (10, 1000, 0.5), (9000, 730, 0.05)):

        def once(r: Generator, end: float = end, n: int = n, rho: float = rho) -> tuple[Any, Any, Any]:
            rows = protected(pd.DataFrame({"x": r.normal(size=n)}))
            found = rows["x"].dp.trimmed_mean(0.1, bounds=(-end, end), rho=rho)
            return found["lower"], found["upper"], 0.0

        yield f"trimmed_mean, range of {end}, n={n}, rho={rho}: {held(rounds, once)}"


WIDE: tuple[tuple[int, int, float, float], ...] = (  # regressors, rows, rho, how far the response is declared
    *((0, 300, rho, end) for rho, end in ((0.01, 4), (0.02, 4), (0.05, 4), (0.05, 10))),
    *((0, 1000, rho, end) for rho, end in ((0.005, 4), (0.005, 10), (0.01, 10), (0.02, 10), (0.05, 10))),
    (0, 5000, 0.05, 40),
    (1, 1000, 0.05, 10),
    (1, 20_000, 0.05, 40),
    (4, 2000, 0.05, 10),
)


def in_wide_ranges(rounds: int) -> Iterator[str]:
    """Two stages of least squares, spreads taken as alike, of errors with a spread of one in far wider ranges."""
    for many, n, rho, end in WIDE:
        truth, names = np.array([0.0, *[0.5] * many]), [f"x{at}" for at in range(many)]
        bounds = {**dict.fromkeys(names, (-1, 1)), "y": (-end, end)}

        def once(r: Generator, asked: Any = (truth, names, n), how: Any = (rho, bounds)) -> tuple[Any, Any, Any]:
            truth, names, n = asked
            x = np.clip(r.normal(0, 0.4, (n, len(names))), -1, 1)
            rows = pd.DataFrame(x, columns=names).assign(y=x @ truth[1:] + r.normal(size=n))
            fit = protected(rows).dp.ols("y", names, stages=2, cov_type="nonrobust", rho=how[0], bounds=how[1])
            return fit["lower"], fit["upper"], truth

        yield f"two stages, {many} regressors, n={n}, rho={rho}, to {end}: {held(rounds, once)}"


def _line_of(x: Array, rare: Array) -> Array:
    return np.asarray(1 + 0.5 * x + 0.3 * rare)


def _incomes(x: Array, rare: Array) -> Array:
    return np.asarray(np.exp(0.5 * x + 0.3 * rare))


def _income(spread: float) -> Callable[[Generator, Array, Array], Array]:
    """In parts of its mean, less one."""
    return lambda r, x, rare: _incomes(x, rare) * np.expm1(spread * r.normal(size=len(x)) - spread**2 / 2)


def _spread_grows(r: Generator, x: Array, rare: Array) -> Array:
    return np.asarray(r.normal(size=len(x)) * (0.2 + 1.5 * (x + 1)))


def _rare_is_wide(r: Generator, x: Array, rare: Array) -> Array:
    return np.asarray(r.normal(size=len(x)) * np.where(rare, 10, 1))


def _rare_is_skewed(r: Generator, x: Array, rare: Array) -> Array:
    return np.where(rare, 6 * (r.exponential(size=len(x)) - 1), r.normal(size=len(x)))


UNEQUAL_LINES: tuple[tuple[str, Any, Any, float, tuple[float, float], int, float], ...] = (
    ("spread grows with x", _line_of, _spread_grows, 0.5, (-30, 30), 20_000, 0.5),
    ("3 % with ten times the spread", _line_of, _rare_is_wide, 0.03, (-60, 60), 5000, 1),
    ("3 % with ten times the spread", _line_of, _rare_is_wide, 0.03, (-60, 60), 5000, 50),
    ("5 % skewed", _line_of, _rare_is_skewed, 0.05, (-60, 60), 5000, 1),
    ("income, lognormal(.6)", _incomes, _income(0.6), 0.5, (0, 40), 5000, 0.5),
    ("income, lognormal(.6)", _incomes, _income(0.6), 0.5, (0, 40), 20_000, 0.5),
    ("income, lognormal(.8)", _incomes, _income(0.8), 0.5, (0, 60), 5000, 0.5),
    ("income, lognormal(.8)", _incomes, _income(0.8), 0.5, (0, 60), 20_000, 0.5),
    ("income, lognormal(.8)", _incomes, _income(0.8), 0.5, (0, 60), 5000, 50),
)


def unequal_spreads(rounds: int) -> Iterator[str]:
    """Two stages with errors that let spreads differ: the constant, a number, a yes or no."""
    for name, mean, apart, share, ends, n, rho in UNEQUAL_LINES:
        many = _unequal(np.random.default_rng(1), share, MANY)
        truth = np.linalg.lstsq(many, mean(*many.T[1:]), rcond=None)[0]
        bounds = {"a": (-1, 1), "b": (0, 1), "y": ends}

        def once(r: Generator, of: Any = (mean, apart, share, n), how: Any = (truth, bounds, rho)) -> Any:
            mean, apart, share, n = of
            x = _unequal(r, share, n)
            y = np.clip(mean(*x.T[1:]) + apart(r, *x.T[1:]), *how[1]["y"])
            rows = pd.DataFrame(x[:, 1:], columns=["a", "b"]).assign(y=y)
            fit = protected(rows).dp.ols("y", ["a", "b"], stages=2, cov_type="HC", rho=how[2], bounds=how[1])
            return fit["lower"], fit["upper"], how[0]

        yield f"two stages, {name}, n={n}, rho={rho}: {held(rounds, once)}"


def _unequal(r: Generator, share: float, n: int) -> Array:
    """The constant, a number, and whether a row is one of the rare."""
    return np.column_stack([np.ones(n), np.clip(r.normal(0, 0.4, n), -1, 1), r.random(n) < share])


def least_squares(rounds: int) -> Iterator[str]:
    for line in coverage_of_least_squares.LINES:
        found = coverage_of_least_squares.looked_at(line, rounds, SEED)
        yield f"{line.name}, n={line.n}, rho={line.rho}: " + ", ".join(f"{k} {v:.3f}" for k, v in found.items())


def tables(rounds: int) -> Iterator[str]:
    for line in coverage_of_table_regressions.LINES:
        yield coverage_of_table_regressions.line_of(line, rounds)


def stages(rounds: int) -> Iterator[str]:
    for name, lines in coverage_of_stages.KINDS.items():
        for line in lines(rounds):
            yield f"{name} {line}"


KINDS = {
    "by_person": by_person,
    "anova_test": anova_of_means,
    "mcnemar_test": mcnemar,
    "hazard": hazards,
    "r_squared": explained,
    "instruments": instruments,
    "two_groups": two_groups,
    "ranges": far_too_wide,
    "wide": in_wide_ranges,
    "unequal": unequal_spreads,
    "least_squares": least_squares,
    "tables": tables,
    "stages": stages,
}


def main(given: list[str]) -> None:
    rounds = USUAL
    if given and (given[0] == "quick" or given[0].isdigit()):
        rounds = QUICK if given[0] == "quick" else int(given[0])
        given = given[1:]
    for name in given or KINDS:
        for line in KINDS[name](rounds):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
