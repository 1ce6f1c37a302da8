"""Principal components of released sums of products, and what noise may have done to them."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.evidence.evidence import evidence_from_json
from pandas_dp.core.label.layout import Released
from pandas_dp.errors import BadArgument, NotConcluded, UnsupportedArgument
from tests.refusals import refused

NAMES = list("abcd")
SCHEMA = pa.DataFrameSchema(
    {
        **{name: pa.Column(float, pa.Check.in_range(0, 10)) for name in NAMES},
        "k": pa.Column(str, pa.Check.isin(["x", "y"])),
    }
)


def rows(n: int = 2000) -> pd.DataFrame:
    r = np.random.default_rng(2)
    first, second = r.standard_normal((2, n))
    mixed = np.stack([2 * first, 1.5 * first + second, second, 0.3 * r.standard_normal(n)], axis=1)
    return pd.DataFrame(np.clip(5 + mixed, 0, 10), columns=NAMES).assign(k=r.choice(["x", "y"], n))


def truth(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Variances, largest first, and directions, in half-ranges."""
    values, vectors = np.linalg.eigh(np.cov(table[NAMES].to_numpy().T / 5, ddof=0))
    return values[::-1], vectors[:, ::-1].T


def moments(table: pd.DataFrame, rho: float, **terms: object) -> pdp.Release:
    people = pdp.Session(rho=1e15, schema=SCHEMA, **terms).protect(table)
    return people.dp.moments([*NAMES, "k"], rho=rho)


def loadings(found: pd.DataFrame) -> np.ndarray:
    return found[[name for name in found.columns if name.startswith("loading")]].to_numpy()


def test_without_noise_they_are_those_of_the_rows() -> None:
    found = moments(rows(), 1e12).dp.pca(4)
    values, vectors = truth(rows())
    np.testing.assert_allclose(found["variance"], values, rtol=1e-4, atol=1e-7)  # ten and more sd of the noise
    np.testing.assert_allclose(np.abs((loadings(found) * vectors).sum(axis=1)), 1, atol=1e-4)
    np.testing.assert_allclose(found["share"], values / values.sum(), rtol=1e-4, atol=1e-6)
    assert found["separated"].all()
    assert found.index.tolist() == [1, 2, 3, 4]


def test_scaled_they_are_those_of_correlations() -> None:
    found = moments(rows(), 1e12).dp.pca(4, scaled=True)
    values = np.linalg.eigvalsh(np.corrcoef(rows()[NAMES].to_numpy().T))[::-1]
    np.testing.assert_allclose(found["variance"], values, rtol=1e-3)
    assert found["share"].sum() == pytest.approx(1, abs=1e-3)


def test_of_some_columns_they_are_those_of_a_matrix_of_these() -> None:
    release = moments(rows(), 1e12)
    found = release.dp.pca(1, ["d", "a"])
    assert found.filter(like="loading").columns.tolist() == ["loading of d", "loading of a"]
    assert found["variance"].item() == pytest.approx(rows()["a"].var() / 25, rel=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("derived", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
def test_intervals_hold_variances_and_angles_together(derived: bool, scaled: bool) -> None:
    """Of 120 releases .95 hold all four variances at once and more, as a norm bounds them; below .82 by a chance of
    less than 1e-6. An angle beyond its bound likewise."""
    table = rows(1000)
    values, vectors = truth(table)
    if scaled:
        values, vectors = np.linalg.eigh(np.corrcoef(table[NAMES].to_numpy().T))
        values, vectors = values[::-1], vectors[:, ::-1].T
    people = pdp.Session(rho=1e15, schema=SCHEMA).protect(table)
    people = people[people["a"] >= 0] if derived else people[NAMES]
    held = np.zeros((120, 2), bool)
    for at in range(120):
        found = people.dp.moments(NAMES, rho=0.5).dp.pca(4, scaled=scaled)
        cosines = np.abs((loadings(found) * vectors).sum(axis=1))
        sines = np.sqrt(np.maximum(1 - cosines**2, 0))
        held[at] = (
            ((found["lower"] <= values) & (values <= found["upper"])).all(),
            (sines <= found["sine"] + 1e-9).all(),
        )
    assert (held.mean(axis=0) > 0.82).all()


def test_where_noise_is_all_there_is_no_component_is_separated() -> None:
    found = moments(rows(20), 1e-4).dp.pca(3)
    assert not found["separated"].any()
    assert (found["sine"] == 1).all()
    assert (found["lower"] == 0).all()
    assert found["upper"].max() <= 4


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("n", [0, 1, 30])
def test_few_rows_and_constant_columns_give_finite_numbers(n: int, scaled: bool) -> None:
    for rho in (0.01, 1e12):
        few = moments(rows(50).iloc[:n].assign(a=5.0, b=0.0), rho, neighbours="add_remove")
        found = few.dp.pca(4, scaled=scaled)
        assert np.isfinite(found.to_numpy(float)).all()
        assert found["variance"].min() >= 0


def test_public_rows_are_placed_along_components() -> None:
    predictor = moments(rows(), 1e12).dp.pca(2).dp.predictor()
    again = pickle.loads(pickle.dumps(predictor))
    new = rows(50)
    centred = (new[NAMES].to_numpy() - rows()[NAMES].mean().to_numpy()) / 5
    expected = centred @ predictor.components_.T
    np.testing.assert_allclose(again.transform(new), expected, atol=1e-3)
    assert again.transform(new.assign(a=None)).shape == (50, 2)
    assert again.feature_names_in_.tolist() == NAMES
    assert not hasattr(again, "fit")


def test_they_are_a_release_that_reads_back() -> None:
    release = moments(rows(), 1.0)
    found = release.dp.pca(2)
    before = Released.of(found).evidence[0]
    after = evidence_from_json(json.loads(json.dumps(before.to_json(), allow_nan=False)), before.estimate)
    assert after.to_json() == before.to_json()
    np.testing.assert_array_equal(after.interval(0.9, "sample"), before.interval(0.9, "sample"))
    assert found.dp.confint(0.8).shape == (2, 2)
    assert (found.dp.confint(0.5).diff(axis=1) <= found.dp.confint(0.95).diff(axis=1)).iloc[:, 1].all()
    assert found.dp.metadata["id"] == release.dp.metadata["id"]
    pd.testing.assert_frame_equal(pd.DataFrame(release.dp.pca(2)), pd.DataFrame(found))


def test_what_has_no_components_is_refused() -> None:
    release = moments(rows(), 1.0)
    with refused(BadArgument, "too many"):
        release.dp.pca(5)
    with refused(UnsupportedArgument, "a categorical"):
        release.dp.pca(1, ["a", "k"])
    with refused(NotConcluded, "one column"):
        release.dp.pca(1, ["a"])
    with refused(NotConcluded, "population"):
        release.dp.pca(2).dp.confint(target="population")
    people = pdp.Session(rho=10, schema=SCHEMA).protect(rows())
    with refused(NotConcluded, "groups"):
        people.dp.groupby("k").moments(["a", "b"], rho=0.1).dp.pca(1)
