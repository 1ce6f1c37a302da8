"""Who may look, and how what was seen is marked."""

from __future__ import annotations

import pandas as pd

from ..errors import NoConsent
from ..session import Desk, desk_for

NOT_A_RELEASE = "For the custodian alone: computed from the data without protection. Do not publish."


def consenting_desk(data: pd.DataFrame | pd.Series) -> Desk:
    """The desk of the session that answers for this data, if it was opened with `custodian=True`.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1, custodian=True)
    >>> desk = consenting_desk(session.protect(pd.DataFrame({"age": [31, 54]})))
    >>> desk.opening.custodian
    True
    """
    desk = desk_for(data)
    if not desk.opening.custodian:
        raise NoConsent(
            "custodian functions look at the data and protect nothing; the session must be opened for them: "
            "pdp.Session(..., custodian=True)."
        )
    return desk


def for_the_custodian(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the warning in its `attrs`; never a release.

    Examples
    --------
    >>> for_the_custodian(pd.DataFrame({"age": [31, 54]})).attrs["dp"]["kind"]
    'custodian'
    """
    table.attrs = {"dp": {"kind": "custodian", "notice": NOT_A_RELEASE}}
    return table
