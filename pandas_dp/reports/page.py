"""The whole page: what is promised, a list of contents, the releases, and the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..release import Release
from ..version import VERSION
from .account import Account
from .figures import can_draw
from .section import anchor, definitions, moment, section, summary
from .style import STYLE
from .tables import table
from .tags import Html, alone, element, together

HOW_TO_READ = (
    "Every number was computed from data and then blurred by random noise, so that it tells little about any one row; "
    "the budget above says how little. An interval holds the true number with the confidence that stands beside it, "
    "and allows for the noise. Numbers are shown to the digits that their intervals support."
)
WITHOUT_NUMBERS = "This page is made from the ledger alone, which holds what was asked and paid, and no answers."
NO_PICTURES = (
    'There are no pictures on this page, as matplotlib is not installed where it was made ("pandas-dp[plot]").'
)
SEEDED = "INSECURE: some of the noise was seeded for a test. These numbers must not be published."


def page(account: Account, releases: Sequence[Release]) -> str:
    """The text of the page."""
    entries = account.entries
    told = [_section(account, release, place) for place, release in enumerate(releases, 1)]
    shown = {release.attrs["dp"].get("entry") for release in releases}
    rest = [number for number in entries.index if number not in shown]
    body = [
        _header(account),
        _warning(releases),
        _promise(account),
        _declared(account),
        _contents(account, [title for title, _ in told], [release.attrs["dp"].get("note") for release in releases]),
        _releases(account, [html for _, html in told], rest),
        _ledger(account),
        element("footer", element("p", f"Made by pandas-dp {VERSION} on {moment(pd.Timestamp.now('UTC'))}.")),
    ]
    head = [
        alone("meta", charset="utf-8"),
        alone("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", account.title),
        element("style", Html(STYLE)),
    ]
    inside = [element("head", together(head)), element("body", element("main", together(body)))]
    return f"<!DOCTYPE html>\n{element('html', together(inside), lang='en')}\n"


def _section(account: Account, release: Release, place: int) -> tuple[str, Html]:
    number = release.attrs["dp"].get("entry")
    known = number in account.entries.index
    time = moment(account.entries.loc[number, "time"]) if known else None
    return section(release, place, account.prices.get(number), time)


def _header(account: Account) -> Html:
    return element("header", element("h1", account.title), element("p", account.promise, class_="promise"))


def _warning(releases: Sequence[Release]) -> Html | None:
    seeded = any(release.attrs["dp"].get("insecure") for release in releases)
    return element("p", SEEDED, class_="hint") if seeded else None


def _promise(account: Account) -> Html:
    bars = [_bar(*each) for each in account.used]
    parts = [element("h2", "What is promised"), definitions(account.terms), *bars]
    parts += [element("p", HOW_TO_READ if account.has_numbers else WITHOUT_NUMBERS, class_="said")]
    return element("section", together(parts), id="promise")


def _bar(name: str, used: float, left: str) -> Html:
    said = f"{name}: {used:.1%} spent; left for one more question: {left}"
    full = element("div", style=f"width: {100 * min(max(used, 0.0), 1.0):.1f}%")
    return together(
        [element("p", said), element("div", full, class_="bar", role="img", aria_label=f"{used:.1%} spent")]
    )


def _declared(account: Account) -> Html | None:
    if not account.declared:
        return None
    words = "What anyone may know of a value before the data are seen. Values outside are moved to the nearest bound."
    rows = pd.Index([each.column for each in account.declared], name="column")
    body = [[each.values, each.missing] for each in account.declared]
    shown = table(rows, pd.Index(["values", "missing"]), body, words, "words")
    return element("section", together([element("h2", "What was declared"), shown]), id="declared")


def _contents(account: Account, titles: Sequence[str], notes: Sequence[str | None]) -> Html:
    links = [element("a", title, href=f"#{anchor(place)}") for place, title in enumerate(titles, 1)]
    beside = [element("span", f" {note}", class_="said") if note else None for note in notes]
    lines = [element("li", *each) for each in zip(links, beside, strict=True)]
    items = [element("ol", together(lines))] if lines else []
    number = account.earlier + len(account.entries)
    ledger = element("p", element("a", f"The ledger: {_many(number, 'entry', 'entries')}", href="#ledger"))
    return element("nav", together([element("h2", "Contents"), *items, ledger]), aria_label="Contents")


def _releases(account: Account, told: Sequence[Html], rest: Sequence[int]) -> Html | None:
    if not account.has_numbers:
        return None
    head = element("h2", "What was released")
    nothing = element("p", "Nothing has been released in this session.") if not told and not rest else None
    pictures = element("p", NO_PICTURES, class_="said") if told and not can_draw() else None
    return together([head, nothing, pictures, *told, _elsewhere(account, rest)])


def _elsewhere(account: Account, rest: Sequence[int]) -> Html | None:
    """What was paid whose numbers are not here."""
    if not rest:
        return None
    words = (
        "Paid from the same budget, and not shown here: released by another session of this ledger, too large for a "
        "page, or too long ago."
    )
    told: Any = account.entries.loc[list(rest)].to_dict("records")
    items = [element("li", f"Entry {number}: {summary(facts)}") for number, facts in zip(rest, told, strict=True)]
    parts = [element("h3", "Releases without numbers"), element("p", words), element("ul", together(items))]
    return element("section", together(parts))


def _ledger(account: Account) -> Html:
    head = element("h2", "The ledger")
    if not len(account.entries):
        return element("section", head, element("p", "No entries."), id="ledger")
    shown = _columns(account)
    body = [list(map(_cell, row)) for row in shown.astype(object).to_numpy().tolist()]
    caption = "Every charge, oldest first, with its cost as it was charged."
    if account.earlier:
        caption = (
            f"The latest {len(account.entries):,} charges, oldest first, with their costs as they were charged. The "
            f"{account.earlier:,} before them count as well: `python -m pandas_dp ledger export` lists all."
        )
    said = f"{account.seal} Each entry holds the hash of the one before it, so a change of any shows."
    parts = [head, table(shown.index, shown.columns, body, caption, "words"), element("p", said, class_="said")]
    return element("section", together(parts), id="ledger")


def _columns(account: Account) -> pd.DataFrame:
    """As few as say all: what is the same for every entry stands above."""
    entries = account.entries
    told: Any = entries.to_dict("records")
    found = {"asked": map(summary, told), "cost": [account.prices[number] for number in entries.index]}
    found |= {name: entries[name] for name in ("mechanism", "note")}
    found |= {name: entries[name] for name in ("model", "session", "period") if len(set(entries[name])) > 1}
    found |= {"time": map(moment, entries["time"]), "release": entries["release"]}
    return pd.DataFrame({name: list(values) for name, values in found.items()}, entries.index).dropna(axis=1, how="all")


def _cell(value: Any) -> str:
    return "" if value is None or value != value else str(value)


def _many(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
