"""Where a session keeps its budget, and under which terms: what was typed, read and checked once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from ..cost import Approximate, Cost, exact, parse
from ..errors import BadCost, UnsupportedArgument, shown, wrong_value
from ..ledger import PERIODS, SET_ASIDE, Ledger, Terms, length_of, open_ledger
from ..ledger.address import is_address
from ..reading import a_path
from .opening import Opening

CALENDAR = ("A-DEC", "Y-DEC", "Q-DEC", "M", "D")  # of pandas, whose names say what they are


def kept_in(opening: Opening, ledger: object, aside: object, period: object, overall: object) -> Ledger:
    """The ledger of a session that is opened so, new or continued."""
    share = read_aside(aside, opening.cap)
    place, (name, length) = read_path(ledger), read_period(period, ledger)
    terms = Terms(
        opening.cap,
        opening.relation.value,
        opening.models,
        opening.unit,
        aside=share,
        period=length,
        overall=read_overall(overall, opening.cap, length),
    )
    return open_ledger(place, terms, name)


def read_aside(aside: object, cap: Cost) -> Fraction:
    """The share of a delta that is kept for prices without a curve."""
    share = exact(aside, "aside")
    if share >= 1:
        raise BadCost(f"aside is a share of delta, more than 0 and less than 1, not {shown(aside)}.")
    if share != SET_ASIDE and not isinstance(cap, Approximate):
        raise UnsupportedArgument(
            "aside= says which part of a delta is kept for releases with a delta of their own; a session with "
            f"the cap {cap} keeps none, so leave it out.",
            argument="aside",
        )
    return share


def read_path(ledger: object) -> str | os.PathLike[str] | None:
    if ledger is not None and not isinstance(ledger, str | os.PathLike):
        raise wrong_value("ledger", "be the path of a file or the address of a database", ledger)
    if ledger == ":memory:":  # as SQLite calls it, and a file here
        raise UnsupportedArgument(
            "ledger=':memory:' would make a file of that name; a session without ledger= keeps its budget in memory, "
            "so leave it out.",
            argument="ledger",
        )
    return ledger if ledger is None or is_address(ledger) else a_path("ledger", ledger)


def read_period(period: object, ledger: object) -> tuple[str | None, str | None]:
    """The name of a period and how long it is, None twice where there is one budget for ever."""
    if period is None:
        return None, None
    name = _spelled(period) if isinstance(period, pd.Period) else period
    length = length_of(name) if isinstance(name, str) else None
    if length is None:
        raise wrong_value("period", f"be spelled as {PERIODS}", period)
    if ledger is None:
        raise UnsupportedArgument(
            "period= names one of several budgets in one ledger, and a session without ledger= has a ledger of its "
            "own; give a file or a database.",
            argument="period",
        )
    return str(name), length


def _spelled(period: pd.Period) -> object:
    """Of a calendar year, quarter, month or day, and of a week from Monday to Sunday; any other as it is."""
    if period.freqstr == "W-SUN":
        return period.start_time.strftime("%G-W%V")
    return str(period) if period.freqstr in CALENDAR else period


def read_overall(overall: object, cap: Cost, period: str | None) -> Cost | None:
    """The cap over all periods, of the kind of each period's own."""
    if overall is None:
        return None
    if period is None:
        raise UnsupportedArgument(
            "overall= caps what all periods spend together, and this session names none; pass period= too, or leave "
            "it out.",
            argument="overall",
        )
    least = {name: value for name, value in cap.to_json().items() if value}
    given = overall if isinstance(overall, Mapping) else {next(iter(least)): overall}
    if set(given) != set(least):
        example = ", ".join(f"{name!r}: {12 * value:g}" for name, value in least.items())
        raise wrong_value("overall", f"say what the cap says, {cap}, e.g. {{{example}}}", overall)
    found = parse(**given)
    assert found is not None
    if any((found.to_json()[name] or 0) < value for name, value in least.items()):
        raise BadCost(f"overall={found} is less than the cap of one period, {cap}.")
    return found
