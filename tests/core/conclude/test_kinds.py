"""A kind of evidence is a file: what all kinds keep to, and one that was made here."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.conclude.numbers import summed_cost
from pandas_dp.core.door.released import ReleaseAccessor
from pandas_dp.core.evidence.evidence import Evidence, Seen, as_json, as_value, every_kind, evidence_from_json
from pandas_dp.core.evidence.no_interval import Unsaid
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.label.label import Label
from pandas_dp.core.label.layout import Item, Layout
from pandas_dp.core.label.release import cost_text, publish
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.numeric.evidence_means import Means
from pandas_dp.numeric.evidence_moments import MomentSums
from pandas_dp.numeric.evidence_sums import Amounts
from tests.core.label.test_golden import WORDS

NOISE = Noise(DiscreteLaplace(3), 0.5)


@dataclass(frozen=True)
class Ends(Evidence):
    """Numbers between ends that were released with them: nothing but what every kind must have."""

    values: Seen
    low: np.ndarray[Any, Any]
    high: np.ndarray[Any, Any]
    kind: ClassVar[str] = "ends"
    statistic: ClassVar[str] = "location"

    @property
    def estimate(self) -> np.ndarray[Any, Any]:
        return self.values

    def interval(self, level: float, target: str) -> tuple[Any, Any]:
        return self.low, self.high


@pytest.fixture
def release() -> pdp.Release:
    ends = Ends(np.array([1.0, 2.0]), np.array([0.5, 1.0]), np.array([1.5, 2.5]))
    layout = Layout(pd.Index(["a", "b"], name="k"), None, "measures")
    frame, place = layout.frame([Item("x", "location", "float", ends)], 0.95)
    facts = {"column": "x", "type": "float", **ends.to_json()}
    said = {"statistic": "location", "columns": ["x"], "by": ["k"], "model": "dp", "neighbours": "replace"}
    cost = {"rows": "whole", "confidence": 0.95, "epsilon": 1.0, "delta": 0.0, "id": "1", "session": "s"}
    return publish(frame, Label.saying({**said, **cost, **place, "evidence": [facts], "version": "0"}))


def test_a_new_kind_is_shown_with_its_interval(release: pdp.Release) -> None:
    assert release.columns.tolist() == ["location", "lower", "upper"]
    assert release.dp.confint(0.95).to_numpy().tolist() == [[0.5, 1.5], [1.0, 2.5]]
    assert release.dp.confint(0.95, simultaneous=True).shape == (2, 2)
    assert release.dp.round(0).dp.confint()["lower"].tolist() == [0.0, 0.5]
    assert "location" in release._repr_html_()
    assert release.dp.guarantee.startswith("differentially private: epsilon=1; one row replaced")


KINDS = [kind for kind in every_kind().values() if kind.__module__.startswith("pandas_dp.")]  # not those of tests


class EndsAccessor(ReleaseAccessor):
    """What releases of ends have beside the rest."""

    own = ("widest",)

    def widest(self) -> float:
        """Of all intervals."""
        return float(self.confint().diff(axis=1).iloc[:, 1].max())


def test_a_new_kind_brings_its_own_conclusions(release: pdp.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    assert repr(release.dp) == (
        "<.dp of a release: metadata, guarantee, check, confint, contrast, test, plot, round, relabel, "
        "equivalence_test, to_markdown, to_latex, to_html, to_excel>"
    )
    monkeypatch.setattr(Ends, "accessor", "ends:EndsAccessor")
    monkeypatch.setattr("pandas_dp.core.protect.session_lookup.named", {"ends:EndsAccessor": EndsAccessor}.__getitem__)
    release = release.copy()  # pandas 2 keeps the accessor that a table once had
    assert "widest" in dir(release.dp)
    assert release.dp.widest() == 1.5
    with pytest.raises(
        AttributeError, match=r"it offers metadata, guarantee, check, confint, contrast, test, plot, .*, widest"
    ):
        release.dp.narrowest()


REFUSED: dict[str, tuple[Any, str]] = {
    "independence_test": (lambda r: r.dp.independence_test(), "this release holds the location of 'x'"),
    "replicates": (lambda r: r.dp.replicates(), "has no replicates"),
    "nonnegative": (lambda r: r.dp.nonnegative(), "this release holds location"),
    "margin": (lambda r: r.dp.margin(["k"]), "only a release of `marginals` has margins"),
    "shares": (lambda r: r.dp.shares(), "shares are taken of a table that shows counts alone"),
    "combine": (lambda r: pdp.combine([r, publish(pd.DataFrame(r), again(r))]), "of the location are not combined"),
}


def again(release: pdp.Release) -> Label:
    return replace(Label.from_json(release.attrs["dp"]), id="2")


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_new_kind_does_not_offer_is_refused_in_a_sentence(what: str, release: pdp.Release) -> None:
    conclude, words = REFUSED[what]
    with pytest.raises(errors.NotConcluded, match=words):
        conclude(release)


def test_words_of_kinds_stay_what_they_are() -> None:
    """Never change one: labels are read by them. A new one is among the golden releases."""
    assert {each.kind for each in KINDS} == WORDS
    assert not WORDS & {each.__name__ for each in KINDS}


def test_a_kind_that_nobody_knows_is_refused_as_such() -> None:
    with pytest.raises(errors.NotConcluded, match="this release holds 'forecasts', of which this version"):
        evidence_from_json({"kind": "forecasts"}, np.zeros(1))


def test_facts_of_a_later_version_are_ignored_and_those_it_added_have_their_default() -> None:
    amounts = Amounts("count", np.array([3, 4]), NOISE)
    written = json.loads(json.dumps({**amounts.to_json(), "weather": "fine"}))
    del written["upper"], written["margins"]
    assert evidence_from_json(written, amounts.values).to_json() == amounts.to_json()


def test_numbers_that_the_table_shows_are_not_written_twice() -> None:
    amounts = Amounts("count", np.array([3, 4]), NOISE)
    assert "values" not in amounts.to_json()
    assert amounts.alone_to_json()["values"] == [3, 4]
    assert Amounts.from_json(amounts.alone_to_json()).values.tolist() == [3, 4]


def test_whatever_is_not_finite_travels() -> None:
    sums = MomentSums(0.0, 1.0, np.array([np.nan, np.inf]), np.zeros(2), NOISE, NOISE, size=3)
    written = json.loads(json.dumps(Means(sums).to_json(), allow_nan=False))
    read = Means.from_json(written)
    np.testing.assert_array_equal(read.sums.total, sums.total)
    for name in ("lower", "upper"):
        ends = Amounts("sum", np.zeros(1), NOISE, **{name: -np.inf if name == "upper" else np.inf})
        assert getattr(Amounts.from_json(json.loads(json.dumps(ends.alone_to_json()))), name) == getattr(ends, name)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (int | None, None),
        (float, 0.1),
        (tuple[int, ...], (1, 2)),
        (tuple[tuple[int, ...], ...], ((), (1,), (1, 2))),
        (tuple[int, int] | None, (3, 4)),
        (Noise, NOISE),
        (tuple[Noise, ...], (NOISE, NOISE.times(2))),
    ],
)
def test_a_value_reads_back(hint: Any, value: Any) -> None:
    assert as_value(hint, json.loads(json.dumps(as_json(value)))) == value


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_every_kind_says_what_it_has_in_fields(kind: type[Evidence]) -> None:
    names = {each.name for each in fields(kind)}
    assert not names & {"column", "type", "asked", "kind"}  # what a label says beside them
    assert {"to_json", "from_json"}.isdisjoint(vars(kind))


def test_a_public_count_can_be_tested_against_a_number(people: pd.DataFrame) -> None:
    found = people["age"].dp.count().dp.test(401)
    assert found["p_value"].item() == 1.0
    assert people["age"].dp.count().dp.test(400)["p_value"].item() == 0.0


@pytest.mark.parametrize(("why", "words"), [("private", "scaled by the data"), ("chosen", "how far it is off")])
def test_numbers_without_a_word_of_their_noise_say_why(why: Any, words: str) -> None:
    unsaid = Unsaid("median", np.zeros(1), why)
    with pytest.raises(errors.NotConcluded, match=words):
        unsaid.interval(0.95, "sample")
    assert evidence_from_json(json.loads(json.dumps(unsaid.to_json())), np.zeros(1)).to_json() == unsaid.to_json()


def test_a_sum_for_the_population_is_not_compared_as_the_mean_that_it_is_made_of(people: pd.DataFrame) -> None:
    release = people["age"].dp.sum(bootstrap=20)
    ends = release.dp.confint(target="population").iloc[0]
    assert release.dp.test(20_000, target="population")[["lower", "upper"]].iloc[0].tolist() == ends.tolist()
    one, two = (people["age"].dp.sum(bootstrap=20) for _ in range(2))
    both = one.dp.contrast(two, samples="independent").iloc[0]
    low, high = (each.dp.confint(0.975, target="population").iloc[0] for each in (one, two))
    assert (both["lower"], both["upper"]) == (low["lower"] - high["upper"], low["upper"] - high["lower"])
    found = release.dp.test(20_000, target="sample")
    assert found["estimate"].item() == release["sum"].item()


def test_a_price_that_leaks_with_a_probability_is_summed_with_its_delta() -> None:
    plain = {"epsilon": None, "delta": None, "rho": 0.5}
    leaking = {"epsilon": None, "delta": 1e-6, "rho": 0.25}
    pure = {"epsilon": 1.0, "delta": 0.0, "rho": None}
    as_rho = {"epsilon": 1.0, "delta": 1e-7, "rho": 0.125}  # asked so, and paid as rho alone
    assert summed_cost([plain, leaking]) == {"epsilon": None, "delta": 1e-6, "rho": 0.75}
    assert summed_cost([leaking, pure]) == {"epsilon": 1.0, "delta": 1e-6, "rho": 0.25}
    assert summed_cost([plain, as_rho]) == {"epsilon": None, "delta": None, "rho": 0.625}
    assert cost_text(summed_cost([plain, leaking])) == "rho=0.75, delta=1e-06"


def test_noise_that_nobody_knows_is_refused_as_such() -> None:
    facts = {"kind": "amounts", "statistic": "count", "noise": {"distribution": "cosmic", "step": 1.0}}
    with pytest.raises(errors.NotConcluded, match="knows no noise called 'cosmic'; read the release with a newer"):
        evidence_from_json(facts, np.zeros(1))
