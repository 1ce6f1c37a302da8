"""What can fail from public facts alone fails before it is paid: questions at the ends of what they take."""

from __future__ import annotations

import builtins
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.budget.cost import parse
from pandas_dp.core.door import keywords
from pandas_dp.core.schema.bounds import LARGEST, NARROWEST
from pandas_dp.core.session.refusals import LEAST, MOST
from pandas_dp.errors import AnswerLost, BadCost, PrivacyError
from tests.refusals import refused

from .questions import QUESTIONS, Schema, normal, open_session

ROOT = Path(__file__).parents[2]

FAR, NEAR = float(LARGEST), float(NARROWEST)
ENDS = {"far": (-FAR, FAR), "far and near": (FAR * (1 - 2**-50), FAR), "near": (0.0, NEAR), "declared": None}
COSTS: dict[str, dict[str, Any]] = {
    "least epsilon": {"epsilon": LEAST},
    "least rho": {"rho": LEAST**2},
    "most epsilon": {"epsilon": MOST},
    "most rho": {"rho": MOST**2},
    "least delta": {"epsilon": 1, "delta": 1e-100},
}
SETTINGS = {
    "all at once": ("least epsilon", "far", 12, 1 - keywords.SURE),
    "all at once in rho": ("least rho", "far", 1, keywords.SURE),
    "much of little": ("most epsilon", "near", 0, keywords.SURE),
    "much of little in rho": ("most rho", "near", 2, 1 - keywords.SURE),
    "floats side by side": ("least delta", "far and near", 3, 0.95),
    "nobody": ("least rho", "declared", 0, 0.95),
    "one": ("least epsilon", "declared", 1, 0.95),
}


def schema(ends: tuple[float, float] | None) -> Any:
    """Numbers between these ends, and all else as before."""
    declared = dict(Schema.to_schema().columns)
    if ends is not None:
        within = pa.Check.in_range(*ends)
        declared |= {name: pa.Column(float, within, nullable=name == "y") for name in ("x", "y", "z", "odd")}
    return pa.DataFrameSchema(declared)


SCHEMAS = {name: schema(ends) for name, ends in ENDS.items()}


def asked(name: str, frame: pd.DataFrame, session: pdp.Session) -> None:
    """Answered, or refused while nothing is paid. A question of two parts may be refused at its second, when the first
    is answered."""
    try:
        QUESTIONS[name](frame)
    except AnswerLost:
        raise
    except PrivacyError:
        assert session.ledger.empty or TWO_PARTS.intersection(name.split(".")[1].split(" ")), "paid, then refused"
    except ValueError:
        assert session.ledger.empty


TWO_PARTS = {"standardize", "minmax", "winsorize", "fillna", "qcut", "rank", "target_encode", "kmeans"}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("public", SETTINGS)
def test_a_question_at_the_ends_of_what_it_takes(public: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cost, ends, rows, confidence = SETTINGS[public]
    typed = {"epsilon": None, "delta": None, "rho": None, **COSTS[cost]}

    def as_extreme(**given: Any) -> Any:
        return parse(**(typed if any(each is not None for each in given.values()) else given))

    monkeypatch.setattr(keywords, "parse", as_extreme)
    monkeypatch.setitem(keywords.USUAL, "confidence", confidence)
    cap = {"rho": 1e100} if "rho" in typed and typed["rho"] is not None else {"epsilon": 1e100, "delta": 0.5}
    with pdp.Session(**cap, schema=SCHEMAS[ends], custodian=True) as session:
        asked(name, session.protect(normal(max(rows, 1)).iloc[:rows]), session)


# -- what is not installed

REQUIRED = {"numpy", "pandas", "scipy", "pandera"}


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_answer_needs_a_package_that_may_be_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is optional is as if it were not installed, in all that the library imports while it is asked."""
    given = builtins.__import__

    def imported(module: str, names: Any = None, *rest: Any, **more: Any) -> Any:
        ours = str((names or {}).get("__name__", "")).startswith("pandas_dp")
        top, level = module.partition(".")[0], rest[2] if len(rest) > 2 else more.get("level", 0)
        if ours and not level and top not in sys.stdlib_module_names and top not in REQUIRED:
            raise ImportError(f"no module {top}")
        return given(module, names, *rest, **more)

    with open_session() as session:
        frame = session.protect(normal())
        monkeypatch.setattr(builtins, "__import__", imported)
        asked(name, frame, session)


def test_required_packages_are_those_that_the_library_imports_at_once() -> None:
    """So one that is missing is told then, and not behind a charge. Who declares a schema has imported pandera."""
    said = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert {re.match(r"\w+", each)[0] for each in said} == REQUIRED
    code = "import sys, pandas_dp; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(pdp.__file__).parents[1], check=True
    )
    assert set(found.stdout.split()) >= REQUIRED - {"pandera"}


def test_limits_of_a_question_are_told_before_it_is_paid() -> None:
    with pdp.Session(epsilon=1e100, schema=Schema) as session:
        frame = session.protect(normal())
        for case, cost in {"too little": LEAST / 2, "too much": MOST * 2}.items():
            with refused(BadCost, case):
                frame["x"].dp.sum(epsilon=cost)
        with refused(pdp.errors.BadArgument, "too sure"):
            frame["x"].dp.sum(epsilon=1, confidence=1 - 1e-12)
        assert session.ledger.empty


@pytest.mark.parametrize("stages", [3, "adaptive"])
def test_a_synthesis_in_which_nothing_is_left_to_measure_is_answered(stages: Any) -> None:
    """Everybody knows the tables of one key, and those of two have no room."""
    names, r = [f"v{number}" for number in range(1_100)], np.random.default_rng(0)
    data = pd.DataFrame({key: r.choice(names, 2_000) for key in "ab"})
    public = [data[key].value_counts().reindex(names, fill_value=0).rename_axis(key) for key in "ab"]
    with pdp.Session(rho=2) as session:
        frame = session.protect(data)
        found = frame.dp.synthesize(categories={"a": names, "b": names}, public_tables=public, stages=stages, rho=1)
        assert found.table(["a"])["count"].sum() == pytest.approx(2_000)
