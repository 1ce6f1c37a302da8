"""Clusters of the cells of a noisy grid."""

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
from pandas_dp.errors import BadArgument, NotConcluded, PrivacyError, UnsupportedArgument, UnsupportedType
from pandas_dp.learning.solve import bins_for, clustered
from tests.refusals import refused

CENTRES = np.array([[0.2, 0.3], [0.5, 0.8], [0.8, 0.2]])
BOUNDS = {"x": (0, 1), "y": (0, 100)}


def blobs(n: int = 3000) -> pd.DataFrame:
    r = np.random.default_rng(1)
    points = CENTRES[r.integers(0, 3, n)] + 0.05 * r.standard_normal((n, 2))
    return pd.DataFrame(np.clip(points, 0, 1) * [1, 100], columns=["x", "y"])


def test_clusters_are_found_where_they_are() -> None:
    found = pdp.Session(rho=1).protect(blobs()).dp.kmeans(["x", "y"], 3, rho=0.5, bounds=BOUNDS)
    centres = found[["centre of x", "centre of y"]].to_numpy() / [1, 100]
    np.testing.assert_allclose(centres, CENTRES, atol=0.04)  # a quarter of a cell; the noise is 1.4 of 1000 rows
    np.testing.assert_allclose(found["rows"], 1000, atol=150)
    assert found.dp.guarantee.startswith("differentially private: rho=0.5")


def test_any_other_number_is_free_and_depends_on_the_release_alone() -> None:
    session = pdp.Session(rho=1)
    found = session.protect(blobs()).dp.kmeans(["x", "y"], 3, rho=0.5, bounds=BOUNDS)
    again = found.dp.kmeans(3)
    pd.testing.assert_frame_equal(pd.DataFrame(again), pd.DataFrame(found))
    assert [len(found.dp.kmeans(k)) for k in (1, 2, 9)] == [1, 2, 9]
    assert found.dp.kmeans(2).dp.kmeans(3).equals(again)
    assert str(session.left) == "rho=0.5"


def test_public_rows_go_to_the_nearest_centre() -> None:
    found = pdp.Session(rho=1e9).protect(blobs()).dp.kmeans(["x", "y"], 3, bins=12, rho=1e8, bounds=BOUNDS)
    predictor = pickle.loads(pickle.dumps(found.dp.predictor()))
    new = pd.DataFrame({"y": [30, 80.0, 20, None, np.inf], "x": [0.2, 0.5, 0.8, 0.5, 0.5], "z": 1})
    assert predictor.predict(new).tolist() == [0, 1, 2, -1, -1]
    assert predictor.cluster_centers_.shape == (3, 2)
    assert not hasattr(predictor, "fit")


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("rho", [0.001, 1e8])
def test_few_rows_give_finite_centres(n: int, rho: float) -> None:
    people = pdp.Session(rho=1e9).protect(blobs().iloc[:n])
    found = people.dp.kmeans(["x", "y"], 4, bins=3, rho=rho, bounds=BOUNDS)
    assert np.isfinite(found.to_numpy(float)).all()
    assert found.shape == (4, 3)


def test_a_constant_column_is_clustered() -> None:
    people = pdp.Session(rho=1e9).protect(blobs().assign(x=0.5))
    found = people.dp.kmeans(["x", "y"], 2, bins=5, rho=1e8, bounds=BOUNDS)
    assert found["centre of x"].tolist() == [0.5, 0.5]


def test_as_many_bins_as_are_worth_their_noise() -> None:
    assert [bins_for(2000, 1.4, d) for d in (1, 2, 3)] == [27, 12, 7]
    assert bins_for(10**9, 1.0, 3) == 21  # at most 10,000 cells
    assert bins_for(5, 100.0, 2) == 2
    assert bins_for(100, 0.0, 1) == 464  # noise so small that there is none to see


def test_a_grid_is_planned_from_public_facts() -> None:
    people = pdp.Session(rho=1).protect(blobs(2000))
    found = people.dp.kmeans(["x", "y"], 2, rho=0.5, bounds=BOUNDS)
    assert len(found.dp.grid()) == 144
    assert people.dp.kmeans(["x"], 2, epsilon=0.5, bounds=(0, 1)).dp.grid()["std_error"].iloc[0] > 0
    assert (
        len(people.query("x > 0").dp.kmeans(["x", "y"], 2, bins={"x": 3, "y": 4}, rho=0.01, bounds=BOUNDS).dp.grid())
        == 12
    )


def test_cells_beneath_the_noise_do_not_pull() -> None:
    counts = np.array([100.0, 2.9, 0.0, -3.0, 0.0, 0.0, 2.9, 100.0])
    points = np.linspace(0, 1, 8)[:, None]
    centres, own = clustered(counts, points, 1.5, 2, 0)
    np.testing.assert_allclose(centres[:, 0], [0, 1])
    assert own.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_more_clusters_than_cells_with_rows_are_answered() -> None:
    centres, _ = clustered(np.array([10.0, 0.0, 0.0, -1.0]), np.arange(4.0)[:, None], 1.0, 3, 0)
    assert np.isfinite(centres).all()
    assert len(centres) == 3


def test_it_reads_back_from_json_and_says_why_it_has_no_interval() -> None:
    found = pdp.Session(rho=1).protect(blobs()).dp.kmeans(["x", "y"], 3, rho=0.5, bounds=BOUNDS)
    before = Released.of(found).evidence[0]
    after = evidence_from_json(json.loads(json.dumps(before.to_json(), allow_nan=False)), before.estimate)
    assert after.to_json() == before.to_json()
    with refused(NotConcluded):
        found.dp.confint()


def test_what_cannot_be_asked_is_refused_before_paying() -> None:
    times = pa.Check.in_range(pd.Timestamp("2019-01-01"), pd.Timestamp("2021-01-01"))
    numbers = {name: pa.Column(float, pa.Check.in_range(0, 100)) for name in "xyzw"}
    schema = pa.DataFrameSchema({**numbers, "t": pa.Column("datetime64[ns]", times)})
    session = pdp.Session(rho=1, schema=schema)
    people = session.protect(blobs().assign(z=1.0, w=1.0, t=pd.Timestamp("2020-01-01")))
    cases = {
        "four columns": (
            UnsupportedArgument,
            lambda: people.dp.kmeans(["x", "y", "z", "w"], 2, rho=0.1),
        ),
        "no clusters": (BadArgument, lambda: people.dp.kmeans(["x"], 0, rho=0.1)),
        "more than cells": (BadArgument, lambda: people.dp.kmeans(["x"], 5, bins=4, rho=0.1)),
        "cells": (UnsupportedArgument, lambda: people.dp.kmeans(["x", "y"], 5, bins=101, rho=0.1)),
        "bins": (BadArgument, lambda: people.dp.kmeans(["x"], 5, bins="many", rho=0.1)),
        "times": (UnsupportedType, lambda: people.dp.kmeans(["t"], 5, bins=4, rho=0.1)),
        "private size": (
            UnsupportedArgument,
            lambda: people.query("x > 0.1").dp.kmeans(["x"], 2, rho=0.1),
        ),
        "seed": (BadArgument, lambda: people.dp.kmeans(["x"], 2, seed=-1, rho=0.1)),
    }
    for name, (error, ask) in cases.items():
        with refused((error, PrivacyError), name):
            ask()
    assert str(session.left) == "rho=1"
