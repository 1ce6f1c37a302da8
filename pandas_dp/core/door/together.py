"""Questions that share a pass over the rows, and questions that are asked once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...errors import BudgetExceeded, UnsupportedArgument
from ..arguments import all_read_by_signature
from ..plan.run import Paid, check_spending, read_together, sharing
from ..protect.session_lookup import Answering
from ..session.jobs import is_published, read_name, under
from ..session.planning import Noted, TakesQuestions, is_planning
from ..session.session_core import SessionCore

Question = Callable[[], Any]
TOGETHER = TakesQuestions(
    "together",
    ": session.together(lambda: df.dp.mean(), lambda: df.dp.sum())",
    "lambda: df.dp.mean()",
)
PUBLISH = TakesQuestions(
    "publish",
    ' later: session.publish("2026-11/size", lambda: df.dp.mean())',
    'session.publish("2026-11/size", lambda: df.dp.mean())',
)


@all_read_by_signature
class Together:
    """A session whose questions may share a pass, or be asked once."""

    _core: SessionCore

    def together(self, *questions: Question) -> list[Any]:
        """The answers of several questions, for which the rows of a scanned table are read once.

        Each is a release of its own, at its own price. All are planned first, and refused together if one is, or if
        they do not all fit; then all are paid at once, and the rows are read. A question must not depend on the answer
        of another one, and is called twice, the first time to plan it.

        Parameters
        ----------
        *questions : callables without arguments
            Each asks `.dp` of a table or column of this session.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
        >>> mean, total = session.together(
        ...     lambda: farms["size"].dp.mean(bounds=(0, 10), epsilon=1e6),
        ...     lambda: farms["size"].dp.sum(bounds=(0, 10), epsilon=1e6),
        ... )
        >>> mean["mean"].round(2).item(), total["sum"].round(1).item(), len(session.ledger)
        (3.0, 3000.0, 2)
        """
        TOGETHER.check(questions)
        self._core.check_open()
        if is_planning() or is_published():
            return [question() for question in questions]
        with paid_at_once(self._core, TOGETHER.noted(self._core, questions)):
            return [question() for question in questions]

    def publish(self, name: str, question: Question) -> Any:
        """Ask a question once: asked again under this name, its release is what was stored, and nothing is paid.

        The ledger keeps the release, so a job that runs again, in another process too, publishes the same numbers.
        Another question under the name is refused: another statistic, column, declaration, price, period, or
        expression by which its rows were made. Two processes of the same ledger are taken to protect the same table;
        a name that says which, such as `"2026-11/visits"`, keeps it so.

        It is charged before rows are looked at, and answered once it is stored. A process that ends in between has
        paid and shown nothing; the next run pays again, and draws anew. Where two ask at the same moment both may pay,
        and both get what was stored first.

        Parameters
        ----------
        name : str
            One line of text, one for each question of the ledger.
        question : callable without arguments
            Asks `.dp` of a table or column of this session, once; it is called twice, the first time to plan it. Its
            rows are those of a protected table, or made of them by expressions.

        Raises
        ------
        BadArgument
            Another question was published under this name.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1)
        >>> visits = session.protect(pd.DataFrame({"cost": [20.0, 35.0, 60.0, 15.0] * 250}))
        >>> def ask():
        ...     return visits["cost"].dp.mean(bounds=(0, 100), epsilon=0.5)
        >>> first = session.publish("2026-11/cost", ask)
        >>> session.publish("2026-11/cost", ask).equals(first), session.share_used
        (True, 0.5)
        """
        name = read_name(name)
        PUBLISH.check([question])
        self._core.check_open()
        if is_planning():
            raise UnsupportedArgument("publish stores what it pays for; plan its question itself instead.")
        asked = len(PUBLISH.noted(self._core, [question]))
        if asked > 1:
            raise UnsupportedArgument(
                f"publish stores one answer, and this function asks {asked} questions; give each a name of its own."
            )
        with under(name):
            return question()


@contextmanager
def paid_at_once(core: Answering, noted: Sequence[Noted]) -> Iterator[None]:
    """All of these planned questions are charged, or none; when they are asked inside, they are paid."""
    core.check_open()
    asked = [(each.plan, each.subject) for each in noted]
    plans = [plan for plan, _ in asked]
    for plan in plans:
        check_spending(plan)
    facts = [core.facts(*each) for each in asked]
    try:
        entries = core.ledger.charge_all([(plan.price, said) for plan, said in zip(plans, facts, strict=True)])
    except BudgetExceeded:
        they = "this question does not fit" if len(plans) == 1 else f"these {len(plans)} questions do not fit together"
        raise BudgetExceeded(
            f"{they} into what is left, {core.ledger.left()} for one; nothing was spent. session.plan shows what each "
            "costs."
        ) from None
    core.asked = True
    rows = read_together(asked)
    each = zip(plans, [subject for _, subject in asked], facts, entries, rows, strict=True)
    paid = [Paid(*fields) for fields in each]
    with sharing(paid):
        yield
