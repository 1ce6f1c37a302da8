"""How each node is written: in the first of some ways from which a reader makes this very node again."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from math import isfinite
from typing import Any, Protocol

import pandas as pd

from .arithmetic import AmongNumbers, Applied, LookedUp, OneOrZero, PlaceBetween, ReadNumber, RoundedTo
from .column import LazyColumn
from .given import Given
from .graph import MISSING, Always, Constant, Node, SourceColumn
from .persons import OfPerson
from .reader import BINARY_SIGNS, COMPARED_SIGNS, RESERVED, MadeReader
from .texts import (
    Changed,
    Counted,
    JoinedTexts,
    LookedUpText,
    NoText,
    ReadText,
    Said,
    Says,
    TextAt,
    TextChosen,
    TextsCompared,
)
from .times import (
    UNITS,
    ComparedWith,
    CountOf,
    FieldOf,
    Floored,
    Moment,
    ReadTime,
    Sum,
    TimeChosen,
    TimeRead,
    TimesCompared,
    TimeWritten,
)
from .values import Alternatives, AnyChosen, NoTime, NoValue

OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, CALL = range(9)  # how closely what is written binds
LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT, "**": POWER}
PUBLIC = frozenset(("operator", "kind", "how", "change", "trial", "count", "field", "period", "comparison", "sorts"))
PUBLIC |= {"by", "rises", "lost_first", "lost_keys"}
"""Facts of nodes that are names of the language, and how it takes what they are made of."""


class Constants(Protocol):
    """How constants are written."""

    def __call__(self, value: Any) -> str: ...
    def number(self, value: float) -> str: ...


class Writer(Protocol):
    """Chooses ways: `columns` and `base` are those by which its reader begins."""

    columns: Mapping[Hashable, LazyColumn]
    base: LazyColumn
    reader: MadeReader
    plain: dict[Node, Node]  # values of any kind, which are read as it, where there are

    def add(self, wanted: Sequence[Node]) -> None:
        """Choose ways for these, and for all that they are made of."""


@dataclass(frozen=True)
class Form:
    """A way to write a node: of which others, what a reader makes of these, and the text, of those of the others."""

    operands: tuple[Node, ...]
    made: Callable[..., Any]
    text: Callable[..., str]  # of how constants are written, and the texts of the operands
    level: int = CALL
    within: tuple[int, ...] = ()  # how closely the operands have to bind, where it is not told by commas


def infix(sign: str, level: int, one: Node, other: Node, made: Callable[..., Any]) -> Form:
    within = (level + (level in (COMPARISON, POWER)), level + (level != POWER))
    return Form((one, other), made, lambda _, *each: f" {sign} ".join(each), level, within)


def method(of: Node, name: str, *given: Any, **named: Any) -> Form:
    def text(say: Constants, column: str) -> str:
        return f"{column}.{name}({', '.join([*map(say, given), *(f'{n}={say(v)}' for n, v in named.items())])})"

    return Form((of,), lambda column: operator.attrgetter(name)(column)(*given, **named), text, CALL, (CALL,))


def call(name: str, operands: tuple[Node, ...], made: Callable[..., Any], **facts: Any) -> Form:
    def text(say: Constants, *texts: str) -> str:
        shown = {name: repr(fact) if name in PUBLIC else say(fact) for name, fact in facts.items()}
        return f"{name}({', '.join([*texts, *(f'{fact}={said}' for fact, said in shown.items())])})"

    return Form(operands, made, text)


def read_node(made: Any) -> Node | None:
    return made.read() if isinstance(made, LazyColumn) else None


def _both(writer: Writer, one: Node, other: Node) -> Iterator[tuple[Node, Node]]:
    """Two operands, as plainly as it goes."""
    for left in dict.fromkeys((writer.plain[one], one)):
        for right in dict.fromkeys((writer.plain[other], other)):
            yield left, right


def _condition(writer: Writer, node: Node) -> list[Node]:
    """A condition, or a column of any kind that is taken for one."""
    half = isinstance(node, Applied) and node.operator == ">" and getattr(node.inner[1], "value", None) == 0.5
    return [writer.plain[node.inner[0]], node] if half else [node]


def is_choice(node: Node) -> bool:
    chosen = isinstance(node, Applied) and node.operator in ("where", "where of conditions")
    return chosen or isinstance(node, TextChosen | TimeChosen | AnyChosen)


# -- leaves


def _leaf(value: Any, said: Callable[[Constants], str] | None = None) -> Form:
    text = said or (lambda say: say(value))
    negative = isinstance(value, int | float) and not isinstance(value, bool) and str(value)[0] == "-"
    return Form((), lambda: value, lambda say: text(say), SIGN if negative else CALL)


def _source_column(writer: Writer, node: SourceColumn) -> Iterator[Form]:
    if isinstance(node.column, Given):
        given, function = node.column.inner, node.column.functions[-1].partition(", line")[0]
        writer.add(given)
        made = writer.base.made(node)
        yield Form(given, lambda *_: made, lambda _, *texts: f"{function}({', '.join(texts)})")
        return
    name = called(node.column)
    yield Form((), lambda: writer.columns[node.column], lambda _: name)


def called(name: Hashable) -> str:
    """A name of a column, as it is written."""
    if isinstance(name, str) and name.isidentifier() and not iskeyword(name) and not RESERVED.fullmatch(name):
        return name
    if isinstance(name, str) and name and not {*"`'\"\n\\"} & {*name}:
        return f"`{name}`"
    return f"column({name!r})"


def _moment(writer: Writer, node: Moment) -> Iterator[Form]:
    if node.nanoseconds is not None and abs(node.nanoseconds) < 2**63:
        yield _leaf((pd.Timestamp if node.kind == "time" else pd.Timedelta)(node.nanoseconds, unit="ns"))


# -- operators


def _applied(writer: Writer, node: Applied) -> Iterator[Form]:
    how, inner = node.operator, node.inner
    if how in BINARY_SIGNS:
        yield from (infix(how, LEVELS[how], *both, BINARY_SIGNS[how]) for both in _both(writer, *inner))
    elif how in COMPARED_SIGNS:
        yield from (infix(how, COMPARISON, *both, COMPARED_SIGNS[how]) for both in _both(writer, *inner))
    elif how in ("and", "or"):
        yield from _alike(writer, node)
        joined = MadeReader.joined[how]
        for one in _condition(writer, inner[0]):
            for other in _condition(writer, inner[1]):
                yield infix(how, AND if how == "and" else OR, one, other, joined)
    elif how == "not":
        yield from _comparisons(writer, inner[0], "!=")
        for one in _condition(writer, inner[0]):
            yield Form((one,), lambda column: ~column, lambda _, column: f"not {column}", NOT, (NOT,))
    elif how == "neg":
        for one in dict.fromkeys((writer.plain[inner[0]], inner[0])):
            yield Form((one,), lambda column: -column, lambda _, column: f"-{column}", SIGN, (SIGN,))
    elif how == "isnan":
        yield from _missing(writer, node)
    elif is_choice(node):
        yield from _chosen(writer, node)
    if how.isidentifier() and not iskeyword(how):
        operands = tuple(writer.plain[each] for each in inner)
        yield call(how, operands, lambda *given: writer.reader.applied(how, given))
        yield call(how, inner, lambda *given: writer.reader.applied(how, given))


def _alike(writer: Writer, node: Node) -> Iterator[Form]:
    """Of values whose kind nobody declared: one comparison, or one list, for all kinds that there may be."""
    yield from _comparisons(writer, node, "==")
    parts, first = [], node
    while isinstance(first, Applied) and first.operator == "or":
        parts.append(first.inner[1])
        first = first.inner[0]
    parts.append(first)
    listed = [value for part in reversed(parts) if isinstance(part, AmongNumbers | Says) for value in _listed(part)]
    if all(isinstance(part, AmongNumbers | Says) for part in parts):
        yield _isin(writer.plain[first.inner[0]], listed)


def _listed(node: AmongNumbers | Says) -> Sequence[Any]:
    return _short(node.listed) if isinstance(node, AmongNumbers) else node.given[0] if node.trial == "is" else ()


def _short(values: Iterable[Any]) -> tuple[Any, ...]:
    """Whole numbers without a point."""
    return tuple(int(each) if isinstance(each, float) and is_whole(each) else each for each in values)


def is_whole(value: float) -> bool:
    return isfinite(value) and value.is_integer() and abs(value) < 2**53 and str(value) != "-0.0"


def _comparisons(writer: Writer, node: Node, same: str) -> Iterator[Form]:
    """A comparison of values of any kind: `same` is how those are compared that are compared for equality here."""
    while isinstance(node, Applied) and node.operator == "or":
        node = node.inner[0]
    how: str = getattr(node, "operator" if isinstance(node, Applied) else "comparison", "")
    if how in COMPARED_SIGNS:
        sign = same if how == "==" else how
        sides = node.inner
        if isinstance(node, ComparedWith):
            sides = (*sides, Moment((), sides[0].kind, node.nanoseconds))  # type: ignore[arg-type]
        writer.add(sides[1:])
        for both in _both(writer, *sides):
            yield infix(sign, COMPARISON, *both, COMPARED_SIGNS[sign])


def _isin(of: Node, listed: Sequence[Any]) -> Form:
    values = tuple(listed)
    return Form((of,), lambda x: x.isin(list(values)), lambda say, x: f"{x} in {say(values)}", COMPARISON, (SUM,))


def _among(writer: Writer, node: AmongNumbers | Says) -> Iterator[Form]:
    of = node.inner[0]
    if isinstance(node, AmongNumbers) or node.trial == "is":
        yield from (_isin(each, _listed(node)) for each in dict.fromkeys((writer.plain[of], of)))
        return
    of, name, given = writer.plain[of], node.trial, node.given
    if name == "search":
        yield method(of, "str.contains", given[0])
        yield method(of, "str.contains", given[0], flags=given[1])
    elif name == "contains":
        yield method(of, "str.contains", given[0][0], regex=False)
    elif name in ("startswith", "endswith"):
        yield method(of, f"str.{name}", given[0][0] if len(given[0]) == 1 else given[0])
    else:
        yield from (method(of, f"str.{name}", *given[:most]) for most in (1, 2))


def _missing(writer: Writer, node: Node) -> Iterator[Form]:
    for one in dict.fromkeys((writer.plain[node.inner[0]], node.inner[0])):
        yield method(one, "isna")


def _chosen(writer: Writer, node: Node) -> Iterator[Form]:
    condition, first, second = node.inner
    there = isinstance(condition, Applied) and condition.operator == "not"
    table = _table(node)
    if table is not None:
        yield method(writer.plain[table[0]], "map", table[1])
        yield method(table[0], "map", table[1])
    if isinstance(first, Counted) and first.count == "number":
        yield method(writer.plain[second], "to_numeric")
    if isinstance(first, TimeRead):
        yield method(writer.plain[second], "to_datetime", first.format)
    for one, other in _both(writer, first, second):
        if there:
            yield Form((one, other), lambda x, y: x.fillna(y), lambda _, x, y: f"{x}.fillna({y})", CALL, (CALL, OR))
        for mask in _condition(writer, condition):
            yield call("where", (mask, one, other), writer.reader.where)


def _table(node: Node) -> tuple[Node, dict[Any, Any]] | None:
    """What a table of numbers, or of places, says, and of which node."""
    found: dict[Any, Any] = {}
    of: Node | None = None
    while node is not MISSING:
        looked = node.inner[2] if isinstance(node, Applied) and node.operator == "where" else None
        if not isinstance(looked, LookedUp | LookedUpText):
            return None
        found, of = {**dict(zip(_short(looked.keys), _short(looked.values), strict=True)), **found}, looked.inner[0]
        node = node.inner[1]
    return None if of is None else (of, found)


def _cut_at(writer: Writer, node: PlaceBetween, labels: Any) -> Form:
    facts = {"right": node.right, "labels": labels, "include_lowest": node.lowest}
    said = {name: fact for name, fact in facts.items() if fact is not (name == "right")}
    return method(writer.plain[node.inner[0]], "cut", _short(node.edges), **said)


def _text_at(writer: Writer, node: TextAt) -> Iterator[Form]:
    table = _table(node.inner[0])
    places = () if table is None else table[1].values()
    if table is None or not all(isinstance(each, int) and 0 <= each < len(node.listed) for each in places):
        return
    of, found = table
    if isinstance(of, PlaceBetween):
        yield _cut_at(writer, of, node.listed)
    for rising in (False, True):
        keys = sorted(found, key=lambda key: found[key]) if rising else list(found)
        words = {key: node.listed[found[key]] for key in keys}
        yield from (method(each, "map", words) for each in dict.fromkeys((writer.plain[of], of)))


# -- texts and times


def _of_text(writer: Writer, node: Changed | Counted) -> Iterator[Form]:
    name = node.change if isinstance(node, Changed) else node.count
    of, given = writer.plain[node.inner[0]], node.given
    if name == "number":
        yield method(of, "to_numeric")
    elif name == "replace":
        pattern, other, many, flags, regex = given
        usual = (many, flags, regex) == (-1, 0, False)
        named = {} if usual else {"n": many, "flags": flags, "regex": regex}
        yield method(of, "str.replace", pattern, other, **named)
    else:
        yield from (method(of, f"str.{name}", *given[:most]) for most in (0, 1, 2, 3))


def _field(writer: Writer, node: FieldOf) -> Iterator[Form]:
    get = operator.attrgetter(f"dt.{node.field}")
    for of in dict.fromkeys((writer.plain[node.inner[0]], node.inner[0])):
        yield Form((of,), get, lambda _, column: f"{column}.dt.{node.field}", CALL, (CALL,))


def _floored(writer: Writer, node: Floored) -> Iterator[Form]:
    units = {"D": "D", "h": "h", "m": "min", "s": "s", "ms": "ms", "us": "us", "ns": "ns"}
    sizes = {size: units[name] for size, name in UNITS.items() if name in units}
    size = max(size for size in sizes if not node.nanoseconds % size)
    many = node.nanoseconds // size
    for of in dict.fromkeys((writer.plain[node.inner[0]], node.inner[0])):
        yield method(of, f"dt.{node.how}", f"{many if many > 1 else ''}{sizes[size]}")


def _sum(writer: Writer, node: Sum) -> Iterator[Form]:
    sign = "-" if node.less else "+"
    yield from (infix(sign, SUM, *both, BINARY_SIGNS[sign]) for both in _both(writer, *node.inner))


def _alternatives(writer: Writer, node: Alternatives) -> Iterator[Form]:
    """By what its first sort was made of."""
    first = node.inner[0]
    if isinstance(first, Applied) and first.operator in BINARY_SIGNS:
        sign = first.operator
        yield from (infix(sign, LEVELS[sign], *both, BINARY_SIGNS[sign]) for both in _both(writer, *first.inner))
    if isinstance(first, Applied) and first.operator == "neg":
        of = writer.plain[first.inner[0]]
        yield Form((of,), lambda column: -column, lambda _, column: f"-{column}", SIGN, (SIGN,))
    if isinstance(first, Applied) and first.operator == "abs":
        yield method(writer.plain[first.inner[0]], "abs")
    if isinstance(first, Sum):
        yield from _sum(writer, first)
    if isinstance(first, Floored):
        yield from _floored(writer, first)


def _of_person(writer: Writer, node: OfPerson) -> Iterator[Form]:
    facts = {name: getattr(node, name) for name in node.facts[1:] if getattr(node, name) or name == "how"}
    yield call("of_person", node.inner, lambda *given: writer.reader.node(OfPerson, given, facts), **facts)


def _read(writer: Writer, node: ReadNumber | ReadText | ReadTime | OneOrZero) -> Iterator[Form]:
    of = node.inner[0]
    if isinstance(of, SourceColumn) and read_node(writer.columns.get(of.column)) is node:
        yield from _source_column(writer, of)
    sort: Any = node.kind
    yield call(sort, node.inner, lambda column: writer.reader.read_as(sort, column))


WAYS: Mapping[type[Node], Callable[[Writer, Any], Iterator[Form]]] = {
    SourceColumn: _source_column,
    Constant: lambda writer, node: iter([_leaf(node.value, lambda say: say.number(node.value))]),
    Always: lambda writer, node: iter([_leaf(node.value)]),
    Said: lambda writer, node: iter([] if node.said is None else [_leaf(node.said)]),
    Moment: _moment,
    Applied: _applied,
    ReadNumber: _read,
    ReadText: _read,
    ReadTime: _read,
    OneOrZero: _read,
    TextsCompared: lambda writer, node: _comparisons(writer, node, node.comparison),
    TimesCompared: lambda writer, node: _comparisons(writer, node, node.comparison),
    ComparedWith: lambda writer, node: _comparisons(writer, node, node.comparison),
    AmongNumbers: _among,
    Says: _among,
    TextChosen: _chosen,
    TimeChosen: _chosen,
    AnyChosen: _chosen,
    NoValue: _missing,
    NoText: _missing,
    NoTime: _missing,
    RoundedTo: lambda writer, node: iter([method(writer.plain[node.inner[0]], "round", node.decimals)]),
    JoinedTexts: lambda writer, node: (
        infix("+", SUM, *both, BINARY_SIGNS["+"]) for both in _both(writer, *node.inner)
    ),
    TextAt: _text_at,
    Changed: _of_text,
    Counted: _of_text,
    FieldOf: _field,
    Floored: _floored,
    Sum: _sum,
    PlaceBetween: lambda writer, node: iter([_cut_at(writer, node, False)]),
    TimeRead: lambda writer, node: iter([method(writer.plain[node.inner[0]], "to_datetime", node.format)]),
    CountOf: lambda writer, node: iter([method(writer.plain[node.inner[0]], "dt.total_seconds")]),
    TimeWritten: lambda writer, node: iter([method(writer.plain[node.inner[0]], "dt.strftime", node.format)]),
    Alternatives: _alternatives,
    OfPerson: _of_person,
}
"""How nodes are written as people write them; whatever else there is, is called by its name in the language."""
