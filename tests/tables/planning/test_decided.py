"""What a question measures is decided when its plan is made, with the norm of the noise that will be used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.tables.planning.optimum import Workload
from pandas_dp.tables.planning.planning import Planning

CATEGORIES = {"a": list(range(6)), "b": list(range(3)), "c": [0, 1]}
REQUESTED = ((0, 1), (1, 2), (1,))
WAYS = [
    ({"epsilon": 1}, 2),
    ({"rho": 0.1}, 1),
    ({"epsilon": 1, "delta": 1e-6}, 1),
    ({"epsilon": 1, "mechanism": "laplace"}, 2),
    ({"epsilon": 1, "delta": 1e-6, "mechanism": "gaussian"}, 1),
    ({"width": 40}, 1),  # bought by rho where the cap has a delta
]


@pytest.mark.parametrize(("cost", "power"), WAYS, ids=str)
def test_shares_are_those_for_the_noise_that_is_used(cost: dict[str, Any], power: int) -> None:
    """Rows come and go, so no total is free and every table has the same sensitivity."""
    session = pdp.Session(epsilon=100, delta=1e-3, neighbours="add_remove")
    frame = session.protect(pd.DataFrame(0, index=range(5), columns=list("abc")))
    tables = [["a", "b"], ["b", "c"], ["b"]]
    (said,) = frame.dp.marginals(tables, categories=CATEGORIES, **cost).attrs["dp"]["evidence"]
    candidates = (*REQUESTED, (0, 1, 2))
    measured = Planning(
        Workload((6, 3, 2), tuple((margin, 1.0) for margin in REQUESTED)), candidates, power, False
    ).planned()
    assert [tuple(margin) for margin in said["measured"]] == list(measured.tables)
    variances = np.array([Noise.from_json(each).var for each in said["noises"]])
    shares = np.array([float(share) for share in measured.shares])
    worth = variances * shares**power  # the same for all, but for whole numbers being coarse
    assert worth == pytest.approx(np.full(len(worth), worth[0]), rel=0.02)


def test_a_total_that_is_free_is_measured_unasked() -> None:
    frame = pdp.Session(rho=1).protect(pd.DataFrame(0, index=range(5), columns=["a", "b"]))
    asked = {"rho": 0.1, "categories": {name: CATEGORIES[name] for name in "ab"}}
    (said,) = frame.dp.marginals([["a"], ["b"]], **asked).attrs["dp"]["evidence"]
    assert [] in said["measured"]
    assert [] not in said["shown"]
    apart = frame.dp.marginals([["a"], ["b"]], consistent=False, **asked).attrs["dp"]["evidence"][0]
    assert apart["measured"] == [[0], [1]]
