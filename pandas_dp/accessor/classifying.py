"""`gam_classifier`: which terms its matrix has, from a formula or a list of columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadBounds, CostNotOffered, UnsupportedArgument, UnsupportedType, wrong_value
from ..reading import is_whole, whole_number
from ..release import Layout, Release
from ..session import Asked
from ..statistics import AdditiveClassification, GramTable, true_or_false
from ..tally import Hats, Levels, Number, Term
from .additive_terms import additive_terms
from .asking import Asking
from .counted_learning import check_plain
from .formula import formula_of
from .keywords import Keywords

MOST_COLUMNS, MOST_KNOTS = 512, 64


def gam_classifier(frame: pd.DataFrame, formula: Any, terms: Any, splines: Any, keywords: Keywords) -> Release:
    """One matrix, and what is fitted to it."""
    read = formula_of("gam_classifier", formula, terms)
    wanted = dict(additive_terms(read))
    if not wanted or len(wanted) < len(read.terms) or read.response in wanted:
        raise UnsupportedArgument(
            "gam_classifier takes one term or more, each column once, and not the one that it explains."
        )
    knots = _read_splines(splines, wanted)
    sorting = keywords.get("categories")
    sorted_by = [name for name in wanted if isinstance(sorting, Mapping) and name in sorting]
    asking = Asking(
        frame,
        "gam_classifier",
        keywords,
        columns=[read.response, *wanted],
        keys=sorted_by,
        sorts_by=("categories", "other"),
        counts_keys=True,
    )
    check_plain(asking)
    if asking.is_yes_or_no(read.response):
        response = true_or_false(read.response, asking.domain.may_lack(read.response))
    elif asking.domain.is_condition(read.response):
        response = asking.number(read.response)
    else:
        raise UnsupportedType(
            f"gam_classifier explains a column that is true or false, and {read.response!r} is declared otherwise; "
            f"make one, df.assign(yes=df[{read.response!r}] == value), or explain a number by moments(...).dp.gam.",
            column=read.response,
        )
    factors = {term[0].column: term[0] for term in read.terms}
    each: list[Term] = [Number(response)]
    each += [_term(asking, name, factors[name].levels, wanted[name] or terms is not None, knots) for name in wanted]
    columns = sum(len(term.columns) for term in each)
    if columns > MOST_COLUMNS:
        raise UnsupportedArgument(
            f"gam_classifier would have {columns} columns, one for each number, level and knot, and at most "
            f"{MOST_COLUMNS} are possible; use fewer knots.",
            columns=columns,
        )
    table = GramTable(tuple(each))
    _check_noise(asking, table)
    rows = pd.Index(["Intercept", *(column.name for term in each[1:] for column in term.columns)])
    return asking.release([Asked(None, AdditiveClassification(table))], Layout(rows, None, "measures"))


def _term(asking: Asking, name: Hashable, levels: bool, spline: bool, knots: Mapping[Hashable, Any]) -> Term:
    """A categorical where it is declared so or asked for, else hats or a straight line."""
    given = asking.read.categories
    forced = levels or (isinstance(given, Mapping) and name in given)
    if forced or asking.domain.is_listed(name) or not asking.domain.is_numeric(name):
        if spline and not forced and name in knots and asking.domain.is_numeric(name):
            return _hats(asking, name, knots[name])
        return Levels(asking.key(name))
    return _hats(asking, name, knots[name]) if spline else Number(asking.number(name))


def _hats(asking: Asking, name: Hashable, knots: Any) -> Hats:
    variable = asking.number(name)
    if is_whole(knots):
        ends = float(variable.interval.lower), float(variable.interval.upper)
        return Hats(variable, tuple(np.linspace(*ends, int(knots)).tolist()))
    numbers = [float(knot) for knot in knots]
    if not 2 <= len(numbers) <= MOST_KNOTS or not np.isfinite(numbers).all() or sorted(set(numbers)) != numbers:
        raise BadBounds(
            f"splines= takes a number of knots, or 2 to {MOST_KNOTS} rising ones, e.g. [18, 30, 45, 66].", column=name
        )
    return Hats(variable, tuple(numbers))


def _read_splines(given: Any, wanted: Mapping[Hashable, bool]) -> dict[Hashable, Any]:
    """The knots of each column, were it a spline."""
    if is_whole(given):
        return dict.fromkeys(wanted, whole_number("splines", given, 2, MOST_KNOTS))
    if not isinstance(given, Mapping):
        raise wrong_value("splines", "be a number of knots, or map columns to numbers or lists of them", given)
    odd = next((name for name in given if name not in wanted), None)
    if odd is not None:
        raise UnsupportedArgument(f"splines= names {odd!r}, which is no term of this classifier.", argument="splines")
    for name, knots in given.items():
        if is_whole(knots):
            whole_number(f"splines of {name!r}", knots, 2, MOST_KNOTS)
        elif isinstance(knots, str) or not hasattr(knots, "__len__"):
            raise wrong_value("splines", "map columns to numbers of knots or to lists of them", knots)
    return {**dict.fromkeys(wanted, 6), **given}


def _check_noise(asking: Asking, table: GramTable) -> None:
    """Laplace noise on so many sums would say nothing; how wide noise makes a classifier is not known."""
    if asking.read.request.width is not None:
        raise UnsupportedArgument(
            "width= needs a statistic whose noise is known in advance, and gam_classifier has no interval; give rho=.",
            argument="width",
        )
    foreseen: Any = asking.foreseen(Asked(None, GramTable(table.terms[:2])))  # the law is that of any matrix
    if not all(run.noise.gaussian for run in foreseen.runs):
        raise CostNotOffered(
            "gam_classifier takes Gaussian noise; ask with rho=, or with epsilon=, delta= and mechanism='gaussian'."
        )
