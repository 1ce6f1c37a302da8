"""`ledger show|verify|export|report`: what was spent from a ledger and for what, whoever spent it."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..core.budget.reading import LedgerCopy, read_ledger
from ..core.label.spreadsheets import inert
from ..core.session.view import ledger_table
from ..views.report.session import ledger_page

SHOWN = [
    "time",
    "statistic",
    "columns",
    "by",
    "model",
    "period",
    "epsilon",
    "delta",
    "rho",
    "release",
]  # of a table on a screen


def add_to(topics: Any) -> None:
    """Declare the commands."""
    actions = topics.add_parser("ledger", help="what was spent").add_subparsers(required=True, metavar="ACTION")
    for name, (answer, words) in ACTIONS.items():
        action = actions.add_parser(name, help=words, description=words)
        action.add_argument("place", metavar="FILE_OR_ADDRESS", help="the ledger: a file, or postgresql+psycopg://…")
        if answer is not report:
            action.add_argument("--json", action="store_true", help="JSON in place of text")
        action.set_defaults(answer=answer)


def show(chosen: argparse.Namespace) -> str:
    """The terms, what is left, and a line a release."""
    copy = read_ledger(chosen.place)
    return as_json(summary(copy)) if chosen.json else f"{heading(copy)}\n{listing(copy)}"


def verify(chosen: argparse.Namespace) -> str:
    """Whether every entry follows from the one before it, and the last one is the one that was made last."""
    copy = read_ledger(chosen.place)
    number, last = copy.chain.head(copy.last)
    if chosen.json:
        return as_json({"ledger": copy.place, "verifies": True, "entries": number, "last": last})
    return f"{copy.place} verifies: {number:,} {'entry' if number == 1 else 'entries'}, the last hash {last}"


def export(chosen: argparse.Namespace) -> str:
    """Every entry: a table as CSV, or all that is stored as JSON."""
    copy = read_ledger(chosen.place)
    if chosen.json:
        return as_json(everything(copy))
    return inert(ledger_table(copy.entries)).to_csv().rstrip("\n")


def report(chosen: argparse.Namespace) -> str:
    """A page for readers, to be sent to a file. Every letter is one that any file takes."""
    return ledger_page(read_ledger(chosen.place)).encode("ascii", "xmlcharrefreplace").decode()


ACTIONS = {
    "show": (show, "the terms, what is spent and left, and the releases"),
    "verify": (verify, "whether each entry follows from the one before it"),
    "export": (export, "every entry: CSV, or with --json all that is stored"),
    "report": (report, "a page for a reader or a board, as HTML: send it to a file, … report LEDGER > report.html"),
}


def heading(copy: LedgerCopy) -> str:
    """What it promises, what is spent and left, in lines."""
    number = len(copy.entries)
    spent = "; ".join(f"{total} under {model!r}" for model, total in copy.totals.items()) or "nothing"
    return "\n".join(
        [
            f"{copy.place}: {copy.terms}",
            f"  spent  {spent}",
            *(standing(copy, period) for period in copy.periods),
            *(f"  left   {left} over all periods, {used:.1%} used" for left, used in filter(None, [copy.over_all])),
            f"  {number:,} {'entry' if number == 1 else 'entries'}, each following from the one before it",
        ]
    )


def standing(copy: LedgerCopy, period: str | None) -> str:
    """How full the budget is, of a period where there are periods."""
    where = "" if period is None else f" in {period}"
    return f"  left   {copy.left(period)} for one more question{where}, {copy.used(period):.1%} used"


def listing(copy: LedgerCopy) -> str:
    """A line a release; nothing where there is none."""
    table = ledger_table(copy.entries)
    if table.empty:
        return ""
    table["time"] = table["time"].dt.strftime("%Y-%m-%d %H:%M")
    shown = table[SHOWN].dropna(axis="columns", how="all")
    return "\n" + shown.astype(object).where(shown.notna(), "").to_string()


def summary(copy: LedgerCopy) -> dict[str, Any]:
    """The same as `show`, for programs."""
    return {
        "ledger": copy.place,
        "terms": copy.terms.to_json(),
        "budgets": [
            {"period": period, "used": copy.used(period), "left": copy.left(period).to_json()}
            for period in copy.periods
        ],
        "overall": next(({"used": used, "left": left.to_json()} for left, used in filter(None, [copy.over_all])), None),
        "totals": {model: total.to_json() for model, total in copy.totals.items()},
        "entries": [
            {"number": each.number, "release": each.release_id, "time": each.time, **each.facts}
            for each in copy.entries
        ],
    }


def everything(copy: LedgerCopy) -> dict[str, Any]:
    """Terms and entries with exact costs and hashes: enough to check the chain by another program."""
    names = ("number", "release_id", "time", "price", "facts", "state", "previous", "hash")
    entries = [dict(zip(names, entry.row, strict=True)) for entry in copy.entries]
    return {
        "terms": copy.terms.to_json(),
        "rule": copy.chain.filter.to_text(),
        "first": copy.chain.first_hash,
        "entries": [{**entry, "facts": json.loads(str(entry["facts"]))} for entry in entries],
    }


def as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
