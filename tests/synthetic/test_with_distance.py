"""A synthesis that was compared with the data: its tables within bounds, and what bounds are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from tests.refusals import refused

from .people import people, protected

KEYS = ["sex", "work", "kids", "member"]


def fitted(frame: pd.DataFrame) -> pdp.Synthesis:
    """A model that knows nothing of pairs."""
    tables = [[name] for name in KEYS]
    return frame.dp.marginals(tables, rho=1e6, consistent=False).dp.synthesize()


def test_numbers_of_tables_that_were_compared_are_bounded_and_the_bounds_hold() -> None:
    frame = protected()
    model = fitted(frame)
    distance = frame.dp.distance(model, [["sex", "work"], ["work", "kids"]], rho=1)
    bounded = model.with_distance(distance)
    truth = pd.crosstab(people()["sex"], people()["work"])
    for keys in (["sex", "work"], ["work", "sex"], ["sex"]):
        found = bounded.table(keys)
        assert set(found["source"]) == {"measured" if keys == ["sex"] else "bounded"}
    found = bounded.table(["sex", "work"])
    for (sex, work), row in found.iterrows():
        assert row["lower"] <= truth.loc[sex, work] <= row["upper"]
    part = bounded.table(["sex"], where={"work": ["full", "part"]})
    assert part["source"].tolist() == ["bounded"] * 2
    for sex, row in part.iterrows():
        assert row["lower"] <= truth.loc[sex, ["full", "part"]].sum() <= row["upper"]
    assert set(bounded.table(["sex", "kids"])["source"]) == {"fitted"}
    assert set(bounded.table(["sex", "work", "kids"])["source"]) == {"fitted"}
    said = "Measured: sex, work, kids, member.\nBounded: sex × work, work × kids.\nFitted: all others.\n"
    assert said in repr(bounded)
    assert "\nBounded: of a model" in repr(bounded.crosstab("sex", "work"))


def test_a_bounded_number_tells_the_cost_of_both() -> None:
    frame = protected()
    model = fitted(frame)
    label = model.with_distance(frame.dp.distance(model, [["sex", "work"]], rho=2)).table(["sex", "work"]).attrs["dp"]
    assert label["rho"] == 10**6 + 2
    assert label["source"] == "bounded"
    assert len(label["releases"]) == 2


def test_the_distance_of_a_synthesis_is_that_of_its_model_and_not_of_rows() -> None:
    frame = protected()
    model = fitted(frame)
    with zero_noise():
        found = frame.dp.distance(model, [["sex", "work"]], rho=1)
    counts = people().value_counts(["sex", "work"]).reindex(model.table(["sex", "work"]).index).to_numpy()
    public = np.rint(model.table(["sex", "work"])["count"].to_numpy())
    assert found["tv"].item() == pytest.approx(np.abs(counts - public).sum() / 2 / len(people()))


def test_all_pairs_of_its_columns_are_compared_in_its_own_bins() -> None:
    frame = protected()
    model = frame.dp.marginals([["age", "work"], ["sex"]], bins={"age": 5}, rho=1e6).dp.synthesize()
    found = frame.dp.distance(model, rho=1e5)
    assert found.index.tolist() == ["age × work", "age × sex", "work × sex", "mean"]
    assert found.loc["age × work", "tv"] < 0.005
    assert found.loc["work × sex", "tv"] > 0.02


def test_a_model_of_the_data_is_compared_too() -> None:
    frame = protected()
    model = frame.dp.synthesize(KEYS, rho=1e7)
    assert (frame.dp.distance(model, rho=1e5)["upper"] < 0.02).all()


def test_bounds_are_kept_in_the_file(tmp_path: Path) -> None:
    frame = protected()
    model = fitted(frame)
    bounded = model.with_distance(frame.dp.distance(model, [["sex", "work"]], rho=1))
    bounded.write(tmp_path / "bounded.json")
    again = pdp.read_synthesis(tmp_path / "bounded.json")
    pd.testing.assert_frame_equal(
        pd.DataFrame(again.table(["sex", "work"])), pd.DataFrame(bounded.table(["sex", "work"]))
    )


def test_what_is_refused() -> None:
    frame = protected()
    model, other = fitted(frame), frame.dp.synthesize(KEYS, rho=1e4)
    rows = frame.dp.distance(model.sample(seed=1), [["sex", "work"]], rho=1)
    with refused(errors.NotConcluded, "of rows"):
        model.with_distance(rows)
    with refused(errors.NotConcluded, "of another"):
        model.with_distance(frame.dp.distance(other, [["sex", "work"]], rho=1))
    with refused(errors.NotConcluded, "of something else"):
        model.with_distance(model.measured[0])
    with refused(errors.UnknownColumn, "a column that it lacks"):
        frame.dp.distance(model, [["age", "sex"]], rho=1)
    with refused(errors.UnsupportedArgument, "bins of a synthesis"):
        frame.dp.distance(model, bins={"kids": 2}, rho=1)
    with refused(errors.UnsupportedArgument, "other values"):
        counted = frame.dp.crosstab("sex", "work", other=True, rho=1e3).dp.synthesize()
        frame.dp.distance(counted, rho=1)
