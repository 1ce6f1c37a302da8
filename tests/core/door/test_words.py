"""One word, one thing: words that other libraries or earlier drafts use are refused, and the refusal has the word."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.door.other_words import ARGUMENTS, QUESTIONS
from pandas_dp.core.door.released import ReleaseAccessor


@pytest.fixture
def session(schema: Any) -> pdp.Session:
    return pdp.Session(epsilon=100, schema=schema, models=["dp", "bdp"])


@pytest.fixture
def people(table: Callable[..., pd.DataFrame], session: pdp.Session) -> Any:
    return session.protect(table(50))


ASKED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "population": (lambda p: p["age"].dp.sum(model="bdp", population=pd.DataFrame()), "further_rows"),
    "method of replicates": (lambda p: p["age"].dp.mean(bootstrap=10, method="weights"), "resample="),
    "method of bdp tables": (lambda p: p.dp.groupby("sex")["age"].sum(model="bdp", method="iv"), "scale="),
    "resample, the value": (lambda p: p["age"].dp.mean(bootstrap=10, resample="resample"), "'multinomial'"),
    "weights": (lambda p: p.dp.marginals([["sex"]], weights=[1]), "cost_shares="),
    "level of a question": (lambda p: p["age"].dp.mean(level=0.9), "confidence"),
}
CONCLUDED: dict[str, tuple[Callable[[Any], Any], str]] = {
    **{
        f"level of {name}": (lambda f, name=name, given=given: getattr(f, name)(*given, level=0.9), "use confidence")
        for name, given in {
            "confint": (), "contrast": ("f", "m"), "test": (3,), "cramers_v": (), "odds_ratio": (), "plot": ()
        }.items()
    },
    "method": (lambda f: f.independence_test(method="noisy"), "use likelihood"),
    "a slip": (lambda f: f.confint(confidance=0.9), "did you mean 'confidence'"),
    "nothing near": (lambda f: f.replicates(x=1), "it takes none"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_an_old_word_of_a_question_is_refused_with_the_new_one_before_paying(
    name: str, people: Any, session: pdp.Session
) -> None:
    ask, word = ASKED[name]
    with pytest.raises((errors.UnsupportedArgument, errors.BadArgument), match=word):
        ask(people)
    assert len(session.ledger) == 0


OTHERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "pandas": (lambda p: p["age"].dp.mad(), "use iqr, or std."),
    "numpy": (lambda p: p["age"].dp.percentile(90), "use quantile, e.g. quantile(0.9)."),
    "SQL": (lambda p: p["age"].dp.avg(), "use mean."),
    "R": (lambda p: p.dp.nrow(), "use size, the number of rows"),
    "a shape": (lambda p: p.dp.shape, "use size, the number of rows"),
    "the most frequent": (lambda p: p["sex"].dp.top(3), "use top_values"),
    "a library's class": (lambda p: p.dp.CoxPHFitter(), "use survival"),
    "Tumult": (lambda p: p["age"].dp.mean(low=0, high=100), "use bounds="),
    "OpenDP": (lambda p: p["age"].dp.sum(sensitivity=3), "it follows from bounds="),
    "diffprivlib": (lambda p: p["age"].dp.mean(accountant=None), "the session keeps the budget"),
    "a budget": (lambda p: p["age"].dp.mean(budget=1), "say epsilon="),
    "eps": (lambda p: p["age"].dp.mean(eps=1), "use epsilon"),
    "clip": (lambda p: p["age"].dp.mean(clip=(0, 1)), "use bounds="),
    "PipelineDP": (lambda p: p["age"].dp.mean(max_partitions_contributed=1), "max_rows="),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_word_of_another_library_leads_to_that_of_the_house(name: str, people: Any, session: pdp.Session) -> None:
    ask, word = OTHERS[name]
    with pytest.raises((errors.UnsupportedArgument, AttributeError), match=re.escape(word)) as refusal:
        ask(people)
    assert "it offers" not in str(refusal.value)
    assert len(session.ledger) == 0


def test_no_word_is_led_away_from_where_it_is_known() -> None:
    offered = [set(dir(each)) for each in (pdp.SeriesAccessor, pdp.FrameAccessor, pdp.GroupedAccessor)]
    assert [word for word in QUESTIONS if all(word in each for each in offered)] == []
    assert [word for word in ARGUMENTS if word in pdp.Keywords.__annotations__] == []
    advised = re.findall(r"(?<![\w.])use (\w+)", " ".join(QUESTIONS.values()))
    assert len(advised) > 20
    assert [word for word in advised if not any(word in each for each in offered)] == []


@pytest.mark.parametrize("name", CONCLUDED)
def test_an_old_word_of_a_conclusion_is_refused_with_the_new_one(name: str, people: Any) -> None:
    release = people["sex"].dp.value_counts(epsilon=1)
    conclude, word = CONCLUDED[name]
    with pytest.raises(errors.UnsupportedArgument, match=word):
        conclude(release.dp)


def test_naming_arguments_leaves_signatures_as_they_were_written() -> None:
    assert list(inspect.signature(ReleaseAccessor.confint).parameters) == [
        "self",
        "confidence",
        "target",
        "simultaneous",
    ]
