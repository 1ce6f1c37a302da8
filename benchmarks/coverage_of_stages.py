"""How often intervals of later stages hold what they estimate, with the library's own noise.

`python -m benchmarks.coverage_of_stages location 1000` prints a line for each population, size and price.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
from scipy.stats import trim_mean

import pandas_dp as pdp

Array = np.ndarray[Any, Any]
Drawing = Callable[[np.random.Generator, int], Array]
POPULATION = 200_000
TENTH = 0.1
SEED = 2027

VALUES: dict[str, tuple[Drawing, float]] = {
    "normal": (lambda r, n: r.normal(size=n), 700.0),
    "t with 3 degrees": (lambda r, n: r.standard_t(3, n), 100.0),
    "lognormal": (lambda r, n: np.exp(r.normal(size=n)), 1000.0),
    "rounded to 5": (lambda r, n: np.round(r.normal(40, 12, n) / 5) * 5, 200.0),
    "60 % zeros": (lambda r, n: np.where(r.random(n) < 0.6, 0.0, np.exp(r.normal(size=n))), 100.0),
}
SETTINGS = ((300, 0.05), (300, 0.5), (1000, 0.05), (1000, 0.5))


class Population:
    """Sorted values, of which the location at any scale is found fast."""

    def __init__(self, values: Array) -> None:
        self.values = np.sort(values)
        self.sums = np.concatenate([[0.0], np.cumsum(self.values)])

    def location(self, width: float) -> float:
        low, high = self.values[0], self.values[-1]
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._pull(middle, width) > 0 else (low, middle)
        return float((low + high) / 2)

    def trimmed(self, first: float, last: float) -> float:
        """Of values clamped to these, without a tenth at either end."""
        clamped = np.clip(self.values, first, last).mean() - TENTH * (first + last)
        return float(np.clip(clamped / (1 - 2 * TENTH), first, last))

    def _pull(self, middle: float, width: float) -> float:
        a, b = np.searchsorted(self.values, [middle - width, middle + width])
        inside = self.sums[b] - self.sums[a] - (b - a) * middle
        return float(inside + width * (len(self.values) - b - a))


def locations(rounds: int) -> Iterator[str]:
    r = np.random.default_rng(11)
    for name, (draw, end) in VALUES.items():
        people = Population(draw(r, POPULATION))
        for n, rho in SETTINGS:
            hits, widths = [], []
            for _ in range(rounds):
                column = pdp.Session(rho=100).protect(pd.DataFrame({"x": draw(r, n)}))["x"]
                shown = column.dp.location(rho=rho, bounds=(-end, end))
                scale = shown.attrs["dp"]["stages"][-1]["parameter"]["scale"]
                low, high = shown["lower"].item(), shown["upper"].item()
                hits.append(low <= people.location(1.5 * scale) <= high)
                widths.append(high - low)
            yield f"| {name} | {n} | {rho} | {np.mean(hits):.3f} | {np.median(widths) / 2:.3g} |"


def logits(rounds: int) -> Iterator[str]:
    """Yes or no with so many yeses on average: two to five regressors, one of two in a hundred."""
    for share, n, rho, many in LOGITS:
        slopes = np.resize([0.8, -0.5, 0.3, 0.6, -0.4], many)
        names = [f"x{at}" for at in range(many)]
        constant = _constant(share, slopes, np.random.default_rng(SEED))
        bounds = {**dict.fromkeys(names, (-1, 1)), "y": (0, 1)}
        r, truth = np.random.default_rng(SEED), np.array([constant, *slopes])

        def asked(r: np.random.Generator, names: Any = names, n: int = n, truth: Any = truth) -> pd.DataFrame:
            x = _regressors(r, n, len(names))
            return pd.DataFrame(x, columns=names).assign(y=_yes(r, truth[0] + x @ truth[1:]))

        found = held(
            rounds, r, asked, truth, lambda p, at=(names, rho, bounds): p.dp.logit("y", at[0], rho=at[1], bounds=at[2])
        )
        yield f"| {share:.0%} | {n} | {rho} | {many} | {found} |"


LOGITS = (
    (0.5, 1000, 0.5, 2),
    (0.5, 5000, 0.5, 5),
    (0.5, 20000, 0.05, 5),
    (0.05, 1000, 0.5, 2),
    (0.05, 5000, 0.5, 2),
    (0.05, 5000, 0.05, 2),
    (0.02, 5000, 0.5, 2),
)


def poissons(rounds: int) -> Iterator[str]:
    truth, names = np.array([0.3, 0.5, -0.3, 0.2]), ["x0", "x1", "x2"]
    bounds = {**dict.fromkeys(names, (-1, 1)), "years": (0, 3), "counts": (0, 25)}
    for n, rho in ((2000, 0.5), (10000, 0.5), (10000, 0.05)):

        def drawn(r: np.random.Generator, n: int = n) -> pd.DataFrame:
            x, years = _regressors(r, n, 3), r.uniform(0.5, 3, n)
            counts = r.poisson(years * np.exp(truth[0] + x @ truth[1:])).clip(0, 25)
            return pd.DataFrame(x, columns=names).assign(years=years, counts=counts)

        def asked(people: Any, rho: float = rho) -> Any:
            return people.dp.poisson("counts", names, exposure="years", rho=rho, bounds=bounds)

        yield f"| {n} | {rho} | {held(rounds, np.random.default_rng(SEED), drawn, truth, asked)} |"


def strong(rounds: int) -> Iterator[str]:
    """Strong effects, rare counts, skewed and nearly collinear columns."""
    for name, (_, _, truth, _, settings) in STRONG.items():
        for n, rho in settings:

            def drawn(r: np.random.Generator, name: str = name, n: int = n) -> pd.DataFrame:
                family, bounds, truth, draw, _ = STRONG[name]
                x = draw(r, n)
                linear = truth[0] + x @ np.array(truth[1:])
                y = _yes(r, linear) if family == "logit" else r.poisson(np.exp(linear)).clip(0, MOST) * 1.0
                return pd.DataFrame(x, columns=list(bounds)).assign(y=y)

            def asked(people: Any, name: str = name, rho: float = rho) -> Any:
                family, bounds, *_ = STRONG[name]
                given = {**bounds, "y": (0, 1 if family == "logit" else MOST)}
                return getattr(people.dp, family)("y", list(bounds), rho=rho, bounds=given)

            found = held(rounds, np.random.default_rng(SEED), drawn, np.array(truth), asked)
            yield f"| {name} | {n} | {rho:g} | {found} |"


def held(rounds: int, r: np.random.Generator, drawn: Any, truth: Array, asked: Any) -> str:
    """Coverage, median half widths in parts of 1.96, and how often some coefficient, and every one, has no end."""
    hits, widths = [], []
    for _ in range(rounds):
        shown = asked(pdp.Session(rho=1e9).protect(drawn(r)))
        low, high = shown["lower"].to_numpy(), shown["upper"].to_numpy()
        hits.append((low <= truth) & (truth <= high))
        widths.append((high - low) / 3.92)
    found = " ".join(f"{each:.3f}" for each in np.mean(hits, axis=0))
    wide = " ".join(f"{each:.2g}" for each in np.median(widths, axis=0))
    endless = ~np.isfinite(widths)
    return f"{found} | {wide} | {endless.any(axis=1).mean():.2f} | {endless.all(axis=1).mean():.2f}"


def _yes(r: np.random.Generator, linear: Array) -> Array:
    return 1.0 * (r.random(len(linear)) < 1 / (1 + np.exp(-linear)))


def _alike(r: np.random.Generator, n: int) -> Array:
    """Three columns, two of which are correlated with the first by .9."""
    z = r.normal(size=(n, 3))
    x = np.column_stack([z[:, 0], *(0.9 * z[:, 0] + np.sqrt(0.19) * z[:, at] for at in (1, 2))])
    return np.clip(0.4 * x, -1, 1)


MOST = 25
USUAL = ((5000, 0.5), (20_000, 0.5), (20_000, 1e6))
Case = tuple[str, dict[str, tuple[float, float]], list[float], Drawing, tuple[tuple[int, float], ...]]
STRONG: dict[str, Case] = {
    "death by age": (
        "logit",
        {"age": (18, 90), "s": (0, 1)},
        [-9, 0.09, 0.7],
        lambda r, n: np.column_stack([r.integers(18, 91, n), r.integers(0, 2, n)]) * 1.0,
        USUAL,
    ),
    "12 a half-range": (
        "logit",
        {"x": (-4, 4)},
        [0, 3],
        lambda r, n: np.clip(r.normal(size=(n, 1)), -4, 4),
        USUAL,
    ),
    "lognormal, logit": (
        "logit",
        {"x": (0, 20)},
        [-4, 0.5],
        lambda r, n: np.clip(r.lognormal(0, 1.2, (n, 1)), 0, 20),
        USUAL,
    ),
    "lognormal, poisson": (
        "poisson",
        {"x": (0, 20)},
        [-1, 0.15],
        lambda r, n: np.clip(r.lognormal(0, 1.2, (n, 1)), 0, 20),
        USUAL,
    ),
    "rates .01 to .05": (
        "poisson",
        {"s": (0, 20)},
        [np.log(0.01), 0.08],
        lambda r, n: r.uniform(0, 20, (n, 1)),
        (*USUAL, (50_000, 0.5)),
    ),
    "rates .05 to 7.4": ("poisson", {"s": (0, 20)}, [np.log(0.05), 0.25], lambda r, n: r.uniform(0, 20, (n, 1)), USUAL),
    "columns alike, poisson": (
        "poisson",
        dict.fromkeys(["x0", "x1", "x2"], (-1, 1)),
        [0.3, 0.5, -0.3, 0.2],
        _alike,
        ((2000, 0.5), (5000, 0.5), (20_000, 0.5)),
    ),
    "columns alike, logit": (
        "logit",
        dict.fromkeys(["x0", "x1", "x2"], (-1, 1)),
        [0.3, 0.5, -0.3, 0.2],
        _alike,
        ((5000, 0.5), (20_000, 0.5)),
    ),
}


def least_squares(rounds: int) -> Iterator[str]:
    """Two stages for a number whose spread is alike, or grows with the first regressor, with either kind of errors."""
    for n, rho, many, grows in ((2000, 0.5, 4, 0), (20000, 0.05, 4, 0), (5000, 0.5, 2, 1), (5000, 0.05, 4, 1)):
        for stages, cov_type in ((1, "nonrobust"), (2, "nonrobust"), (2, "HC")):
            r, hits, errors = np.random.default_rng(7), [], []
            truth = np.array([0.1, 0.3, *[0.1] * (many - 1)])
            for _ in range(rounds):
                x = _regressors(r, n, many)
                spread = 0.15 * (0.3 + 2 * np.abs(x[:, 0])) if grows else 0.2
                values = truth[0] + x @ truth[1:] + spread * r.normal(size=n)
                frame = pd.DataFrame(x, columns=[f"x{at}" for at in range(many)]).assign(y=values.clip(-2, 2))
                bounds = {**dict.fromkeys(frame.columns[:-1], (-1, 1)), "y": (-2, 2)}
                people = pdp.Session(rho=100).protect(frame)
                how = {"stages": stages, "cov_type": cov_type}
                shown = people.dp.ols("y", list(frame.columns[:-1]), rho=rho, bounds=bounds, **how)
                hits.append((shown["lower"].to_numpy() <= truth) & (truth <= shown["upper"].to_numpy()))
                errors.append(shown["coef"].to_numpy()[1] - truth[1])
            found = " ".join(f"{each:.3f}" for each in np.mean(hits, axis=0))
            error = np.sqrt(np.mean(np.square(errors)))
            spreads = "grow" if grows else "alike"
            yield f"| {spreads} | {n} | {rho} | {stages}, {cov_type} | {found} | {error:.4f} |"


class Voters(pa.DataFrameModel):
    kind: str = pa.Field(isin=["most", "rare"])
    yes: bool


def yes_or_no(rounds: int) -> Iterator[str]:
    """Four yeses of a hundred, thirty in a category of fifteen: as `ols` decides itself, and by one stage."""
    truth = np.array([0.04, 0.26])
    for n, rho in ((5000, 0.1), (20000, 0.1), (5000, 0.5)):
        for how in ({"stages": 1}, {}):
            r, hits = np.random.default_rng(8), []
            for _ in range(rounds):
                rare = r.random(n) < 0.15
                frame = pd.DataFrame({"kind": np.where(rare, "rare", "most")})
                frame = frame.assign(yes=r.random(n) < np.where(rare, 0.3, 0.04))
                shown = pdp.Session(rho=100, schema=Voters).protect(frame).dp.ols("yes", ["kind"], rho=rho, **how)
                hits.append((shown["lower"].to_numpy() <= truth) & (truth <= shown["upper"].to_numpy()))
            found = " ".join(f"{each:.3f}" for each in np.mean(hits, axis=0))
            yield f"| yes or no | {n} | {rho} | {how.get('stages', 'auto: 2, HC')} | {found} |"


def _regressors(r: np.random.Generator, n: int, many: int) -> Array:
    return np.clip(r.normal(0, 0.4, (n, many)), -1, 1)


def _constant(share: float, slopes: Array, r: np.random.Generator) -> float:
    """The constant that gives so many yeses."""
    linear = _regressors(r, POPULATION, len(slopes)) @ slopes
    low, high = -12.0, 12.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.mean(1 / (1 + np.exp(-middle - linear))) < share else (low, middle)
    return low


def trimmed_means(rounds: int) -> Iterator[str]:
    r = np.random.default_rng(12)
    for name, (draw, low, high) in TRIMMED.items():
        people = Population(draw(r, POPULATION))
        own = trim_mean(people.values, TENTH)
        for n, rho in SETTINGS:
            found = []
            for _ in range(rounds):
                frame = pd.DataFrame({"x": draw(r, n)})
                schema = pa.DataFrameSchema({"x": pa.Column(frame["x"].dtype, pa.Check.in_range(low, high))})
                column = pdp.Session(rho=100, schema=schema).protect(frame.clip(low, high))["x"]
                shown = column.dp.trimmed_mean(TENTH, rho=rho)
                ends = shown.attrs["dp"]["stages"][-1]["parameter"]
                low_end, high_end = shown["lower"].item(), shown["upper"].item()
                at_ends = people.trimmed(ends["from"], ends["to"])
                rows = shown.dp.confint(target="sample")
                in_rows = rows["lower"].item() <= trim_mean(frame["x"], TENTH) <= rows["upper"].item()
                found.append([low_end <= at_ends <= high_end, low_end <= own <= high_end, in_rows, high_end - low_end])
            hits, width = np.mean(found, axis=0)[:3], np.median([each[3] for each in found])
            shares = " | ".join(f"{each:.3f}" for each in hits)
            yield f"| {name} | {n} | {rho} | {shares} | {width / 2:.3g} |"


TRIMMED: dict[str, tuple[Drawing, float, float]] = {
    "normal": (lambda r, n: r.normal(size=n), -10, 10),
    "lognormal": (lambda r, n: np.exp(r.normal(size=n)), 0, 100),
    "five points": (lambda r, n: r.choice(5, n, p=[0.08, 0.12, 0.2, 0.35, 0.25]) + 1, 1, 5),
    "40 % zeros": (lambda r, n: np.where(r.random(n) < 0.4, 0.0, np.exp(r.normal(size=n))), 0, 100),
}

KINDS = {"location": locations, "trimmed_mean": trimmed_means, "logit": logits, "poisson": poissons}
KINDS |= {"ols": least_squares, "yes": yes_or_no, "strong": strong}

if __name__ == "__main__":
    for line in KINDS[sys.argv[1]](int(sys.argv[2])):
        print(line, flush=True)
