"""`dataclasses.dataclass`, whose methods are made when they are first called and not when a module is imported.

The house has some five hundred frozen classes. Python compiles six methods for each, which was more than half of the
time of `import pandas_dp`; a session calls those of a few dozen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from reprlib import recursive_repr
from threading import RLock
from typing import TYPE_CHECKING, Any

from .core.forks import brief

PARAMETERS = "__dataclass_params__"
COLLECTING = brief(RLock())

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, **asked: bool) -> Any:
        """A class of fields, as `dataclasses.dataclass` makes it; a frozen one makes its methods late."""

        def made(one: type) -> type:
            return _frozen(one, **asked) if frozen else dataclasses.dataclass(**asked)(one)

        return made if cls is None else made(cls)


def _frozen(one: type, *, init: bool = True, repr: bool = True, eq: bool = True, kw_only: bool = False) -> type:
    own = set(vars(one))
    one.__doc__ = one.__doc__ or f"{one.__name__}(...)"  # else its signature is worked out
    _collect_fields(one, kw_only)
    late: dict[str, Any] = {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    if init:
        late["__init__"] = Late(one, "__init__", _initializer)
    if repr and "__repr__" not in own:
        late["__repr__"] = _shown
    if eq and "__eq__" not in own:
        late["__eq__"] = Late(one, "__eq__", _equality)
    if eq and ("__hash__" not in own or (vars(one)["__hash__"] is None and "__eq__" in own)):
        late["__hash__"] = Late(one, "__hash__", _hashing)
    for name, method in late.items():
        setattr(one, name, method)
    return one


def _collect_fields(one: type, kw_only: bool) -> None:
    """Have Python do it, which then makes no method; it knows the class as frozen, and as such alone may inherit it."""
    with COLLECTING:
        above = [vars(each)[PARAMETERS] for each in one.__mro__[1:] if PARAMETERS in vars(each)]
        frozen = [each for each in above if each.frozen]
        for each in frozen:
            each.frozen = False
        try:
            dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(one)
        finally:
            for each in frozen:
                each.frozen = True
        if len(frozen) < len(above):
            raise TypeError("cannot inherit frozen dataclass from a non-frozen one")
        vars(one)[PARAMETERS].frozen = True


class Late:
    """A method of a class, in whose place it stands until it is looked up."""

    def __init__(self, of: type, name: str, make: Callable[[type], Callable[..., Any]]) -> None:
        self.of, self.name, self.make = of, name, make

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        method: Any = self.make(self.of)
        method.__name__, method.__qualname__ = self.name, f"{self.of.__qualname__}.{self.name}"
        setattr(self.of, self.name, method)
        return method if instance is None else method.__get__(instance, owner)


def _initializer(one: type) -> Callable[..., Any]:
    own = list(vars(one)["__dataclass_fields__"].values())
    own = [each for each in own if each._field_type is dataclasses._FIELD]  # type: ignore[attr-defined]
    known: dict[str, Any] = {"set_": object.__setattr__, "MISSING": MISSING}
    for each in own:
        known[f"default_{each.name}"], known[f"make_{each.name}"] = each.default, each.default_factory
    by_place = [_parameter(each) for each in own if each.init and not each.kw_only]
    by_name = [_parameter(each) for each in own if each.init and each.kw_only]
    lines = [f" set_(self, {each.name!r}, {_first(each)})" for each in own if each.init or _has_default(each)]
    if hasattr(one, "__post_init__"):
        lines.append(" self.__post_init__()")
    parameters = ", ".join(["self", *by_place, *(["*", *by_name] if by_name else [])])
    method = _made("__init__", parameters, lines or [" pass"], known)
    method.__annotations__ = {each.name: each.type for each in own if each.init} | {"return": None}
    return method


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _parameter(field: Field[Any]) -> str:
    if field.default is not MISSING:
        return f"{field.name}=default_{field.name}"
    return f"{field.name}=MISSING" if field.default_factory is not MISSING else field.name


def _first(field: Field[Any]) -> str:
    name = field.name
    if field.default_factory is not MISSING:
        return f"make_{name}() if {name} is MISSING else {name}" if field.init else f"make_{name}()"
    return name if field.init else f"default_{name}"


def _equality(one: type) -> Callable[..., Any]:
    mine, theirs = ("".join(f"{of}.{each.name}, " for each in fields(one) if each.compare) for of in ("self", "other"))
    return _made(
        "__eq__",
        "self, other",
        [f" return ({mine}) == ({theirs}) if other.__class__ is self.__class__ else NotImplemented"],
        {},
    )


def _hashing(one: type) -> Callable[..., Any]:
    hashed = [each.name for each in fields(one) if (each.compare if each.hash is None else each.hash)]
    return _made("__hash__", "self", [f" return hash(({''.join(f'self.{name}, ' for name in hashed)}))"], {})


def _made(name: str, parameters: str, lines: list[str], known: dict[str, Any]) -> Callable[..., Any]:
    exec(f"def {name}({parameters}):\n" + "\n".join(lines), known)
    method: Callable[..., Any] = known[name]
    return method


@recursive_repr()
def _shown(self: Any) -> str:
    inside = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({inside})"


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    if _is_field(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    if _is_field(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_field(self: Any, name: str) -> bool:
    """Whether `name` is one, or the object's class is frozen itself and takes no other names either."""
    return "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__
