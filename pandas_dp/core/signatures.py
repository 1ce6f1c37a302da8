"""Arguments that are not of the types of a signature: refused by name, in place of the error of whatever they broke."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import is_dataclass
from functools import cache, wraps
from inspect import Parameter, signature
from itertools import islice
from numbers import Real
from sys import float_info, modules
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, is_typeddict

import numpy as np
import pandas as pd

from ..errors import BadArgument, PrivacyError, with_article, wrong_value
from .arguments import a_flag, is_name, is_number, is_whole

Given = ParamSpec("Given")
Made = TypeVar("Made")
Class = TypeVar("Class", bound=type)

LONGEST = 10**6  # values that a range may stand for
MOST_ELEMENTS = 10_000  # elements of a list
OUR_OWN = (PrivacyError, OSError, ImportError, Warning, NotImplementedError)
LISTS = (list, tuple, range, pd.Index)
KNOWN = ("pandas_dp", "pandas", "pandera", "numpy", "matplotlib", "pyarrow", "dask", "datetime", "fractions", "pathlib")


def read_by_signature(function: Callable[Given, Made], further: type | None = None) -> Callable[Given, Made]:
    """The function, whose flags are True or False, and which names an argument that it cannot take.

    Readers of single arguments say best what is possible, so theirs is the first word. What gets past them and breaks
    something is looked up here: the annotation says what was wanted, and `further` those of keywords.
    """
    flags, names = _flags(function), list(signature(function).parameters)

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Made:
        for name, value in (*zip(names, given, strict=False), *named.items()):
            if name in flags and not (value is None and flags[name]):
                a_flag(name, value)
            if isinstance(value, range | dict):
                _check_length(name, value)
        try:
            return function(*given, **named)
        except OUR_OWN:
            raise
        except Exception:
            odd = _odd(function, further, given, named)
            if odd is None:
                raise
        raise odd  # outside, so that it has no context, which may quote what was given

    return called


def all_read_by_signature(accessor: Class) -> Class:
    """A class of which each public method is."""
    for name, method in list(vars(accessor).items()):
        if isinstance(method, types.FunctionType) and (not name.startswith("_") or name in ("__init__", "__getitem__")):
            setattr(accessor, name, read_by_signature(method))
    return accessor


def _flags(function: Callable[..., Any]) -> dict[str, bool]:
    """Keywords that are True or False, and whether they may be None."""
    written = {name: str(each.annotation) for name, each in signature(function).parameters.items()}
    return {name: "None" in said for name, said in written.items() if said in ("bool", "bool | None")}


def _check_length(name: str, value: object) -> None:
    """A range is short to write and may be long to list."""
    for each in value.values() if isinstance(value, dict) else (value,):
        if isinstance(each, range) and each[LONGEST:]:
            raise BadArgument(f"{name} must hold at most {LONGEST:,} values; the range that was given has more.")


def _odd(
    function: Callable[..., Any], further: type | None, given: tuple[Any, ...], named: Mapping[str, Any]
) -> BadArgument | None:
    """The refusal of the first argument that is not of its annotation."""
    try:
        bound = signature(function).bind_partial(*given, **named)
    except TypeError:
        return None
    hints = _hints(function) | (_hints(further) if further is not None else {})
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        several = value if kind is Parameter.VAR_KEYWORD else {name: value}
        for each, held in several.items():
            hint = hints.get(each, hints.get(name, Any) if kind is not Parameter.VAR_KEYWORD else Any)
            hint = Sequence[hint] if kind is Parameter.VAR_POSITIONAL else hint  # type: ignore[valid-type]
            if name != "self" and not _fits(held, hint):
                requested = " or ".join(dict.fromkeys(_words(hint))) or f"be what help({function.__name__}) says of it"
                return wrong_value(each, requested, held)
    return None


@cache
def _hints(of: Any) -> dict[str, Any]:
    """What annotations mean; Any, where a name in them is there for type checkers alone."""
    found: dict[str, Any] = {}
    names = vars(modules[of.__module__])
    for name, each in getattr(of, "__annotations__", {}).items():
        said = getattr(each, "__forward_arg__", each)  # of a TypedDict
        try:
            found[name] = eval(said, dict(names)) if isinstance(said, str) else said
        except Exception:  # noqa: BLE001 - whatever such a text raises
            found[name] = Any
    return found


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of this kind; of those that a type leaves open, whether it is one that is found again."""
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, each) for each in of)
    if origin is Literal:
        return isinstance(value, str | int) and value in of
    if hint is Any or isinstance(hint, TypeVar | str) or is_typeddict(hint):
        return _is_plain(value)
    if hint in (None, types.NoneType):
        return value is None
    if hint is bool:
        return isinstance(value, bool)
    if hint in (int, float):
        return _is_determined(value) and (is_whole(value) or hint is float)
    if hint is str:
        return isinstance(value, str) and _is_plain(value)
    if hint is Hashable:
        return is_name(value) and _is_plain(value)
    return _is_one(value, origin or hint, of)


def _is_one(value: Any, kind: Any, of: tuple[Any, ...]) -> bool:
    """Of a class, with elements that fit."""
    if kind is tuple:
        return isinstance(value, tuple) and (... in of or len(value) == len(of)) and _hold([value], of[:1])
    if kind in (Sequence, Iterable, Collection, Set, list):
        return isinstance(value, LISTS) and _hold([value], of)
    if kind is Mapping or kind is dict:
        return isinstance(value, Mapping) and _hold([value, value.values()], of)
    if kind is Callable or getattr(kind, "__name__", "") == "Callable":
        return callable(value)
    return isinstance(value, kind) if isinstance(kind, type) else _is_plain(value)


def _hold(several: Sequence[Any], of: tuple[Any, ...]) -> bool:
    named = zip(several, of, strict=False)
    return all(_fits(each, hint) for values, hint in named for each in islice(values, MOST_ELEMENTS))


def _is_determined(value: Any) -> bool:
    """A number that a float tells."""
    return is_number(value) and -float_info.max <= value <= float_info.max


def _is_plain(value: Any) -> bool:
    """What may be meant by an argument: no stranger, nothing that reading uses up, no half of a letter."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value[:MOST_ELEMENTS])
    if value is None or isinstance(value, bool) or callable(value):
        return True
    if isinstance(value, Real):
        return _is_determined(value)
    if isinstance(value, complex | bytes | Iterator | slice | types.ModuleType | BaseException) or value is ...:
        return False
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_plain, islice(value, MOST_ELEMENTS)))
    if value is pd.NA or value is pd.NaT or (isinstance(value, np.ndarray) and value.dtype.fields is not None):
        return False
    known = type(value).__module__.partition(".")[0]
    return known in KNOWN or isinstance(value, range) or is_dataclass(value)


def _words(hint: Any) -> Iterator[str]:
    """What it may be, as a refusal names it."""
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        for each in of:
            yield from _words(each)
        return
    named = {
        bool: "be True or False",
        int: "be a whole number",
        float: "be a number",
        str: "be a text",
        Hashable: "be one value, such as a name",
        tuple: "be a tuple",
        dict: "be a mapping",
        Mapping: "be a mapping",
    }
    kind = origin or hint
    if kind is Literal:
        yield f"be {' or '.join(map(repr, of))}"
    elif kind in named:
        yield named[kind]
    elif kind in (Sequence, Iterable, Collection, Set, list):
        yield "be a list"
    elif getattr(kind, "__name__", "") == "Callable":
        yield "be a function"
    elif isinstance(kind, type) and kind not in (types.NoneType, Any):
        yield f"be {with_article(kind.__name__)}"
