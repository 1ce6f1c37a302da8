"""The whole page: what is promised, a list of contents, the releases, and the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ...core.label.label import Label
from ...core.label.layout import Released
from ...core.label.release import Release, guarantee
from ...errors import PrivacyError
from ...version import VERSION
from ..labels import about_bins
from ..lines import about_estimate, about_intervals, hints
from ..picture import picture_of
from ..titles import title_of
from .numbers import MOST_ROWS, Account, Html, alone, can_draw, element, figure, numbers, table, together

MOST_BARS, LARGEST = 60, 30  # that are compared in one picture; that are shown of more
ALONG_AN_AXIS = ("histogram", "cdf", "survival")  # whose pictures hold any number of points
NOT_SAID = "not described; note= behind a question says it"


def _said(released: Released) -> list[str]:
    return [
        *about_intervals(released),
        *about_bins(released),
        *about_estimate(released),
        *(released.label.remarks or ()),
    ]


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
        *(element("p", line, class_="said") for line in _said(released)),
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
        "Made by": _made(label),
        "Vouched": label.because or "",
        "Cost": price or "",
        "Asked": ", ".join(filter(None, [time, entry])),
    }
    return definitions({name: said for name, said in facts.items() if said})


def _rows(released: Released) -> str:
    """Of which rows: all of a protected table, or some, which the text of their making says, or else the note."""
    label = released.label
    if label.rows == "given":
        return "of a table that was not protected"
    described = "as said below" if label.made else "described in the note" if label.note else NOT_SAID
    if label.size_is_private and label.unit is not None:
        which = "all of them" if label.rows == "whole" else f"all or some: {described}"
        return f"of people of a protected table, {which}. How many they are is private"
    if label.rows != "whole":
        how_many = ". How many is private" if label.size_is_private else ""
        return f"cut or made from a protected table; which: {described}{how_many}"
    return "all of the protected table" if label.size is None else f"all {label.size:,} of the protected table"


def _made(label: Label) -> str:
    """By which expressions, and functions of the analyst."""
    functions = f"functions of the analyst: {'; '.join(label.functions)}" if label.functions else ""
    return "; ".join(filter(None, [label.made, functions]))


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


STYLE = """
:root { --ink: #222; --soft: #595959; --line: #d5d5d5; --mark: #2f6690; --pale: #f4f6f8; }
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; color: var(--ink); background: #fff;
  font: 16px/1.5 system-ui, Helvetica, Arial, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.35rem; margin: 2.2rem 0 0.6rem; padding-bottom: 0.2rem; border-bottom: 2px solid var(--mark); }
h3 { font-size: 1.1rem; margin: 0 0 0.5rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
a { color: var(--mark); }
.promise { font-size: 1.1rem; border-left: 4px solid var(--mark); padding-left: 0.8rem; }
.said { color: var(--soft); font-size: 0.9rem; }
.guarantee { font-weight: 600; font-size: 0.95rem; }
.hint { border-left: 4px solid #a63d40; padding-left: 0.8rem; font-size: 0.95rem; }
dl { margin: 0.5rem 0; }
dl > div { display: flex; gap: 0.8rem; padding: 0.15rem 0; }
dt { flex: 0 0 9rem; color: var(--soft); }
dd { margin: 0; min-width: 0; }
main > section[id^="release-"] { margin: 1.4rem 0 2.4rem; }
.bar { border: 1px solid var(--soft); height: 0.9rem; border-radius: 3px; max-width: 30rem; }
.bar > div { background: var(--mark); height: 100%; }
.wide { overflow-x: auto; margin: 0.6rem 0; }
.long { max-height: 30rem; overflow-y: auto; border-bottom: 1px solid var(--soft); }
.long thead th, .long thead td { position: sticky; top: 0; background: #fff; }
.wide:focus-visible { outline: 2px solid var(--mark); }
table { overflow-wrap: normal; border-collapse: collapse; min-width: min(100%, 26rem);
  font-variant-numeric: tabular-nums; }
caption { caption-side: top; text-align: left; color: var(--soft); font-size: 0.9rem; padding-bottom: 0.4rem; }
th, td { padding: 0.28rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
thead th, thead td { border-bottom: 1px solid var(--soft); vertical-align: bottom; }
th[scope="row"], th[scope="rowgroup"], thead th:first-child { text-align: left; font-weight: 600; }
nav .said { font-size: inherit; }
th[scope="colgroup"] { text-align: center; }
tbody tr:nth-child(even) { background: var(--pale); }
.words { font-size: 0.85rem; }
.words td, .words th { text-align: left; }
.words td { min-width: 4.8rem; }
.ends { display: block; color: var(--soft); font-size: 0.82em; white-space: nowrap; }
figure { margin: 1rem 0 0; }
figure img { display: block; max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: 0.9rem; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.9rem; }
@media (max-width: 40rem) {
  main { padding: 1rem 1rem 2rem; }
  h1 { font-size: 1.5rem; }
  dl > div { display: block; padding: 0.25rem 0; }
  .numbers { font-size: 0.9rem; }
  th, td { padding: 0.28rem 0.35rem; }
}
@media print {
  @page { margin: 18mm 15mm; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  tr, figure, dl > div { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; max-height: none; border: 0; }
  .long thead th, .long thead td { position: static; }
  .words { font-size: 7pt; }
  .words td, .words th { padding: 0.15rem 0.3rem; min-width: 0; overflow-wrap: anywhere; }
  figure img { max-height: 20cm; }
  a { color: inherit; text-decoration: none; }
  .bar > div, tbody tr:nth-child(even) { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


HOW_TO_READ = (
    "Every number was computed from data and then changed by random noise, so that it tells little about any one row; "
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
    sections = [_section(account, release, place) for place, release in enumerate(releases, 1)]
    shown = {release.attrs["dp"].get("entry") for release in releases}
    rest = [number for number in entries.index if number not in shown]
    body = [
        element("header", element("h1", account.title), element("p", account.promise, class_="promise")),
        _warning(releases),
        _promise(account),
        _declared(account),
        _contents(account, [title for title, _ in sections], [release.attrs["dp"].get("note") for release in releases]),
        _releases(account, [html for _, html in sections], rest),
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


def _releases(account: Account, sections: Sequence[Html], rest: Sequence[int]) -> Html | None:
    if not account.has_numbers:
        return None
    head = element("h2", "What was released")
    nothing = element("p", "Nothing has been released in this session.") if not sections and not rest else None
    pictures = element("p", NO_PICTURES, class_="said") if sections and not can_draw() else None
    return together([head, nothing, pictures, *sections, _elsewhere(account, rest)])


def _elsewhere(account: Account, rest: Sequence[int]) -> Html | None:
    """What was paid whose numbers are not here."""
    if not rest:
        return None
    words = (
        "Paid from the same budget, and not shown here: released by another session of this ledger, too large for a "
        "page, or too long ago."
    )
    entries: Any = account.entries.loc[list(rest)].to_dict("records")
    items = [element("li", f"Entry {number}: {summary(facts)}") for number, facts in zip(rest, entries, strict=True)]
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
    listed: Any = entries.to_dict("records")
    found = {"asked": map(summary, listed), "cost": [account.prices[number] for number in entries.index]}
    found |= {name: entries[name] for name in ("mechanism", "note")}
    found |= {name: entries[name] for name in ("model", "session", "period") if len(set(entries[name])) > 1}
    found |= {"time": map(moment, entries["time"]), "release": entries["release"]}
    return pd.DataFrame({name: list(values) for name, values in found.items()}, entries.index).dropna(axis=1, how="all")


def _cell(value: Any) -> str:
    return "" if value is None or value != value else str(value)


def _many(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
