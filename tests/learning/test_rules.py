"""Association rules and the intervals of their confidence and lift."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.label.layout import Released
from pandas_dp.errors import BadArgument, NotConcluded
from pandas_dp.learning.conclude_tables import KeyTables
from tests.refusals import refused

SCHEMA = pa.DataFrameSchema({name: pa.Column(str, pa.Check.isin(["yes", "no"])) for name in ("bread", "butter", "jam")})


def baskets(n: int = 1000) -> pd.DataFrame:
    r = np.random.default_rng(5)
    bread = r.random(n) < 0.6
    butter = r.random(n) < np.where(bread, 0.5, 0.1)
    jam = r.random(n) < np.where(bread & butter, 0.8, 0.1)
    return pd.DataFrame({"bread": bread, "butter": butter, "jam": jam}).replace({True: "yes", False: "no"})


def truth(table: pd.DataFrame, given: list[str], then: str) -> tuple[float, float]:
    said = table == "yes"
    confidence = said.loc[said[given].all(axis=1), then].mean()
    return confidence, confidence / said[then].mean()


def test_without_noise_they_are_shares_of_the_rows() -> None:
    table = baskets()
    people = pdp.Session(rho=1e9, schema=SCHEMA).protect(table)
    counts = people.dp.value_counts(["bread", "butter", "jam"], rho=1e8)
    found = pd.DataFrame(counts.dp.rules())
    for given in (["bread"], ["bread", "butter"]):
        row = found.loc[(" & ".join(f"{name} = yes" for name in given), "jam = yes")]
        assert row[["confidence", "lift"]].tolist() == pytest.approx(truth(table, given, "jam"), abs=1e-3)
    assert len(found) == 48  # 24 of one condition, 24 of two
    assert found["lift"].is_monotonic_decreasing
    some = counts.dp.rules(min_support=0.2, min_confidence=0.75)
    assert len(some) == ((found["support"] >= 0.2) & (found["confidence"] >= 0.75)).sum() > 0


def covariance_by_hand(tables: KeyTables, margin: tuple[int, ...], one: dict, two: dict) -> float:
    """Least squares of everything measured, with matrices, as a page of statistics has it."""
    sizes = tables.sizes()
    cells = np.indices(sizes).reshape(len(sizes), -1)
    rows, weights = [], []
    for outer, noise in tables.noises.items():
        shape = [sizes[place] for place in outer]
        at = np.ravel_multi_index([cells[place] for place in outer], shape) if outer else np.zeros(cells.shape[1], int)
        rows.append(np.eye(int(np.prod(shape)))[at].T)
        weights += [1 / noise.var] * int(np.prod(shape))
    design, weights = np.vstack(rows), np.diag(weights)
    inverse = np.linalg.pinv(design.T @ weights @ design)
    sums = [
        np.prod([np.isin(cells[place], chosen) for place, chosen in each.items()], axis=0) * np.ones(cells.shape[1])
        for each in (one, two)
    ]
    return float(sums[0] @ inverse @ sums[1])


@pytest.mark.parametrize(
    "tables",
    [[["bread", "butter", "jam"]], pytest.param([["bread", "butter"], ["butter", "jam"], []], marks=pytest.mark.slow)],
)
def test_the_noise_of_sums_of_cells_hangs_together_as_least_squares_says(tables: list[list[str]]) -> None:
    people = pdp.Session(rho=1e9, schema=SCHEMA).protect(baskets())
    read = KeyTables.of(people.dp.marginals(tables, rho=0.1))
    for margin in read.tables:
        if len(margin) > 1:
            sums = [
                {},
                {margin[0]: [0]},
                {margin[1]: [1]},
                {margin[0]: [0], margin[1]: [0]},
                {margin[0]: [1], margin[1]: [0]},
            ]
            for one in sums:
                for two in sums:
                    by_hand = covariance_by_hand(read, margin, one, two)
                    assert read.covariance(margin, one, two) == pytest.approx(by_hand, rel=1e-6, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["cells", "margins", "laplace"])
def test_intervals_hold_the_rates_of_the_rows(way: str) -> None:
    """Of 150 releases of the same rows 95 % hold, .95 ± .018; below .865 by a chance of 2e-5."""
    table = baskets(400)
    people = pdp.Session(rho=1e9, schema=SCHEMA).protect(table)
    right = truth(table, ["bread"], "jam")
    held = np.zeros((150, 2), bool)
    cost = {"epsilon": 0.5} if way == "laplace" else {"rho": 0.05}
    for at in range(150):
        if way == "margins":
            release = people.dp.marginals([["bread", "jam"], ["bread"], []], **cost)
        else:
            release = people.dp.crosstab("bread", "jam", **cost)
        row = pd.DataFrame(release.dp.rules()).loc[("bread = yes", "jam = yes")]
        held[at] = row["lower"] <= right[0] <= row["upper"], row["lift_lower"] <= right[1] <= row["lift_upper"]
    assert (held.mean(axis=0) > 0.865).all()


def test_together_they_are_wider() -> None:
    people = pdp.Session(rho=1, schema=SCHEMA).protect(baskets())
    table = people.dp.crosstab("bread", "jam", rho=0.05)
    one, all_of_them = pd.DataFrame(table.dp.rules()), pd.DataFrame(table.dp.rules(simultaneous=True))
    assert (all_of_them["upper"] >= one["upper"]).all()
    assert (all_of_them["lift_upper"] > one["lift_upper"]).all()


@pytest.mark.parametrize("n", [0, 1])
def test_few_rows_give_intervals_that_say_nothing(n: int) -> None:
    people = pdp.Session(rho=1, schema=SCHEMA).protect(baskets().iloc[:n])
    found = pd.DataFrame(people.dp.crosstab("bread", "jam", rho=0.01).dp.rules())
    assert len(found) == 8
    assert found["lower"].min() >= 0
    assert found["upper"].max() <= 1
    assert not found[["lower", "upper", "support", "lift_lower", "lift_upper"]].isna().any(axis=None)


def test_what_has_no_rules_is_refused() -> None:
    people = pdp.Session(rho=10, schema=SCHEMA).protect(baskets())
    with refused(NotConcluded, "one key"):
        people["jam"].dp.value_counts(rho=0.1).dp.rules()
    table = people.dp.crosstab("bread", "jam", rho=0.05)
    with refused(BadArgument, "support"):
        table.dp.rules(min_support=20)
    zeros = people.dp.marginals([["bread", "jam"]], rho=0.1, structural_zeros={"bread": "no", "jam": "yes"})
    with refused(NotConcluded, "structural zeros"):
        zeros.dp.rules()
    with refused(NotConcluded, "rounded"):
        table.dp.nonnegative().dp.rules()
    assert Released.of(table).label.rho == 0.05
