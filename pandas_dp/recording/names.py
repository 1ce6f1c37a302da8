"""What each name of pandas does to what is protected: whether the language has it, and what it tells about rows.

A name is in one class: `followed`, the language has it; `fact`, it tells what everyone knows; `shown`, it is for eyes;
`values`, something bare leaves; `mixing`, a table or column is made of other rows. Facts are facts of what is followed
alone: the columns of a pivoted table are values. What the language has and refuses is told by what pandas gives: an
object of pandas is not followed, anything else has left. A name that nobody wrote down here is `mixing`, a protocol
that nobody wrote down is `values`.
"""

from __future__ import annotations

import operator
from typing import Literal

from ..language.categories import CategoryMethods
from ..language.clock import SPANS, TimeMethods
from ..language.column import LazyColumn
from ..language.grouped import GroupedColumn, GroupedTable
from ..language.operators import Operators
from ..language.refusals import LEFT_OUT, REMEDIES, STATISTICS, words
from ..language.spelling import TextMethods
from ..language.table import LazyTable
from ..language.times import BELOW_SECOND, FIELDS

Class = Literal["followed", "fact", "shown", "values", "mixing"]
Kind = Literal["table", "column", "text", "time", "category", "groups", "window"]
"""Of which object of pandas: a frame, a series, its `.str`, `.dt` and `.cat`, a groupby or resampler, a window."""


SAME = {
    "__copy__": "copy",
    "__deepcopy__": "copy",
    "aggregate": "agg",
    "applymap": "map",
    "backfill": "bfill",
    "divmod": "__divmod__",
    "kurtosis": "kurt",
    "pad": "ffill",
    "product": "prod",
    "swapaxes": "transpose",
    "T": "transpose",
}
"""Names of pandas for what has another name too, by which the language and the reasons have it."""

COUNTED = words("__len__ shape size empty")
"""Values, but facts of a table of which everyone knows how many rows it has."""

_OPERATORS = {name for name in dir(operator) if name.startswith("__")}
_OPERATORS |= {f"__r{name[2:]}" for name in _OPERATORS}
_OPERATORS |= words("__divmod__ __rdivmod__ __round__ __array_ufunc__ __array_function__")
_OPERATORS -= words("__call__ __contains__ __doc__ __index__")
_OBJECT = frozenset(dir(object)) | words(
    "__annotations__ __array_priority__ __class_getitem__ __dict__ __finalize__ __getattr__ __module__ "
    "__orig_bases__ __pandas_priority__ __parameters__ __setstate__ __slots__ __weakref__"
)
"""What Python asks of any object, and tells nothing."""
_LEAVING = words("__sizeof__ __reduce__ __reduce_ex__ __getstate__")
"""Of these, values."""


def _of(methods: type) -> frozenset[str]:
    """The names of pandas that a class of the language has."""
    operators = _OPERATORS if issubclass(methods, Operators) else {"__getitem__"}
    return frozenset(name for name in dir(methods) if not name.startswith("_") or name in operators)


FOLLOWED: dict[Kind, frozenset[str]] = {
    "table": _of(LazyTable),
    "column": _of(LazyColumn),
    "text": _of(TextMethods),
    "time": _of(TimeMethods) | {*FIELDS, *BELOW_SECOND, *SPANS},
    "category": _of(CategoryMethods),
    "groups": (_of(GroupedTable) | _of(GroupedColumn)) - {"filter"},
    "window": frozenset(),
}
FACTS: dict[Kind, frozenset[str]] = {
    "table": words("columns keys ndim attrs flags dp __contains__ __iter__"),
    "column": words("name ndim attrs flags dp"),
    "text": frozenset(),
    "time": frozenset(),
    "category": frozenset(),
    "groups": words("ndim keys level exclusions dp"),
    "window": words("ndim exclusions"),
}
SHOWN = words("__repr__ __str__ __format__ boxplot hist info plot")
"""What `info` writes to a `buf=` is of values."""
VALUES: dict[Kind, frozenset[str]] = {
    "table": words(
        "array at axes bool dtypes equals first_valid_index iat index iterrows itertuples last_valid_index "
        "memory_usage nbytes style values"
    ),
    "column": words(
        "agg all any argmax argmin array at asof autocorr axes bool corr count cov dot dtype dtypes equals factorize "
        "first_valid_index get hasnans iat idxmax idxmin iloc index is_monotonic_decreasing is_monotonic_increasing "
        "is_unique item items keys kurt last_valid_index max mean median memory_usage min nbytes nunique pop prod "
        "quantile ravel searchsorted sem skew std sum tolist unique values var view xs __contains__ __iter__ "
        "__matmul__ __rmatmul__"
    ),
    "text": words("__iter__"),
    "time": words("freq tz unit to_pydatetime to_pytimedelta"),
    "category": frozenset(),
    "groups": words(
        "groups grouper indices pipe is_monotonic_decreasing is_monotonic_increasing ngroups __iter__ __len__"
    ),
    "window": words("pipe __iter__"),
}


def class_of(name: str, kind: Kind) -> Class:
    """The class of a public name, a protocol, or what a notebook asks of an object of pandas."""
    tabular = kind in ("table", "column")
    name = SAME.get(name, name) if tabular else name
    if name in SHOWN or name.startswith("_repr_"):
        return "shown"
    if name in FACTS[kind]:
        return "fact"
    if name in VALUES[kind] | _LEAVING or (tabular and name in COUNTED):
        return "values"
    in_place = name.startswith("__i") and f"__{name[3:]}" in FOLLOWED[kind]  # __iadd__ does what __add__ does
    if name in FOLLOWED[kind] or in_place:
        return "followed"
    if name in _OBJECT:
        return "fact"
    protocol = name.startswith("__") and name not in _OPERATORS
    leaves = tabular and name.startswith("to_") and name not in ("to_period", "to_timestamp")
    return "values" if protocol or leaves else "mixing"


VOUCH = "where each row of it was made of one row all the same, session.vouch(frame, because=...) says so"
RELEASED = STATISTICS - words("any all prod mode hist plot size aggregate")
"""Those that `.dp` has."""
OF_GROUPS = {"transform": "df.dp.target_encode(...) releases it", "": "df.dp.groupby(...) releases it"}
A_LOOP = "takes values out of their rows; write df['size'].map(f), or df.apply(f, axis=1)"
LEAVES: dict[str, str] = {
    **dict.fromkeys(words("__iter__ items iterrows itertuples to_list tolist to_records"), A_LOOP),
    **{name: f"takes values out of their rows; leave .{name} out and write the column itself" for name in LEFT_OUT},
}
"""What leaves takes from rows, and what to write instead of it."""


def reason_of(name: str, kind: Kind = "table") -> str:
    """Why what a name of pandas gives was not made row by row, and what to write instead."""
    if kind == "groups":
        return f"groupby(...).{name} is computed of many rows; {OF_GROUPS.get(name, OF_GROUPS[''])}."
    if kind == "window":
        return f"{name} of a window looks at other rows; {VOUCH}."
    name = SAME.get(name, name) if kind in ("table", "column") else name
    if name in RELEASED:
        return f"{name} is computed of all rows; df.dp.{name}(...) releases it."
    if name in LEAVES:
        return f"{'a loop' if name == '__iter__' else name} {LEAVES[name]}."
    reason = REMEDIES.get(name, f"{name} is not seen to be done row by row")
    return f"{reason}." if ";" in reason else f"{reason}; {VOUCH}."
