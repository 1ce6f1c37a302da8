"""A folder of published tables answers from the model of a synthesis, too."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .people import People, people

KEYS = ["sex", "work", "kids", "member"]


def published(folder: Path) -> tuple[pdp.Session, pdp.PublishedTables]:
    session = pdp.Session(rho=1, schema=People)
    frame = session.protect(people())
    questions = {"model": lambda: frame.dp.synthesize(KEYS, [["sex", "work"], ["work", "member"]], rho=0.02)}
    first = pdp.publish_tables(folder, questions)
    assert pdp.publish_tables(folder, questions).releases["model"].equals(first.releases["model"])
    return session, first


def test_it_answers_measured_numbers_as_released_and_others_by_the_model(tmp_path: Path) -> None:
    session, first = published(tmp_path / "tables")
    assert session.share_used == pytest.approx(0.02)
    opened = pdp.open_tables(tmp_path / "tables")
    for keys, where in ((["work"], None), (["sex", "kids", "member"], None), (["kids"], {"sex": "f", "work": "full"})):
        found = opened.table(keys, where)
        pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(first.table(keys, where)))
    assert "source" not in opened.table(["work"])
    fitted = opened.table(["sex", "kids", "member"])
    assert set(fitted["source"]) == {"fitted"}
    assert fitted["upper"].isna().all()
    assert (
        fitted.dp.guarantee
        == "differentially private: rho=0.02 (epsilon=0.9 at delta=1e-06); one row replaced; gaussian noise."
    )
    assert fitted["count"].sum() == pytest.approx(3_000)


def test_a_crosstab_that_nobody_measured_is_fitted_too(tmp_path: Path) -> None:
    _, first = published(tmp_path / "tables")
    fitted = first.crosstab("sex", ["kids", "member"], {"work": ["full", "part"]})
    assert fitted.dp.metadata["source"] == "fitted"
    long = first.table(["sex", "kids", "member"], {"work": ["full", "part"]})["count"]
    assert fitted.loc["f", (2, True)] == pytest.approx(long["f", 2, True])
    assert first.crosstab("sex", "work").dp.metadata["source"] is None
    with refused(errors.UnsupportedArgument):
        first.crosstab("sex", "kids", margins=True)


def test_a_key_that_no_model_has_is_refused(tmp_path: Path) -> None:
    _, first = published(tmp_path / "tables")
    with pytest.raises(errors.NotConcluded):
        first.table(["age", "sex"])


def test_a_model_that_was_changed_is_refused(tmp_path: Path) -> None:
    published(tmp_path / "tables")
    stored = tmp_path / "tables" / "model.synthesis.json"
    stored.write_text(stored.read_text("utf-8").replace("0x1", "0x0", 1), "utf-8")
    with pytest.raises(errors.TablesDamaged, match="was changed or removed"):
        pdp.open_tables(tmp_path / "tables")


def test_missing_values_are_stored_as_such(tmp_path: Path) -> None:
    data = pd.DataFrame({"vote": ["yes", "no", None, "yes"] * 100, "age": list(range(100)) * 4})
    frame = pdp.Session(rho=1e9).protect(data)
    declared = {"categories": {"vote": ["yes", "no"]}, "bounds": {"age": (0, 99)}}
    tables = pdp.publish_tables(tmp_path / "tables", {"all": lambda: frame.dp.synthesize(rho=1e8, **declared)})
    votes = pdp.open_tables(tmp_path / "tables").table(["vote"])["count"]
    assert votes.round().tolist() == [200, 100, 100]
    assert pd.isna(votes.index[-1])
    assert tables.contents["table"].tolist()[0] == "vote"
