"""What a session says of a table that it was asked about and did not protect."""

from __future__ import annotations

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import NotProtected

ASKED = {"categories": {"sex": ["f", "m"], "vote": ["n", "y"]}, "epsilon": 0.5}
PROTECT = (
    "Protect a table before it is merged, df = session.protect(df): rows that a merge repeated count as different rows."
)


def visits(one: int = 1) -> pd.DataFrame:
    """Of 200 people and the places they went to: a merge repeats the first of them `one` times."""
    people = pd.DataFrame({"id": range(200), "sex": ["f", "m"] * 100, "vote": ["y", "y", "n", "n"] * 50})
    return people.merge(pd.DataFrame({"id": [0] * one + list(range(1, 200))}), on="id")


@pytest.mark.parametrize(
    ("neighbours", "adjacency"), [("replace", "one row replaced"), ("add_remove", "one row added or removed")]
)
def test_it_is_answered_and_label_and_guarantee_say_what_is_hidden(neighbours: str, adjacency: str) -> None:
    with pdp.Session(epsilon=1, neighbours=neighbours):
        release = visits(40).dp.crosstab("sex", "vote", **ASKED)
    assert release.dp.metadata["rows"] == "given"
    assert release.dp.guarantee == (
        f"differentially private: epsilon=0.5; {adjacency} of this table, which was not protected; laplace noise; "
        "its size private and paid for."
    )


def test_a_notebook_shows_the_line_to_write() -> None:
    with pdp.Session(epsilon=1) as session:
        shown = visits().dp.crosstab("sex", "vote", **ASKED)._repr_html_()
        assert PROTECT in shown
        assert "which was not protected" in shown
        protected = session.protect(visits())
        assert PROTECT not in protected.dp.crosstab("sex", "vote", **ASKED)._repr_html_()


def test_the_sessions_view_counts_such_releases() -> None:
    with pdp.Session(epsilon=2) as session:
        promised = "Everything released so far, epsilon={} in all, keeps differential privacy when one row is replaced"
        for count, some in ((1, "1 release is"), (2, "2 releases are")):
            visits().dp.crosstab("sex", "vote", **ASKED)
            assert session.promise == (
                f"{promised.format(count / 2)}, within epsilon=2. {some} of tables that were not protected, where it "
                f"covers one row of the table that was asked. {PROTECT}"
            ).replace("epsilon=1.0", "epsilon=1")
        assert session.promise in repr(session)
        session.protect(visits()).dp.crosstab("sex", "vote", **ASKED)
        assert "2 releases are of tables" in session.promise


def test_of_what_a_session_protects_the_label_says_nothing_of_the_kind() -> None:
    with pdp.Session(epsilon=2) as session:
        frame = session.protect(visits())
        for data in (frame, frame[frame["sex"] == "f"]):
            release = data.dp.crosstab("sex", "vote", **ASKED)
            assert release.dp.metadata["rows"] != "given"
            assert "not protected" not in release.dp.guarantee
        assert "not protected" not in session.promise


def test_a_session_that_has_protected_a_table_refuses_others() -> None:
    with pdp.Session(epsilon=2) as session:
        session.protect(visits())
        with pytest.raises(NotProtected, match="carries no label"):
            visits().dp.crosstab("sex", "vote", **ASKED)
        assert session.share_used == 0
