"""`frame.dp.synthesize`: tables that are found worth measuring, and rows of nobody from a model of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import seeded_noise
from tests.contracts.questions import TABLES, open_session
from tests.refusals import refused

from ..cuts import all_of
from .people import People, apart, people, protected, shares

COLUMNS = ["sex", "work", "kids", "member"]
BOTH = [3, "adaptive"]


@pytest.mark.slow
@pytest.mark.parametrize("stages", BOTH)
def test_rows_have_the_pairs_of_the_data_where_there_is_hardly_any_noise(stages: Any) -> None:
    data, rows = people(), protected().dp.synthesize(rho=1e8, stages=stages).sample(seed=1)
    assert len(rows) == len(data)
    assert list(rows.columns) == list(data.columns)
    assert rows.dtypes.to_dict() == data.dtypes.to_dict()
    for pair in combinations(COLUMNS, 2):
        assert apart(shares(rows, list(pair)), shares(data, list(pair))) < 0.02
    People.validate(rows)


@pytest.mark.parametrize("stages", BOTH)
@pytest.mark.parametrize("cost", [{"rho": 0.01}, {"epsilon": 0.5}, {"epsilon": 1, "delta": 1e-6}])
def test_the_price_is_charged_once_whatever_is_chosen(stages: Any, cost: dict[str, float]) -> None:
    session = pdp.Session(epsilon=10, delta=1e-3, schema=People)
    frame = session.protect(people(400))
    planned = session.plan(lambda: frame.dp.synthesize(stages=stages, **cost))
    assert len(session.ledger) == 0
    label = frame.dp.synthesize(stages=stages, **cost).measured[0].attrs["dp"]
    assert len(session.ledger) == 1
    spent = session.ledger.iloc[0]
    assert spent["epsilon" if list(cost) == ["epsilon"] else "rho"] > 0
    assert planned["mechanism"].item() == spent["mechanism"]
    assert planned["cells"].item() == 32 * 2 * 3 * 4 * 2
    assert label["stages"][0]["after"] == []
    assert sum(Fraction(each["share"]) for each in label["stages"]) == 1


def test_a_plan_says_the_noise_of_the_looks_that_follow_from_public_facts() -> None:
    session = pdp.Session(rho=1, schema=People, neighbours="add_remove")
    frame = session.protect(people(100))
    planned = session.plan(lambda: frame.dp.synthesize(rho=0.1), lambda: frame["age"].dp.mean(rho=0.1))
    first, second, third = planned["stages"].iloc[0].split("; ")
    assert first == "5 tables: 1/5 of the price, std_error 11.2"  # √(5/(2·.02))
    assert second.startswith("10 distances: 1/10 of the price, std_error ")
    assert third == "chosen by these: 7/10 of the price"
    assert planned["stages"].iloc[1] is None
    assert 0.5 <= planned["seconds"].iloc[0] < 1
    slower = session.plan(lambda: frame.dp.synthesize(rho=0.1, stages="adaptive"))
    assert slower["stages"].item().startswith("5 tables: 9/160 of the price")
    assert slower["seconds"].item() > planned["seconds"].iloc[0]
    assert "stages" not in session.plan(lambda: frame["age"].dp.mean(rho=0.1))


def test_three_looks_are_in_the_label_with_what_they_asked() -> None:
    label = protected(rows=500).dp.synthesize(COLUMNS, rho=1e6).measured[0].attrs["dp"]
    one, two, three = label["stages"]
    assert one["parameter"] == {"tables": [[name] for name in COLUMNS]}
    assert two["parameter"]["from"] == "independence"
    assert ["sex", "work"] in three["parameter"]["tables"]
    assert [each["share"] for each in (one, two, three)] == ["1/5", "1/10", "7/10"]
    assert label["by"] == COLUMNS


def test_tables_that_were_asked_for_alone_are_measured() -> None:
    synthesis = protected().dp.synthesize(COLUMNS, [["sex", "work", "kids"]], rho=1e7, stages="adaptive")
    assert "sex × work × kids" in repr(synthesis)
    assert "member ×" not in repr(synthesis)
    data = people()
    rows = synthesis.sample(seed=2)
    assert apart(shares(rows, ["sex", "work", "kids"]), shares(data, ["sex", "work", "kids"])) < 0.02


def test_missing_values_and_numbers_in_bins_come_back() -> None:
    schema = pa.DataFrameSchema(
        {
            "wage": pa.Column(float, pa.Check.in_range(0, 100), nullable=True),
            "vote": pa.Column(str, pa.Check.isin(["yes", "no"]), nullable=True),
            "age": pa.Column(int, pa.Check.in_range(0, 200)),
        }
    )
    r = np.random.default_rng(4)
    vote = pd.Series(r.choice(["yes", "no", None], 4000, p=[0.5, 0.3, 0.2]), dtype="str")
    wage = np.where(vote.isna(), np.nan, np.where(vote == "yes", 75.0, 25.0))
    data = pd.DataFrame({"wage": wage, "vote": vote, "age": r.integers(0, 201, 4000)})
    rows = pdp.Session(rho=1e9, schema=schema).protect(data).dp.synthesize(rho=1e8, bins={"age": 5}).sample(seed=1)
    schema.validate(rows)
    assert rows["wage"].isna().mean() == pytest.approx(wage.size and np.isnan(wage).mean(), abs=0.01)
    assert (rows["wage"].isna() == rows["vote"].isna()).mean() > 0.99
    assert rows.loc[rows["vote"] == "yes", "wage"].mean() == pytest.approx(75, abs=2.5)
    assert rows["age"].between(0, 200).all()


@pytest.mark.parametrize("stages", BOTH)
def test_no_row_has_what_cannot_be(stages: Any) -> None:
    zeros = [{"work": ["full", "part"], "kids": 3}, {"sex": "m", "member": True}]
    rows = protected().dp.synthesize(COLUMNS, structural_zeros=zeros, rho=0.02, stages=stages).sample(5_000, seed=1)
    assert not ((rows["work"] != "none") & (rows["kids"] == 3)).any()
    assert not ((rows["sex"] == "m") & rows["member"]).any()


@pytest.mark.parametrize("terms", [{}, {"neighbours": "add_remove"}])
@pytest.mark.parametrize("stages", BOTH)
def test_derived_frames_and_private_sizes_are_described_too(terms: dict[str, Any], stages: Any) -> None:
    session = pdp.Session(rho=1e9, schema=People, **terms)
    frame = session.protect(people())
    found = frame[frame["age"] > 50].dp.synthesize(COLUMNS, rho=1e7, stages=stages)
    assert len(found.sample(seed=1)) == pytest.approx((people()["age"] > 50).sum(), abs=3)
    assert found.measured[0].attrs["dp"]["rows"] == "followed"


@pytest.mark.parametrize("stages", BOTH)
@pytest.mark.parametrize("rows", [0, 1])
def test_no_row_and_one_row_are_answered(rows: int, stages: Any) -> None:
    frame = pdp.Session(rho=1, schema=People).protect(people(50).iloc[:rows])
    for cost in ({"rho": 0.01}, {"epsilon": 0.1}):
        assert list(frame.dp.synthesize(COLUMNS, stages=stages, **cost).sample(3, seed=1).columns) == COLUMNS


@pytest.mark.parametrize("stages", BOTH)
def test_keys_of_one_category_and_of_ten_thousand_are_answered(stages: Any) -> None:
    r = np.random.default_rng(1)
    frame = pd.DataFrame({"one": "a", "many": r.integers(0, 10_000, 2_000), "two": r.choice(["x", "y"], 2_000)})
    declared = {"one": ["a"], "many": list(range(10_000)), "two": ["x", "y"]}
    with pdp.Session(rho=1) as session:
        rows = session.protect(frame).dp.synthesize(categories=declared, rho=0.1, stages=stages).sample(100, seed=1)
    assert rows["many"].dropna().isin(range(10_000)).all()


def test_one_column_is_its_table() -> None:
    synthesis = protected().dp.synthesize(["work"], rho=1e6)
    assert synthesis.table(["work"])["source"].tolist() == ["measured"] * 3


def test_the_price_of_few_rows_buys_what_stands_out() -> None:
    """Of 3,000 people at rho = .05 the tie of work and age, which is the strongest, is found; by luck it is missed with
    a chance of less than 10^-6, as its distance is some 20 standard deviations of the noise."""
    with seeded_noise(5):
        found = protected().dp.synthesize(rho=0.05)
    assert ("age", "work") in [
        tuple(names) for names in found.measured[0].attrs["dp"]["stages"][2]["parameter"]["tables"]
    ]


def test_what_is_refused_before_paying() -> None:
    schema = pa.DataFrameSchema(
        {
            "id": pa.Column(int, pa.Check.in_range(0, 99), unique=True),
            "word": pa.Column(str),
            "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
            "wide": pa.Column(int, pa.Check.in_range(0, 10**7)),
        }
    )
    data = pd.DataFrame({"id": range(50), "word": "x", "sex": ["f", "m"] * 25, "wide": 1})
    session = pdp.Session(rho=1, schema=schema)
    frame = session.protect(data)
    two = ["sex", "wide"]
    with refused(errors.NoCategories, "text"):
        frame.dp.synthesize(rho=0.1)
    with refused(errors.UnsupportedType, "unique"):
        frame.dp.synthesize(["id", "sex"], rho=0.1)
    with refused(errors.UnsupportedArgument, "too large a table"):
        frame.dp.synthesize(two, bins={"wide": 9_000_000}, rho=0.1)
    with refused(errors.UnsupportedArgument, "too large a model"):
        frame.dp.synthesize(two, bins={"wide": 400_000}, rho=0.1)
    with refused(errors.BadArgument, "stages"):
        frame.dp.synthesize(two, rho=0.1, stages=2)
    with refused(errors.UnsupportedArgument, "tables of other columns"):
        frame.dp.synthesize(["sex"], [["sex", "wide"]], rho=0.1)
    with refused(errors.UnsupportedArgument, "importance"):
        frame.dp.synthesize(two, importance=[1, 2], rho=0.1)
    with refused(errors.UnknownMechanism, "mechanism"):
        frame.dp.synthesize(two, rho=0.1, mechanism="hellinger")
    with refused(errors.UnsupportedArgument, "width"):
        frame.dp.synthesize(two, width=3)
    with refused(errors.UnsupportedArgument, "weaker promise"):
        frame.dp.synthesize(two, model="idp", rho=0.1)
    with refused(errors.UnsupportedArgument, "zeros everywhere"):
        frame.dp.synthesize(two, structural_zeros=[{"sex": ["f", "m"]}], rho=0.1)
    with refused(errors.UnsupportedArgument, "conflicting zeros"):
        frame.dp.synthesize(two, structural_zeros=[{"sex": "f"}, {"sex": "m"}], rho=0.1)
    with refused(errors.UnsupportedArgument, "zeros of an unknown category"):
        frame.dp.synthesize(two, structural_zeros=[{"sex": "q"}], rho=0.1)
    with refused(errors.UnsupportedArgument, "zeros of an unknown key"):
        frame.dp.synthesize(two, structural_zeros=[{"word": "q"}], rho=0.1)
    with refused(errors.UnsupportedArgument, "zeros that are none"):
        frame.dp.synthesize(two, structural_zeros="f", rho=0.1)
    assert len(session.ledger) == 0


def test_many_columns_under_epsilon_are_refused_unless_insisted() -> None:
    names = [f"c{at}" for at in range(13)]
    data = pd.DataFrame(dict.fromkeys(names, [0, 1] * 50))
    declared = {name: [0, 1] for name in names}
    session = pdp.Session(epsilon=10)
    frame = session.protect(data)
    with refused(errors.CostNotOffered):
        frame.dp.synthesize(categories=declared, epsilon=1)
    assert len(session.ledger) == 0
    assert len(frame.dp.synthesize(categories=declared, epsilon=1, mechanism="laplace").sample(5, seed=1)) == 5


def test_rows_of_people_are_refused() -> None:
    session = pdp.Session(rho=1, unit="who", schema=People)
    frame = session.protect(people(50).assign(who=[1, 2] * 25))
    with refused(errors.UnsupportedArgument):
        frame.dp.synthesize(rho=0.1, max_rows=3)


def test_a_schema_that_hardly_any_row_meets_is_refused_before_paying() -> None:
    numbers = {name: pa.Column(int, pa.Check.in_range(0, 9)) for name in ("low", "high", "more")}
    data = pd.DataFrame({"low": [1, 2] * 50, "high": [3, 4] * 50, "more": [7, 8] * 50})
    rules = {
        "hardly any": pa.Check(lambda f: (f["low"] == f["high"]) & (f["high"] == f["more"])),
        "the whole table": pa.Check(lambda f: bool(f["low"].sum() == 1)),
    }
    for name, rule in rules.items():
        session = pdp.Session(rho=1, schema=pa.DataFrameSchema(numbers, checks=[rule]))
        with refused(errors.UnsupportedArgument, f"a schema for {name}"):
            session.protect(data).dp.synthesize(rho=0.1)
        assert len(session.ledger) == 0
    rows = pdp.Session(rho=1, schema=pa.DataFrameSchema(numbers, checks=[pa.Check(lambda f: f["low"] <= f["high"])]))
    found = rows.protect(data).dp.synthesize(rho=0.1).sample(50, seed=1)
    assert (found["low"] <= found["high"]).all()


def test_where_it_is_not_offered_it_says_where_it_is() -> None:
    frame = protected(rows=50)
    with refused(AttributeError, "of groups"):
        frame.dp.groupby("work").synthesize(rho=0.1)
    with refused(errors.UnsupportedArgument, "workload"):
        frame.dp.synthesize(rho=0.1, workload=[])


@pytest.mark.slow
@pytest.mark.parametrize(("way", "stages"), [("whole", "adaptive"), ("derived", 3)])
def test_whatever_the_rows_hold_it_is_answered_at_one_price(way: str, stages: Any) -> None:
    """Nothing fails or warns after the charge: warnings are errors here."""
    columns = ["y", "flag", "k"]
    said = set()
    for name, made in TABLES.items():
        session = open_session(delta=1e-6)
        frame = session.protect(made())
        asked = all_of(frame) if way == "derived" else frame
        synthesis = asked.dp.synthesize(columns, rho=1, stages=stages, bins={"y": 2})
        label = synthesis.measured[0].attrs["dp"]
        said.add((tuple(label), label["mechanism"], label["rho"], tuple(label["by"]), session.share_used))
        assert list(synthesis.sample(5, seed=1).columns) == columns, name
        asked.dp.distance(synthesis, rho=1)
    assert len(said) == 1
