"""The nodes of Dask's expressions that are row by row, and with which arguments: a closed list.

A rule gives what is wrong with a node, or nothing. Rows are read with one dtype a column, whatever other rows hold
(`program`), so that a node that makes each row of that row alone does so in its dtypes, too. What raises because of a
value is refused where the program shows it, as then an answer is lost.
"""

from __future__ import annotations

import ast
import datetime as dt
import decimal
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from dask._expr import Expr

PLAIN = frozenset({str, bytes, bool, int, float, type(None)})
OPERATORS = frozenset({"Add", "Sub", "Mul", "Div", "FloorDiv", "LT", "LE", "GT", "GE"})
"""Of these Python raises TypeError for two plain values by their types alone: of % it does by what a text holds, of
** by what a power is."""

CONSTANTS = (np.generic, pd.Timestamp, pd.Timedelta)  # what else may be written beside a column
Places = np.ndarray[Any, Any]


def is_by_kind(node: Any) -> bool:
    """Whether a node is such an operator, of columns and plain values."""
    if type(node).__name__ not in OPERATORS:
        return False
    written = [each for each in node.operands if not isinstance(each, Expr)]
    return all(type(each) in PLAIN or isinstance(each, CONSTANTS) for each in written)


def places_by_kind(data: Iterable[pd.DataFrame | pd.Series[Any]]) -> dict[Hashable, Places]:
    """Where rows of each kind stand; of kind None are those with a value that is not plain."""
    columns = [each[name] for each in data if isinstance(each, pd.DataFrame) for name in each.columns]
    columns += [each for each in data if isinstance(each, pd.Series)]
    found: dict[Hashable, list[int]] = {}
    for place, kinds in enumerate(zip(*map(_kinds, columns), strict=True)):
        found.setdefault(None if None in kinds else kinds, []).append(place)
    return {kind: np.array(places) for kind, places in found.items()}


def _kinds(column: pd.Series[Any]) -> list[Any]:
    """Of each value whether it is missing, and its type where a column has several; None if it is not plain."""
    missing = column.isna().tolist()
    if column.dtype != object:
        return missing
    types = [type(value) for value in column]
    return [(kind, gone) if kind in PLAIN else None for kind, gone in zip(types, missing, strict=True)]


_TEXTS = (
    "capitalize casefold center contains count endswith find fullmatch get isalnum isalpha isdecimal isdigit islower "
    "isnumeric isspace istitle isupper len ljust lower lstrip match normalize pad removeprefix removesuffix repeat "
    "replace rfind rjust rstrip slice slice_replace split rsplit startswith strip swapcase title translate upper zfill "
    "__getitem__"
)
_TIMES = "ceil day_name floor month_name normalize round strftime total_seconds tz_convert"
_FIELDS = (
    "day day_of_week day_of_year dayofweek dayofyear days days_in_month daysinmonth hour is_leap_year is_month_end "
    "is_month_start is_quarter_end is_quarter_start is_year_end is_year_start microsecond microseconds minute month "
    "nanosecond nanoseconds quarter second seconds weekday year"
)
TEXTS, TIMES, FIELDS = (frozenset(names.split()) for names in (_TEXTS, _TIMES, _FIELDS))

CONDITIONS = frozenset(name for name in TEXTS if name.startswith("is") or name in ("contains", "fullmatch", "match"))
CONDITIONS |= {"startswith", "endswith"}
NUMBERS = frozenset(("count", "find", "len", "rfind"))


def of_texts(name: str) -> Any:
    """The dtype of what a method of `.str` gives where it is no text; None where it may be one."""
    return pd.BooleanDtype() if name in CONDITIONS else np.dtype(np.float64) if name in NUMBERS else None


def check_method(accessor: str, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], tz: Any) -> str | None:
    """What is wrong with a method of `.str` or `.dt`."""
    if name not in {"str": TEXTS, "dt": TIMES}.get(accessor, frozenset()):
        return f"gives .{accessor}.{name} before protect alone, as it looks at many rows or raises of some"
    if kwargs.get("expand"):
        return f"gives one column by .{accessor}.{name}; leave out expand=True and take parts by .str.get(0)"
    if name in ("ceil", "floor", "round") and tz is not None:
        return f"gives .dt.{name} of times without a zone, as it raises at hours that a zone skips"
    return None


def check_property(accessor: str, name: str) -> str | None:
    """What is wrong with a field of `.dt`."""
    if accessor == "dt" and name in FIELDS:
        return None
    return f"gives .{accessor}.{name} before protect alone, as it looks at many rows or raises of some"


Rule = Callable[[Any], str | None]
SINGLE = (
    *(bool, int, float, complex, str, bytes, decimal.Decimal, np.generic),
    *(dt.date, dt.time, dt.timedelta),  # and pandas' own times
)
WRITTEN_OUT = (
    *(ast.Expression, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.List, ast.Tuple),
    *(ast.Load, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)
TO_ARGUMENTS = {"raw", "result_type", "engine", "engine_kwargs", "by_row", "convert_dtype"}


def is_single(value: object) -> bool:
    """A value of its own, and no column of them."""
    return (
        value is None or value is pd.NA or value is pd.NaT or repr(value) == "<no_default>" or isinstance(value, SINGLE)
    )


def are_single(values: Iterable[object]) -> bool:
    return all(map(is_single, values))


def fine(node: Any) -> None:
    """Whatever it was given is public and of no row."""


def singles(node: Any) -> str | None:
    """Its arguments are columns of the collection, or single values."""
    if are_single(value for value in node.operands if not isinstance(value, Expr)):
        return None
    return "takes single values and columns of the collection; others would be matched by where they stand"


def alike(node: Any) -> str | None:
    """Both sides are columns, or both are frames: pandas matches a column with the names of a frame's columns."""
    if len({each.ndim for each in node.dependencies()}) > 1:
        return "takes two columns, or two frames; write one column after the other"
    return None if getattr(node, "level", None) is None else "has no level= here"


def operator(node: Any) -> str | None:
    return singles(node) or alike(node)


def projection(node: Any) -> str | None:
    given = node.operand("columns")
    names = list(given) if isinstance(given, list | pd.Index) else [given]
    if len({*map(str, names)}) < len(names):
        return "takes each column once"
    if node.frame.ndim == 2 and all(isinstance(name, str | int) and name in node.frame.columns for name in names):
        return None
    return "takes the names of columns"


def condition(node: Any) -> str | None:
    found = node.predicate
    if found.ndim == 1 and pd.api.types.is_bool_dtype(found._meta.dtype):
        return None
    return "keeps rows by a column of conditions, e.g. ddf[ddf['x'] > 2]"


def assign(node: Any) -> str | None:
    for value in node.operands[2::2]:
        if not (value.ndim == 1 if isinstance(value, Expr) else is_single(value)):
            return "takes columns of the collection, and single values"
    return None


def by_single_values(node: Any) -> str | None:
    return None if are_single(node.operands[1:]) else "takes single values here"


def fillna(node: Any) -> str | None:
    value = node.operand("value")
    if isinstance(value, Mapping) and node.frame.ndim == 1:
        return "takes one value for a column; pandas matches a dict with where rows stand"
    if isinstance(value, Mapping):
        put = [among(node.frame[name], each) for name, each in value.items() if name in node.frame.columns]
        return next(filter(None, put), None) if are_single(value.values()) else "takes single values"
    return among(node.frame, value) or operator(node)


def chosen(node: Any) -> str | None:
    return among(node.frame, node.operand("other")) or operator(node)


def among(frame: Any, value: object) -> str | None:
    """A text put among numbers or times makes pandas fail, for some rows or for none."""
    dtypes = [frame._meta.dtype] if frame.ndim == 1 else list(frame._meta.dtypes)
    if not isinstance(value, str) or all(is_text(each) or str(each) in ("object", "category") for each in dtypes):
        return None
    return "takes no text among numbers or times; write column.astype(str) first"


def replace(node: Any) -> str | None:
    old, new = node.to_replace, node.operand("value")
    if not isinstance(old, Mapping) and (new is None or repr(new) == "<no_default>"):
        return "takes what to put there: without it pandas takes the value of another row"
    held = [*_flat(old), *_flat(new)]
    if not are_single(held):
        return "takes single values, lists of them, or a dict"
    put = [each for value in (old.values() if isinstance(old, Mapping) else [new]) for each in _flat(value)]
    return next(filter(None, (among(node.frame, each) for each in put)), None)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [each for part in (value.keys(), value.values()) for inner in part for each in _flat(inner)]
    if isinstance(value, slice):
        return [value.start, value.stop, value.step]
    return [each for part in value for each in _flat(part)] if isinstance(value, list | tuple) else [value]


def isin(node: Any) -> str | None:
    return None if listed(node.values) is not None else "takes a list of single values"


def listed(values: Any) -> list[Any] | None:
    """The values that were written out in an `isin`; None of anything else."""
    held: Any = values
    if isinstance(values, Expr):
        delayed = getattr(values, "obj", None)
        if type(values).__name__ != "_DelayedExpr" or delayed is None:
            return None
        graph = dict(delayed.dask)
        held = graph.get(delayed.key)
        held = getattr(held, "value", held) if len(graph) == 1 else None
    if isinstance(held, np.ndarray):
        held = held.tolist() if held.ndim == 1 else None
    found = list(held) if isinstance(held, list | tuple | set | frozenset) else None
    return found if found is not None and are_single(found) else None


def astype(node: Any) -> str | None:
    """To what no value of the column's type refuses to be."""
    dtypes = node.operand("dtypes")
    if isinstance(dtypes, Mapping):
        pairs = [(node.frame._meta[name].dtype, dtype) for name, dtype in dtypes.items() if name in node.frame.columns]
    else:
        metas = [node.frame._meta] if node.frame.ndim == 1 else [node.frame._meta[each] for each in node.frame.columns]
        pairs = [(meta.dtype, dtypes) for meta in metas]
    return next((wrong for wrong in (_cast(*pair) for pair in pairs) if wrong), None)


def _cast(old: Any, new: Any) -> str | None:
    dtype = pd.api.types.pandas_dtype(new)
    if getattr(old, "kind", "O") in "mM" and dtype != np.dtype(object):
        return (
            f"to {dtype} looks at all times of a partition, which are written without hours where none has any; of "
            "times take column.dt.strftime(...), of lengths of time column.dt.total_seconds()"
        )
    texts = isinstance(dtype, pd.StringDtype) or dtype == np.dtype(object) or dtype.kind in "UO"
    if texts and not isinstance(dtype, pd.CategoricalDtype):
        return None
    numbers = pd.api.types.is_numeric_dtype(old)  # conditions are numbers, too
    if numbers and dtype in (np.dtype("float64"), np.dtype("float32"), pd.Float64Dtype(), pd.Float32Dtype()):
        return None
    return (
        f"to {dtype} raises where a value is none, which is lost to everyone; of numbers take astype(float), of texts "
        "dd.to_numeric(column, errors='coerce') or dd.to_datetime(column, errors='coerce', format=...)"
    )


def to_numeric(node: Any) -> str | None:
    if node.errors != "coerce" or node.downcast is not None:
        return "takes errors='coerce', as it raises of a text that is no number, and no downcast=, which is by all rows"
    return of_one_type(node.frame)


def to_datetime(node: Any) -> str | None:
    """Without a format pandas guesses one from the first row; from parts of seconds and zones it tells one for all."""
    given = dict(node.operand("kwargs") or {})
    form = given.get("format")
    if given.get("errors") != "coerce":
        return "takes errors='coerce', as it raises of a text that is no time"
    if node.frame.ndim != 1 or not is_text(node.frame._meta.dtype):
        return "takes one column of texts, as times among them decide for all; write column.astype(str) first"
    if not isinstance(form, str) or not form.startswith("%"):
        return "takes a format=, e.g. '%Y-%m-%d', which pandas guesses from other rows otherwise"
    if any(each in form for each in ("%f", "%z", "%Z")):
        return "takes a format= without parts of seconds and time zones, of which one row decides for all"
    return None if are_single(given.values()) else "takes single values"


def of_one_type(column: Any) -> str | None:
    """Of a column of objects pandas looks at all values to choose how it reads each: True or a time among texts moves
    all others."""
    dtype = column._meta.dtype
    if dtype != np.dtype(object) and not isinstance(dtype, pd.CategoricalDtype):
        return None
    return "takes a column of one type, as all values of one of objects decide for each; write column.astype(str) first"


def is_text(dtype: Any) -> bool:
    """Whether a column of this dtype holds texts and nothing else."""
    return isinstance(dtype, pd.StringDtype) or (
        isinstance(dtype, pd.ArrowDtype) and bool(pd.api.types.is_string_dtype(dtype))
    )


def rounded(node: Any) -> str | None:
    places = node.operand("decimals")
    return None if are_single(places.values() if isinstance(places, Mapping) else [places]) else "takes a number"


def looked_up(node: Any) -> str | None:
    """By a plain dict, or by a function of one value: another mapping may keep what it was asked, as `defaultdict`."""
    arg = node.operand("arg")
    if isinstance(arg, Mapping) and type(arg) is not dict:
        return "takes a plain dict, dict(mapping), as others may remember which rows asked before"
    if isinstance(arg, dict):
        return of_one_type(node.frame)
    ours = callable(arg) and not isinstance(arg, Expr | type)
    return None if ours else "takes a dict, or a function of one value"


def applied(node: Any) -> str | None:
    given = set(node.kwargs) - {"axis"}
    if not callable(node.function) or isinstance(node.function, str | type):
        return "takes a function of one row, or of one value"
    if given & TO_ARGUMENTS:
        return f"is called without {sorted(given & TO_ARGUMENTS)[0]}= here"
    if node.frame.ndim == 2 and node.kwargs.get("axis") not in (1, "columns"):
        return "hands whole columns over; write axis=1"
    if node._meta.ndim != 1:
        return "takes a function that gives one value; write one column after the other"
    return None if are_single([*node.args, *node.kwargs.values()]) else "takes single values beside the function"


def ufunc(node: Any) -> str | None:
    """Functions of numpy that work value by value."""
    func = node.func
    if not isinstance(func, np.ufunc) or func.signature is not None or func.nout != 1 or node.kwargs:
        return "takes numpy's functions of single values, such as np.log, without further keywords"
    return singles_of(node.args) or alike(node)


def singles_of(values: Iterable[Any]) -> str | None:
    held = [value for value in values if not isinstance(value, Expr)]
    return None if are_single(held) else "takes single values and columns of the collection"


def query(node: Any) -> str | None:
    """Names of columns, numbers, texts, comparisons, arithmetic, and, or, not; a method would run on many rows."""
    if node.expr_kwargs:
        return "takes no keywords here"
    try:
        tree = ast.parse(node.operand("_expr").strip(), mode="eval")
    except (SyntaxError, AttributeError):
        return "takes names of columns, values and comparisons; take rows by ddf[ddf['x'] > 2]"
    found = list(ast.walk(tree))
    names = [each.id for each in found if isinstance(each, ast.Name)]
    if not all(isinstance(each, WRITTEN_OUT) for each in found) or any(
        name not in node.frame.columns for name in names
    ):
        return "takes names of columns, values and comparisons, no call and no attribute, which would look at many rows"
    if not all(_written_list(each) for each in _lists(found)):
        return "takes lists of values that are written out, as a column would be searched for the values of other rows"
    if not _is_condition(node.frame._meta, node.operand("_expr")):
        return "takes a condition; by anything else pandas takes rows by their ids"
    return None


def _lists(found: Iterable[ast.AST]) -> list[ast.AST]:
    """What values are looked for in, and lists."""
    compared = [each for each in found if isinstance(each, ast.Compare)]
    searched: list[ast.AST] = [
        right
        for each in compared
        for how, right in zip(each.ops, each.comparators, strict=True)
        if isinstance(how, ast.In | ast.NotIn)
    ]
    return searched + [each for each in found if isinstance(each, ast.List | ast.Tuple)]


def _written_list(tree: ast.AST) -> bool:
    """Whether it is a list of values, and of no columns."""
    return isinstance(tree, ast.List | ast.Tuple) and not any(isinstance(each, ast.Name) for each in ast.walk(tree))


def _is_condition(nothing: pd.DataFrame, said: str) -> bool:
    """Whether a column of conditions comes of it, as pandas says of no rows."""
    made = nothing.eval(said)
    return isinstance(made, pd.Series) and bool(pd.api.types.is_bool_dtype(made.dtype))


def function_of(node: Any) -> str | None:
    meta = node.frame._meta
    if node.accessor == "str" and node.attr in ("replace", "repeat") and (wrong := of_one_type(node.frame)):
        return wrong
    return check_method(node.accessor, node.attr, node.args, node.kwargs, getattr(meta.dtype, "tz", None)) or (
        None if are_single(_flat(list(node.args))) and are_single(_flat(dict(node.kwargs))) else "takes single values"
    )


def property_of(node: Any) -> str | None:
    return check_property(node.accessor, node.attr)


def to_frame(node: Any) -> str | None:
    return None if is_single(node.operand("name")) else "takes the name of a column"


def renamed(node: Any) -> str | None:
    """Columns alone: the index keeps its ids."""
    found = node.operand("columns")
    plain = isinstance(found, Mapping | list | pd.Index) or callable(found)
    return None if plain else "takes names of columns"


def renamed_series(node: Any) -> str | None:
    return None if is_single(node.operand("index")) else "takes a name; other labels would take the place of row ids"


_BINARY = "Add Sub Mul Div FloorDiv Mod Pow And Or XOr LT LE GT GE EQ NE MethodOperator"
_COMPARED = "LTSeries LESeries GTSeries GESeries EQSeries NESeries LTFrame LEFrame GTFrame GEFrame EQFrame NEFrame"
_PLAIN = "Abs Invert Neg Pos IsNa NotNull DropnaSeries DropnaFrame Drop AddPrefix AddSuffix"
_OWN: Mapping[str, Rule] = {
    "Apply": applied,
    "AsType": astype,
    "Assign": assign,
    "Between": by_single_values,
    "Clip": by_single_values,
    "ColumnsSetter": renamed,
    "Fillna": fillna,
    "Filter": condition,
    "Isin": isin,
    "Map": looked_up,
    "Mask": chosen,
    "Projection": projection,
    "Query": query,
    "RenameFrame": renamed,
    "RenameSeries": renamed_series,
    "Replace": replace,
    "Round": rounded,
    "ToDatetime": to_datetime,
    "ToFrame": to_frame,
    "ToNumeric": to_numeric,
    "UFuncElemwise": ufunc,
    "Where": chosen,
}
HOME = "dask.dataframe.dask_expr."
ROW_WISE: Mapping[str, Rule] = {
    **{f"{HOME}_expr.{name}": operator for name in f"{_BINARY} {_COMPARED}".split()},
    **{f"{HOME}_expr.{name}": fine for name in _PLAIN.split()},
    **{f"{HOME}_expr.{name}": rule for name, rule in _OWN.items()},
    f"{HOME}_accessor.FunctionMap": function_of,
    f"{HOME}_accessor.PropertyMap": property_of,
}
FEWER_ROWS = ("Filter", "DropnaSeries", "DropnaFrame", "Query")


def rule_for(kind: type) -> Rule | None:
    """The rule of this very kind of node."""
    return ROW_WISE.get(f"{kind.__module__}.{kind.__name__}")
