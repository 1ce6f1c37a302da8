"""`distance`: how far public tables are from the data, with bounds that hold together."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.label.layout import Released
from pandas_dp.core.measure.cells import Key
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.core.schema.values import Categories
from pandas_dp.synthetic.evidence import TableDistances
from pandas_dp.synthetic.measure import CountedTables, Distances, KeyReading
from tests.refusals import refused

FEW = 10**-5
SCHEMA = pa.DataFrameSchema(
    {
        "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
        "vote": pa.Column(str, pa.Check.isin(["yes", "no"]), nullable=True),
        "age": pa.Column(int, pa.Check.in_range(0, 99)),
        "word": pa.Column(str),
    }
)


def drawn(rows: int, seed: int) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    sex, age = r.choice(["f", "m"], rows), r.integers(0, 100, rows)
    vote = np.where(r.random(rows) < 0.1, None, np.where(age > 50, "yes", "no"))
    return pd.DataFrame({"sex": sex, "vote": vote, "age": age, "word": "x"})


def of_nobody(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.copy()
    rows.attrs["dp"] = {"kind": "synthetic"}
    return rows


def session(**terms: Any) -> pdp.Session:
    return pdp.Session(**{"rho": 10**6, "schema": SCHEMA, **terms})


THREE = ["sex", "vote", "age"]


def test_it_is_half_of_what_the_shares_of_cells_differ_by() -> None:
    data, rows = drawn(500, 1), drawn(500, 2)[THREE]
    with session() as s, zero_noise():
        found = s.protect(data).dp.distance(of_nobody(rows), rho=1)
    for one, two in (("sex", "vote"), ("sex", "age"), ("vote", "age")):
        tables = [
            pd.crosstab(
                each[one].fillna("none"),
                pd.cut(each[two], EDGES, right=False) if two == "age" else each[two].fillna("none"),
            )
            for each in (data, rows)
        ]
        apart = tables[0].sub(tables[1], fill_value=0).abs().to_numpy().sum()
        assert found.loc[f"{one} × {two}", "tv"] == pytest.approx(apart / 1000)
    assert found.loc["mean", "tv"] == pytest.approx(found["tv"].iloc[:3].mean())


EDGES = [100 * at // 32 for at in range(33)]


def test_fewer_rows_stand_for_as_many_as_the_data_have_where_that_is_public() -> None:
    data = drawn(1000, 1)
    rows = of_nobody(data[THREE].iloc[::2])
    with session() as s, zero_noise():
        found = s.protect(data).dp.distance(rows, [["sex"], ["vote"]], rho=1)
    shares = [each["sex"].value_counts(normalize=True)["f"] for each in (data, rows)]
    assert found.loc["sex", "tv"] == pytest.approx(abs(shares[0] - shares[1]), abs=1e-3)


def test_missing_values_are_a_category_of_their_own() -> None:
    data = drawn(400, 3)
    with session() as s, zero_noise():
        full = data[THREE].assign(vote=data["vote"].fillna("yes"))
        found = s.protect(data).dp.distance(of_nobody(full), [["vote"]], rho=1)
    assert found["tv"].item() == pytest.approx(data["vote"].isna().mean())


def test_rows_without_a_declared_category_count_in_no_table() -> None:
    data = drawn(400, 3)
    data.loc[:99, "sex"] = "?"
    with session() as s, zero_noise():
        found = s.protect(data).dp.distance(of_nobody(data[THREE].iloc[100:]), [["sex"], ["age"]], rho=1)
    evidence = Released.of(found).evidence[0]
    assert isinstance(evidence, TableDistances)
    assert evidence.count == 300


@pytest.mark.parametrize(("swap", "vanish"), [(True, False), (True, True), (False, True)])
@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("many", [1, 2, 3, 10, 78, 1000])
def test_where_rows_are_replaced_the_total_costs_nothing(many: int, norm: Any, swap: bool, vanish: bool) -> None:
    tables = CountedTables((KeyReading(Key("k", Categories(("a", "b")))),), ((0,),) * many)
    measurement, adjacency = Distances(tables, bytes(16 * many)), Adjacency(swap, vanish)
    sensitivity, weight = measurement.sensitivity(norm, adjacency), measurement.weights(norm, adjacency)[-1]
    assert many + (1 / weight) ** norm <= sensitivity
    if swap:
        assert sensitivity == many * 2**norm
        assert weight <= 1
    else:
        assert sensitivity <= 2 * many if norm == 1 else sensitivity <= many + 1.01 * many ** (2 / 3)


LAWS = [DiscreteGaussian(400), DiscreteLaplace(20)]


def released(law: Law, exact: np.ndarray, totals: np.ndarray, count: int, r: np.random.Generator) -> TableDistances:
    def draw(size: int) -> np.ndarray:
        if isinstance(law, DiscreteGaussian):
            return np.rint(r.normal(0, float(law.sigma_squared) ** 0.5, size))
        return np.rint(r.laplace(0, float(law.scale), size))

    return TableDistances(exact + draw(len(exact)), totals, count + float(draw(1)[0]), Noise(law), Noise(law))


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=["gaussian", "laplace"])
@pytest.mark.parametrize("gap", [0, 30, -60])
@pytest.mark.parametrize("rows", [100, 1000])
def test_no_share_of_any_table_is_off_by_more_than_its_bound(law: Law, gap: int, rows: int) -> None:
    """Nominal 90 %, 2,000 releases: 86.5 % or fewer come by luck with a chance of 10^-6."""
    r, held, times = np.random.default_rng(5), 0, 2000
    x = [r.multinomial(rows, r.dirichlet(np.ones(6))) for _ in range(5)]
    z = [r.multinomial(rows + gap, r.dirichlet(np.ones(6))) for _ in range(5)]
    totals = np.array([each.sum() for each in z])
    exact = np.array([np.abs(one - other).sum() for one, other in zip(x, z, strict=True)])
    worst = [
        max(abs(c @ one / rows - c @ other / other.sum()) for c in CORNERS) for one, other in zip(x, z, strict=True)
    ]
    truth = np.array([*worst, np.mean(worst)])
    for _ in range(times):
        _, most = released(law, exact, totals, rows, r).interval(0.9, "sample")
        held += bool((most >= np.minimum(truth, 1) - 1e-12).all())
    assert held / times > 0.865


CORNERS = [np.array(each) for each in product((0, 1), repeat=6)]


@pytest.mark.parametrize("law", LAWS, ids=["gaussian", "laplace"])
def test_bounds_grow_with_the_number_of_tables_that_are_looked_at_together(law: Law) -> None:
    noise = Noise(law)
    found = [TableDistances(np.full(k, 50.0), np.full(k, 900), 900.0, noise, noise) for k in (1, 2, 20)]
    most = [each.interval(0.95, "sample")[1][0] for each in found]
    assert most[0] < most[1] < most[2]
    assert [len(each.estimate) for each in found] == [1, 3, 21]
    assert found[2].interval(0.95, "sample")[1][-1] < most[2]  # the mean has less noise


def test_what_is_refused() -> None:
    data = drawn(50, 1)
    rows = of_nobody(data[THREE])
    with session() as s:
        people = s.protect(data)
        with refused(errors.UnsupportedType, "no rows"):
            people.dp.distance([1, 2], rho=1)
        with refused(errors.NotProtected, "data"):
            people.dp.distance(people, rho=1)
        with refused(errors.NotProtected, "rows of somebody"):
            people.dp.distance(data, rho=1)
        with refused(errors.UnsupportedArgument, "empty"):
            people.dp.distance(of_nobody(rows.iloc[:0]), rho=1)
        with refused(errors.UnsupportedArgument, "two of a name"):
            people.dp.distance(of_nobody(pd.concat([rows, rows], axis=1)), rho=1)
        with refused(errors.UnsupportedArgument, "tables"):
            people.dp.distance(rows, "all", rho=1)
        with refused(errors.UnsupportedArgument, "one column"):
            people.dp.distance(of_nobody(rows[["sex"]]), rho=1)
        with refused(errors.UnsupportedArgument, "total"):
            people.dp.distance(rows, [["sex"], []], rho=1)
        with refused(errors.UnknownColumn, "a column that the rows lack"):
            people.dp.distance(rows, [["word"]], categories={"word": ["x"]}, rho=1)
        with refused(errors.NoCategories, "no categories"):
            people.dp.distance(of_nobody(data), [["word"]], rho=1)
        with refused(errors.UnsupportedArgument, "weaker promise"):
            people.dp.distance(rows, rho=1, model="bdp")
        with refused(errors.UnsupportedArgument, "width"):
            people.dp.distance(rows, width=0.1)
        with refused(errors.UnsupportedArgument, "too many cells"):
            people.dp.distance(rows, [["age", "sex"]], bins={"age": 6_000_000}, rho=1)
        assert len(s.ledger) == 0
    with pdp.Session(rho=1, unit="who") as s, refused(errors.PrivacyError, "rows of people"):
        s.protect(data.assign(who=range(50))).dp.distance(rows, [["sex"]], categories={"sex": ["f", "m"]}, rho=1)


def test_rows_of_a_derived_frame_are_compared_too() -> None:
    data = drawn(500, 1)
    with session() as s:
        people = s.protect(data)
        old = people[people["age"] > 50]
        found = old.dp.distance(of_nobody(data[data["age"] > 50][THREE]), rho=10**5)
    assert (found["tv"] < 0.01).all()
    assert (found["upper"] < 0.05).all()
    assert found.attrs["dp"]["rows"] == "followed"
