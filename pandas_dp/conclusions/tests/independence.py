"""Tests of independence, and of other log-linear models, on a released table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pandas as pd

from ...errors import BadArgument, NotConcluded, wrong_value
from ...reading import one_of, whole_number
from ..guaranteed import guaranteed
from ..results import TestResult
from .counted import Counted, counted
from .likelihood import REPLICATES, Likelihood, Tested, model_tests
from .loglinear import Margins, freedom, freedom_within, independence

Seed = int | np.random.Generator | None
MOST_REPLICATES = 100_000


@guaranteed
def independence_test(frame: pd.DataFrame, likelihood: str, pvalue: str, replicates: int, seed: Seed) -> TestResult:
    """Whether the keys of the table are independent of one another."""
    table = counted(frame)
    _needs_two_keys(table)
    hypothesis = " and ".join(table.keys) + " are independent"
    if table.possible is not None:
        hypothesis += " where both can be"
        if not degrees(table, independence(len(table.keys))):
            raise NotConcluded("so few cells can be that independence of the keys fits every table.")
    return _tested(table, independence(len(table.keys)), hypothesis, likelihood, pvalue, replicates, seed)


@guaranteed
def log_linear_test(
    frame: pd.DataFrame, margins: Sequence[str | Sequence[str]], pvalue: str, replicates: int, seed: Seed
) -> TestResult:
    """Whether no interaction is needed but those within the given margins."""
    table = counted(frame)
    _needs_two_keys(table)
    read = _read_margins(table, margins)
    if not degrees(table, read):
        raise NotConcluded("these margins leave nothing to test: the model fits every table.")
    hypothesis = "log-linear model " + ", ".join("×".join(table.keys[axis] for axis in margin) for margin in read)
    return _tested(table, read, hypothesis, "noisy", pvalue, replicates, seed)


def degrees(table: Counted, margins: Margins) -> int:
    """The degrees of freedom, with regard to impossible cells."""
    if table.possible is None:
        return freedom(table.counts.shape, margins)
    return freedom_within(table.possible, margins)


def _tested(
    table: Counted, margins: Margins, hypothesis: str, likelihood: str, pvalue: str, replicates: int, seed: Seed
) -> TestResult:
    one_of("likelihood", likelihood, ("noisy", "naive"))
    bootstrap = read_pvalue(pvalue)
    read_replicates(replicates)
    found = model_tests(
        table.counts[np.newaxis],
        table.law,
        margins,
        likelihood=cast(Likelihood, likelihood),
        bootstrap=bootstrap,
        replicates=replicates,
        rng=table.rng(seed),
        possible=table.possible,
    )
    return TestResult(
        float(found.statistic[0]),
        float(found.pvalue[0]),
        found.df,
        hypothesis,
        f"{_NAMES[likelihood]}; p value from {_calibration(found, replicates)}",
        _noise(table, likelihood, found),
        table.as_table(found.expected[0]),
    )


_NAMES = {"noisy": "likelihood ratio of Poisson counts behind noise", "naive": "likelihood ratio as if without noise"}


def _calibration(found: Tested, replicates: int) -> str:
    return f"a parametric bootstrap of {replicates} tables" if found.bootstrapped else "the chi-square law"


def _noise(table: Counted, likelihood: str, found: Tested) -> str:
    if likelihood == "noisy":
        return table.noise
    return f"ignored by the statistic, {table.noise} by the p value" if found.bootstrapped else "IGNORED"


def _needs_two_keys(table: Counted) -> None:
    if len(table.keys) < 2:
        raise NotConcluded(
            "a test of independence needs a table of two keys or more, each with two categories or more; "
            "ask for crosstab(index, columns), or test one key with goodness_of_fit."
        )


def _read_margins(table: Counted, margins: Sequence[str | Sequence[str]]) -> Margins:
    if isinstance(margins, str) or not isinstance(margins, Sequence) or not margins:
        raise wrong_value("margins", "be a list of keys or of pairs of keys", margins)
    named = [list(margin) if isinstance(margin, list | tuple) else [margin] for margin in margins]
    if not all(names and all(name in table.keys for name in names) for names in named):
        keys = ", ".join(map(repr, table.keys))
        raise BadArgument(f"margins name what is no key of this table; its keys are: {keys}.")
    return tuple(tuple(sorted({table.keys.index(name) for name in names})) for names in named)


def read_pvalue(pvalue: str) -> bool | None:
    """Whether to bootstrap; None leaves it to the table."""
    one_of("pvalue", pvalue, ("auto", "bootstrap", "asymptotic"))
    return {"auto": None, "bootstrap": True, "asymptotic": False}[pvalue]


def read_replicates(replicates: object) -> None:
    whole_number("replicates", replicates, 19, MOST_REPLICATES)


__all__ = ["REPLICATES", "Seed", "independence_test", "log_linear_test", "read_pvalue", "read_replicates"]
