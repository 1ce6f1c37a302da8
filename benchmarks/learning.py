"""Learning by counting through the library's own noise: clusters, rules, classifiers, components.

`python -m benchmarks.learning clusters` and likewise `rules`, `classifiers`, `components`; without a name all of them.
Classifiers and components need scikit-learn for its bundled data, breast cancer and digits, and nothing else of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp
from pandas_dp.core.label.layout import Released
from pandas_dp.learning.solve import clustered

Array = np.ndarray[Any, Any]


def blobs(columns: int, clusters: int, rows: int, seed: int) -> Array:
    """Normal clouds of spread .08 about uniform centres, in the unit box."""
    r = np.random.default_rng(seed)
    centres = r.uniform(0.15, 0.85, (clusters, columns))
    points = centres[r.integers(0, clusters, rows)] + 0.08 * r.standard_normal((rows, columns))
    return np.clip(points, 0, 1)


def left_over(points: Array, centres: Array) -> float:
    """The mean squared distance to the nearest centre."""
    return float(((points[:, None] - centres[None]) ** 2).sum(axis=2).min(axis=1).mean())


def clusters() -> None:
    """Cost of clusters by the grid over that of k-means on the rows, on average of tables made anew."""
    print("clusters: mean squared distance, grid / rows")
    for columns, k in ((2, 5), (3, 4)):
        names = list("xyz"[:columns])
        bounds = dict.fromkeys(names, (0, 1))
        for epsilon in (0.2, 1.0):
            found, best = [], []
            for seed in range(12):
                points = blobs(columns, k, 2000, seed)
                people = pdp.Session(rho=10).protect(pd.DataFrame(points, columns=names))
                release = people.dp.kmeans(names, k, bounds=bounds, rho=epsilon**2 / 2)
                centres = release[[f"centre of {name}" for name in names]].to_numpy()
                found.append(left_over(points, centres))
                best.append(left_over(points, clustered(np.ones(2000), points, 0.0, k, 0)[0]))
            told = f"{np.mean(found):.4f} / {np.mean(best):.4f}, ratio {np.mean(found) / np.mean(best):.2f}"
            print(f"  {columns} columns, {k} clusters, epsilon {epsilon}: {told}")


def rules() -> None:
    """Coverage of intervals of confidence and lift, for the rows in the data."""
    print("rules: coverage at .95 of confidence, of lift")
    r = np.random.default_rng(2)
    for rows, rho in ((300, 0.5), (1000, 0.1), (1000, 0.02), (5000, 0.02)):
        bread = r.random(rows) < 0.3
        jam = r.random(rows) < np.where(bread, 0.5, 0.1)
        table = pd.DataFrame({"bread": bread, "jam": jam}).replace({True: "yes", False: "no"})
        schema = pa.DataFrameSchema({name: pa.Column(str, pa.Check.isin(["yes", "no"])) for name in table})
        people = pdp.Session(rho=1e6, schema=schema).protect(table)
        confidence = jam[bread].mean()
        lift = confidence / jam.mean()
        held = np.zeros(2)
        for _ in range(1000):
            told = pd.DataFrame(people.dp.crosstab("bread", "jam", rho=rho).dp.rules())
            row = told.loc[("bread = yes", "jam = yes")]
            held += row["lower"] <= confidence <= row["upper"], row["lift_lower"] <= lift <= row["lift_upper"]
        print(f"  {rows} rows, rho {rho}: {held[0] / 1000:.3f}, {held[1] / 1000:.3f}")


def bundled(name: str) -> tuple[Array, Array]:
    """Features and a yes/no answer of data that scikit-learn brings with it."""
    from sklearn import datasets

    if name == "breast cancer":
        return datasets.load_breast_cancer(return_X_y=True)
    features, digit = datasets.load_digits(return_X_y=True)
    return features, digit % 2 == 0


def area(scores: Array, answers: Array) -> float:
    """Under the receiver operating characteristic: the chance that a yes scores higher than a no."""
    _, ranks, many = np.unique(scores, return_inverse=True, return_counts=True)
    middle = np.cumsum(many) - (many - 1) / 2
    yes = answers.astype(bool)
    rank_sum = middle[ranks][yes].sum()
    return float((rank_sum - yes.sum() * (yes.sum() + 1) / 2) / (yes.sum() * (~yes).sum()))


def split(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame, pa.DataFrameSchema]:
    """Two thirds to learn from and a third to try, within bounds at the .1 and 99.9 % quantiles of all."""
    features, answers = bundled(name)
    low, high = np.quantile(features, [0.001, 0.999], axis=0)
    high = np.where(high > low, high, low + 1)
    names = [f"x{at}" for at in range(features.shape[1])]
    table = pd.DataFrame(np.clip(features, low, high), columns=names).assign(y=answers.astype(bool))
    ranges = zip(names, low.tolist(), high.tolist(), strict=True)
    columns = {each: pa.Column(float, pa.Check.in_range(a, b)) for each, a, b in ranges}
    order = np.random.default_rng(seed).permutation(len(table))
    cut = len(table) * 2 // 3
    schema = pa.DataFrameSchema({**columns, "y": pa.Column(bool)})
    return table.iloc[order[:cut]].reset_index(drop=True), table.iloc[order[cut:]], schema


def classifiers(splits: int = 8) -> None:
    """Test AUC by epsilon, with rho = epsilon²/2."""
    print("classifiers: test AUC (standard error)")
    for name in ("breast cancer", "digits"):
        for epsilon in (0.5, 1.0):
            for way, ask in WAYS.items():
                areas = []
                for seed in range(splits):
                    learn, check, schema = split(name, seed)
                    people = pdp.Session(rho=100, schema=schema).protect(learn)
                    classifier = ask(people, epsilon**2 / 2).dp.predictor()
                    areas.append(area(classifier.decision_function(check), check["y"].to_numpy()))
                spread = np.std(areas, ddof=1) / splits**0.5
                print(f"  {name}, epsilon {epsilon}, {way}: {np.mean(areas):.3f} ({spread:.3f})")


def components() -> None:
    """How often the norm of the error exceeds what is told of it, and how much variance two components capture."""
    print("components: norm of the error beyond the 95 % bound told, beyond 2σ√k(1+|m|) + σ²k/n; of 400 releases")
    r = np.random.default_rng(3)
    for k, middle, rows, rho in ((2, 0.0, 1000, 0.1), (5, 0.6, 2000, 0.1), (10, 0.0, 2000, 0.1), (10, 0.9, 2000, 0.5)):
        names = [f"x{at}" for at in range(k)]
        points = np.clip(middle + 0.3 * r.standard_normal((rows, k)), -1, 1)
        people = pdp.Session(rho=1e9).protect(pd.DataFrame(points, columns=names))
        exact = np.cov(points.T, ddof=0)
        sigma = (k + 1) / np.sqrt(2 * rho)
        size = np.linalg.norm(points.mean(axis=0))
        bound = (2 * sigma * np.sqrt(k) * (1 + size) + sigma**2 * k / rows) / rows
        beyond = np.zeros(2)
        for _ in range(400):
            release = people.dp.moments(names, bounds=dict.fromkeys(names, (-1, 1)), rho=rho)
            (gram,) = Released.of(release).evidence
            (matrix,) = gram.matrices()
            means = matrix.matrix[0, 1:] / rows
            error = np.linalg.norm(matrix.matrix[1:, 1:] / rows - np.outer(means, means) - exact, 2)
            (told,) = Released.of(release.dp.pca(1)).evidence
            beyond += error > told.norm(0.95), error > bound
        print(f"  {k} columns, means {middle}, {rows} rows, rho {rho}: {beyond[0] / 400:.3f}, {beyond[1] / 400:.3f}")
    print("components: variance captured by 2 of 10, of the most that two can, breast cancer")
    features, _ = bundled("breast cancer")
    low, high = np.quantile(features[:, :10], [0.001, 0.999], axis=0)
    units = 2 * (np.clip(features[:, :10], low, high) - low) / (high - low) - 1
    names = [f"x{at}" for at in range(10)]
    exact = np.cov(units.T, ddof=0)
    best = np.linalg.eigvalsh(exact)[-2:].sum()
    for epsilon in (0.5, 1.0, 4.0):
        captured = []
        for _ in range(30):
            people = pdp.Session(rho=100).protect(pd.DataFrame(units, columns=names))
            release = people.dp.moments(names, bounds=dict.fromkeys(names, (-1, 1)), rho=epsilon**2 / 2)
            (told,) = Released.of(release.dp.pca(2)).evidence
            captured.append(np.trace(told.directions @ exact @ told.directions.T) / best)
        print(f"  epsilon {epsilon}: {np.mean(captured):.3f}")


WAYS: dict[str, Callable[[Any, float], Any]] = {
    **{
        f"naive Bayes, {bins} bins": lambda people, rho, bins=bins: people.dp.naive_bayes("y", bins=bins, rho=rho)
        for bins in (4, 8, 16)
    },
    "gam_classifier": lambda people, rho: people.dp.gam_classifier(
        "y", [name for name in people.columns if name != "y"], rho=rho
    ),
}
PARTS = {"clusters": clusters, "rules": rules, "classifiers": classifiers, "components": components}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
