"""`.str` of a column: each different text once, by pandas' names and arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from ..errors import NotFollowed, type_of
from .arithmetic import applied
from .graph import Node
from .known import Known
from .refusals import no_such_name
from .texts import CHANGES as CHANGES_OF
from .texts import COUNTS as COUNTS_OF
from .texts import TRIALS as TRIALS_OF
from .texts import Changed, Counted, JoinedTexts, Said, Says
from .values import chosen, missing


class Spelled(Protocol):
    """A column of which texts are made."""

    @property
    def known(self) -> Known: ...
    def text(self) -> Node: ...
    def made(self, node: Node, known: Known = ..., name: Any = ...) -> Self: ...
    def value(self, other: Any, what: str = ...) -> Any: ...
    def isna(self) -> Any: ...
    def _beside(self, columns: dict[Any, Any]) -> Any: ...


Of = TypeVar("Of", bound=Spelled)
CHANGES = ["lower", "upper", "title", "capitalize", "swapcase", "casefold"]
SPECIAL = frozenset(r".^$*+?{}[]\|()")
TRIALS = ["isalnum", "isalpha", "isdigit", "isspace", "islower", "isupper", "istitle", "isnumeric", "isdecimal"]


def a_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise NotFollowed(f"{what} takes a text, not {type_of(value)}.")
    return str(value)


def pattern(value: object, what: str, case: bool = True, flags: int = 0) -> tuple[str, int]:
    """A pattern that can be read, and its flags."""
    found = value.pattern if isinstance(value, re.Pattern) else value
    flags = int(value.flags if isinstance(value, re.Pattern) else flags) | (0 if case else int(re.IGNORECASE))
    try:
        re.compile(a_text(found, what), flags)
    except re.error:
        raise NotFollowed(f"{what} takes a regular expression, and this is none; give regex=False.") from None
    return str(found), flags


@dataclass(frozen=True)
class TextMethods(Generic[Of]):
    """Each gives a column of what it makes of each text; a missing text stays missing, and passes no trial."""

    column: Of

    def _changed(self, change: str, *given: Any) -> Of:
        _tried(CHANGES_OF[change], given)
        node = Changed((self.column.text(),), change, given)
        labels = self.column.known.labels
        if labels is None or not all(isinstance(each, str) for each in labels):
            return self.column.made(node)
        known = (node.changed(str(each)) for each in labels)
        return self.column.made(node, Known(labels=tuple(dict.fromkeys(each for each in known if each is not None))))

    def _says(self, trial: str, na: Any, *given: Any) -> Of:
        _tried(TRIALS_OF[trial], given)
        said = Says((self.column.text(),), trial, given)
        return self.column.made(applied("or", said, missing(self.column.text())) if na is True else said)

    def _counted(self, count: str, *given: Any) -> Of:
        _tried(COUNTS_OF[count], given)
        return self.column.made(Counted((self.column.text(),), count, given))

    def len(self) -> Of:
        """How many characters."""
        return self.column.made(Counted((self.column.text(),), "len"))

    def strip(self, to_strip: str | None = None) -> Of:
        """Without these characters, or blanks, at the ends."""
        return self._changed("strip", to_strip)

    def lstrip(self, to_strip: str | None = None) -> Of:
        """Without them at the start."""
        return self._changed("lstrip", to_strip)

    def rstrip(self, to_strip: str | None = None) -> Of:
        """Without them at the end."""
        return self._changed("rstrip", to_strip)

    def zfill(self, width: int) -> Of:
        """With zeros before it."""
        return self._changed("zfill", _width(width))

    def pad(self, width: int, side: str = "left", fillchar: str = " ") -> Of:
        """Filled up to a width, on the left, the right or both sides."""
        if side not in ("left", "right", "both") or len(a_text(fillchar, "fillchar")) != 1:
            raise NotFollowed("pad takes side= 'left', 'right' or 'both', and one character to fill with.")
        return self._changed("pad", _width(width), side, fillchar)

    def center(self, width: int, fillchar: str = " ") -> Of:
        """Filled up on both sides."""
        return self.pad(width, "both", fillchar)

    def ljust(self, width: int, fillchar: str = " ") -> Of:
        """Filled up on the right."""
        return self.pad(width, "right", fillchar)

    def rjust(self, width: int, fillchar: str = " ") -> Of:
        """Filled up on the left."""
        return self.pad(width, "left", fillchar)

    def removeprefix(self, prefix: str) -> Of:
        """Without this at the start."""
        return self._changed("removeprefix", a_text(prefix, "removeprefix"))

    def removesuffix(self, suffix: str) -> Of:
        """Without this at the end."""
        return self._changed("removesuffix", a_text(suffix, "removesuffix"))

    def slice(self, start: int | None = None, stop: int | None = None, step: int | None = None) -> Of:
        """Some of its characters."""
        return self._changed("slice", start, stop, step)

    def get(self, i: int) -> Of:
        """One character; missing where there are fewer."""
        return self._changed("get", int(i))

    def __getitem__(self, key: Any) -> Of:
        return self.slice(key.start, key.stop, key.step) if isinstance(key, slice_) else self.get(key)

    __iter__ = None  # else Python would go through all characters that there may be

    def repeat(self, repeats: int) -> Of:
        """So many times."""
        if not isinstance(repeats, int) or not 0 <= repeats <= 100:
            raise NotFollowed("repeat takes a whole number from 0 to 100.")
        return self._changed("repeat", repeats)

    def replace(
        self, pat: Any, repl: Any = None, n: int = -1, case: bool = True, flags: int = 0, regex: bool = False
    ) -> Of:
        """Another text in place of one, or of what fits a pattern."""
        if callable(repl):
            raise NotFollowed(
                "replace takes a text to put in its place, not a function; one with groups is r'\\2 \\1'."
            )
        if not regex and case and not isinstance(pat, re.Pattern):
            return self._changed("replace", a_text(pat, "replace"), a_text(repl, "replace"), int(n), 0, False)
        found, flags = pattern(pat if regex else re.escape(a_text(pat, "replace")), "replace", case, flags)
        try:
            re.sub(found, a_text(repl, "replace"), "", flags=flags)
            re.compile(found).sub(str(repl), "")
        except (re.error, IndexError):
            raise NotFollowed("replace was given a text with groups that the pattern does not have.") from None
        return self._changed("replace", found, str(repl), int(n), flags, True)

    def contains(self, pat: Any, case: bool = True, flags: int = 0, na: Any = None, regex: bool = True) -> Of:
        """Whether a text, or what fits a pattern, is in it."""
        if not regex and case:
            return self._says("contains", na, (a_text(pat, "contains"),))
        return self._says(
            "search", na, *pattern(pat if regex else re.escape(a_text(pat, "contains")), "contains", case, flags)
        )

    def match(self, pat: Any, case: bool = True, flags: int = 0, na: Any = None) -> Of:
        """Whether it begins with what fits a pattern."""
        return self._says("match", na, *pattern(pat, "match", case, flags))

    def fullmatch(self, pat: Any, case: bool = True, flags: int = 0, na: Any = None) -> Of:
        """Whether all of it fits a pattern."""
        return self._says("fullmatch", na, *pattern(pat, "fullmatch", case, flags))

    def startswith(self, pat: str | tuple[str, ...], na: Any = None) -> Of:
        """Whether it starts with this, or with one of these."""
        return self._says("startswith", na, _texts(pat, "startswith"))

    def endswith(self, pat: str | tuple[str, ...], na: Any = None) -> Of:
        """Whether it ends with this, or with one of these."""
        return self._says("endswith", na, _texts(pat, "endswith"))

    def count(self, pat: Any, flags: int = 0) -> Of:
        """How often a pattern fits."""
        return self._counted("count", *pattern(pat, "count", flags=flags))

    def find(self, sub: str, start: int = 0, end: int | None = None) -> Of:
        """Where it first occurs; -1 where it does not."""
        return self._counted("find", a_text(sub, "find"), start, end)

    def rfind(self, sub: str, start: int = 0, end: int | None = None) -> Of:
        """Where it last occurs; -1 where it does not."""
        return self._counted("rfind", a_text(sub, "rfind"), start, end)

    def extract(self, pat: Any, flags: int = 0, expand: bool = True) -> Any:
        """What the groups of a pattern hold: a table of them, or with `expand=False` the column of the one."""
        found, flags = pattern(pat, "extract", flags=flags)
        groups = re.compile(found, flags)
        if not groups.groups:
            raise NotFollowed(r"extract takes a pattern with a group in parentheses, e.g. '(\d+)'.")
        named = {place: name for name, place in groups.groupindex.items()}
        columns = {
            named.get(place, place - 1): self._changed("extract", found, flags, place)
            for place in range(1, groups.groups + 1)
        }
        return self.column._beside(columns) if expand or len(columns) > 1 else next(iter(columns.values()))

    def split(self, pat: str | None = None, *, n: int = -1, expand: bool = False, regex: bool | None = None) -> Any:
        """The parts between separators, of which `.str[0]` takes one; with `expand=True` side by side."""
        special = regex is None and pat is not None and len(pat) > 1 and not SPECIAL.isdisjoint(pat)
        return self._parts(pat, n, expand, bool(regex) or special, from_right=False)

    def rsplit(self, pat: str | None = None, *, n: int = -1, expand: bool = False) -> Any:
        """The parts, counted from the right."""
        return self._parts(pat, n, expand, False, from_right=True)

    def _parts(self, pat: str | None, n: int, expand: bool, refused: bool, from_right: bool) -> Any:
        if refused:
            raise NotFollowed("split takes a text, not a pattern; of one with signs of patterns say so, regex=False.")
        if pat is not None:
            a_text(pat, "split")
        parts = Parts(self, pat or None, int(n) if n else -1, from_right)
        if not expand:
            return parts
        return SideBySide(parts) if n <= 0 else self.column._beside({each: parts.get(each) for each in range(n + 1)})

    def partition(self, sep: str = " ", expand: bool = True) -> Any:
        """What stands before a separator, the separator, and what stands behind it, side by side."""
        return self._partitioned(sep, expand, False)

    def rpartition(self, sep: str = " ", expand: bool = True) -> Any:
        """The same at the last separator."""
        return self._partitioned(sep, expand, True)

    def _partitioned(self, sep: str, expand: bool, from_right: bool) -> Any:
        if not expand:
            raise NotFollowed("partition gives three columns; leave expand=False out.")
        given = a_text(sep, "partition"), from_right
        return self.column._beside({place: self._changed("partition", *given, place) for place in range(3)})

    def cat(self, others: Any = None, sep: str = "", na_rep: str | None = None) -> Of:
        """It and other columns or texts, one behind the other."""
        if others is None:
            raise NotFollowed("cat without others= joins all rows to one text.")
        given = [self.column, *(others if isinstance(others, list | tuple) else [others])]
        nodes = [self.column.value(each, "cat").text() for each in given]
        if na_rep is not None:
            nodes = [chosen(missing(node), Said((), a_text(na_rep, "cat")), node) for node in nodes]
        return self.column.made(reduce(lambda one, other: JoinedTexts((one, other), a_text(sep, "cat")), nodes))

    def isna(self) -> Of:
        """Whether there is no text."""
        found: Of = self.column.isna()
        return found

    if not TYPE_CHECKING:

        def __getattr__(self, name: Any) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise no_such_name(name, "df['crop'].str", self, is_column=True)


slice_ = slice  # the builtin, which the method hides


def _change(name: str) -> Callable[..., Any]:
    def method(self: TextMethods[Any]) -> Any:
        return self._changed(name)

    return method


def _trial(name: str) -> Callable[..., Any]:
    def method(self: TextMethods[Any]) -> Any:
        return self._says(name, None)

    return method


for _name in CHANGES:
    setattr(TextMethods, _name, _change(_name))
for _name in TRIALS:
    setattr(TextMethods, _name, _trial(_name))


def _tried(of: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """On no rows: what it is given is wrong for every text, or for none."""
    try:
        of("", *given), of("a", *given)
    except (TypeError, ValueError, OverflowError):
        raise NotFollowed(".str was given what this is not done with; see pandas for what it takes.") from None


def _width(given: Any) -> int:
    if not isinstance(given, int) or not 0 <= given <= 10_000:
        raise NotFollowed("a width is a whole number from 0 to 10,000.")
    return given


def _texts(given: Any, what: str) -> tuple[str, ...]:
    return tuple(a_text(each, what) for each in (given if isinstance(given, tuple) else (given,)))


@dataclass(frozen=True)
class Parts(Generic[Of]):
    """The parts into which texts are split: lists, of which one part is taken."""

    texts: TextMethods[Of]
    separator: str | None
    many: int
    from_right: bool

    @property
    def str(self) -> Parts[Of]:
        """Of the lists."""
        return self

    def __getitem__(self, place: int) -> Of:
        return self.get(place)

    __iter__ = None

    def get(self, i: int) -> Of:
        """One part; missing where there are fewer."""
        return self.texts._changed("part", self.separator, self.many, self.from_right, int(i))

    def len(self) -> Of:
        """How many parts."""
        return self.texts._counted("parts", self.separator, self.many)

    if not TYPE_CHECKING:

        def __getattr__(self, name: Any) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise no_such_name(name, "df['crop'].str.split()", self, is_column=True)


@dataclass(frozen=True)
class SideBySide(Generic[Of]):
    """Parts as columns, of which nobody knows beforehand how many there are: taken by their places, or by as many
    names as they are given, `df[["x", "y"]] = …`."""

    parts: Parts[Of]
    then: tuple[tuple[str, Any], ...] = ()

    def __getitem__(self, place: int) -> Of:
        found: Any = self.parts.get(place)
        for name, given in self.then:
            found = getattr(found, name)(given)
        return replace(found, name=place)

    def astype(self, dtype: Any) -> SideBySide[Of]:
        """Each as another kind."""
        return replace(self, then=(*self.then, ("astype", dtype)))

    def fillna(self, value: Any) -> SideBySide[Of]:
        """This where there is no such part."""
        return replace(self, then=(*self.then, ("fillna", value)))

    def first(self, many: int) -> list[Of]:
        """So many of them."""
        return [self[place] for place in range(many)]

    if not TYPE_CHECKING:

        def __getattr__(self, name: Any) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise NotFollowed(
                "how many parts there are is nobody's business; take them by their places, .str.split(',', "
                "expand=True)[0], name them, df[['x', 'y']] = …, or give n=."
            )
