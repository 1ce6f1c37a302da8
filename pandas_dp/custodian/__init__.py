"""For the data's custodian alone: functions that look at the data and release nothing. Nothing here is private.

Every function asks the session for its consent first, and returns plain tables that say of themselves that they
must not be published; but for `cluster`, which writes the keeper's own rows anew before there is a session.
"""

from .compare import NOT_A_RELEASE, cluster, compare, consenting_core, for_the_custodian, rows_per_person
from .promises import draw_promises, promises
from .risk_utility import RiskUtility, risk_utility

__all__ = [
    "NOT_A_RELEASE",
    "RiskUtility",
    "cluster",
    "compare",
    "consenting_core",
    "draw_promises",
    "for_the_custodian",
    "promises",
    "risk_utility",
    "rows_per_person",
]
