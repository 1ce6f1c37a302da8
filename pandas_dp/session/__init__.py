"""The corridor: plan, pay, look, blur, tell. The only place where the rooms meet."""

from .active import active_session, is_protected_now, owner_of, session_for
from .corridor import asked, described
from .plan import Plan
from .planning import Noted, is_planning, planning
from .question import Asked, Question, Request
from .rehearsal import rehearsed
from .session import Session

__all__ = [
    "Asked",
    "Noted",
    "Plan",
    "Question",
    "Request",
    "Session",
    "active_session",
    "asked",
    "described",
    "is_planning",
    "is_protected_now",
    "owner_of",
    "planning",
    "rehearsed",
    "session_for",
]
