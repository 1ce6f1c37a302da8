"""Functions of the analyst keep nothing from row to row: what they capture is frozen, what keeps state is refused."""

from __future__ import annotations

import calendar
import contextlib
import datetime as dt
import decimal
import functools
import gc
import heapq
import io
import itertools
import math
import operator
import os
import random
import re
import string
import sys
import sysconfig
import time
import types
from bisect import bisect
from collections import Counter, defaultdict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import pandas as ours
from pandas_dp.errors import NotFollowed
from pandas_dp.recording.functions import frozen
from pandas_dp.recording.seen import seen

from . import cleaning

Made = Callable[[], Callable[..., Any]]
total = 0
kept: list[Any] = []
table = {"a": 1, "b": 2}
ROWS = ["b", "a", "b", "", "c", "a", "a b", "d"]


def outcomes(f: Callable[..., Any], rows: list[Any]) -> list[Any]:
    """What it gives for each row; what it raises is missing, as frozen functions have it."""
    found = []
    for row in rows:
        try:
            found.append(f(row))
        except Exception:  # noqa: BLE001 - whatever it raises
            found.append(None)
    return found


# -- what keeps state


def _setdefault() -> Any:
    codes: dict[Any, int] = {}
    return lambda v: codes.setdefault(v, len(codes))


def _set_of_seen() -> Any:
    seen: set[Any] = set()
    return lambda v: v in seen or seen.add(v)  # type: ignore[func-returns-value]


def _counter() -> Any:
    counter = itertools.count()
    return lambda v: next(counter)


def _growing() -> Any:
    grown: list[Any] = []

    def f(v: Any) -> Any:
        grown.append(v)
        return len(grown)

    return f


def _growing_in_silence() -> Any:
    grown: list[Any] = []

    def f(v: Any) -> Any:
        try:
            grown.append(v)
        finally:
            return len(grown)  # noqa: B012

    return f


def _nonlocal() -> Any:
    n = 0

    def f(v: Any) -> int:
        nonlocal n
        n += 1
        return n

    return f


def _nonlocal_deeper() -> Any:
    n = 0

    def f(v: Any) -> int:
        def add() -> int:
            nonlocal n
            n += 1
            return n

        return add()

    return f


def _global() -> Any:
    def f(v: Any) -> int:
        global total
        total += 1
        return total

    return f


def _default() -> Any:
    def f(v: Any, before: list[Any] = []) -> int:  # noqa: B006
        before.append(v)
        return len(before)

    return f


def _default_by_name() -> Any:
    def f(v: Any, *, before: dict[Any, int] = {}) -> int:  # noqa: B006
        before[v] = len(before)
        return before[v]

    return f


def _attribute() -> Any:
    box = types.SimpleNamespace(n=0)

    def f(v: Any) -> int:
        box.n += 1
        found: int = box.n
        return found

    return f


def _attribute_of_itself() -> Any:
    def f(v: Any) -> int:
        f.n = getattr(f, "n", 0) + 1  # type: ignore[attr-defined]
        found: int = f.n  # type: ignore[attr-defined]
        return found

    return f


class Numbering:
    n = 0
    kept: ClassVar[list[Any]] = []

    def __call__(self, v: Any) -> int:
        self.n += 1
        return self.n


def _attribute_of_a_class() -> Any:
    def f(v: Any) -> int:
        Numbering.n += 1
        return Numbering.n

    return f


def _nested() -> Any:
    held = {"in": [[0]]}

    def f(v: Any) -> int:
        held["in"][0][0] += 1
        return held["in"][0][0]

    return f


def _by_another_name() -> Any:
    grown: list[Any] = []

    def f(v: Any) -> int:
        other = grown
        other.append(v)
        return len(other)

    return f


def _helper() -> Any:
    grown: list[Any] = []

    def keep(v: Any) -> int:
        grown.append(v)
        return len(grown)

    return lambda v: keep(v) + 1


def _series() -> Any:
    counts = pd.Series(0, index=list("abcd"))

    def f(v: Any) -> Any:
        counts[v] += 1
        return counts[v]

    return f


def _series_that_grows() -> Any:
    counts = pd.Series(dtype=float)

    def f(v: Any) -> int:
        counts.loc[v] = 1.0
        return len(counts)

    return f


def _nullable_series() -> Any:
    counts = pd.Series(0, index=list("abcd"), dtype="Int64")

    def f(v: Any) -> Any:
        counts[v] += 1
        return counts[v]

    return f


def _values_of(dtype: str, one: Any, other: Any) -> Made:
    def make() -> Any:
        counts = pd.Series([one, other]).astype(dtype)

        def f(v: Any) -> Any:
            found = counts[0]
            with contextlib.suppress(Exception):
                counts.array[0] = counts.array[1]
            return found

        return f

    return make


def _by_an_operator() -> Any:
    codes: dict[Any, int] = {}

    def f(v: Any) -> int:
        class Leading:
            def __eq__(self, other: Any) -> bool:
                other[v] = len(other)
                return False

        return len(codes) + (codes == Leading())

    return f


def _annotations() -> Any:
    def f(v: Any) -> int:
        f.__annotations__[v] = 1
        return len(f.__annotations__)

    return f


def _frame() -> Any:
    known = pd.DataFrame({"k": list("ab"), "n": [0, 0]})

    def f(v: Any) -> Any:
        known.loc[known["k"] == v, "n"] += 1
        known[v] = 1
        return known["n"].sum(), known.shape[1]

    return f


def _lists_in_a_series() -> Any:
    grown = pd.Series([[], []], index=list("ab"))

    def f(v: Any) -> int:
        grown[v].append(v)
        return len(grown[v])

    return f


def _attrs() -> Any:
    holder = pd.Series([1.0])

    def f(v: Any) -> int:
        holder.attrs[v] = 1
        return len(holder.attrs)

    return f


def _array() -> Any:
    counts = np.zeros(1)

    def f(v: Any) -> float:
        counts[0] += 1
        return float(counts[0])

    return f


def _generator() -> Any:
    numbers = (each for each in range(100))
    return lambda v: next(numbers)


def _cache() -> Any:
    grown: list[Any] = []

    @functools.lru_cache
    def f(v: Any) -> int:
        grown.append(v)
        return len(grown)

    return f


def _how_often_a_cache_was_asked() -> Any:
    @functools.lru_cache
    def helper(v: Any) -> Any:
        return v

    return lambda v: (helper(v), helper.cache_info().misses)[1]


def _wrapped() -> Any:
    def wrapper(f: Callable[..., Any]) -> Callable[..., Any]:
        last: list[Any] = [None]

        @functools.wraps(f)
        def called(v: Any) -> Any:
            before, last[0] = last[0], v
            return before

        return called

    return wrapper(lambda v: v)


def _single_dispatch() -> Any:
    grown: list[Any] = []

    @functools.singledispatch
    def f(v: Any) -> int:
        grown.append(v)
        return len(grown)

    return f


def _ufunc() -> Any:
    codes: dict[Any, int] = {}
    return np.frompyfunc(lambda v: codes.setdefault(v, len(codes)), 1, 1)


KEEPING: dict[str, Made] = {
    "a list of a class": lambda: lambda v: (Numbering.kept.append(v), len(Numbering.kept))[1],  # type: ignore[func-returns-value]
    "a method by its name": lambda: (lambda own: lambda v: own.__call__(v))(Numbering()),
    "a function of a class": lambda: (lambda own: lambda v: Numbering.__call__(own, v))(Numbering()),
    "setdefault": _setdefault,
    "a set of what was seen": _set_of_seen,
    "next": _counter,
    "a list that grows": _growing,
    "a list that grows in silence": _growing_in_silence,
    "nonlocal": _nonlocal,
    "nonlocal, deeper": _nonlocal_deeper,
    "global": _global,
    "a default": _default,
    "a default by name": _default_by_name,
    "an attribute": _attribute,
    "an attribute of itself": _attribute_of_itself,
    "an attribute of a class": _attribute_of_a_class,
    "a list of a module": lambda: lambda v: (kept.append(v), len(kept))[1],  # type: ignore[func-returns-value]
    "a list in a dict": _nested,
    "a heap": lambda: (lambda heap: lambda v: heapq.heappush(heap, v) or heap[0])([]),
    "a list by another name": _by_another_name,
    "a helper": _helper,
    "a module of the analyst": lambda: lambda v: cleaning.numbered(v),
    "a function of a module": lambda: cleaning.numbered,
    "a callable object": Numbering,
    "a method": lambda: Numbering().__call__,
    "an unbound method, and a dict": lambda: functools.partial(dict.setdefault, {}, "k"),
    "a series": _series,
    "a series that grows": _series_that_grows,
    "a nullable series": _nullable_series,
    "a frame": _frame,
    "values of numbers": _values_of("int64", 1, 2),
    "values of nullable numbers": _values_of("Int64", 1, 2),
    "values of texts": _values_of("str", "a", "b"),
    "values of Python's texts": _values_of("string[python]", "a", "b"),
    "values of categories": _values_of("category", "a", "b"),
    "values of times": _values_of("M8[ns]", 1, 2),
    "values of lengths of time": _values_of("m8[s]", 1, 2),
    "an operator": _by_an_operator,
    "annotations": _annotations,
    "lists in a series": _lists_in_a_series,
    "attrs": _attrs,
    "an array": _array,
    "a generator": _generator,
    "iter": lambda: functools.partial(next, iter(range(99))),
    "zip": lambda: (lambda pairs: lambda v: next(pairs))(zip("abc", "def", strict=True)),
    "a file": lambda: (lambda file: lambda v: (file.write(str(v)), file.tell())[1])(io.StringIO()),
    "a cache": _cache,
    "how often a cache was asked": _how_often_a_cache_was_asked,
    "a wrapper": _wrapped,
    "singledispatch": _single_dispatch,
    "frompyfunc": _ufunc,
    "a deque": lambda: (lambda last: lambda v: (last.append(v), last[0])[1])(deque(maxlen=2)),  # type: ignore[func-returns-value]
    "a Counter": lambda: (lambda counts: lambda v: counts.update([v]) or counts[v])(Counter()),
    "a defaultdict": lambda: (lambda codes: lambda v: codes[v])((lambda d: d)(_numbering_dict())),
    "an import": lambda: _importing,
    "an import of numpy": lambda: _importing_numpy,
}
"""What gives for a row what it gives because of others, run as it is."""
REACHING: dict[str, Made] = {
    "a module as default": lambda: _random_by_default,
    "np.seterr": lambda: lambda v: np.seterr(divide="raise"),
    "seterr": lambda: np.seterr,
    "getcontext": lambda: decimal.getcontext,
    "pd.set_option": lambda: lambda v: pd.set_option("display.max_rows", 5),
    "a context of decimal": lambda: lambda v: decimal.getcontext().flags,
    "a calendar": lambda: lambda v: calendar.setfirstweekday(2),
    "np.random.seed": lambda: np.random.seed,
    "time": lambda: lambda v: time.time(),
    "time itself": lambda: time.perf_counter,
    "os.environ": lambda: lambda v: os.environ.setdefault("v", v),
    "sys": lambda: lambda v: sys._getframe(1).f_locals,
    "gc": lambda: lambda v: gc.get_objects(),
    "exec": lambda: lambda v: exec("global total; total = 1"),
    "eval": lambda: lambda v: eval("kept.append(v)"),
    "globals": lambda: lambda v: globals(),
    "open": lambda: lambda v: open("/tmp/x", "a"),  # noqa: SIM115
    "setattr": lambda: lambda v: setattr(math, "n", v),
    "__globals__": lambda: (lambda helper: lambda v: helper.__globals__)(lambda v: v),
    "__globals__ by name": lambda: (lambda helper: lambda v: getattr(helper, "__globals__"))(lambda v: v),  # noqa: B009
    "a module behind a module": lambda: lambda v: re.enum.sys.modules,  # type: ignore[attr-defined]
    "a library": lambda: lambda v: pytest.approx(v),
    "the house": lambda: lambda v: pdp.load_visits(),
    "a method of a list": lambda: [].append,
    "a method of a dict": lambda: {}.setdefault,
    "a method of a set": lambda: set().add,
    "np.vectorize": lambda: np.vectorize(lambda v: len(v)),
    "random": lambda: lambda v: random.random(),
    "a method of random": lambda: random.choice,
    "a generator of random numbers": lambda: (lambda rng: lambda v: rng.random())(np.random.default_rng(0)),
    "np.random": lambda: lambda v: np.random.rand(),  # noqa: NPY002
}
"""What would reach what keeps it."""


def _numbering_dict() -> Any:
    codes: defaultdict[Any, int] = defaultdict(lambda: len(codes))
    return codes


def _random_by_default(v: Any, by: Any = random) -> Any:
    w = v
    by.seed(w)
    return by.random()


def _importing(v: Any) -> Any:
    import random

    return random.random()


def _importing_numpy(v: Any) -> Any:
    import numpy  # noqa: ICN001

    return numpy.random.rand()  # noqa: NPY002


@pytest.mark.parametrize("how", KEEPING)
def test_what_keeps_state_is_refused_or_gives_for_a_row_what_it_gives_for_it_alone(how: str) -> None:
    orders = [ROWS, ROWS[::-1], ROWS[:3], [*ROWS, *ROWS]]
    try:
        alone = {row: outcomes(frozen(KEEPING[how]()), [row])[0] for row in ROWS}
    except NotFollowed:
        return
    for rows in orders:
        assert outcomes(frozen(KEEPING[how]()), rows) == [alone[row] for row in rows]


def test_what_is_written_into_is_named() -> None:
    with pytest.raises(NotFollowed, match="this function keeps state: codes; "):
        frozen(_setdefault())


@pytest.mark.parametrize("how", REACHING)
def test_what_reaches_state_is_refused(how: str) -> None:
    with pytest.raises(NotFollowed, match=r"this function keeps state: .*; .* session.vouch\("):
        frozen(REACHING[how]())


@pytest.mark.parametrize("how", KEEPING)
def test_run_as_they_are_they_keep_state(how: str) -> None:
    alone = [outcomes(KEEPING[how](), [row])[0] for row in ROWS]
    orders = [outcomes(KEEPING[how](), rows) for rows in (ROWS, ROWS[::-1], [*ROWS, *ROWS])]
    assert orders != [alone, alone[::-1], alone * 2]


IDIOMS = "setdefault", "a set of what was seen", "next", "a list that grows", "nonlocal", "global", "a default"


@pytest.mark.parametrize("how", [*IDIOMS, "an attribute"])
def test_idioms_of_state_are_missing_for_all_rows_or_refused(how: str) -> None:
    try:
        f = frozen(KEEPING[how]())
    except NotFollowed:
        return
    for rows in (ROWS, ROWS[::-1], ROWS[3:]):
        assert outcomes(f, rows) == [None] * len(rows)


def test_the_function_itself_is_not_run_and_what_it_holds_stays_as_it_is() -> None:
    held: dict[str, Any] = {"n": [0]}

    def f(v: Any) -> Any:
        held["n"][0] += 1
        return held["n"]

    g = frozen(f)
    assert outcomes(g, [1, 2]) == [[1], [1]]
    assert held == {"n": [0]}
    h = frozen(lambda v: held["n"])
    held["n"] = [9]
    assert h(1) == [0]


def test_what_is_captured_later_is_not_seen() -> None:
    found = [frozen(lambda v: v - m) for m in (1, 2, 3)]  # noqa: B023
    assert [f(10) for f in found] == [9, 8, 7]


# -- what people write

Point = namedtuple("Point", "low high")
LIMITS = Point(1, 5)


@dataclass
class Chosen:
    low: float = 1
    words: tuple[str, ...] = ()
    many: ClassVar[int] = 3

    @staticmethod
    def doubled(value: int) -> int:
        return value * Chosen.many


CHOSEN = Chosen(2, ("a",))
EDGES = [0, 5, 9]
NAMED = ["a", "c"]
LONG = list(range(1000))
MEANS = pd.Series({"a": 1.5, "b": 2.5})
KNOWN = pd.DataFrame({"k": ["a", "b"], "weight": [1.0, 2.0]})
GRID = np.array([1.0, 2.0, 5.0])
WORDS = np.array(["x", ["y"]], dtype=object)
POLYNOMIAL = {"terms": [1, {"of": {2, 3}}]}
DEFAULTS: defaultdict[str, int] = defaultdict(int, {"a": 4})
COUNTS = Counter("abca")
PATTERN = re.compile("(a)b?")


def _factorial(n: int) -> int:
    return 1 if n < 2 else n * _factorial(n - 1)


def _even(n: int) -> bool:
    return n == 0 or _odd(n - 1)


def _odd(n: int) -> bool:
    return n > 0 and _even(n - 1)


def _inner(v: int) -> int:
    many = 0

    def add(by: int) -> None:
        nonlocal many
        many += by

    for each in range(v):
        add(each)
    return many


def _by_name(v: int, *, by: int = 3) -> int:
    return v * by


@functools.cache
def _cached(v: int) -> int:
    return v + len(EDGES)


def _with_import(v: str) -> str:
    import os.path
    from textwrap import shorten

    return shorten(os.path.basename(v), 8)


HONEST: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "an expression": (lambda v: v * 2 + 1, 3, 7),
    "a dict": (lambda v: table.get(v, 0), "b", 2),
    "get": (table.get, "b", 2),
    "a lookup": (table.__getitem__, "b", 2),
    "a list": (lambda v: bisect(EDGES, v), 6, 2),
    "a list of names": (lambda v: int(v[NAMED].sum()), pd.Series({"a": 1, "b": 2, "c": 3}), 4),
    "a long list": (lambda v: LONG[v] + len(LONG), 7, 1007),
    "format": ("class {}".format, 3, "class 3"),
    "searchsorted": (GRID.searchsorted, 3, 2),
    "nested": (lambda v: v in POLYNOMIAL["terms"][1]["of"], 3, True),  # type: ignore[index]
    "a named tuple": (lambda v: LIMITS.low <= v < LIMITS.high, 3, True),
    "fields of its own": (lambda v: CHOSEN.low < v and CHOSEN.words[0] == "a", 3, True),
    "a field of a class": (lambda v: Chosen.many + CHOSEN.many, 3, 6),
    "a function of a class": (lambda v: Chosen.doubled(v), 3, 9),
    "a series": (lambda v: MEANS[v], "b", 2.5),
    "a series by loc": (lambda v: MEANS.loc[v], "b", 2.5),
    "a method of a series": (MEANS.get, "b", 2.5),
    "a frame": (lambda v: KNOWN.loc[KNOWN["k"] == v, "weight"].iloc[0], "b", 2.0),
    "an array": (lambda v: float(GRID[v]), 2, 5.0),
    "an array of objects": (lambda v: WORDS[v], 1, ["y"]),
    "a defaultdict": (lambda v: DEFAULTS[v], "z", 0),
    "a Counter": (lambda v: COUNTS[v], "a", 2),
    "a pattern": (lambda v: PATTERN.sub(r"<\1>", v), "ab", "<a>"),
    "a function of a module": (cleaning.clean, " b", 2),
    "a module": (lambda v: cleaning.clean(v), " b", 2),
    "a name of a module": (lambda v: cleaning.TABLE[v], "b", 2),
    "itself": (_factorial, 5, 120),
    "one another": (_even, 4, True),
    "its own state": (_inner, 4, 6),
    "a default by name": (_by_name, 4, 12),
    "a module as default": (lambda v, by=math: by.floor(v) + by.sqrt(v), 4, 6.0),
    "a partial": (functools.partial(_by_name, by=5), 4, 20),
    "a cache": (_cached, 4, 7),
    "an import": (_with_import, "/tmp/a b.txt", "a b.txt"),
    "os.path": (lambda v: os.path.splitext(v)[1], "a.csv", ".csv"),
    "math": (lambda v: math.sqrt(v), 9, 3.0),
    "numpy": (lambda v: float(np.round(np.linalg.norm([v, 4]), 1)), 3, 5.0),
    "numpy's function": (np.round, 2.6, 3.0),
    "a ufunc": (np.sqrt, 9.0, 3.0),
    "pandas": (lambda v: pd.Timestamp(v).year + pd.isna(v), "2021-05-01", 2021),
    "pandas of the house": (lambda v: ours.isna(v), None, True),
    "a time": (lambda v: (dt.date(2026, 1, 1) - v).days, dt.date(2025, 12, 31), 1),
    "a class": (str, 3, "3"),
    "a class of Python": (lambda v: Decimal(v) / 4, "1", Decimal("0.25")),
    "an unbound method": (str.upper, "a", "A"),
    "a builtin": (len, "abc", 3),
    "operator": (operator.itemgetter(1), "ab", "b"),
    "letters": (lambda v: v in string.ascii_letters, "a", True),
    "a loop": (lambda v: [x * y for x in EDGES for y in EDGES if x < v], 1, [0, 0, 0]),
    "sorted": (lambda v: sorted(v, key=lambda c: -ord(c)), "ab", ["b", "a"]),
    "a try": (lambda v: _tried(v), "x", -1.0),
    "a class inside": (lambda v: type("K", (), {"n": v}).n, 3, 3),  # type: ignore[attr-defined]
    "its name": (lambda v: v.__class__.__name__, 3, "int"),
}


def _tried(v: str) -> float:
    try:
        return float(v)
    except ValueError:
        return -1.0


@pytest.mark.parametrize("how", HONEST)
def test_what_keeps_nothing_runs(how: str) -> None:
    f, given, expected = HONEST[how]
    g = frozen(f)
    assert [g(given), g(given)] == [expected, expected]


@pytest.mark.parametrize("library", ["our_lib", "sklearn"])
def test_functions_of_libraries_that_are_followed_are_the_analysts(library: str) -> None:
    space: dict[str, Any] = {"__name__": f"{library}.clean", "by": [2]}
    file = Path(sysconfig.get_path("purelib"), library, "clean.py")
    exec(compile("def clean(v): return v * by[0]", str(file), "exec"), space)
    with pytest.raises(NotFollowed, match="keeps state: clean;"):
        frozen(space["clean"])
    if library == "our_lib":
        assert frozen(space["clean"], follows=("our_lib",))(3) == 6


# -- what was read from rows


m = seen(2.0, "the mean of x")
held_in = {"m": [m]}
BY_SEEN = {1: {"a": pd.Series({"a": m}, dtype=object)}}


def _default_seen(v: float, m: float = m) -> float:
    return v - m


@pytest.mark.parametrize(
    "f",
    [
        lambda v: v - m,
        lambda v: v - held_in["m"][0],
        _default_seen,
        functools.partial(operator.add, m),
        held_in.get,
        lambda v: BY_SEEN[v],
        m.__add__,
        lambda v: _default_seen(v),
        lambda v: [v - m for _ in range(2)],
    ],
)
def test_what_was_read_from_rows_is_refused(f: Callable[..., Any]) -> None:
    sentence = "the function given to map uses the mean of x, which was read from the rows."
    with pytest.raises(NotFollowed, match=sentence):
        frozen(f)


def test_protected_tables_are_refused() -> None:
    session = pdp.Session(epsilon=1)
    scanned = session.scan(pd.DataFrame({"x": [1.0]}))
    protected = session.protect(pd.DataFrame({"x": [1.0]}))
    for held in (scanned, scanned["x"], protected, protected["x"]):
        with pytest.raises(NotFollowed, match="given to apply uses a protected table"):
            frozen(lambda v, held=held: held, to="apply")


def test_what_was_released_may_be_used() -> None:
    session = pdp.Session(epsilon=1e9)
    frame = session.protect(pd.DataFrame({"x": [1.0, 3.0] * 500}))
    mean = frame["x"].dp.mean(bounds=(0, 4), epsilon=1e6)
    number = mean["mean"].item()
    assert abs(frozen(lambda v: v - number)(5) - 3) < 0.01
    assert abs(frozen(lambda v: v - mean["mean"].iloc[0])(5) - 3) < 0.01


# -- what labels say


def test_its_name_says_where_it_was_written() -> None:
    def clean(v: Any) -> Any:
        return v

    assert re.fullmatch(r"clean, line \d+", frozen(clean).called)
    assert frozen(functools.partial(table.get, 1)).called == "dict.get"
    clean.__qualname__ = "x" * 100
    assert re.fullmatch(r"x+…, line \d+", frozen(clean).called)
    assert len(frozen(clean).called) == 40
