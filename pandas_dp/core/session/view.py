"""How a session shows itself: what is spent, what is left, what it promises. Schema and budget only, never data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from ..budget.chain import Entry
from ..budget.cost import Cost
from ..budget.ledger import Charges, Ledger, ModelTotal
from ..budget.periods import Terms
from ..label.release import PROTECT
from ..neighbours import Relation
from ..promise_registry import every_promise
from ..protect.making import rows_of
from .opening import Opening

WIDTH = 30  # of the bar, in characters
ADJACENCY = {Relation.REPLACE: "when one {} is replaced", Relation.ADD_REMOVE: "when one {} is added or removed"}
ALL = ", with all rows under one {!r},"  # of one person


def promise_of(opening: Opening, ledger: Ledger, charges: Charges) -> str:
    """What covers all releases so far; under periods what covers those of this one, and what adds up over all."""
    period = ledger.period
    mine = charges.totals(opening.cap, period)
    said = promise(opening.cap, opening.relation, mine, charges.rows(period), opening.unit)
    if period is None:
        return said
    overall = "with no cap" if ledger.terms.overall is None else f"within {ledger.terms.overall}"
    spent = spent_by_model(opening.cap, charges)
    return f"In {period}: {said} What all periods release about the same people adds up: {spent} so far, {overall}."


def promise_of_ledger(terms: Terms, entries: Sequence[Entry]) -> str:
    """What covers all entries, by whichever sessions; under periods what each keeps, and what adds up."""
    relation, charges = Relation(terms.neighbours), Charges(entries)
    if terms.period is None:
        return promise(terms.cap, relation, charges.totals(terms.cap), charges.rows(), terms.unit)
    overall = "with no cap" if terms.overall is None else f"within {terms.overall}"
    each = {name: charges.totals(terms.cap, name) for name in sorted(map(str, charges.periods))}
    kept = [f"In {name}: {_promise(terms.cap, relation, mine, terms.unit)}" for name, mine in each.items()]
    spent = spent_by_model(terms.cap, charges)
    last = f"What all periods release about the same people adds up: {spent} so far, {overall}."
    return " ".join([*kept, last])


def spent_by_model(cap: Cost, charges: Charges) -> str:
    """What all entries cost, of each promise by itself."""
    return "; ".join(f"{total} under {model!r}" for model, total in charges.totals(cap).items()) or "nothing"


CONDITIONS = {
    "read": "of rows cut or made with constants that may have been read from rows, where it holds if none was",
    "vouched": "of frames vouched for by the analyst, where it holds if each row of them was made of one protected row",
    "given": "of tables that were not protected, where it covers one row of the table that was asked",
}


def promise(
    cap: Cost, relation: Relation, totals: Mapping[str, ModelTotal], rows: Mapping[str, int], unit: str | None = None
) -> str:
    """What covers all releases so far, in a sentence, and how many are of rows of which it depends on more."""
    said = [_promise(cap, relation, totals, unit)]
    for word, condition in CONDITIONS.items():
        if rows[word]:
            said.append(f"{'1 release is' if rows[word] == 1 else f'{rows[word]:,} releases are'} {condition}.")
    return " ".join([*said, *([PROTECT] if rows["given"] else [])])


def _promise(cap: Cost, relation: Relation, totals: Mapping[str, ModelTotal], unit: str | None) -> str:
    adjacency = ADJACENCY[relation].format("row" if unit is None else f"person{ALL.format(unit)}")
    if not totals:
        return f"Nothing has been released; at most {cap} will be: differential privacy {adjacency}."
    others = totals.keys() - {"dp"}
    weaker = [promise for name, promise in every_promise().items() if name in others] if others else []
    if not weaker:
        return (
            f"Everything released so far, {totals['dp']} in all, keeps differential privacy {adjacency}, within {cap}."
        )
    if len(weaker) == 1:
        return f"Everything released so far keeps {weaker[0].keeps}, {adjacency}, within {cap}."
    number = "both" if len(weaker) == 2 else "all"
    return f"Everything released so far, under {number} weaker promises together, {weaker[-1].together}, within {cap}."


LEDGER_COLUMNS = ["session", "statistic", "columns", "by", "model", "mechanism", "rows", "period"]

NOTHING = pd.Index([], name="entry", dtype="int64")


def ledger_table(entries: Sequence[Entry]) -> pd.DataFrame:
    """One row a release; its price in epsilon, delta and rho as it was charged."""
    if not entries:
        return pd.DataFrame(
            columns=["release", "time", *LEDGER_COLUMNS, "epsilon", "delta", "rho", "note"], index=NOTHING
        )
    names = [*LEDGER_COLUMNS, "note"]
    every = [{**entry.facts, "rows": rows_of(entry.facts)} for entry in entries]
    facts = [[_shown(found.get(name)) for name in names] for found in every]
    said = dict(zip(names, zip(*facts, strict=True), strict=True))
    prices = {text: Cost.from_text(text).to_json() for text in {entry.row[3] for entry in entries}}
    columns = {
        "release": [entry.release_id for entry in entries],
        "time": pd.to_datetime([entry.time for entry in entries], format="ISO8601", utc=True),
        **{name: list(said[name]) for name in LEDGER_COLUMNS},
        **{name: [prices[entry.row[3]][name] for entry in entries] for name in ("epsilon", "delta", "rho")},
        "note": list(said["note"]),
    }
    return pd.DataFrame(columns, index=pd.Index([e.number for e in entries], name="entry", dtype="int64"))


def _shown(fact: object) -> object:
    return ", ".join(map(str, fact)) if isinstance(fact, list) else fact


def text(opening: Opening, closed: bool, ledger: Ledger, said: str) -> str:
    """Five lines for a terminal; `said` is the promise."""
    used = ledger.used()
    full = round(WIDTH * used)
    bar = "█" * full + "░" * (WIDTH - full)
    return "\n".join(
        [
            f"Session {opening.name!r}: cap {cap_of(opening, ledger)}, {state_of(opening, closed)}",
            f"  ledger {ledger.kept}",
            f"  spent  {bar} {used:.1%}",
            f"  left   {ledger.left()} for one more question",
            f"  {said}",
        ]
    )


def html(opening: Opening, closed: bool, ledger: Ledger, said: str) -> str:
    """For a notebook: a bar of what is spent, and the latest releases."""
    from html import escape  # late: its tables take a while

    used, entries = ledger.used(), ledger.entries()
    latest = ledger_table(entries[-8:])
    latest = latest[["statistic", "columns", "by", "model", "period", "epsilon", "delta", "rho"]]
    table = (
        latest.dropna(axis="columns", how="all").to_html(na_rep="", border=0)
        if len(latest)
        else "<p>No releases yet.</p>"
    )
    more = f"<p>… and {len(entries) - 8} earlier.</p>" if len(entries) > 8 else ""
    return f"""
<div style="max-width: 46em">
<p><b>Session {escape(repr(opening.name))}</b>: cap {escape(cap_of(opening, ledger))}, {state_of(opening, closed)}</p>
<div role="img" aria-label="{used:.1%} spent" style="border: 1px solid #888; height: 1.1em; border-radius: 3px">
<div style="background: #3b6ea8; height: 100%; width: {100 * used:.1f}%; border-radius: 2px"></div></div>
<p>Ledger {escape(ledger.kept)}</p>
<p>{used:.1%} spent; left for one more question: {escape(str(ledger.left()))}</p>
<p>{escape(said)}</p>
{more}{table}
</div>"""


def cap_of(opening: Opening, ledger: Ledger) -> str:
    """What may be spent, and when."""
    return str(opening.cap) if ledger.period is None else f"{opening.cap} in {ledger.period}"


def state_of(opening: Opening, closed: bool) -> str:
    """Whether questions can be asked, and of whom they are."""
    state = "closed" if closed else f"open, neighbours {opening.relation.value}"
    state += "" if opening.unit is None else f", unit {opening.unit!r}"
    return f"{state}, custodian functions allowed" if opening.custodian else state
