"""The corridor: plan, pay, look, blur, tell. The only place where the rooms meet."""

from .active import active_session, owner_of, session_for
from .plan import Plan
from .question import Asked, Question, Request
from .session import Session

__all__ = ["Asked", "Plan", "Question", "Request", "Session", "active_session", "owner_of", "session_for"]
