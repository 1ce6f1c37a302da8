"""One release on the page: its title, what was asked, the numbers, a picture, and what is promised of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..conclusions import about_estimate, about_intervals, hints, picture_of, title_of
from ..errors import PrivacyError
from ..release import Release, Released, guarantee
from .figures import figure
from .numbers import MOST_ROWS, numbers
from .tags import Html, element, together

MOST_BARS, LARGEST = 60, 30  # that are compared in one picture; that are shown of more
ALONG_AN_AXIS = ("histogram", "cdf", "survival")  # whose pictures hold any number of points
NOT_SAID = "not described; note= behind a question says it"


def section(release: Release, place: int, price: str | None, time: str | None) -> tuple[str, Html]:
    """The title of a release and all that is said of it; one whose label was changed since says so alone."""
    try:
        released = Released.of(release, parts=True)
    except PrivacyError as error:
        title = f"Release {place}"
        return title, _framed(place, title, [element("p", f"Not shown: {error}")])
    title = title_of(released)
    parts = [
        _facts(released, price, time),
        numbers(released, title),
        _cut(released),
        *(element("p", line, class_="said") for line in (*about_intervals(released), *about_estimate(released))),
        element("p", guarantee(released.label), class_="guarantee"),
        *(element("p", line, class_="hint") for line in hints(released)),
        _picture(release, released, title),
    ]
    return title, _framed(place, title, parts)


def summary(entry: Mapping[str, Any]) -> str:
    """What an entry was for, where its numbers are not here."""
    columns, by = entry["columns"], entry["by"]
    of = f" of {columns}" if isinstance(columns, str) and columns and columns != by else ""
    return f"{entry['statistic']}{of}{f' by {by}' if isinstance(by, str) and by else ''}"


def definitions(facts: Mapping[str, str]) -> Html:
    """Terms, and what each is."""
    pairs = (element("div", element("dt", name), element("dd", said)) for name, said in facts.items())
    return element("dl", together(pairs, ""))


def anchor(place: int) -> str:
    return f"release-{place}"


def _framed(place: int, title: str, parts: list[Html | None]) -> Html:
    head = element("h3", f"{place}. {title}", id=f"{anchor(place)}-title")
    return element("section", together([head, *parts]), id=anchor(place), aria_labelledby=f"{anchor(place)}-title")


def _facts(released: Released, price: str | None, time: str | None) -> Html:
    label = released.label
    entry = "" if label.entry is None else f"entry {label.entry} of the ledger"
    facts = {
        "Note": label.note or "",
        "Rows": _rows(released),
        "Cost": price or "",
        "Asked": ", ".join(filter(None, [time, entry])),
    }
    return definitions({name: said for name, said in facts.items() if said})


def _rows(released: Released) -> str:
    """Of which rows: all of a protected table, or some, whose description is the note."""
    label = released.label
    if label.derived and label.unit is not None:
        described = "described in the note" if label.note else NOT_SAID
        return f"of people of a protected table, all or some: {described}. How many they are is private"
    if label.derived and not label.unprotected:
        described = "described in the note" if label.note else NOT_SAID
        return f"cut or made from a protected table; which: {described}. How many is private"
    if label.unprotected:
        return "of a table that was not protected"
    return "all of the protected table" if label.size is None else f"all {label.size:,} of the protected table"


def _picture(release: Release, released: Released, title: str) -> Html | None:
    """Where it tells more than the table: not of one number, and of many bars the largest alone."""
    if sum(len(each.estimate) for each in released.evidence) < 2:
        return None
    if len(released.shown) <= MOST_BARS or released.label.statistic in ALONG_AN_AXIS or _is_over_time(released):
        return figure(release, title)
    if not released.is_rectangle or released.shown.shape[1] > 1:
        return None
    return figure(release, f"{title}: the {LARGEST} largest numbers", kind="bars", sort="descending", top=LARGEST)


def _is_over_time(released: Released) -> bool:
    try:
        return picture_of(released, released.label.confidence).lines is not None
    except PrivacyError:
        return False


def _cut(released: Released) -> Html | None:
    rows = len(released.shown)
    if rows <= MOST_ROWS:
        return None
    return element("p", f"The first {MOST_ROWS:,} of {rows:,} rows are shown.", class_="said")


def moment(time: pd.Timestamp) -> str:
    """To the minute, and in which zone."""
    return f"{time:%Y-%m-%d %H:%M} UTC"
