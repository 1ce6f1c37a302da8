"""What looks at data without protecting it asks first, and says what it is."""

from __future__ import annotations

import pandas as pd

import pandas_dp as pdp
from pandas_dp.core.label.release import is_release
from pandas_dp.custodian.compare import NOT_A_RELEASE, consenting_core, for_the_custodian
from pandas_dp.errors import NoConsent, UnsupportedArgument
from tests.refusals import refused

TABLE = pd.DataFrame({"age": [31, 54, 47]})


def test_a_session_consents_only_when_opened_so() -> None:
    with pdp.Session(epsilon=1) as session, refused(NoConsent):
        consenting_core(session.protect(TABLE))
    with pdp.Session(epsilon=1, custodian=True) as session:
        assert consenting_core(session.protect(TABLE)).opening.name == session.name
        assert "custodian functions allowed" in repr(session)


def test_consent_is_a_plain_yes_or_no() -> None:
    with refused(UnsupportedArgument):
        pdp.Session(epsilon=1, custodian=1)  # type: ignore[arg-type]


def test_what_a_custodian_sees_is_not_a_release() -> None:
    seen = for_the_custodian(TABLE.copy())
    assert not is_release(seen)
    assert seen.attrs["dp"]["notice"] == NOT_A_RELEASE
