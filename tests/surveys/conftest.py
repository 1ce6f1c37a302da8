"""Survey data of which all answers are known, and a session with hardly any noise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))


@pytest.fixture
def golden() -> dict[str, Any]:
    return GOLDEN


@pytest.fixture
def sample() -> pd.DataFrame:
    return pd.DataFrame(GOLDEN["survey.people"], columns=["stratum", "w", "y", "x", "domain"])
