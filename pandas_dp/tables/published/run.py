"""Tables perturbed once and stored: what is asked of them later is answered from the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ...core.arguments import read_by_signature
from ...core.budget.ledger import Ledger
from ...core.door.together import paid_at_once
from ...core.label.label import Label, key_labels
from ...core.label.release import label_of
from ...core.plan.run import asked, described
from ...core.protect.session_lookup import is_protected_now
from ...core.session.planning import Noted, is_planning, planning
from ...errors import BudgetExceeded, LedgerError, TablesMismatch, UnsupportedArgument, shown
from ...synthetic.conclude_columns import reading_labels
from ...synthetic.conclude_described import description
from ...synthetic.conclude_stored import to_json
from ...synthetic.statistic_adaptive_stages import TablesForSynthesis
from .archive import Draft, Typed, as_folder, check_parquet, checked_name, holds_tables, typed
from .conclude import PublishedTables, open_tables

Asked = Callable[[], Any]
OFFERED = ("marginals", "synthesize")


@read_by_signature
def publish_tables(folder: str | PathLike[str], questions: Mapping[str, Asked]) -> PublishedTables:
    """Ask for tables once, store their releases in a folder, and answer everything else from there.

    Each question is a call of `marginals` or `synthesize`, paid for as it says. The model of a synthesis is stored
    beside its tables, and answers for tables that nobody measured, which their column `source` says. Asked again with
    the same questions, by a session on the same ledger, the folder answers and nothing is spent; a folder that holds
    other tables is refused. Nothing is ever appended.

    It promises that each question is paid for at most once for a folder: only one process at a time can publish into
    it, all are charged at once or none is, durably before the data are looked at, and the folder appears complete or
    not at all. Where it ends in between, by an error too, what was paid is lost and the folder's place stays marked
    until somebody removes the mark. (A question that is handed to another thread is asked there, and paid.)

    Across processes only the questions, the public number of rows and the ledger are compared: of two frames with as
    many rows that one ledger answers for, the second gets the tables of the first. A derived frame is never recognised
    again, not even in the session that published its tables: read those by `open_tables`.

    Parameters
    ----------
    folder : path
        New or empty. It will hold a Parquet file for each question, and a list of them with their digests.
    questions : mapping from names to callables without arguments
        Each returns what `marginals` or `synthesize` gave, e.g.
        `{"work": lambda: df.dp.marginals([["age", "work"]], epsilon=1)}`.

    Returns
    -------
    PublishedTables
        What `pdp.open_tables(folder)` gives in any other process, without the data.

    Raises
    ------
    TablesMismatch
        The folder holds other tables, or those of another ledger or another frame.
    BudgetExceeded
        The questions do not fit together in what is left. Nothing was spent.

    Examples
    --------
    >>> import tempfile, pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=10)
    >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
    >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
    >>> questions = {"votes": lambda: people.dp.marginals([["sex", "vote"]], categories=declared, epsilon=1)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = pdp.publish_tables(folder + "/tables", questions).table(["vote"])
    ...     again = pdp.publish_tables(folder + "/tables", questions).table(["vote"])
    >>> first.equals(again), session.share_used
    (True, 0.1)
    """
    path = as_folder(folder)
    if is_planning():
        raise UnsupportedArgument("publish_tables stores what it pays for; plan its questions themselves instead.")
    noted = {name: _planned(name, ask) for name, ask in _named(questions).items()}
    for each in noted.values():
        _categories(each)  # refused here where a folder cannot hold them
    if holds_tables(path):
        return _again(path, noted)
    _check_affordable(list(noted.values()))
    check_parquet()
    draft = Draft.begin(path)
    core = next(iter(noted.values())).core
    before = {entry.number for entry in core.ledger.entries()}
    try:
        if holds_tables(path):  # by a process that was faster
            draft.abandon()
            return _again(path, noted)
        with paid_at_once(core, list(noted.values())):
            for name, each in noted.items():
                _keep(draft, name, each)
        draft.finish()
    except Exception as error:
        if not _may_be_paid(error, core.ledger, before):
            draft.abandon()
        raise
    return open_tables(path)


def _keep(draft: Draft, name: str, noted: Noted) -> None:
    """Ask what is paid, and put it into the folder; bins that were measured are known from then on."""
    release, part = noted.carry_out(), noted.plan.question.parts[0].estimator
    draft.keep(name, release, _categories(noted))
    if isinstance(part, TablesForSynthesis):
        draft.keep_model(name, to_json(description(release, part, noted.plan.public.size)))


def _named(questions: object) -> dict[str, Asked]:
    if not isinstance(questions, Mapping) or not questions or not all(map(callable, questions.values())):
        raise UnsupportedArgument(
            "publish_tables takes questions by name, to be asked later: "
            '{"work": lambda: df.dp.marginals([["age", "work"]], epsilon=1)}.'
        )
    names = [checked_name(name) for name in questions]
    if len({name.lower() for name in names}) < len(names):
        raise UnsupportedArgument("two names of tables differ in upper and lower case alone; rename one.")
    return dict(questions)


def _planned(name: str, ask: Asked) -> Noted:
    """The question, planned: nothing is paid, nothing is looked at."""
    with planning() as noted:
        answer = ask()
    if len(noted) != 1 or answer is not noted[0].answer or noted[0].plan.question.statistic not in OFFERED:
        raise UnsupportedArgument(
            f"the question {name!r} must ask for marginals, or synthesize, once and return the answer: "
            'lambda: df.dp.marginals([["age", "work"]], epsilon=1).'
        )
    return noted[0]


def _categories(noted: Noted) -> dict[str, list[Typed]]:
    """What the labels of the keys stand for; refused where they could not be stored."""
    keys = noted.plan.question.parts[0].estimator.cells.keys
    odd = next((key.name for key in keys if not isinstance(key.name, str)), None)
    if odd is not None:
        raise UnsupportedArgument(f"stored tables have keys named by strings; rename the column {shown(odd)}.")
    unfit = next((p.column for p in noted.plan.question.parts if not isinstance(p.column, str | None)), None)
    if unfit is not None:
        raise UnsupportedArgument(f"stored tables have columns named by strings; rename the column {shown(unfit)}.")
    estimator = noted.plan.question.parts[0].estimator
    if isinstance(estimator, TablesForSynthesis):
        readings = estimator.readings
        return {str(each.key.name): typed(reading_labels(each), each.key.name) for each in readings}
    return {str(key.name): typed(key_labels(key).tolist(), key.name) for key in keys}


def _check_affordable(noted: list[Noted]) -> None:
    """Prices that do not fit together are refused before anything is made."""
    core = noted[0].core
    if any(each.core is not core for each in noted):
        raise UnsupportedArgument("the questions of one folder belong to one session; publish into a folder for each.")
    if not core.fits([each.plan for each in noted]):
        raise BudgetExceeded(
            f"these tables cost {', '.join(str(each.plan.price) for each in noted)}, which do not fit together in what "
            f"is left, {core.ledger.left()}; session.plan shows which do."
        )


def _may_be_paid(error: Exception, ledger: Ledger, before: set[int]) -> bool:
    """Whether the ledger was charged meanwhile; of a ledger in trouble nobody knows."""
    if isinstance(error, LedgerError):
        return True
    try:
        return not before.issuperset(entry.number for entry in ledger.entries())
    except Exception:  # noqa: BLE001 - whatever it is, the question was not refused before it was paid
        return True


def _again(path: Path, noted: Mapping[str, Noted]) -> PublishedTables:
    """What is stored, if it answers the very questions that are asked."""
    stored = open_tables(path)
    labels = {name: Label.from_json(label_of(release) or {}) for name, release in stored.releases.items()}
    other = _difference(noted, labels)
    if other is not None:
        raise TablesMismatch(
            f"{path} holds other tables, {other}; read them with pdp.open_tables, or publish into another folder.",
            folder=str(path),
        )
    for name, each in noted.items():
        paid = {(entry.number, entry.release_id) for entry in each.core.ledger.entries()}
        if (labels[name].entry, labels[name].id) not in paid or not _same_frame(each, labels[name]):
            raise TablesMismatch(
                f"{path} holds tables for the same questions, but from another ledger or from a frame that cannot be "
                "verified to be this one; read them with pdp.open_tables, or publish into another folder.",
                folder=str(path),
            )
    return stored


def _difference(noted: Mapping[str, Noted], labels: Mapping[str, Label]) -> str | None:
    """The first difference between the questions asked and those stored."""
    new = next((name for name in noted if name not in labels), None)
    if new is not None:
        return f"none by the name {new!r}"
    left = next((name for name in labels if name not in noted), None)
    if left is not None:
        return f"{left!r} among them, which is not asked for"
    changed = next((name for name, each in noted.items() if not _answers(labels[name], each)), None)
    return None if changed is None else f"for another question {changed!r}"


def _answers(label: Label, noted: Noted) -> bool:
    """Whether the stored label says all that a label of this plan would say of its question."""
    plan, question, said = noted.plan, noted.plan.question, label.to_json()
    facts = {
        **described(plan, said["session"]),  # by any session of the ledger,
        **{name: said[name] for name in ("period", "note")},  # in any period, whatever is noted
        "neighbours": noted.core.opening.relation.value,
        "unit": plan.public.unit,
        "roster": noted.core.ledger.terms.roster,
        "people": plan.public.people,
        "counted": noted.subject.counted,
        "rows": noted.subject.making.rows,
        "size": plan.public.size,
        "confidence": question.request.confidence,
        "asked": [asked(part.estimator) for part in question.parts],
    }
    stored = {**said, "asked": [each["asked"] for each in label.evidence]}
    return facts == {name: stored[name] for name in facts}


def _same_frame(noted: Noted, label: Label) -> bool:
    """A frame of another process has another name; there the ledger decides, which serves one population."""
    if noted.subject.frame is None or label.frame is None:
        return False
    return noted.subject.frame == label.frame or not (noted.core.protects(label.frame) or is_protected_now(label.frame))
