"""What a user may write behind a question, read once: privacy arguments, declarations, bins, and pandas' own."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, cleandoc, signature
from itertools import pairwise
from typing import Any, TypedDict

import numpy as np
import pandas as pd

from ...errors import BadBounds, BadCost, PrivacyError, UnsupportedArgument, shown, wrong_value
from ...keys.label import listed
from ...numeric.ask_keywords import OF_A_BOOTSTRAP, as_typed, is_private, read_bootstrap
from ...people.ask import OF_PEOPLE, read_people
from ...surveys.schema import REPLICATES
from ..arguments import (
    a_flag,
    a_number,
    as_door,
    by_the_shortest_way,
    is_number,
    is_whole,
    read_by_signature,
    read_note,
    refuse_missing,
)
from ..budget.cost import parse
from ..lazy_import import named as named_lazily
from ..neighbours import PerPerson
from ..noise.averaged import AveragedLaplace
from ..noise.mechanism import Additive
from ..noise.perturbation import Perturbation
from ..plan.plan import Request
from ..promise import Option
from ..promise_registry import every_option
from ..protect.mark import source_of
from ..schema.bounds import exact
from ..schema.schema import Domain
from ..schema.values import Interval
from .hints import about_argument


def read_options(given: dict[str, Any]) -> dict[str, Any]:
    """Takes them out of the keywords that were given; those that say what is usual anyway are as good as not given."""
    read = {name: _read(option, given.pop(name)) for name, option in every_option().items() if name in given}
    return {name: value for name, value in read.items() if every_option()[name].differs(value)}


def _read(option: Option, value: Any) -> Any:
    if option.is_rows and value is not None and not isinstance(value, pd.DataFrame | pd.Series):
        raise wrong_value(option.name, "be a DataFrame of further rows", value)
    return option.read(value)


class Keywords(TypedDict, total=False):
    """The keywords that every question takes.

    Parameters
    ----------
    epsilon, delta, rho : float
        The cost; without any, a tenth of the cap is spent, or what the session's `per_query=` says.
    width : float
        In place of a cost, how wide the interval may be because of the noise; the least cost that buys it is paid.
    model : str
        "dp", or where the session promises it "idp" or "bdp".
    mechanism : str
        "auto", "laplace", "gaussian", "averaged-laplace"; for counts also "truncated-laplace", "truncated-normal",
        "hellinger", or one of `pdp.mechanisms` with its parameters; of quantiles "auto", "exponential", "smooth",
        "cauchy", "student", "laplace".
    draws : int
        How many draws averaged-laplace averages, an odd number; 5 unless given.
    confidence : float
        Of the intervals shown.
    bootstrap : int
        How many replicates; the interval is then for the population.
    resample : str
        How these are made: "moments", "weights", "half-sample", "multinomial".
    variance : str
        That of replicates: "unbiased", "conservative", "most".
    alpha : float
        The chance that the conservative variance is too small.
    bounds : pair, or mapping from column to pair
        (lower, upper), for what the schema does not say; also what choose_bound or choose_bounds released. For the
        mean of a column "private": a share of the cost chooses them inside of those in the schema.
    resolution : number or duration, or mapping from column to such
        In which steps the values of a column are read, for what the schema does not say. Needed where a range is
        declared far wider than the values spread: ranks have some 2**20 steps over the range, and under "bdp" and
        "idp" no noise is less than that of a row moved by one of these.
    categories : list, or mapping from key to list
        Likewise; a release of found keys is such a list, and value_counts finds them itself with "unknown".
    other : bool
        True adds a cell for rows whose key is none of its categories.
    weights : str or Series
        A column of survey weights, by its name or as a Series of the same table: means, sums, shares and counts are
        then weighted, with errors by the design; None asks about the rows as they are where the table has a design.
    numeric_only : bool
        True leaves out the columns of a table that have no declared range.
    max_rows : int
        Under a unit, how many rows of one person count: those of a person who has more weigh less.
    count, max_cells : "people", int
        "people" counts people in place of rows, each in max_cells cells in full; who is in more weighs less in each.
    per_person : pair
        (lower, upper), to which the sum of one person's rows is clamped.
    max_values : int
        How many different values of one person count.
    group : int
        Under "idp", how many rows are hidden together.
    floor : float
        Under "idp" and "bdp", 0 lets the noise vanish where the data say so; otherwise it never does.
    cells : str
        Under "bdp", "public" where everyone knows in which cell each row is.
    scale : str
        Under "bdp", how the noise of a table of sums is scaled: "auto", "i", "ii", "iii", "iv".
    further_rows : DataFrame
        Under "bdp", a table of further rows that might have been there.
    note : str
        Why it is asked, which rows a filter kept, or whatever else a reader of label and ledger should know. It is kept
        as it is written: nothing from the data belongs in it.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> keywords = {"epsilon": 1, "bounds": (0, 100), "confidence": 0.9}
    >>> people["age"].dp.mean(**keywords).dp.metadata["confidence"]
    0.9
    """

    epsilon: float | None
    delta: float | None
    rho: float | None
    width: float | None
    model: str
    mechanism: str | Additive | Perturbation
    draws: int
    confidence: float
    bootstrap: int | None
    resample: str
    variance: str
    alpha: float
    bounds: Any
    resolution: Any
    categories: Any
    other: bool
    weights: Any
    numeric_only: bool
    max_rows: int | None
    max_cells: int | None
    count: str
    per_person: Any
    max_values: int | None
    group: int
    floor: float | None
    cells: str
    scale: str
    further_rows: Any
    note: str | None


USUAL = {"model": "dp", "mechanism": "auto", "confidence": 0.95, "other": False, "numeric_only": False}
_KEYWORDS = [
    Parameter(name, Parameter.KEYWORD_ONLY, default={**USUAL, "weights": ...}.get(name))
    for name in Keywords.__annotations__
]


class Questions:
    """Each question's help says where its keywords are explained; a cost without its name is told how to give it."""

    def _answered(self, answer: Any) -> Any:
        """The answer as it is handed out."""
        return answer

    def __init_subclass__(cls) -> None:
        for name, member in list(vars(cls).items()):
            if {"keywords", "named"} & {*getattr(member, "__annotations__", {})} and not name.startswith("_"):
                member.__doc__ = f"{cleandoc(member.__doc__)}\n\n{NAMED}"
                setattr(cls, name, _by_name(read_by_signature(member, Keywords)))


def _by_name(question: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse more arguments without a name than the question has, most likely a cost, and names that it has not."""
    written = signature(question)
    kinds = [each.kind for each in written.parameters.values()]
    most = kinds.count(Parameter.POSITIONAL_OR_KEYWORD) - 1  # self
    _, *taken = [each for each in written.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    own = [each.name for each in taken]
    known, needs_some = READ.union(own), any(each.default is Parameter.empty for each in taken)
    names_more = "named" in written.parameters  # it says itself what it does not know

    @wraps(question)
    def asked(self: Any, *given: Any, **named: Any) -> Any:
        try:
            if len(given) > most:
                takes = f"at most {most} argument{'s' * (most > 1)}" if most else "no argument"
                raise UnsupportedArgument(
                    f"{question.__name__} takes {takes} without a name; say the cost by name, e.g. "
                    f"{question.__name__}(epsilon=0.5)."
                )
            if not names_more and not named.keys() <= known:
                odd = next((name for name in named if name not in known and not is_read(name)), None)
                if odd is not None:
                    raise unknown(question.__name__, odd, own)
            if needs_some:
                refuse_missing(question.__name__, written, given, named)
            held = vars(self)
            if source_of(held.get("_frame", held.get("_series"))) is not None:
                named_lazily("recording.seen:refuse_read")(question.__name__, held.get("_name", "x"), own, given, named)
            return self._answered(question(self, *given, **named))
        except PrivacyError as refusal:
            raise by_the_shortest_way(refusal, question.__name__) from refusal.__cause__

    setattr(asked, "__signature__", _in_full(written))  # noqa: B010 - functions declare no such attribute
    return as_door(asked)


def _in_full(written: Signature) -> Signature:
    """The signature with each keyword by its name, as notebooks show and complete it."""
    own = [each for each in written.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    named = {each.name for each in own}
    return written.replace(parameters=own + [each for each in _KEYWORDS if each.name not in named])


UNSAID = object()
SURE = 1e-9  # the least risk of an interval
COMMON = (
    "a cost (epsilon, delta, rho or width), bounds, categories, confidence, note and more: help(pandas_dp.Keywords)"
)
NAMED = "epsilon=, bounds=, model=, mechanism= and the other keywords: see help(pandas_dp.Keywords)."

# pandas' arguments that change nothing when they say what the library does anyway
HONOURED: dict[str, tuple[Any, ...]] = {
    "axis": (0, "index", None),
    "skipna": (True,),
    "dropna": (True,),
    "sort": (False, True),
    "observed": (False, True),
    "interpolation": ("linear", "nearest", "lower", "higher", "midpoint"),
    "min_periods": (None,),
    "method": ("pearson",),
    "fill_value": (None, 0, 0.0),
    "min_count": (0,),
    "group_keys": (True,),
}
AMPLIFIED = (
    "sampling adds to privacy only where the draw is secret, fresh and never told, of which a table says nothing; the "
    "guarantee is that of the rows that were sampled"
)
REASONS = {
    "method": "corr is Pearson's; for Spearman's rank the columns first, df.dp.rank([...]), and ask corr of these; how "
    "replicates are made is resample=, how a table under bdp is scaled is scale=",
    "axis": "statistics run down the columns, over people",
    "skipna": "missing values are dropped, or count as the middle of a range that was declared without them",
    "dropna": "a row without a declared category is in no cell; other=True gives all such rows one",
    "interpolation": "a quantile is a point of the declared grid",
    "repweights": REPLICATES,
    "replicate_weights": REPLICATES,
    "sampling_rate": AMPLIFIED,
    "sampling_fraction": AMPLIFIED,
    "random_state": "noise comes from the operating system",
    "seed": "noise comes from the operating system",
    "once": "session.publish(name, lambda: ...) publishes any question once, and finds it again",
}


ALL_SHOWN = "observed= leaves no cell out: which ones the data hold is private, so all that were declared are shown."


READ = frozenset({*Keywords.__annotations__, *HONOURED, *REASONS})
"""Keywords of every question, and those of pandas' that are honoured or refused with their reason."""


@dataclass(frozen=True)
class Read:
    """The keywords of one question, as values."""

    request: Request
    bounds: Any
    categories: Any
    other: bool
    numeric_only: bool
    resolution: Any = None
    people: PerPerson | None = None
    weights: Any = UNSAID  # None asks for none, also where the table has a design
    private: bool = False  # whether bounds are chosen on the way


def read(statistic: str, keywords: Keywords) -> Read:
    """Convert and check them; nothing has been looked at."""
    given: dict[str, Any] = {**keywords}
    typed, take = keywords.keys(), given.pop
    epsilon, delta, rho, width = take("epsilon", None), take("delta", None), take("rho", None), take("width", None)
    bounds, categories, resolution = take("bounds", None), take("categories", None), take("resolution", None)
    model, mechanism, draws = take("model", USUAL["model"]), take("mechanism", USUAL["mechanism"]), take("draws", None)
    confidence, note, weights = take("confidence", USUAL["confidence"]), take("note", None), take("weights", UNSAID)
    flags = {name: take(name, USUAL[name]) for name in ("other", "numeric_only")}
    bootstrap = read_bootstrap(given) if typed & OF_A_BOOTSTRAP else None
    options = read_options(given) if given else {}
    people = read_people(statistic, given) if typed & OF_PEOPLE else None
    if note is not None:
        read_note(note)
    for name, value in given.items():
        _honour(statistic, name, value)
    remarks = (ALL_SHOWN,) if given.get("observed") is True else ()
    cost = parse(epsilon=epsilon, delta=delta, rho=rho)
    if cost is not None and width is not None:
        raise BadCost("width and a cost were both given; give one of them.")
    if not isinstance(model, str):
        raise wrong_value("model", "be a name", model)
    if not isinstance(mechanism, str | Additive | Perturbation):
        raise wrong_value("mechanism", "be a name", mechanism)
    for name, flag in flags.items():
        if name in typed:
            a_flag(name, flag)
    made = mechanism if draws is None else _averaged(draws, mechanism)
    categories = None if categories is None else listed(categories)
    level = _level(confidence) if "confidence" in typed else confidence
    request = Request(cost, width, model, made, level, bootstrap, options, note, remarks)
    private = bounds is not None and is_private(bounds)
    bounds = None if private or bounds is None else as_typed(bounds)
    return Read(
        request, bounds, categories, **flags, resolution=resolution, people=people, weights=weights, private=private
    )


def _level(confidence: object) -> float:
    """Not so near to an end that the risk of one of many numbers is none in floats."""
    level = a_number("confidence", confidence, 0, 1)
    if not SURE <= level <= 1 - SURE:
        raise wrong_value("confidence", f"lie between {SURE:g} and {1 - SURE:.9f}", confidence)
    return level


def is_read(name: str) -> bool:
    """Whether it is a keyword of every question, or one of pandas' that is honoured or refused with its reason."""
    return name in READ or name in every_option()


def unknown(question: str, name: str, own: Sequence[str] = (), common: str = COMMON) -> UnsupportedArgument:
    """The refusal of a name that a question does not have, with its own ones."""
    hint = about_argument(name, [*own, *Keywords.__annotations__], question)
    takes = ", ".join([*own, common])
    return UnsupportedArgument(f"{question} has no argument {name!r}{hint}; it takes {takes}.", argument=name)


def _honour(statistic: str, name: str, value: Any) -> None:
    if not is_read(name):
        raise unknown(statistic, name)
    if not any(type(value) is type(able) and value == able for able in HONOURED.get(name, ())):
        reason = REASONS.get(name, "only its default is offered")
        given = shown(value)
        raise UnsupportedArgument(
            f"{statistic} cannot honour {name}={given}: {reason}."
            if isinstance(value, str | int | float | None)
            else f"{statistic} cannot honour {name}= with {given}: {reason}.",
            argument=name,
        )


def _averaged(draws: object, mechanism: object) -> AveragedLaplace:
    """What `mechanism="averaged-laplace", draws=9` is short for."""
    made = AveragedLaplace(draws)  # type: ignore[arg-type]
    if mechanism != made.name:
        raise UnsupportedArgument(f"draws= belongs to mechanism={made.name!r}; leave it out.", argument="draws")
    return made


MOST_BINS = 10**7  # that one table may have
EDGES = "edges of bins must be two or more finite numbers that rise."
EDGES_OF_TIMES = "edges of bins must be two or more times that rise."
TIMES = ("datetime", "timedelta")


def edges_of(domain: Domain, column: Hashable, bins: Any, most: int = MOST_BINS) -> tuple[float, ...]:
    """The edges, as in numpy: a number of equal bins over the range, or the edges themselves.

    Of times also the name of a frequency, such as "MS" for months: calendar edges that cover the declared range.
    """
    interval = domain.interval(column, "histogram")
    if interval.kind == "datetime" and isinstance(bins, str):
        bins = _calendar(interval, bins)
    if not is_whole(bins) and (isinstance(bins, bool) or np.ndim(bins) != 1):
        raise BadBounds(f"bins must be a whole number or a list of rising edges, not {shown(bins)}.")
    if is_whole(bins):
        if not 1 <= bins <= most:
            raise BadBounds(f"bins must be from 1 to {most:,}, not {bins}.")
        return tuple(np.linspace(float(interval.lower), float(interval.upper), int(bins) + 1).tolist())
    return rising(as_numbers(interval, list(bins), column), EDGES if interval.kind not in TIMES else EDGES_OF_TIMES)


def as_numbers(interval: Interval, edges: list[Any], column: Hashable) -> list[Any]:
    """Points in time and lengths in nanoseconds, as the range has them; other edges as they are."""
    if interval.kind not in TIMES:
        return edges
    return [float(exact(edge, interval.kind, column, interval.tz)) for edge in edges]


def _calendar(interval: Interval, frequency: str) -> list[pd.Timestamp]:
    """Edges of a calendar around a range, from the declaration alone."""
    ends = [pd.Timestamp(int(end), unit="ns", tz=interval.tz and "UTC") for end in (interval.lower, interval.upper)]
    low, high = (end.tz_convert(interval.tz) if interval.tz else end for end in ends)
    try:
        step = pd.tseries.frequencies.to_offset(frequency)
        assert step is not None
        first = step.rollback(low.normalize()) if low.normalize() <= low else low
        edges = pd.date_range(first, high, freq=step, unit="ns")
    except (ValueError, TypeError, AttributeError):
        raise BadBounds(
            f"bins={shown(frequency)} is no frequency of a calendar; use e.g. 'D', 'W', 'MS', 'QS' or 'YS', a whole "
            "number, or a list of edges."
        ) from None
    last = edges[-1] + step
    return [*edges, *([last] if edges[-1] <= high else [])]


def rising(edges: list[Any], otherwise: str = EDGES) -> tuple[float, ...]:
    numbers = [edge for edge in edges if is_number(edge)]
    finite = len(numbers) == len(edges) and all(map(math.isfinite, numbers))
    if not finite or len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
        raise BadBounds(otherwise)
    return tuple(float(edge) for edge in edges)


def read_bins(statistic: str, given: Any, keys: Collection[Hashable]) -> dict[Hashable, Any]:
    """The bins of keys that are numbers, by key."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not given:
        raise wrong_value("bins", 'map keys that are numbers to their bins, e.g. {"age": 10}', given)
    if not all(key in keys for key in given):
        raise UnsupportedArgument(
            f"bins= of {statistic} names something that is no key of its tables; name keys alone.", argument="bins"
        )
    return dict(given)
