"""What format 1 of a label holds for ever, and how a reader takes what it does not know."""

from __future__ import annotations

import copy
import json
from dataclasses import fields, replace
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.label import layout
from pandas_dp.core.label.label import Label
from pandas_dp.core.label.layout import Released
from pandas_dp.core.label.release import labelled

from .questions import EVERY, PLAIN, label_of

ASKED = "statistic columns by where stored confidence bootstrap zone estimand note remarks period"
PAID = "session entry model neighbours frame size epsilon delta rho mechanism noise options version"
ROWS = "rows read made functions because"
GAPS = "complete nullable"
PERSONS = "unit roster people counted max_rows max_cells max_keys max_values per_person count weights keys"
ANSWERED = "stages given_shown chosen source drawn measure layout shows evidence digest"
AFTERWARDS = "before rounded bases moved adjusted relabelled selected releases insecure"
KEYS = ["format", "kind", "id", *" ".join([ASKED, PAID, ROWS, GAPS, PERSONS, ANSWERED, AFTERWARDS]).split()]


@pytest.mark.parametrize("name", EVERY)
def test_every_label_has_every_key_of_its_format(name: str, people: pd.DataFrame) -> None:
    label = label_of(EVERY[name](people))
    assert sorted(label) == sorted(KEYS)
    assert label["format"] == 1


@pytest.mark.parametrize("name", EVERY)
def test_a_label_reads_back_as_it_was_written(name: str, people: pd.DataFrame) -> None:
    label = label_of(EVERY[name](people))
    assert Label.from_json(json.loads(json.dumps(label))).to_json() == label


@pytest.mark.parametrize("each", [each for each in fields(Label) if each.default is None], ids=lambda each: each.name)
def test_whatever_is_said_is_written_and_read(each: Any, people: pd.DataFrame) -> None:
    label = Label.from_json(label_of(people["age"].dp.sum()))
    of_a_type = {"str | None": "two", "int | None": 2, "float | None": 0.5, "tuple[float, ...] | None": (1.0, 2.5)}
    said = of_a_type.get(str(each.type), {"said": [1, "two", None]})
    told = replace(label, **{each.name: said})
    assert Label.from_json(json.loads(json.dumps(told.to_json()))) == told


def with_label(release: pdp.Release, **said: Any) -> pdp.Release:
    return labelled(pd.DataFrame(release), {**copy.deepcopy(release.attrs["dp"]), **said})


def test_a_key_that_a_later_version_adds_is_ignored(people: pd.DataFrame) -> None:
    release = people["age"].dp.mean()
    later = with_label(release, weather="fine")
    pd.testing.assert_frame_equal(later.dp.confint(0.9), release.dp.confint(0.9))
    assert later.dp.guarantee == release.dp.guarantee


@pytest.mark.parametrize("conclude", [lambda r: r.dp.confint(), lambda r: r.dp.guarantee, lambda r: r.dp.round(1)])
def test_a_label_of_a_newer_format_is_refused(conclude: Any, people: pd.DataFrame) -> None:
    later = with_label(people["age"].dp.mean(), format=2)
    with pytest.raises(errors.NotConcluded) as caught:
        conclude(later)
    assert str(caught.value) == (
        "this release has a label of format 2, and this version of pandas-dp reads format 1; read it with a newer "
        "version."
    )


@pytest.mark.parametrize("lost", ["columns", "statistic", "evidence", "rows", "model"])
def test_a_label_that_lacks_what_every_label_says_is_refused(lost: str, people: pd.DataFrame) -> None:
    broken = with_label(people["age"].dp.mean(), **{lost: None})
    with pytest.raises(errors.NotConcluded, match="lacks what every release says of itself"):
        broken.dp.confint()


CONCLUSIONS: dict[str, tuple[str, Any]] = {
    "guarantee": ("series sum", lambda r: r.dp.guarantee),
    "metadata": ("series sum", lambda r: r.dp.metadata),
    "confint": ("group means", lambda r: r.dp.confint()),
    "simultaneous": ("group means", lambda r: r.dp.confint(simultaneous=True)),
    "contrast": ("group mean", lambda r: r.dp.contrast("f", "m")),
    "test": ("series mean", lambda r: r.dp.test(40)),
    "independence": ("crosstab", lambda r: r.dp.independence_test(replicates=19)),
    "log-linear": ("crosstab", lambda r: r.dp.log_linear_test(["sex", "region"], replicates=19)),
    "goodness of fit": ("series value_counts", lambda r: r.dp.goodness_of_fit([0.5, 0.5], replicates=19)),
    "cramers_v": ("crosstab", lambda r: r.dp.cramers_v(replicates=19)),
    "plot": ("crosstab", lambda r: r.dp.plot()),
    "html": ("crosstab", lambda r: r._repr_html_()),
}
CHANGES: dict[str, tuple[str, Any]] = {
    "round": ("group means", lambda r: r.dp.round(1)),
    "shares": ("crosstab margins", lambda r: r.dp.shares()),
    "nonnegative": ("crosstab", lambda r: r.dp.nonnegative()),
    "round_to": ("crosstab", lambda r: r.dp.round_to(5)),
    "suppress": ("crosstab", lambda r: r.dp.suppress(5)),
}


@pytest.mark.parametrize("name", [*CONCLUSIONS, *CHANGES])
def test_a_conclusion_hashes_the_table_once(name: str, people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    question, conclude = {**CONCLUSIONS, **CHANGES}[name]
    release, hashed = PLAIN[question](people), []
    digest = layout.digest
    monkeypatch.setattr(layout, "digest", lambda table: hashed.append(1) or digest(table))
    conclude(release)
    assert len(hashed) == 1


def test_what_was_read_is_concluded_from_as_it_is(people: pd.DataFrame) -> None:
    released = Released.of(people["age"].dp.mean())
    assert Released.of(released) is released
