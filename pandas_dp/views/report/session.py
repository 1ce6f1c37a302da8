"""`Session.report`: what a session released, as one page that can be handed on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.arguments import a_new_file, all_read_by_signature
from ...core.budget.chain import Entry
from ...core.budget.ledger import Charges, Ledger
from ...core.budget.periods import Terms
from ...core.label.release import cost_text
from ...core.neighbours import Relation
from ...core.schema.declared import Declared
from ...core.schema.schema import Domain
from ...core.session import view
from ...core.session.opening import Opening
from ...errors import UnsupportedArgument, shown

if TYPE_CHECKING:
    from ...core.budget.reading import LedgerCopy
    from ...core.session.session_core import SessionCore
    from .numbers import Account, Declaration


MOST_LISTED = 2_000  # entries of a ledger that a page lists
MOST_VALUES = 20  # categories of one column that a page lists
COMPLETE = "declared complete: a gap counts as the middle of the range"
ENDINGS = ("", ".html", ".htm")
OF_ROWS = {
    Relation.REPLACE: "two tables in which one row has other values; how many rows a protected table has is public",
    Relation.ADD_REMOVE: "two tables of which one has a row more; how many rows there are is private",
}
OF_PEOPLE = {
    Relation.REPLACE: "tables in which all rows of one person are others; how many people there are is {}",
    Relation.ADD_REMOVE: "tables with and without all rows of one person; how many people there are is {}",
}


@all_read_by_signature
class Reports:
    """A session that can give an account of itself."""

    _core: SessionCore

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write one page of what was released: HTML that needs no other file and no network, for a reader or a board.

        It has what is promised and of whom, what was declared, the budget, each release with its note, numbers,
        intervals, cost, guarantee and picture, and the ledger. Nothing is asked or paid; it can be written at any
        time, also of a session that is closed, and replaces a file that is there.

        The page shows what this session answered: its latest 1,000 releases, of at most 10,000 numbers each and
        100,000 together, which it keeps for that. What else was paid from the ledger is listed without numbers, the
        latest 2,000 entries.
        Pictures need matplotlib; without it there are tables alone.

        Parameters
        ----------
        path : path
            Of the file, such as "report.html"; it ends with .html or .htm. A browser prints the page as PDF.

        Returns
        -------
        Path
            The same, to open or to print.

        Examples
        --------
        >>> import tempfile
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1, name="people")
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47]}))
        >>> adults = people[people["age"] >= 18]
        >>> release = adults["age"].dp.mean(bounds=(18, 100), epsilon=0.5, note="of people of 18 or more")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = session.report(f"{folder}/report.html").read_text("utf-8")
        >>> "of people of 18 or more" in page, "http" in page.replace("http://www.w3.org", "")
        (True, False)
        """
        file = read_file(path)
        from .page import page  # late: few sessions end with one

        text = page(account_of(self._core), self._core.recent_releases.releases())
        file.write_text(text, "utf-8")
        return file


def read_file(path: object) -> Path:
    """Where a page may be written: never over a ledger."""
    file = a_new_file("path", path, "report")
    if file.suffix.lower() not in ENDINGS:
        raise UnsupportedArgument(
            f"path= ends with {file.suffix!r}, and a report is a page of HTML; name it "
            f"{shown(file.with_suffix('.html').name)}, and print it from a browser where it has to be another kind.",
            argument="path",
        )
    return file


def account_of(core: SessionCore) -> Account:
    """What the page says beside the releases."""
    from .numbers import Account

    opening, ledger = core.opening, core.ledger
    entries = ledger.entries()
    latest, charges = entries[-MOST_LISTED:], Charges(entries)
    budget = "The budget" if ledger.period is None else f"The budget of {ledger.period}"
    return Account(
        title=f"What was released: {opening.name}",
        promise=view.promise_of(opening, ledger, charges),
        terms=_terms(opening, ledger, charges),
        used=[(budget, ledger.used(), str(ledger.left()))],
        entries=view.ledger_table(latest),
        earlier=len(entries) - len(latest),
        prices=prices_of(latest),
        seal=seal_of(entries),
        declared=declarations(opening.domain),
    )


def ledger_page(copy: LedgerCopy) -> str:
    """The page of a ledger alone: what was asked and paid by all its sessions, and no numbers."""
    from .numbers import Account
    from .page import page

    terms, entries = copy.terms, copy.entries
    latest = entries[-MOST_LISTED:]
    budgets = [
        ("The budget" if period is None else f"The budget of {period}", copy.used(period), str(copy.left(period)))
        for period in copy.periods
    ]
    budgets += [("All periods", used, str(left)) for left, used in filter(None, [copy.over_all])]
    account = Account(
        title=f"What was released: the ledger {os.path.basename(copy.place)}",
        promise=view.promise_of_ledger(terms, entries),
        terms={**row_and_neighbours(terms), "Terms": str(terms), "Ledger": copy.place},
        used=budgets,
        entries=view.ledger_table(latest),
        earlier=len(entries) - len(latest),
        prices=prices_of(latest),
        seal=seal_of(entries),
        has_numbers=False,
    )
    return page(account, [])


def prices_of(entries: Sequence[Entry]) -> dict[int, str]:
    """What each entry cost, as it was charged, and as it was asked where that is another currency."""
    return {entry.number: _price(entry) for entry in entries}


def seal_of(entries: Sequence[Entry]) -> str:
    """By which a ledger that is shown elsewhere can be known to be this one."""
    if not entries:
        return ""
    return f"The last entry, number {entries[-1].number}, has the hash {entries[-1].hash}."


def row_and_neighbours(terms: Terms) -> dict[str, str]:
    """What a row is taken for, and what the promise compares."""
    relation = Relation(terms.neighbours)
    if terms.unit is None:
        taken = "each row is taken for one; whoever has several rows is protected row by row, not as a whole"
        return {"A person": taken, "Neighbours": OF_ROWS[relation]}
    taken = f"all rows with the same {terms.unit!r}, in all tables, are one person"
    known = "private" if terms.roster is None or not relation.size_is_public(whole=True) else "public, by the roster"
    return {"A person": taken, "Neighbours": OF_PEOPLE[relation].format(known)}


def _terms(opening: Opening, ledger: Ledger, charges: Charges) -> dict[str, str]:
    said = {
        **row_and_neighbours(ledger.terms),
        "Budget": view.cap_of(opening, ledger),
        "Spent": view.spent_by_model(opening.cap, charges),
        "Ledger": ledger.kept,
    }
    if ledger.terms.overall is not None:
        said["Over all periods"] = str(ledger.terms.overall)
    if opening.custodian:
        said["Custodian"] = "functions that look at the data and protect nothing were allowed, for the keeper's eyes"
    if len(opening.models) > 1:
        said["Promises"] = ", ".join(opening.models)
    if ledger.terms.roster is not None:
        said["Roster"] = f"everybody who may be in a table is listed in {ledger.terms.roster!r}"
    return said


def _price(entry: Entry) -> str:
    charged, facts = str(entry.price), entry.facts
    asked = cost_text({name: facts.get(name) for name in ("epsilon", "delta", "rho")})
    return charged if asked in (charged, "") or facts.get("rho") else f"{asked}, charged as {charged}"


def declarations(domain: Domain) -> list[Declaration]:
    """Columns in the order of the schema."""
    from .numbers import Declaration

    return [
        Declaration(str(name), _values(said), COMPLETE if said.complete else "may be missing")
        for name, said in (*domain.declared.items(), *domain.patterns.items())
    ]


def _values(said: Declared) -> str:
    """Categories or bounds, as they were declared."""
    if said.listed is not None:
        values = [str(each) for each in said.listed.values]
        more = "" if len(values) <= MOST_VALUES else f" and {len(values) - MOST_VALUES:,} more"
        return ", ".join(values[:MOST_VALUES]) + more
    low, high = (_end(end, said) for end in (said.limits.lower, said.limits.upper))
    if low is None and high is None:
        return f"any {said.dtype}" if said.dtype not in ("without a dtype", "object") else "any"
    if low is None or high is None:
        return f"up to {high}" if low is None else f"from {low}"
    return f"{low} to {high}"


def _end(end: Any, said: Declared) -> str | None:
    if end is None:
        return None
    if said.kind == "datetime":
        return str(pd.Timestamp(int(end), tz=said.tz)).removesuffix(" 00:00:00")
    if said.kind == "timedelta":
        return str(pd.Timedelta(int(end)))
    return f"{int(end):,}" if end == int(end) else f"{float(end):,g}"
