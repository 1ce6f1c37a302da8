"""Covariances and correlations of a moment matrix, and matrices that rows could have had."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import NotConcluded, UnknownColumn

from ...cuts import all_of
from .people import SURE, people, protected

COLUMNS = ["wage", "age", "school", "union"]


@pytest.mark.parametrize("statistic", ["cov", "corr"])
def test_without_noise_they_are_those_of_pandas(statistic: str) -> None:
    data = people()
    moments = protected(data).dp.moments([*COLUMNS, "sex"], rho=SURE)
    found = getattr(moments.dp, statistic)()
    pd.testing.assert_frame_equal(
        pd.DataFrame(found), getattr(data[COLUMNS].astype(float), statistic)(), rtol=1e-4, atol=1e-4
    )


def test_those_of_groups_and_of_all_together() -> None:
    data = people()
    moments = protected(data).dp.groupby("sex").moments(COLUMNS, rho=SURE)
    women = data.loc[data["sex"] == "f", COLUMNS].astype(float)
    np.testing.assert_allclose(moments.dp.corr().loc["f"], women.corr(), atol=1e-4)
    pooled = moments.dp.cov(["school", "wage"], pooled=True)
    np.testing.assert_allclose(pooled, data[["school", "wage"]].cov(), rtol=1e-4)


def test_levels_are_columns_too() -> None:
    data = people()
    found = protected(data).dp.moments(["wage", "sex"], rho=SURE).dp.corr(["wage", "C(sex)[f]"])
    expected = np.corrcoef(data["wage"], data["sex"] == "f")[0, 1]
    assert found.iloc[0, 1] == pytest.approx(expected, abs=1e-4)


def test_a_column_that_is_not_there_is_refused() -> None:
    moments = protected(people()).dp.moments(["wage", "age"], rho=1)
    with pytest.raises(UnknownColumn, match="has no column 'school'"):
        moments.dp.cov(["wage", "school"])


def test_they_have_intervals_for_the_rows_alone() -> None:
    found = protected(people()).dp.moments(["wage", "age"], rho=0.1).dp.corr()
    assert found.dp.confint().loc["wage"].tolist()[:2] == [1.0, 1.0]
    with pytest.raises(NotConcluded, match="target='sample'"):
        found.dp.confint(target="population")


def test_they_say_what_the_question_about_them_says() -> None:
    """The errors of covariances from a moment matrix of numbers are those of `cov` at the same price."""
    frame = protected(people(), rho=100)[["wage", "age", "school"]]
    by_moments = frame.dp.moments(["wage", "age", "school"], rho=1).dp.cov().dp.confint().to_numpy(float)
    by_cov = frame.dp.cov(rho=1).dp.confint().to_numpy(float)
    widths = [each[:, 1::2] - each[:, ::2] for each in (by_moments, by_cov)]
    np.testing.assert_allclose(widths[0], widths[1], rtol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["whole", "derived", "grouped"])
def test_intervals_hold(how: str) -> None:
    """Of 750 intervals each, three to a release; fewer than .90 hold by luck with probability
    below 1e-7, were they independent, and below 4e-4 were the three of a release one and the same."""
    data = people(800)
    session = pdp.Session(rho=1e9)
    bounds = {"wage": (0, 80), "age": (18, 66), "school": (0, 22)}
    frame = session.protect(data[["wage", "age", "school", "sex"]])
    asked = all_of(frame) if how == "derived" else frame
    accessor = asked.dp.groupby("sex", categories=["f", "m"]) if how == "grouped" else asked.dp
    truth = data.loc[data["sex"] == "f"] if how == "grouped" else data
    held = {"cov": [], "corr": []}
    for _ in range(250):
        moments = accessor.moments(["wage", "age", "school"], bounds=bounds, rho=0.5)
        for statistic, found in held.items():
            ends = getattr(moments.dp, statistic)().dp.confint().to_numpy(float)[:3]
            right = getattr(truth[["wage", "age", "school"]], statistic)().to_numpy()
            inside = (ends[:, ::2] <= right) & (right <= ends[:, 1::2])
            found.append(inside[np.triu_indices(3, 1)])
    assert np.mean(held["cov"]) >= 0.90
    assert np.mean(held["corr"]) >= 0.90


@pytest.mark.parametrize("ask", ["cov", "corr", "moments", "corr of moments"])
def test_a_matrix_is_made_such_that_rows_could_have_it(ask: str) -> None:
    frame = protected(people(100), rho=100)[COLUMNS]
    for _ in range(3):  # so small that eigenvalues are negative but by chance
        moments = frame.dp.moments(COLUMNS, rho=0.01)
        release = {
            "cov": lambda: frame.dp.cov(rho=0.01),
            "corr": lambda: frame.dp.corr(rho=0.01),
            "moments": lambda: moments,  # noqa: B023
            "corr of moments": lambda: moments.dp.corr(),  # noqa: B023
        }[ask]()
        made = release.dp.semidefinite()
        scale = np.abs(made.to_numpy()).max()
        assert np.linalg.eigvalsh(made.to_numpy()).min() >= -1e-8 * scale
        np.testing.assert_allclose(made.to_numpy(), made.to_numpy().T, atol=1e-9 * scale)
        if "corr" in ask:
            assert (np.diag(made) == 1).all()
        if ask == "moments":
            np.testing.assert_allclose(made["Intercept"], release["Intercept"])


def test_a_matrix_that_rows_can_have_stays() -> None:
    release = protected(people())[COLUMNS].dp.corr(rho=SURE)
    np.testing.assert_allclose(release.dp.semidefinite(), release, atol=1e-9)


def test_intervals_are_those_of_the_release_before() -> None:
    made = protected(people())[COLUMNS].dp.cov(rho=1).dp.semidefinite()
    with pytest.raises(NotConcluded, match="take the intervals of the release that it was made from"):
        made.dp.confint()


def test_a_correlation_whose_variance_is_lost_has_an_estimate_and_the_whole_range() -> None:
    data = people(50)
    data["age"] = 40
    frame = protected(data, rho=1e6)
    lost = 0
    for _ in range(12):  # each of them is lost in about half of all releases
        for found in (frame[["wage", "age"]].dp.corr(rho=0.5), frame.dp.moments(["wage", "age"], rho=0.5).dp.corr()):
            ends = found.dp.confint().to_numpy(float)[0, 2:]
            assert -1 <= found.loc["wage", "age"] <= 1
            lost += ends.tolist() == [-1.0, 1.0]
    assert lost > 0
