"""`used` and `left` are costs of one currency that add up to the cap."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.budget.cost import Approximate, Concentrated, Pure


@pytest.mark.parametrize(
    ("cap", "asked"),
    [({"epsilon": 4}, {"epsilon": 1}), ({"rho": 2}, {"rho": 0.5}), ({"epsilon": 4, "delta": 1e-6}, {"epsilon": 1})],
)
def test_what_is_used_and_what_is_left_add_up_to_the_cap(cap: dict[str, Any], asked: dict[str, Any]) -> None:
    session = pdp.Session(**cap)
    frame = session.protect(pd.DataFrame({"x": [1.0, 2.0]}))
    assert 0 == session.share_used < 1
    frame["x"].dp.sum(bounds=(0, 5), **asked)
    used, left = session.used, session.left
    assert type(used) is type(left)
    if isinstance(used, Pure):
        assert isinstance(session.cap, Pure | Approximate)
        assert used.epsilon + left.epsilon == session.cap.epsilon
        assert used.epsilon > 0
    else:
        assert isinstance(used, Concentrated)
        assert used.rho == 0.5
        assert left.rho == 1.5


def test_the_weights_of_a_column_are_kept_by_the_column() -> None:
    """The table has no name of its own, and is gone otherwise once its column was taken."""
    data = pd.DataFrame({"y": [1.0, 2.0] * 50, "w": [1.0, 3.0] * 50})
    session = pdp.Session(epsilon=1e9)
    column = session.protect(data)["y"]
    mean = column.dp.mean(weights="w", bounds={"y": (0, 4), "w": (0, 4)}, epsilon=1e8)
    assert mean["mean"].iloc[0] == pytest.approx(1.75, abs=1e-3)
