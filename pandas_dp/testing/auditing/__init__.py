"""Testing an epsilon: any question, on neighbours that are made up, by what is visible, by exact laws and by chance."""

from .audit import Audit, audit
from .own import OWN, audit_own
from .pairs import Pair, made_up

__all__ = ["OWN", "Audit", "Pair", "audit", "audit_own", "made_up"]
