"""Functions of the analyst that are called for each row: what they capture is frozen into copies before they run.

A copy runs, and nothing that it reaches by its own names can be written into, or it is as it was for each row: so it
makes of a row the same whatever other rows came before. What is seen to keep state is refused; what fails because it
is frozen fails for every row.

This holds for what people write without a thought, and is no wall. The analyst vouches that a function looks at no
clock (`datetime.now`), writes to no files and no settings of libraries but by the names that are known, and does not
seek what is hidden: what a dictionary for reading holds, what an array is a view of, a module by another name. The
guarantee says so: it holds if the function keeps nothing from row to row.
"""

from __future__ import annotations

import builtins
import datetime as dt
import decimal
import fractions
import functools
import operator
import pathlib
import re
import sys
import types
import uuid
import zoneinfo
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype
from pandas.tseries.offsets import BaseOffset

from ..core.label.release import Table
from ..core.lazy_import import named
from ..core.protect.making import name_of
from ..core.protect.mark import source_of
from ..errors import NotFollowed
from ..language.operators import Operators
from .bytecode import SETTING, UNLOCKING, Names, is_stateless, keeps_state, refuse_changing, refuse_state
from .callers import is_followed, library_at

READING = {name: each for name, each in vars(builtins).items() if name not in UNLOCKING or name == "__import__"}
PLAIN: frozenset[type] = frozenset(
    [
        *(bool, int, float, complex, str, bytes, range, slice, type(None), type(...), type(NotImplemented)),
        *(dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone, zoneinfo.ZoneInfo),
        *(decimal.Decimal, fractions.Fraction, re.Pattern, uuid.UUID, pathlib.PurePosixPath, pathlib.PureWindowsPath),
        *(pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval, type(pd.NaT), type(pd.NA)),
        *(operator.itemgetter, operator.attrgetter, operator.methodcaller, types.GenericAlias),
    ]
)
"""Values that nobody can change."""
UNCHANGING = (np.generic, np.dtype, ExtensionDtype, BaseOffset)
MAPPINGS = (dict, OrderedDict, defaultdict, Counter, types.MappingProxyType)
SEQUENCES, SETS = (deque, array), (set, frozenset)
CONTAINERS = frozenset((*MAPPINGS, *SEQUENCES, *SETS, tuple, list))  # of which each element is looked at
MANY = 256  # entries of a list
OF_C = (types.BuiltinFunctionType, types.MethodWrapperType)
UNBOUND = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
OF_LIBRARIES = ("_ArrayFunctionDispatcher", "cython_function_or_method")
CACHED = type(functools.lru_cache(len))
SHARES = int(pd.__version__.partition(".")[0]) >= 3  # copies of tables are made where they are written into


@contextmanager
def apart() -> Iterator[None]:
    """What functions print, warn of, or set off in decimal numbers, nobody hears."""
    with named("tools.fold:quiet")(), decimal.localcontext():
        yield


class Frozen:
    """A function of one value, with copies of what it captures. `called` is its name, and the line at which it was
    written."""

    def __init__(self, function: Callable[[Any], Any], called: str, freezer: _Freezer) -> None:
        self._function, self.called, self._lists, self._tables = function, called, freezer.lists, freezer.tables

    def __call__(self, value: Any) -> Any:
        """What it gives, None where it raises. What was written for another row into lists and tables is gone."""
        for held, entries in self._lists:
            held[:] = entries
        for table, whole in self._tables:
            object.__setattr__(table, "__dict__", whole.copy(deep=not SHARES).__dict__)
        try:
            return self._function(value)
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever it raises, this row has no value
            return None


def frozen(
    f: Any,
    to: str = "map",
    args: tuple[Any, ...] = (),
    options: Mapping[str, Any] = types.MappingProxyType({}),
    follows: Collection[str] = (),
) -> Frozen:
    """The function, with copies of what it captures and of what it is handed behind its first argument; `NotFollowed`
    where it is seen to keep state, or to use what was read from rows. It is not called."""
    freezer = _Freezer(to, follows)
    try:
        function = freezer.value(f, getattr(f, "__name__", type(f).__name__))
        behind = freezer.value(args, "args")
        named = {word: freezer.value(each, word) for word, each in options.items()}
    except RecursionError:
        raise keeps_state("what it uses is nested too deeply") from None
    if not callable(function):
        raise keeps_state(type(f).__name__)
    of_one = (lambda value: function(value, *behind, **named)) if behind or named else function
    return Frozen(of_one, name_of(f), freezer)


def _read_from(value: object) -> str | None:
    """What it was read from, where that is known: "the mean of x"."""
    if source_of(value) is not None or issubclass(type(value), Operators):
        return "a protected table"
    found = named("recording.seen:find_seen")(value)
    return None if found is None else str(found.of)


class _Defaulting(dict[Any, Any]):
    """Says the same of every key that it lacks, and keeps none."""

    def __init__(self, items: Mapping[Any, Any], made: Callable[[], Any]) -> None:
        super().__init__(items)
        self._made = made

    def __missing__(self, key: Any) -> Any:
        return self._made()


def _lock(array: Any) -> None:
    """Nobody writes into it past the copies that pandas makes of what is written into."""
    for held in (array, *(getattr(array, name, None) for name in ("_ndarray", "_data", "_mask"))):
        if isinstance(held, np.ndarray):
            held.setflags(write=False)
    if hasattr(array, "_readonly"):
        array._readonly = True


def _has(copy: Any, name: str) -> bool:
    """Whether a copy has this name for reading."""
    return hasattr(() if type(copy) is list else copy, name)


_OPEN: Any = object()  # what is being copied, and so holds itself


class _Freezer:
    """Copies of values that nothing can be written into, each made once."""

    def __init__(self, to: str, follows: Collection[str]) -> None:
        self.to, self.follows = to, follows
        self.made: dict[int, tuple[Any, Any]] = {}  # with what it is a copy of, so that no number is given twice
        self.lists: list[tuple[list[Any], list[Any]]] = []  # as they are handed out, as they were
        self.tables: list[tuple[Any, Any]] = []

    def value(self, given: Any, name: str, chains: Collection[tuple[str, ...]] = ((),)) -> Any:
        """A copy; of a module, or of what the analyst made of a class, with what is named behind it."""
        kind = type(given)
        if kind in PLAIN:
            return given
        if id(given) in self.made:
            found = self.made[id(given)][1]
            if found is _OPEN:
                raise keeps_state(name)
            return found
        said = None if kind in CONTAINERS else _read_from(given)
        if said is not None:
            raise NotFollowed(f"the function given to {self.to} uses {said}, which was read from the rows.")
        if kind is types.ModuleType:
            return self._module(given, name, chains)
        freeze = next((freeze for base, freeze in FREEZING.items() if kind is base), None)
        if freeze is None:
            freeze = next(
                (freeze for base, freeze in FREEZING_BELOW.items() if issubclass(kind, base)), _Freezer._unknown
            )
        of = {_Freezer._unknown: kind, _Freezer._class: given}.get(freeze)
        if of is not None and () not in chains and self._is_analysts(of):
            return self._named(given, name, chains)
        self.made[id(given)] = given, _OPEN
        found = freeze(self, given, name)
        self.made[id(given)] = given, found
        if kind in CONTAINERS and any(chain and not _has(found, chain[0]) for chain in chains):
            raise keeps_state(name)  # by a method that writes
        return found

    def _unknown(self, given: Any, name: str) -> Any:
        module = getattr(given, "__module__", None)
        if type(given).__name__ in OF_LIBRARIES and type(module) is str and is_stateless(module):
            return given
        raise keeps_state(name)

    def _unchanging(self, given: Any, name: str) -> Any:
        if type(given).__module__.partition(".")[0] not in ("numpy", "pandas") or type(given) is np.void:
            raise keeps_state(name)
        return given

    def _is_analysts(self, given: Any) -> bool:
        """Of a module or a class, whether the analyst wrote it."""
        module = given if type(given) is types.ModuleType else sys.modules.get(given.__module__)
        file = getattr(module, "__file__", None)
        if file is None:
            return getattr(module, "__name__", None) == "__main__"
        library = library_at(file)
        return library is None or is_followed(library, self.follows)

    def _named(self, given: Any, name: str, chains: Collection[tuple[str, ...]]) -> Any:
        """Of what the analyst made of a class or a module, what is named behind it, frozen, and nothing else."""
        held = {**vars(type(given)), **getattr(given, "__dict__", {})}
        parts = {}
        for first in {chain[0] for chain in chains if chain}:
            part = held.get(first, _OPEN)
            part = part.__func__ if type(part) is staticmethod else part
            is_bound = not isinstance(given, type | types.ModuleType) and first not in getattr(given, "__dict__", {})
            if part is _OPEN or hasattr(type(part), "__set__") or (is_bound and hasattr(type(part), "__get__")):
                raise keeps_state(name)
            parts[first] = self.value(part, first, [chain[1:] for chain in chains if chain[:1] == (first,)])
        return types.SimpleNamespace(**parts)

    # -- containers

    def _each(self, given: Collection[Any], name: str) -> list[Any]:
        found = list(given)
        return found if set(map(type, found)) <= PLAIN else [self.value(each, name) for each in found]

    def _mapping(self, given: Any, name: str) -> Any:
        keys, values = self._each(given.keys(), name), self._each(given.values(), name)
        items: dict[Any, Any] = dict(zip(keys, values, strict=True))
        if type(given) is Counter:
            items = _Defaulting(items, int)
        elif type(given) is defaultdict and given.default_factory is not None:
            items = _Defaulting(items, self.value(given.default_factory, name))
        return types.MappingProxyType(items)

    def _list(self, given: list[Any], name: str) -> Any:
        """As it was, for each row: pandas tells a list from a tuple. A long one is a tuple."""
        entries = self._each(given, name)
        if len(entries) > MANY:
            return tuple(entries)
        found = entries.copy()
        self.lists.append((found, entries))
        return found

    def _sequence(self, given: Any, name: str) -> tuple[Any, ...]:
        return tuple(self._each(given, name))

    def _tuple(self, given: Any, name: str) -> Any:
        if type(given) is not tuple and not hasattr(type(given), "_fields"):
            raise keeps_state(name)
        return tuple.__new__(type(given), self._each(given, name))

    def _set(self, given: Any, name: str) -> frozenset[Any]:
        return frozenset(self._each(given, name))

    def _array(self, given: Any, name: str) -> Any:
        if given.dtype == object:
            whole = np.empty(given.shape, dtype=object)
            whole.ravel()[:] = self._each(given.ravel().tolist(), name)
        elif given.dtype.hasobject:
            raise keeps_state(name)
        else:
            return np.ndarray(given.shape, given.dtype, given.tobytes())  # bytes are never written to
        whole.setflags(write=False)
        return whole.view()

    def _table(self, given: Any, name: str) -> Any:
        whole = given.copy()
        whole.attrs = {}
        columns = [whole] if isinstance(whole, pd.Series) else [whole.iloc[:, at] for at in range(whole.shape[1])]
        for at, column in enumerate(columns):
            if column.dtype == object:
                values: Any = pd.Series(self._array(column.to_numpy(), name), whole.index, dtype=object, copy=False)
                if isinstance(whole, pd.Series):
                    whole = values.rename(whole.name)
                else:
                    whole.isetitem(at, values)
        for block in whole._mgr.blocks:
            _lock(block.values)
        handed = whole.copy()
        self.tables.append((handed, whole))
        return handed

    def _release(self, given: Any, name: str) -> Any:
        """What was released everyone may know."""
        return self._table(pd.DataFrame(given), name)

    def _index(self, given: Any, name: str) -> Any:
        if given.dtype == object:
            self._each(given.tolist(), name)
        return given.copy()

    # -- what is called

    def _function(self, given: types.FunctionType, name: str) -> Any:
        if self._is_librarys(given, name):
            return given
        code, names = given.__code__, Names.of(given.__code__)
        refuse_state(code, frozenset(code.co_freevars))
        for missing in names.of_module.keys() & UNLOCKING - given.__globals__.keys():
            raise keeps_state(missing)
        space: dict[str, Any] = {"__builtins__": READING.copy(), "__name__": "frozen"}
        cells = tuple(types.CellType() for _ in code.co_freevars)
        made = types.FunctionType(code, space, given.__name__, None, cells)
        self.made[id(given)] = given, made  # it may name itself
        for word in names.of_module.keys() & given.__globals__.keys():
            space[word] = self.value(given.__globals__[word], word, names.of_module[word])
        for word, cell, own in zip(code.co_freevars, cells, given.__closure__ or (), strict=True):
            if own != types.CellType():
                cell.cell_contents = self.value(own.cell_contents, word, names.of_cells.get(word, ((),)))
        arguments = code.co_varnames[: code.co_argcount]
        defaults = [*zip(reversed(arguments), reversed(given.__defaults__ or ()), strict=False)]
        made.__defaults__ = tuple(self.value(each, word, names.behind(word)) for word, each in reversed(defaults))
        by_name = (given.__kwdefaults__ or {}).items()
        made.__kwdefaults__ = {word: self.value(each, word, names.behind(word)) for word, each in by_name}
        return made

    def _is_librarys(self, given: types.FunctionType, name: str) -> bool:
        """Whether it runs as it is; refused where it may keep something, or calls what somebody else wrote."""
        library = library_at(given.__code__.co_filename)
        if library is None or is_followed(library, self.follows):
            return False
        calls_others = given.__closure__ and library not in ("numpy", "pandas")
        if calls_others or given.__name__ in SETTING or not is_stateless(given.__module__):
            raise keeps_state(name)
        return True

    def _ufunc(self, given: np.ufunc, name: str) -> np.ufunc:
        if all(set(each) <= set("O->") for each in given.types):  # it calls a function of Python
            raise keeps_state(name)
        return given

    def _of_c(self, given: Any, name: str) -> Any:
        own = given.__self__
        if own is None or type(own) is types.ModuleType:
            module = getattr(own, "__name__", given.__module__)
            unlocks = given.__name__ in SETTING or (own is builtins and given.__name__ in UNLOCKING)
            if unlocks or not is_stateless(str(module)):
                raise keeps_state(name)
            return given
        copy = self.value(own, name)
        if not _has(copy, given.__name__):
            raise keeps_state(name)
        return getattr(copy, given.__name__)

    def _unbound(self, given: Any, name: str) -> Any:
        self.value(given.__objclass__, name)
        return given

    def _method(self, given: types.MethodType, name: str) -> Any:
        own = self.value(given.__self__, name)
        return types.MethodType(self.value(given.__func__, name), own)

    def _partial(self, given: Any, name: str) -> Any:
        options = {word: self.value(each, word) for word, each in given.keywords.items()}
        return functools.partial(self.value(given.func, name), *self._each(given.args, name), **options)

    def _cached(self, given: Any, name: str) -> Any:
        return self.value(given.__wrapped__, name)

    def _class(self, given: type, name: str) -> Any:
        if not is_stateless(given.__module__) or issubclass(given, KeyboardInterrupt):
            raise keeps_state(name)
        return given

    def _module(self, module: Any, name: str, chains: Collection[tuple[str, ...]]) -> Any:
        """A library's as it is, where what is named of it keeps nothing; of the analyst's what is named, frozen."""
        if self._is_analysts(module):
            return self._named(module, name, chains)
        for chain in chains:
            deepest, said = module, name
            for each in chain:
                inner = getattr(deepest, each, None)
                if type(inner) is not types.ModuleType:
                    break
                deepest, said = inner, f"{said}.{each}"
            if deepest is builtins or not is_stateless(deepest.__name__):
                raise keeps_state(said)
            refuse_changing(deepest.__name__, chain)
        return module


FREEZING: Mapping[type, Callable[..., Any]] = {
    **dict.fromkeys(MAPPINGS, _Freezer._mapping),
    **dict.fromkeys(SEQUENCES, _Freezer._sequence),
    **dict.fromkeys(SETS, _Freezer._set),
    **dict.fromkeys((pd.Series, pd.DataFrame), _Freezer._table),
    **dict.fromkeys(OF_C, _Freezer._of_c),
    **dict.fromkeys(UNBOUND, _Freezer._unbound),
    list: _Freezer._list,
    np.ndarray: _Freezer._array,
    np.ufunc: _Freezer._ufunc,
    types.FunctionType: _Freezer._function,
    types.MethodType: _Freezer._method,
    functools.partial: _Freezer._partial,
    CACHED: _Freezer._cached,
}
FREEZING_BELOW: Mapping[type, Callable[..., Any]] = {
    **dict.fromkeys(UNCHANGING, _Freezer._unchanging),
    tuple: _Freezer._tuple,
    Table: _Freezer._release,
    pd.Index: _Freezer._index,
    type: _Freezer._class,
}
"""How values of a type, or of one below it, are frozen; of a type that is in neither nothing is known."""
