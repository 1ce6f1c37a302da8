"""The corridor: plan, pay, look, blur, tell. The only place where the rooms meet."""

from ..backends import Call
from .active import is_protected_now, measured_columns, owner_of
from .blocks import Cut, packed
from .clustering import writer
from .corridor import asked, described
from .desk import Desk, desk_for
from .plan import Plan
from .planning import Noted, is_planning, planning
from .public import check_synthetic, counts_of_public
from .question import Asked, Question, Request
from .rehearsal import rehearsed
from .reporting import ledger_page
from .session import Session
from .subject import Subject
from .tables import WEIGHED
from .together import paid_at_once
from .view import ledger_table

__all__ = [
    "WEIGHED",
    "Asked",
    "Call",
    "Cut",
    "Desk",
    "Noted",
    "Plan",
    "Question",
    "Request",
    "Session",
    "Subject",
    "asked",
    "check_synthetic",
    "counts_of_public",
    "described",
    "desk_for",
    "is_planning",
    "is_protected_now",
    "ledger_page",
    "ledger_table",
    "measured_columns",
    "owner_of",
    "packed",
    "paid_at_once",
    "planning",
    "rehearsed",
    "writer",
]
