"""Who may look, and how what was seen is marked."""

from __future__ import annotations

import pandas as pd

from ..errors import NoConsent
from ..session import Session, session_for

NOT_A_RELEASE = "For the custodian alone: computed from the data without protection. Do not publish."


def consenting_session(data: pd.DataFrame | pd.Series) -> Session:
    """The session that answers for this data, if it was opened with `custodian=True`."""
    session = session_for(data)
    if not session.custodian:
        raise NoConsent(
            "custodian functions look at the data and protect nothing; the session must be opened for them: "
            "pdp.Session(..., custodian=True)."
        )
    return session


def for_the_keeper(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the warning in its `attrs`; never a release."""
    table.attrs = {"dp": {"kind": "custodian", "notice": NOT_A_RELEASE}}
    return table
