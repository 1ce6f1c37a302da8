"""Several regressions in one table: what stands where, what it costs, and what it does not hide."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.errors import NotConcluded, UnsupportedArgument
from tests.models.ols.made import declared, wages
from tests.refusals import refused


@pytest.fixture(scope="module")
def fits() -> dict[str, pd.DataFrame]:
    with seeded_noise(4):
        people = pdp.Session(rho=100).protect(wages(4000))
        both = people.dp.ols("wage ~ school + age", stages=1, rho=2, **declared("wage", "school", "age", region=False))
        logit = people.dp.logit("union ~ school", rho=2, **declared("school", "union", region=False))
        groups = people.dp.groupby("region").ols("wage ~ school", rho=2, **declared("wage", "school"))
        counts = people.dp.crosstab(
            "region", "union", rho=2, categories={"region": ["n", "e", "s", "w"], "union": [0, 1]}
        )
    return {"both": both, "logit": logit, "groups": groups, "table": counts.dp.logit("union")}


def test_coefficients_stand_with_errors_below_and_what_is_known_of_each_model(fits):
    table = pdp.models_table([fits["both"], fits["logit"], fits["table"]], names=["a", "b", "c"])
    assert table.columns.tolist() == ["a", "b", "c"]
    assert table.index[:5].tolist() == ["Response", "school", "", "age", ""]
    assert table.index[-4:].tolist() == ["Method", "Rows", "R-squared", "Cost"]
    coef, error = (float(table["a"].iloc[at].strip("()")) for at in (1, 2))
    assert coef == pytest.approx(fits["both"]["coef"]["school"], abs=0.1)
    assert error == pytest.approx(fits["both"]["std_error"]["school"], rel=0.1)
    assert table.loc["age"].tolist()[1:] == ["", ""]
    assert table.loc["Response"].tolist() == ["wage", "union", "union"]
    assert table.loc["Method"].tolist() == ["least squares", "logit", "logit"]
    assert table.loc["R-squared"].tolist()[1:] == ["", ""]
    assert all("4,0" in each or "3,9" in each for each in table.loc["Rows"])
    assert table.attrs["dp"]["rho"] == 6


def test_what_follows_from_one_release_costs_once_and_is_said_to_be_chosen(fits):
    table = pdp.models_table([fits["both"].dp.refit("wage ~ school"), fits["both"]])
    assert table.attrs["dp"]["rho"] == 2
    assert table.notes[-1] == "All together: rho=2."
    (chosen,) = [each for each in table.notes if "Chosen" in each]
    assert chosen.startswith("(1): ")


def test_stars_are_there_only_where_they_are_asked_for(fits):
    plain, starred = (pdp.models_table([fits["both"]], stars=stars) for stars in (False, True))
    assert not any("*" in cell for cell in plain["(1)"])
    assert starred.loc["school", "(1)"].endswith("***")
    assert not any("p < 0.1" in each for each in plain.notes)
    assert any("p < 0.1" in each for each in starred.notes)


def test_a_star_needs_a_p_value_that_is_told():
    with seeded_noise(1):
        people = pdp.Session(rho=1).protect(wages(200))
        poor = people.dp.ols("wage ~ school", stages=1, rho=1e-4, **declared("wage", "school", region=False))
    assert np.isinf(poor["std_error"]).any()
    assert not any("*" in cell for cell in pdp.models_table([poor], stars=True)["(1)"])


def test_groups_have_a_column_each(fits):
    table = pdp.models_table([fits["groups"], fits["both"]])
    assert table.columns.tolist() == ["(1) n", "(2) e", "(3) s", "(4) w", "(5)"]
    assert table.attrs["dp"]["rho"] == 4


def test_it_is_printed_with_its_notes(fits):
    table = pdp.models_table([fits["both"], fits["table"]])
    for text in (table.to_latex(), table.to_markdown(), repr(table), table._repr_html_()):
        assert "rho=4" in text
        assert "C(region)[T.w]" in text.replace(r"\_", "_")
    assert r"\toprule" in table.to_latex()
    assert table.to_markdown().startswith("|")


def test_what_is_no_list_of_regressions_is_refused(fits):
    with refused(UnsupportedArgument, "none"):
        pdp.models_table([])
    with refused(UnsupportedArgument, "names"):
        pdp.models_table([fits["both"]], names=["a", "b"])
    with refused(NotConcluded):
        pdp.models_table([pd.DataFrame({"coef": [1.0]})])
