"""The command line: what is in a ledger or in a folder of published tables, and an audit of the library's questions.

It reads, and never writes or charges. Exit codes: 0 done; 1 what was named does not verify, or an audit failed;
2 called otherwise than `--help` says; 3 it cannot be read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .core.budget.reading import LedgerCopy, read_ledger
from .core.label.release import label_of
from .core.label.spreadsheets import inert
from .core.session.view import ledger_table
from .errors import LedgerCorrupt, PrivacyError, TablesDamaged, TablesError
from .tables.published.conclude import PublishedTables, open_tables
from .views.report.session import ledger_page

COMMAND = "pandas-dp"  # as it is installed
DONE, DAMAGED, UNREADABLE = 0, 1, 3  # argparse itself ends with 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command, and give its exit code.

    Examples
    --------
    >>> main(["ledger", "show", "nowhere.ledger"])
    3
    """
    chosen = _parser().parse_args(arguments)
    try:
        print(chosen.answer(chosen))
        sys.stdout.flush()
    except (LedgerCorrupt, TablesDamaged) as error:
        return _failed(error, DAMAGED)
    except PrivacyError as error:
        return _failed(error, UNREADABLE)
    except BrokenPipeError:  # whoever read it has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DAMAGED if getattr(chosen, "failed", False) else DONE


def _failed(error: PrivacyError, code: int) -> int:
    print(f"pandas_dp: {error}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=COMMAND if os.path.basename(sys.argv[0]).startswith(COMMAND) else "python -m pandas_dp",
        description="Shows ledgers and published tables, and audits the library. It never writes or charges anything.",
        epilog="Exit codes: 0 done; 1 what was named does not verify, or an audit failed; 2 called wrongly; "
        "3 it cannot be read.",
    )
    topics = parser.add_subparsers(required=True, metavar="TOPIC")
    for add_to in (add_ledgers, add_published, add_audits):
        add_to(topics)
    return parser


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


def add_ledgers(topics: Any) -> None:
    """Declare the commands."""
    actions = topics.add_parser("ledger", help="what was spent").add_subparsers(required=True, metavar="ACTION")
    for name, (answer, words) in OF_LEDGERS.items():
        action = actions.add_parser(name, help=words, description=words)
        action.add_argument("place", metavar="FILE_OR_ADDRESS", help="the ledger: a file, or postgresql+psycopg://…")
        if answer is not report:
            action.add_argument("--json", action="store_true", help="JSON in place of text")
        action.set_defaults(answer=answer)


def show_ledger(chosen: argparse.Namespace) -> str:
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


OF_LEDGERS = {
    "show": (show_ledger, "the terms, what is spent and left, and the releases"),
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
            *(budget_line(copy, period) for period in copy.periods),
            *(f"  left   {left} over all periods, {used:.1%} used" for left, used in filter(None, [copy.over_all])),
            f"  {number:,} {'entry' if number == 1 else 'entries'}, each following from the one before it",
        ]
    )


def budget_line(copy: LedgerCopy, period: str | None) -> str:
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


def add_published(topics: Any) -> None:
    """Declare the commands."""
    topic = topics.add_parser("published", help="a folder of published tables")
    actions = topic.add_subparsers(required=True, metavar="ACTION")
    for name, (answer, words) in OF_TABLES.items():
        action = actions.add_parser(name, help=words, description=words)
        action.add_argument("folder", metavar="FOLDER", help="where publish_tables stored them")
        if name == "show":
            action.add_argument("name", metavar="NAME", nargs="?", help="of one question; all without it")
        action.add_argument("--json", action="store_true", help="JSON in place of text")
        action.set_defaults(answer=answer)


def list_tables(chosen: argparse.Namespace) -> str:
    """A line a table, and the promise of all together."""
    tables = open_tables(chosen.folder)
    found = tables.contents
    if chosen.json:
        return as_json({"tables": _rows(found), "guarantee": tables.guarantee})
    return f"{found.dropna(axis='columns', how='all').to_string(index=False)}\n\n{tables.guarantee}"


def show_tables(chosen: argparse.Namespace) -> str:
    """The numbers as they were published, with the promise of each."""
    tables = open_tables(chosen.folder)
    names = list(tables.releases) if chosen.name is None else [_known(tables, chosen.name)]
    if chosen.json:
        return as_json({name: _described(tables.releases[name]) for name in names})
    return "\n\n".join(f"{name}\n{tables.releases[name]}" for name in names)


OF_TABLES = {
    "list": (list_tables, "a line a table, with its standard error and cost"),
    "show": (show_tables, "the numbers that were published, of all questions or of one"),
}


def _known(tables: PublishedTables, name: str) -> str:
    if name not in tables.releases:
        known = ", ".join(map(repr, tables.releases))
        raise TablesError(f"the folder holds nothing by the name {name!r}; it holds {known}.")
    return name


def _described(release: pd.DataFrame) -> dict[str, Any]:
    """Label and numbers; the keys as columns, a gap as null."""
    return {"label": label_of(release), "numbers": _rows(release.reset_index())}


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = pd.DataFrame(table).astype(object).to_dict("records")
    return [{str(name): None if pd.isna(value) else value for name, value in row.items()} for row in rows]


def add_audits(topics: Any) -> None:
    """Declare the command."""
    words = "tests the library's own questions on made-up neighbours; no table of yours is read"
    topic = topics.add_parser("audit", help=words, description=words)
    topic.add_argument("words", metavar="WORD", nargs="*", help="of the names of questions; all without it")
    topic.add_argument("--runs", type=int, default=300, help="of each of two tables that are sampled; 0 for none")
    topic.add_argument("--seconds", type=float, default=10.0, help="for each question")
    topic.add_argument("--list", action="store_true", help="the names alone")
    topic.set_defaults(answer=audited)


def audited(chosen: argparse.Namespace) -> str:
    """A report a question as it is ready, and how many failed; then the exit code is 1."""
    from .audit.run import OWN, audit_own  # late: it brings what only tests need

    if chosen.list:
        return "\n".join(OWN)
    failed, done = [], 0
    for found in audit_own(chosen.words, runs=chosen.runs, seconds=chosen.seconds):
        print(found, flush=True)
        done += 1
        if not found.passed:
            failed.append(found.name)
    chosen.failed = bool(failed)
    said = f"failed: {', '.join(failed)}" if failed else "nothing found, which is no proof"
    return f"{done} question{'s' * (done != 1)}: {said}."


def as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """A number of numpy's as Python's own, anything else as its text."""
    return value.item() if isinstance(value, np.generic) else str(value)
