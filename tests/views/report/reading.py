"""A page taken apart: its elements in their order, each with its attributes and its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

EMPTY = {"meta", "img"}


@dataclass
class Element:
    """One element of a page."""

    name: str
    attributes: dict[str, str]
    inside: list[Element] = field(default_factory=list)
    said: str = ""  # its own text and that of all inside


class Page(HTMLParser):
    """All elements of a page; every end must be that of the element which began last."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(found)
        for each in self._open:
            each.inside.append(found)
        if tag not in EMPTY:
            self._open.append(found)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().name == tag

    def handle_data(self, data: str) -> None:
        for each in self._open:
            each.said += data

    def all(self, *names: str) -> list[Element]:
        return [each for each in self.elements if each.name in names]

    def one(self, name: str, **attributes: str) -> Element:
        (found,) = [each for each in self.all(name) if attributes.items() <= each.attributes.items()]
        return found
