"""`Session.together`: several questions in one pass over the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import BudgetExceeded
from ..signatures import all_read_by_signature
from .answering import Answering
from .planning import Noted, TakesQuestions, is_planning
from .sharing import Paid, read_together, sharing
from .spending import check_spending

if TYPE_CHECKING:
    from .desk import Desk

Question = Callable[[], Any]
TOGETHER = TakesQuestions(
    "together",
    ": session.together(lambda: farms.dp.mean(), lambda: farms.dp.sum())",
    "lambda: farms.dp.mean()",
)


@all_read_by_signature
class Together:
    """A session whose questions may share a pass."""

    _desk: Desk

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
        self._desk.check_open()
        if is_planning():
            return [question() for question in questions]
        return _answered(self._desk, questions)


def _answered(desk: Desk, questions: tuple[Question, ...]) -> list[Any]:
    with paid_at_once(desk, TOGETHER.noted(desk, questions)):
        return [question() for question in questions]


@contextmanager
def paid_at_once(desk: Answering, noted: Sequence[Noted]) -> Iterator[None]:
    """All of these planned questions are charged, or none; when they are asked inside, they are paid."""
    desk.check_open()
    asked = [(each.plan, each.subject) for each in noted]
    plans = [plan for plan, _ in asked]
    for plan in plans:
        check_spending(plan)
    facts = [desk.facts(*each) for each in asked]
    try:
        entries = desk.ledger.charge_all([(plan.price, said) for plan, said in zip(plans, facts, strict=True)])
    except BudgetExceeded:
        they = "this question does not fit" if len(plans) == 1 else f"these {len(plans)} questions do not fit together"
        raise BudgetExceeded(
            f"{they} into what is left, {desk.ledger.left()} for one; nothing was spent. session.plan shows what each "
            "costs."
        ) from None
    desk.asked = True
    rows = read_together(asked)
    each = zip(plans, [subject for _, subject in asked], facts, entries, rows, strict=True)
    paid = [Paid(*fields) for fields in each]
    with sharing(paid):
        yield
