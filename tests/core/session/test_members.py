"""What a user sees of a session is what a user types."""

from __future__ import annotations

import pandas_dp as pdp

TYPED = {
    "activate",
    "cap",
    "close",
    "closed",
    "custodian",
    "derive",
    "watch",
    "ledger",
    "left",
    "models",
    "name",
    "plan",
    "promise",
    "protect",
    "publish",
    "report",
    "scan",
    "schema",
    "share_used",
    "together",
    "used",
    "vouch",
}


def test_a_session_shows_what_a_user_types_and_nothing_else() -> None:
    assert {name for name in dir(pdp.Session(epsilon=1)) if not name.startswith("_")} == TYPED
