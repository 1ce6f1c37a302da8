"""For the data's custodian alone: functions that look at the data and release nothing. Nothing here is private.

Every function asks the session for its consent first, and returns plain tables that say of themselves that they
must not be published; but for `cluster`, which writes the keeper's own rows anew before there is a session.
"""

from .cluster import cluster
from .compare import compare
from .consent import NOT_A_RELEASE, consenting_desk, for_the_custodian
from .promises import draw_promises, promises
from .risk_utility import RiskUtility, risk_utility
from .rows_per_person import rows_per_person

__all__ = [
    "NOT_A_RELEASE",
    "RiskUtility",
    "cluster",
    "compare",
    "consenting_desk",
    "draw_promises",
    "for_the_custodian",
    "promises",
    "risk_utility",
    "rows_per_person",
]
