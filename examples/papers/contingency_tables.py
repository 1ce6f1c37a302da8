"""Contingency tables by Fourier coefficients: Barak, Chaudhuri, Dwork, Kale, McSherry & Talwar (2007), "Privacy,
accuracy, and consistency too", as Dwork & Smith (2009), "Differential privacy for statistics", tell it: the method, its
numbers, and what takes its place in this library.

    python examples/papers/contingency_tables.py [--runs 5]

The method is for keys of two categories. Tables over few keys need few Fourier coefficients; Laplace noise of one scale
is added to each, tables that are made of them agree, a linear programme finds a table without negative numbers that has
nearly these coefficients, and rounding makes rows of it. The part that follows the paper by hand uses numpy's noise and
protects nobody: it is here to be compared with.
"""

from itertools import combinations, product
from math import sqrt

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from shown import heading, line, options

import pandas_dp as pdp

Floats = np.ndarray


# -- the basis


def sets(keys: int, most: int = 2) -> list[tuple[int, ...]]:
    """Which keys a coefficient is about: all sets of so many, the empty one too."""
    return [each for many in range(most + 1) for each in combinations(range(keys), many)]


def signs(keys: int, wanted: list[tuple[int, ...]]) -> Floats:
    """coefficient × cell: 1 where an even number of its keys have their second category, else -1."""
    cells = np.array(list(product((0, 1), repeat=keys)))
    return np.array([(-1.0) ** cells[:, list(each)].sum(axis=1) for each in wanted])


def margin(coefficients: Floats, wanted: list[tuple[int, ...]], kept: tuple[int, ...]) -> Floats:
    """A table over some keys from the coefficients of all sets within them."""
    inside = [at for at, each in enumerate(wanted) if set(each) <= set(kept)]
    places = [tuple(kept.index(key) for key in wanted[at]) for at in inside]
    return coefficients[inside] @ signs(len(kept), places) / 2 ** len(kept)


def basis(rng: np.random.Generator) -> None:
    heading("The basis: six keys of two categories, tables over up to two of them")
    table, wanted = rng.poisson(20, 64).astype(float), sets(6)
    coefficients = signs(6, wanted) @ table
    cube = table.reshape((2,) * 6)
    off = 0.0
    for kept in sets(6)[1:]:
        exact = cube.sum(axis=tuple(key for key in range(6) if key not in kept)).ravel()
        off = max(off, float(np.abs(margin(coefficients, wanted, kept) - exact).max()))
    line("coefficients in place of 64 cells", len(wanted))
    line("largest error of a table that is made of them, without noise", off)
    print(
        "The effects of the analysis of variance are this basis for keys of several categories: each space of effects is\n"
        "spanned by the characters that are about exactly its keys, whichever group its categories are taken for; and as\n"
        "the noise is the same in all directions, nothing depends on the choice."
    )


# -- how the noise is shared out


def worth(keys: int) -> dict[int, float]:
    """Of a coefficient about so many keys, by how much its variance counts in all cells of all tables of one or two."""
    ones, pairs = 1 / 2, 1 / 4  # of each table, its cells over the square of their number
    return {0: keys * ones + keys * (keys - 1) / 2 * pairs, 1: ones + (keys - 1) * pairs, 2: pairs}


def shares(keys: int = 10) -> None:
    heading("Ten keys of two categories: the variance of all cells of all tables of one key and of two")
    many, each = {0: 1, 1: keys, 2: keys * (keys - 1) // 2}, worth(keys)
    total = sum(many.values())
    weight = sum(many[k] * each[k] for k in many)
    line("", "their way", "best")
    line("coefficients", total, total)
    best = sum(many[k] * each[k] ** (1 / 3) for k in many) ** 3 * 2
    line(
        "Laplace, epsilon = 1, rows come and go",
        float(2 * total**2 * weight),
        float(best),
        note="equal noise; best shares",
    )
    line("  and the whole table of 1,024 cells alone", "", float(2 * 2**keys * (keys + keys * (keys - 1) / 2)))
    line("Gaussian, rho = 1", total / 2 * weight, sum(many[k] * sqrt(each[k]) for k in many) ** 2 / 2)
    moved = max(sum(len(set(a) & set(range(d))) % 2 for a in sets(keys)) for d in range(keys + 1))
    line(
        "a row that changes moves in all (sum of |changes|)",
        2 * total,
        2 * moved,
        note="only sets that meet odd differences",
    )


# -- synthetic rows


def people(rng: np.random.Generator, rows: int = 3_000) -> pd.DataFrame:
    """Six yes/no questions of which neighbours depend on each other."""
    answers = [rng.random(rows) < 0.4]
    for at in range(5):
        answers.append(np.where(answers[-1], rng.random(rows) < 0.8 - 0.1 * at, rng.random(rows) < 0.2))
    return pd.DataFrame({f"q{at}": answer.astype(int) for at, answer in enumerate(answers)})


def by_fourier(frame: pd.DataFrame, epsilon: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The noisy coefficients, and the table that a linear programme finds: whole numbers, none negative."""
    wanted = sets(6)
    cells = np.bincount(frame.to_numpy() @ 2 ** np.arange(5, -1, -1), minlength=64).astype(float)
    noisy = signs(6, wanted) @ cells + rng.laplace(0, len(wanted) / epsilon, len(wanted))
    matrix, one = signs(6, wanted), np.ones((len(wanted), 1))
    bounds = np.vstack([np.hstack([matrix, -one]), np.hstack([-matrix, -one])])
    found = linprog(np.append(np.zeros(64), 1.0), bounds, np.concatenate([noisy, -noisy]), bounds=(0, None))
    return noisy, np.rint(found.x[:64])


def apart(one: Floats, other: Floats) -> float:
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


def pairs_apart(frame: pd.DataFrame, table: Floats) -> float:
    """Half of what shares differ by, the mean of all tables of two keys."""
    cube, found = table.reshape((2,) * 6), []
    for kept in combinations(range(6), 2):
        exact = np.bincount(frame.iloc[:, list(kept)].to_numpy() @ [2, 1], minlength=4).astype(float)
        found.append(apart(cube.sum(axis=tuple(k for k in range(6) if k not in kept)).ravel(), exact))
    return float(np.mean(found))


def synthetic(rng: np.random.Generator, runs: int) -> None:
    heading(f"Synthetic rows: six yes/no questions, 3,000 rows, epsilon = 1 (rho = 1/2), mean of {runs} runs")
    frame = people(rng)
    names, declared = list(frame.columns), {name: [0, 1] for name in frame.columns}
    wanted = [list(pair) for pair in combinations(names, 2)]
    lp, pure, gaussian, looked = [], [], [], []
    for _ in range(runs):
        lp.append(pairs_apart(frame, by_fourier(frame, 1.0, rng)[1]))
        for found, cost in ((pure, {"epsilon": 1.0}), (gaussian, {"rho": 0.5})):
            session = pdp.Session(**cost, neighbours="add_remove")
            tables = session.protect(frame).dp.marginals(wanted, categories=declared, **cost)
            found.append(pairs_apart(frame, cells_of(tables.dp.synthesize().sample(seed=1))))
        session = pdp.Session(rho=0.5, neighbours="add_remove")
        rows = session.protect(frame).dp.synthesize(categories=declared, rho=0.5).sample(seed=1)
        looked.append(pairs_apart(frame, cells_of(rows.dropna())))
    line("total variation of pairs", "their way", "ours")
    line("equal Laplace noise, linear programme, rounding", float(np.mean(lp)))
    line("marginals at the same epsilon, and rows of their model", "", float(np.mean(pure)), note="shares as planned")
    line("the same at the rho that this epsilon implies", "", float(np.mean(gaussian)), note="a weaker promise")
    line("synthesize at that rho: three stages find the tables", "", float(np.mean(looked)), note="likewise")
    print(
        "In place of equal noise: shares of the cost by what they bring. In place of the linear programme over all cells,\n"
        "whose number doubles with each key: a model whose size follows the tables. In place of rounding: whole rows, even\n"
        "ones; for a table alone, .dp.nonnegative(integer=True)."
    )


def cells_of(rows: pd.DataFrame) -> Floats:
    return np.bincount(rows.to_numpy().astype(int) @ 2 ** np.arange(5, -1, -1), minlength=64).astype(float)


def main() -> None:
    runs = options(__doc__, runs=(5, "runs of each way to synthetic rows")).runs
    rng = np.random.default_rng(2007)
    basis(rng)
    shares()
    synthetic(rng, runs)


if __name__ == "__main__":
    main()
