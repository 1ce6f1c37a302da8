"""Elements of HTML. Whatever is not an element itself is escaped, so that no text can become one."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

LETTERS = str.maketrans({each: "�" for each in map(chr, range(32)) if each not in "\t\n"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *inside: str | None, **attributes: object) -> Html:
    """An element with what is inside, and the attributes that are not None; `_` stands for `-`, `class_` for `class`.

    Examples
    --------
    >>> element("p", "a < b", element("b", "!"), class_="small")
    '<p class="small">a &lt; b<b>!</b></p>'
    """
    return Html(f"{opened(name, attributes)}{''.join(map(text, inside))}</{name}>")


def alone(name: str, /, **attributes: object) -> Html:
    """An element that has nothing inside, and no end.

    Examples
    --------
    >>> alone("img", alt='"x"', src="data:,")
    '<img alt="&quot;x&quot;" src="data:,">'
    """
    return Html(opened(name, attributes))


def together(parts: Iterable[str | None], between: str = "\n") -> Html:
    """Elements one behind the other; nothing of those that are None."""
    return Html(between.join(text(each) for each in parts if each is not None))


def text(said: str | None) -> str:
    """HTML as it is, anything else escaped; letters that no page may hold are replaced."""
    if said is None:
        return ""
    return said if isinstance(said, Html) else escape(said.translate(LETTERS))


def opened(name: str, attributes: dict[str, object]) -> str:
    said = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    pairs = (f' {key}="{escape(str(value).translate(LETTERS))}"' for key, value in said.items())
    return f"<{name}{''.join(pairs)}>"
