"""Expressions as texts: how rows and columns were made, to be read again; and the same without its constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pandas as pd

from ..core.protect.making import Words, shortened
from ..errors import PrivacyError
from .arithmetic import Applied, OneOrZero, ReadNumber, joined
from .column import LazyColumn
from .forms import CALL, OR, SUM, WAYS, Form, call, called, infix, is_choice, is_whole, read_node
from .graph import Mixed, Node, Program, SourceColumn, constant
from .reader import BINARY_SIGNS, NODES, MadeReader
from .texts import ReadText
from .times import Local, ReadTime

LONGEST = 2_000  # characters
SHORT, DEEPEST = 12, 30  # what is used twice and is longer, or is deeper, has a name


class Literals:
    """Constants as they are written."""

    def __call__(self, value: Any) -> str:
        if isinstance(value, tuple | list):
            each = ", ".join(map(self, value[:LONGEST]))
            return f"({each},)" if len(value) == 1 else f"({each})"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{self(key)}: {self(each)}' for key, each in [*value.items()][:LONGEST])}}}"
        if isinstance(value, pd.Timestamp):
            return f"time({value.isoformat()!r})"
        if isinstance(value, pd.Timedelta):
            return f"span({str(value)!r})"
        return repr(value)

    def number(self, value: float) -> str:
        """One beside a column, whole ones without a point."""
        return repr(int(value) if isinstance(value, float) and is_whole(value) else value)


class Masked(Literals):
    """Constants as those may see them who may not see values of rows: equal ones have the same number."""

    def __init__(self, shown: Collection[Hashable]) -> None:
        self.shown, self.numbers = {*shown, 0, 1}, dict[Any, int]()

    def __call__(self, value: Any) -> str:
        if isinstance(value, tuple | list | dict):
            every = (*value, *value.values()) if isinstance(value, dict) else value
            shown = all(map(self._is_shown, every))
            return super().__call__(value) if shown else f"{len(value)} value{'s' * (len(value) != 1)}"
        if value is None or self._is_shown(value):
            return super().__call__(value)
        if isinstance(value, int | float):
            return self.number(value)
        return "'…'" if isinstance(value, str) else self._numbered(value)

    def number(self, value: float) -> str:
        finite = isinstance(value, int) or isfinite(value)
        shown = not finite or self._is_shown(value) or self._is_shown(-value)
        return super().number(value) if shown else self._numbered(value)

    def _is_shown(self, value: Any) -> bool:
        return isinstance(value, Hashable) and value in self.shown

    def _numbered(self, value: Any) -> str:
        below = not isinstance(value, pd.Timestamp) and value < type(value)(0)
        size = -value if below else value
        return f"{'-' * below}#{self.numbers.setdefault(size, len(self.numbers) + 1)}"


class Choices:
    """Chooses how each node of a graph is written; `columns` are those of the source, by which a reader begins."""

    def __init__(self, columns: Mapping[Hashable, LazyColumn], base: LazyColumn, wanted: Sequence[Node]) -> None:
        self.columns, self.base = columns, base
        self.reader = MadeReader(self._column, base)
        self.forms: dict[Node, Form] = {}
        self.read: dict[Node, Any] = {}  # what a reader makes of it
        self.plain: dict[Node, Node] = {}  # values of any kind, which are read as it, where there are
        self.add(wanted)

    def add(self, wanted: Sequence[Node]) -> None:
        """Choose ways for these, and for all that they are made of."""
        for node in Program.of(wanted).nodes:
            self._add(node)
            self.plain[node] = self._plainer(node)
            self._add(self.plain[node])

    def _column(self, name: Any) -> LazyColumn:
        return self.columns[name]

    def _add(self, node: Node) -> None:
        for form in self._ways(node) if node not in self.forms else ():
            made = self._made(form)
            if node in (read_node(made), made.node if isinstance(made, LazyColumn) else None) or not node.inner:
                self.forms[node], self.read[node] = form, made
                break
        self.plain.setdefault(node, node)

    def _made(self, form: Form) -> Any:
        given = [self.read[each] for each in form.operands]
        if given and form.level < CALL and not any(isinstance(each, LazyColumn) for each in given):
            return None  # Python would do it with plain values
        with suppress(PrivacyError, TypeError, ValueError, AttributeError, ArithmeticError):
            return form.made(*given)
        return None

    def _ways(self, node: Node) -> Iterator[Form]:
        yield from WAYS[type(node)](self, node) if type(node) in WAYS else ()
        facts = {name: getattr(node, name) for name in node.facts[1:]}
        name = NODES[type(node)]
        yield call(name, node.inner, lambda *given: self.reader.node(type(node), given, facts), **facts)

    def _plainer(self, node: Node) -> Node:
        """What reads as this node, and was written without saying so."""
        if isinstance(node, ReadNumber | ReadText | ReadTime | OneOrZero | Local):
            return self.plain[node.inner[0]]
        for form in self._ways_of_any(node):
            made = self._made(form)
            if isinstance(made, LazyColumn) and isinstance(made.node, Mixed):
                sort: Any = node.kind
                if made.node.read_as(sort) is node:
                    return made.node
        return node

    def _ways_of_any(self, node: Node) -> Iterator[Form]:
        operands = tuple(self.plain[each] for each in node.inner)
        if isinstance(node, Applied) and node.operator in BINARY_SIGNS:
            one, other = operands
            yield infix(node.operator, SUM, one, other, BINARY_SIGNS[node.operator])
        if is_choice(node) and len(self.forms[node].operands) == 3:
            yield call("where", operands, self.reader.where)


@dataclass(frozen=True)
class Then:
    """What was made, and in a line what a table of its own was made of that."""

    before: Words | None
    line: str

    def text(self, columns: Collection[Hashable] | None = None, masked: bool = False) -> str:
        said = "" if self.before is None else self.before.text(None, masked)
        return shortened("\n".join(filter(None, [said, self.line])), LONGEST)


class Wording:
    """What was made of the rows of a source: by which conditions, and of which columns what; `before` is what made
    the source."""

    def __init__(
        self,
        source: Callable[[], Mapping[Hashable, LazyColumn]],
        conditions: Sequence[Node],
        made: Mapping[Hashable, LazyColumn],
        before: Words | None = None,
    ) -> None:
        self.source, self.conditions, self.made, self.before = source, conditions, made, before

    def text(self, columns: Collection[Hashable] | None = None, masked: bool = False) -> str:
        """A line for what is used more than once, for the rows, and for each of these columns that was made."""
        own = self._own(columns, masked)
        return own if self.before is None else Then(self.before, own).text(None, masked)

    def _own(self, columns: Collection[Hashable] | None, masked: bool) -> str:
        named = {
            name: each.node if isinstance(each.node, SourceColumn) else each.read()
            for name, each in self.made.items()
            if columns is None or name in columns or len(self.made) == 1
        }
        wanted = [*([joined("and", self.conditions, nothing=True)] if self.conditions else []), *named.values()]
        if not wanted:
            return ""
        source = self.source()
        base = next(iter(source.values()))
        writer = Choices(source, base.made(constant(0.0)), wanted)
        say = Masked(_shown(source)) if masked else Literals()
        lines, texts = _lines(writer, wanted, say)
        heads = [*(["rows"] if self.conditions else []), *map(called, named)]
        lines += [f"{head}: {said}" for head, said in zip(heads, texts, strict=True)]
        return _cut("\n".join(lines), wanted)


def _shown(columns: Mapping[Hashable, LazyColumn]) -> set[Hashable]:
    """Values that everyone knows: declared bounds and categories."""
    known = [each.known for each in columns.values()]
    return {value for each in known for value in (*(each.bounds or ()), *(each.labels or ()))}


def _cut(text: str, wanted: Sequence[Node]) -> str:
    if len(text) <= LONGEST:
        return text
    end = f"… ({sum(bool(node.inner) for node in Program.of(wanted).nodes):,} operations)"
    return text[: LONGEST - len(end)] + end


def _lines(writer: Choices, wanted: Sequence[Node], say: Literals) -> tuple[list[str], list[str]]:
    """A line for each node that has a name, and the texts of those that are wanted."""
    order, uses = _reached(writer, wanted)
    lines, texts, depths = list[str](), dict[Node, str](), dict[Node, int]()
    levels = dict[Node, int]()
    for node in order:
        form = writer.forms[node]
        within = form.within or (OR,) * len(form.operands)
        given = [
            texts[each] if levels[each] >= level else f"({texts[each]})"
            for each, level in zip(form.operands, within, strict=True)
        ]
        texts[node], levels[node] = form.text(say, *given), form.level
        depths[node] = 1 + max((depths[each] for each in form.operands), default=0)
        again = uses[node] > 1 and len(texts[node]) > SHORT
        if form.operands and (again or depths[node] > DEEPEST):
            lines.append(f"t{len(lines) + 1} = {texts[node]}")
            texts[node], levels[node], depths[node] = f"t{len(lines)}", CALL, 0
    return lines, [texts[node] for node in wanted]


def _reached(writer: Choices, wanted: Sequence[Node]) -> tuple[list[Node], Counter[Node]]:
    """The nodes that are written, each behind its operands, and how often each is."""
    order, uses = dict[Node, None](), Counter(wanted)
    waiting = [(node, False) for node in reversed(wanted)]
    while waiting:
        node, ready = waiting.pop()
        if node in order:
            continue
        operands = writer.forms[node].operands
        if ready:
            order[node] = None
            uses.update(operands)
        else:
            waiting += [(node, True), *((each, False) for each in reversed(operands) if each not in order)]
    return list(order), uses
