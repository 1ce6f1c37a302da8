"""Whatever is given for an argument is taken, or refused by the library before anything is paid."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.arguments import read_by_signature
from pandas_dp.errors import AnswerLost, PrivacyError, UnsupportedArgument
from pandas_dp.models.ask import formula_of

from .contracts.questions import Schema, normal

pytestmark = pytest.mark.filterwarnings("ignore")
Ask = tuple[Callable[..., Any], dict[str, Any]]


class Contrary:
    """Raises at whatever it is asked."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("asked")

    __eq__ = __ne__ = __bool__ = __len__ = __repr__ = __lt__ = _refuse
    __hash__ = None  # type: ignore[assignment]


class Unhashed:
    def __hash__(self) -> int:
        raise RuntimeError("hash")


def odd(column: pd.Series) -> dict[str, Any]:
    return {
        "nan": float("nan"),
        "inf": float("inf"),
        "beyond floats": 10**400,
        "signal": Decimal("sNaN"),
        "complex": 1j,
        "half a letter": "\ud800",
        "nul": "a\0b",
        "bytes": b"x",
        "contrary": Contrary(),
        "a list of contraries": [Contrary()],
        "a mapping to one": {"k": Contrary()},
        "without a hash": Unhashed(),
        "empty": [],
        "an array": np.array([1.0, 2.0]),
        "no array": np.array([]),
        "records": np.zeros(2, dtype=[("a", int)]),
        "missing": pd.NA,
        "a generator": (each for each in "ab"),
        "a long range": range(10**12),
        "nones": [None],
        "lists": [[]],
        "a slice": slice("a", "b"),
        "a function": len,
        "a table": pd.DataFrame(),
        "a column": column,
        "true": True,
    }


@cache
def tables() -> tuple[pdp.Session, pd.DataFrame, pdp.Session, pd.DataFrame]:
    session = pdp.Session(epsilon=10**9, schema=Schema)
    people = pdp.Session(epsilon=10**9, schema=Schema, unit="person")
    visits = normal(60).assign(person=np.arange(60) % 20)
    return session, session.protect(normal(200)), people, people.protect(visits, max_rows=3)


def people() -> Any:
    return tables()[1]


@cache
def released(what: str) -> Any:
    asked = {
        "counts": lambda: people().dp.crosstab("k", "j", epsilon=9),
        "categories": lambda: people()["k"].dp.value_counts(epsilon=9),
        "mean": lambda: people()["x"].dp.mean(epsilon=9),
        "moments": lambda: people().dp.moments(["x", "z"], epsilon=9),
        "cdf": lambda: people()["x"].dp.cdf(epsilon=9),
    }
    return asked[what]()


def protected_under(name: Any) -> Any:
    table = pd.DataFrame([[1, 2]], columns=pd.Index([name, "z"], dtype=object))
    return pdp.Session(epsilon=1).protect(table).dp.count(epsilon=1)


ONCE = {"epsilon": 1}
ASKS: dict[str, Callable[[], Ask]] = {
    "Session": lambda: (pdp.Session, ONCE),
    "Session in a file": lambda: (lambda ledger: pdp.Session(epsilon=1, ledger=ledger), {"ledger": "ledger"}),
    "protect": lambda: (lambda **how: pdp.Session(epsilon=1).protect(pd.DataFrame({"x": [1]}), **how), {}),
    "a name": lambda: (protected_under, {"name": "a"}),
    "derive": lambda: (lambda each: tables()[0].derive(len, people(), each=each), {}),
    "report": lambda: (pdp.Session(epsilon=1).report, {"path": "report.html"}),
    "Design": lambda: (pdp.Design, {"weights": "w"}),
    "create_ledger": lambda: (pdp.create_ledger, {}),
    "combine": lambda: (pdp.combine, {"releases_": [released("mean")]}),
    "models_table": lambda: (pdp.models_table, {"models": [released("mean")]}),
    "open_tables": lambda: (pdp.open_tables, {}),
    "groupby": lambda: (people().dp.groupby, {"by": "k"}),
    "groupby.mean": lambda: (people().dp.groupby("k")["x"].mean, ONCE),
    "groupby.quantile": lambda: (people().dp.groupby("k")["x"].quantile, ONCE),
    "groupby.agg": lambda: (people().dp.groupby("k")["x"].agg, {**ONCE, "func": "mean"}),
    "ols": lambda: (people().dp.ols, {**ONCE, "formula": "x ~ z"}),
    "plan_ols": lambda: (people().dp.plan_ols, {"formula": "x ~ z", "sd": {"x": 3.0, "z": 2.0}, **ONCE}),
    "t_test": lambda: (people().dp.t_test, {"y": "x", "by": "j", **ONCE}),
    "survival": lambda: (people().dp.survival, {"time": "z", "event": "flag", **ONCE}),
    "blocks": lambda: (people().dp.blocks, {"k": 5}),
    "rows of people": lambda: (tables()[3]["x"].dp.sum, {**ONCE, "per_person": (0, 9)}),
    "contrast": lambda: (released("categories").dp.contrast, {"first": "a", "second": "b"}),
    "test": lambda: (released("mean").dp.test, {"value": 1}),
    "plot": lambda: (released("mean").dp.plot, {}),
    "to_html": lambda: (released("mean").dp.to_html, {}),
    "to_excel": lambda: (released("mean").dp.to_excel, {"path": "sheet.xlsx"}),
    "synthesize": lambda: (released("counts").dp.synthesize, {}),
    "trend_test": lambda: (released("counts").dp.trend_test, {}),
    "logit of counts": lambda: (released("counts").dp.logit, {"formula": "j ~ k"}),
    "log_linear_test": lambda: (released("counts").dp.log_linear_test, {"margins": ["k"]}),
    "naive_bayes of counts": lambda: (released("counts").dp.naive_bayes, {"target": "k"}),
    "corr of moments": lambda: (released("moments").dp.corr, {}),
    "ols of moments": lambda: (released("moments").dp.ols, {"formula": "x ~ z"}),
    "between": lambda: (released("cdf").dp.between, {"left": 1, "right": 5}),
    "cdf.quantile": lambda: (released("cdf").dp.quantile, {}),
}
OF_TABLES = ("validate", "unit", "roster", "one_row", "max_rows", "design", "complete", "rows")


def arguments(name: str, ask: Callable[..., Any], given: dict[str, Any]) -> list[str]:
    if name == "protect":
        return list(OF_TABLES)
    own = [each.name for each in signature(ask).parameters.values() if each.kind not in (2, 4)]
    own = own[: own.index("delta")] if "delta" in own and name != "Session" else own  # keywords of every question
    return [*own, "numeric_only", "note"] if given.get("epsilon") and name != "Session" else own


@pytest.mark.parametrize("name", ASKS)
def test_odd_arguments_are_refused_in_a_sentence_and_unpaid(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mine, column, theirs, _ = tables()
    ask, given = ASKS[name]()
    wrong = []
    for argument in arguments(name, ask, given):
        for kind in odd(column["x"]):
            paid = mine.share_used, theirs.share_used
            try:
                ask(**{**given, argument: odd(column["x"])[kind]})
            except PrivacyError as error:
                if isinstance(error, AnswerLost) or paid != (mine.share_used, theirs.share_used):
                    wrong.append((argument, kind, "paid"))
            except Exception as error:  # noqa: BLE001 - any other is a mistake
                wrong.append((argument, kind, repr(error)[:120]))
    assert wrong == []


def test_an_error_that_no_argument_made_stays_what_it_is() -> None:
    @read_by_signature
    def fails(times: int, names: list[str], anything: Any = None) -> None:
        raise KeyError("of its own")

    with pytest.raises(KeyError, match="of its own"):
        fails(1, ["a"], {"k": [1.5, None]})
    for given, said in [
        ((0.5, []), "times must be a whole number, not 0.5."),
        ((1, "a"), "names must be a list, not 'a'."),
        ((1, [], 1j), "anything must be what help(fails) says of it, not a complex."),
        ((1, range(10**12)), "names must hold at most 1,000,000 values; the range that was given has more."),
    ]:
        with pytest.raises(UnsupportedArgument) as caught:
            fails(*given)
        assert str(caught.value) == said
        assert caught.value.__context__ is None


def test_flags_are_true_or_false_wherever_they_are_given() -> None:
    @read_by_signature
    def asked(name: str, pooled: bool = False) -> bool:
        return pooled

    assert asked("a", True) is True
    for ask in (lambda: asked("a", 1), lambda: asked("a", pooled=1)):  # type: ignore[arg-type]
        with pytest.raises(UnsupportedArgument, match=r"^pooled must be True or False, not 1\.$"):
            ask()


@pytest.mark.parametrize("written", ["to_html", "to_markdown", "to_latex", "to_excel"])
def test_nothing_is_written_over_a_ledger_or_into_an_open_file(written: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger.xlsx"
    with pdp.Session(epsilon=10, ledger=path) as session:
        release = session.protect(pd.DataFrame({"x": [1, 2]}))["x"].dp.sum(bounds=(0, 3), epsilon=1)
    before = path.read_bytes()
    for given in (path, 1, tmp_path, tmp_path / "none" / "x.xlsx", "q" * 400):
        with pytest.raises(UnsupportedArgument, match=r"^path"):
            getattr(release.dp, written)(given)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("*".join(f"x{at}" for at in range(25)), None),
        (f"({'+'.join(f'x{at}' for at in range(25))})**25", None),
        (":".join(["(a + b + c)"] * 30), None),
        ("a**99999999", None),
        (f"({'+'.join(f'x{at}' for at in range(25))})**2", 325),
        ("a*b*c - a:b:c", 6),
    ],
)
def test_products_in_a_formula_are_counted_before_they_are_written_out(
    written: str, terms: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from formulaic.parser import DefaultFormulaParser

    parsed, get_terms = [], DefaultFormulaParser.get_terms
    monkeypatch.setattr(DefaultFormulaParser, "get_terms", lambda *given: parsed.append(given) or get_terms(*given))
    if terms is None:
        with pytest.raises(UnsupportedArgument, match=r"products of more than 50,000 terms"):
            formula_of("ols", f"y ~ {written}")
    else:
        assert len(formula_of("ols", f"y ~ {written}").terms) == terms
    assert len(parsed) == (terms is not None)
