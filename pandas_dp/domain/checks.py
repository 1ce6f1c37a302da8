"""What pandera's built-in checks say of a column. Custom checks say nothing here: they can only narrow it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from ..dataclass import dataclass


@dataclass(frozen=True)
class End:
    """One end of a range, as it was typed; a strict one lies outside the range."""

    side: Literal["lower", "upper"]
    value: object
    strict: bool = False


@dataclass(frozen=True)
class Listed:
    """The only values that a column may hold, as they were typed."""

    values: Any


Said = End | Listed


def said_by(checks: Iterable[Any]) -> list[Said]:
    """All ends and lists that the built-in checks declare."""
    return [said for check in checks for said in _READERS.get(_name(check), _nothing)(check.statistics)]


def _name(check: Any) -> str:
    """The built-in function that a check runs; its own `name` is free text. Empty for a custom one."""
    from pandera.api.checks import Check

    function = getattr(check, "_check_fn", None)
    name = str(getattr(function, "__name__", ""))
    built_in = Check.CHECK_FUNCTION_REGISTRY.get(name)  # fields hold copies of it, so compare the types
    return name if built_in is not None and type(function) is type(built_in) else ""


def _nothing(facts: Mapping[str, Any]) -> list[Said]:
    return []


def _in_range(facts: Mapping[str, Any]) -> list[Said]:
    lower = End("lower", facts["min_value"], strict=not facts.get("include_min", True))
    return [lower, End("upper", facts["max_value"], strict=not facts.get("include_max", True))]


_READERS: dict[str, Callable[[Mapping[str, Any]], list[Said]]] = {
    "in_range": _in_range,
    "greater_than_or_equal_to": lambda facts: [End("lower", facts["min_value"])],
    "greater_than": lambda facts: [End("lower", facts["min_value"], strict=True)],
    "less_than_or_equal_to": lambda facts: [End("upper", facts["max_value"])],
    "less_than": lambda facts: [End("upper", facts["max_value"], strict=True)],
    "equal_to": lambda facts: [Listed([facts["value"]])],
    "isin": lambda facts: [Listed(facts["allowed_values"])],
}
