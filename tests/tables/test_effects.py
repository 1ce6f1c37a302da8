"""Marginals by effects: the same answers with less noise, and what they are no longer good for."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import pandas_dp as pdp
from pandas_dp.core.evidence.evidence import evidence_from_json
from pandas_dp.core.label.layout import Released
from pandas_dp.errors import BadArgument, CostNotOffered, NotConcluded, UnsupportedArgument
from pandas_dp.learning.conclude_tables import KeyTables
from tests.refusals import refused

KEYS = {"a": [0, 1, 2], "b": ["u", "v"], "c": [False, True]}
PAIRS = [["a", "b"], ["b", "c"], ["a", "c"]]
BY = {"measure": "effects", "categories": KEYS}


def people(rows: int = 600) -> pd.DataFrame:
    r = np.random.default_rng(3)
    return pd.DataFrame(
        {
            **{key: r.choice(np.array(values, dtype=object), rows) for key, values in KEYS.items()},
            "x": r.integers(0, 11, rows),
        }
    )


def protected(**terms: Any) -> Any:
    return pdp.Session(**{"rho": 1e12, **terms}).protect(people())


def test_without_noise_to_see_tables_are_those_of_the_rows() -> None:
    data = people()
    table = protected().dp.marginals([*PAIRS, ["a"], []], rho=1e9, **BY)
    for keys in (["a", "b"], ["c", "b"], ["a"]):
        exact = data.groupby(keys).size()
        assert table.dp.margin(keys)["count"].sort_index().to_numpy() == pytest.approx(exact.to_numpy(), abs=0.01)
    assert table["count"].iloc[-1] == pytest.approx(600, abs=0.01)
    assert table.attrs["dp"]["measure"] == "effects"


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_sums_and_means_are_those_of_the_rows(neighbours: str) -> None:
    data, frame = people(), protected(neighbours=neighbours)
    asked = {**BY, "categories": {key: KEYS[key] for key in "ab"}, "bounds": (-3, 8), "rho": 1e9}
    table = frame.dp.marginals([["a", "b"], ["b"]], "x", ["count", "sum", "mean"], **asked)
    cut = data.assign(x=data["x"].clip(-3, 8)).groupby("b")["x"]
    for name, exact in (("count", cut.size()), ("sum", cut.sum()), ("mean", cut.mean())):
        found = table.loc["All"]["x", name, name]
        assert found.to_numpy() == pytest.approx(exact.to_numpy(), rel=1e-4), name
    alone = frame.dp.marginals([["a", "b"], ["b"]], "x", **asked).loc["All"]["sum"]
    assert alone.to_numpy() == pytest.approx(cut.sum().to_numpy(), rel=1e-4)


def test_the_standard_errors_are_those_of_the_least_loss() -> None:
    """All pairs of keys with three, two and two categories, rows replaced: loss 5.045 at rho = 1."""
    frame = protected()
    table = frame.dp.marginals(PAIRS, rho=0.01, **BY)
    variances = [table.dp.margin(keys)["std_error"].iloc[0] ** 2 for keys in PAIRS]
    assert sum(variances) == pytest.approx(504.5259, rel=2e-4)
    plan = frame.dp.plan_marginals(PAIRS, rho=0.01, categories=KEYS)
    assert plan["effects"].to_numpy() ** 2 == pytest.approx(variances, rel=1e-6)
    assert (plan["effects"] ** 2).sum() < (plan["planned"] ** 2).sum()


@pytest.mark.slow
def test_the_variance_of_every_number_is_the_one_that_is_said() -> None:
    """Each is chi-squared: one of sixteen beyond its bounds by chance 1e-6."""
    frame, many = protected(), 400
    exact = frame.dp.marginals(PAIRS, rho=1e9, **BY)["count"].to_numpy()
    errors, said = np.zeros((many, len(exact))), np.zeros(len(exact))
    for at in range(many):
        table = frame.dp.marginals(PAIRS, rho=0.01, **BY)
        errors[at], said = table["count"].to_numpy() - exact, table["std_error"].to_numpy()
    scaled = (errors**2).sum(axis=0) / said**2
    assert (scaled > chi2.ppf(3e-8, many)).all()
    assert (scaled < chi2.isf(3e-8, many)).all()


def test_a_part_has_the_error_of_a_sum_of_its_cells() -> None:
    table = protected().dp.marginals(PAIRS, rho=0.01, **BY)
    both = table.dp.margin(["b"], where={"a": [0, 2]})
    cells = table.dp.margin(["a", "b"])["count"]
    assert both["count"].to_numpy() == pytest.approx([cells[0, b] + cells[2, b] for b in "uv"])
    assert (both["std_error"] < table.dp.margin(["a", "b"])["std_error"].iloc[0] * 2**0.5 * 1.2).all()
    assert (both["lower"] < both["count"]).all()


def test_a_key_of_one_category_adds_nothing() -> None:
    frame = pdp.Session(rho=1e12).protect(pd.DataFrame({"a": [1] * 50, "b": [1, 2] * 25}))
    table = frame.dp.marginals([["a", "b"]], rho=1e9, measure="effects", categories={"a": [1], "b": [1, 2]})
    assert table["count"].to_numpy() == pytest.approx([25, 25], abs=0.01)
    assert len(table.attrs["dp"]["evidence"][0]["measured"]) == 2


def test_effects_are_never_worse_in_rho_and_a_third_better_for_many_keys_of_two() -> None:
    names = [f"k{at}" for at in range(10)]
    frame = pdp.Session(rho=1).protect(pd.DataFrame(0, index=range(4), columns=names))
    plan = frame.dp.plan_marginals(
        [list(each) for each in combinations(names, 2)], rho=0.1, categories={name: [0, 1] for name in names}
    )
    assert ((plan["planned"] ** 2).sum() / (plan["effects"] ** 2).sum()) == pytest.approx(1.57, abs=0.02)
    assert plan["all"].isna().all()  # 1,023 tables are not tried


def test_means_by_effects_are_read_back_as_such() -> None:
    asked = {**BY, "categories": {key: KEYS[key] for key in "ab"}, "bounds": (0, 10)}
    table = protected().dp.marginals([["a", "b"], ["b"]], "x", "mean", rho=0.1, **asked)
    (before,) = Released.of(table).evidence
    again: Any = evidence_from_json(json.loads(json.dumps(before.to_json())), before.estimate)
    assert again.counts.by == "effects"
    assert again.interval(0.95, "sample")[0] == pytest.approx(before.interval(0.95, "sample")[0])


@pytest.mark.parametrize(
    "conclude", [lambda r: r.dp.independence_test(), lambda r: r.dp.goodness_of_fit([1] * 6)], ids=["cells", "fit"]
)
def test_what_needs_noise_cell_by_cell_is_refused(conclude: Any) -> None:
    asked = {**BY, "categories": {key: KEYS[key] for key in "ab"}}
    table = protected().dp.marginals([["a", "b"]], rho=0.1, **asked)
    with refused(NotConcluded, "noise cell by cell"):
        conclude(table)


def test_numbers_can_be_adjusted_and_learned_from() -> None:
    table = protected().dp.marginals([*PAIRS, ["a"], ["b"], ["c"]], rho=1, **BY)
    whole = protected().dp.marginals([["a", "b", "c"], ["a"]], rho=0.001, **BY).dp.nonnegative()
    assert (whole["count"] >= -1e-9).all()
    assert whole["count"].iloc[:12].sum() == pytest.approx(whole["count"].iloc[12:].sum())
    assert len(table.dp.rules()) > 0
    cell = {0: [1], 1: [0]}
    said = table.dp.margin(["a", "b"])["std_error"].iloc[0]
    assert KeyTables.of(table).covariance((0, 1), cell, cell) == pytest.approx(said**2)


def test_a_folder_of_effects_answers_parts(tmp_path: Path) -> None:
    frame = protected()
    tables = pdp.publish_tables(tmp_path / "t", {"t": lambda: frame.dp.marginals(PAIRS, rho=0.1, **BY)})
    again = pdp.publish_tables(tmp_path / "t", {"t": lambda: frame.dp.marginals(PAIRS, rho=0.1, **BY)})
    assert again.table(["a", "b"]).equals(tables.table(["a", "b"]))


def test_a_width_is_bought_by_rho_where_the_cap_has_a_delta() -> None:
    frame = pdp.Session(epsilon=50, delta=1e-6).protect(people())
    table = frame.dp.marginals(PAIRS, width=40, **BY)
    assert 0.98 * 40 <= (table["upper"] - table["lower"]).max() <= 40 + 1e-6
    assert table.attrs["dp"]["epsilon"] is None


@pytest.mark.parametrize("measure", ["tables", "effects"])
def test_the_largest_variance_can_be_made_least(measure: str) -> None:
    asked: Any = {"rho": 0.01, "categories": KEYS, "measure": measure}
    tables = [*PAIRS, ["a"], ["b"]]
    even, summed = (
        protected().dp.marginals(tables, importance=each, **asked)["std_error"].max() for each in ("largest", None)
    )
    assert even < summed
    plan = protected().dp.plan_marginals(tables, importance="largest", rho=0.01, categories=KEYS)
    assert plan["planned" if measure == "tables" else "effects"].max() == pytest.approx(even, rel=1e-6)


def test_the_largest_variance_goes_with_tables_that_agree() -> None:
    with refused(UnsupportedArgument):
        protected().dp.marginals(PAIRS, importance="largest", consistent=False, rho=1, categories=KEYS)


REFUSED = {
    "epsilon alone": ({"epsilon": 1}, CostNotOffered),
    "laplace": ({"rho": None, "epsilon": 1, "mechanism": "laplace"}, CostNotOffered),
    "shares": ({"rho": 1, "cost_shares": [1, 1, 1]}, UnsupportedArgument),
    "not consistent": ({"rho": 1, "consistent": False}, UnsupportedArgument),
    "zeros": ({"rho": 1, "structural_zeros": {"a": 0, "b": "u"}}, UnsupportedArgument),
    "levels": ({"rho": 1, "hierarchies": {"a": {"big": {0: "x", 1: "x", 2: "y"}}}}, UnsupportedArgument),
    "a word": ({"rho": 1, "measure": "residuals"}, BadArgument),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_effects_is_refused_before_paying(name: str) -> None:
    more, error = REFUSED[name]
    session = pdp.Session(epsilon=100, delta=1e-6)
    frame = session.protect(people())
    with refused(error, name):
        frame.dp.marginals(PAIRS, **{**BY, **{key: value for key, value in more.items() if value is not None}})
    assert session.share_used == 0


def test_rows_of_people_are_refused() -> None:
    session = pdp.Session(rho=10, unit="who")
    frame = session.protect(people().assign(who=np.arange(600) // 3))
    with refused(UnsupportedArgument):
        frame.dp.marginals(PAIRS, rho=1, max_rows=2, **BY)


def test_ways_are_shown_with_three_digits_and_all_of_them() -> None:
    with pdp.Session(rho=1) as session:
        frame = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        requested = [["sex"], ["vote"], ["sex", "vote"]]
        plan, laplace = (
            frame.dp.plan_marginals(requested, categories=declared, **cost) for cost in ({"rho": 0.1}, {"epsilon": 0.1})
        )
    assert "..." not in repr(plan)
    assert "planned  effects" in repr(plan).splitlines()[0]
    assert all(len(each.replace(".", "")) <= 3 for each in repr(plan).splitlines()[2].split()[1:])
    assert repr(laplace).count("not offered") == 3
    assert laplace["effects"].isna().all()
