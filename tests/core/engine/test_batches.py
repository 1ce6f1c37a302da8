"""The engine that makes batches of frames is a scan, and not always the one that stands in for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.fold import Part, fold_of
from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows, RowsOfPeople
from pandas_dp.core.measure.cells import ONE_CELL
from pandas_dp.engines.scan.scan import Scan
from pandas_dp.numeric.measure import Counts
from pandas_dp.people.measure import PeopleCounts

from ...engines.parts import InBatches, as_arrow

COLUMNS: dict[str, Any] = {
    "float": [1.5, np.nan],
    "int": [1, 2],
    "bool": [True, False],
    "str": pd.Series(["a", None], dtype="string"),
    "category": pd.Categorical(["a", "b"]),
    "time": pd.to_datetime(["2026-01-01", None]),
    "masked": pd.array([1, None], dtype="Int64"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_what_arrow_can_hold_is_scanned(name: str) -> None:
    assert as_arrow(Part.whole(pd.DataFrame({"x": COLUMNS[name]}), None)) is not None


def test_objects_are_not() -> None:
    rows = Part.whole(pd.DataFrame({"x": [1, "a"]}, dtype=object), None)
    assert as_arrow(rows) is None
    assert not InBatches(rows).reads_anew


def test_people_are_scanned_in_parts_that_have_all_rows_of_each() -> None:
    person = np.array([0, 1, 0, -1, 2])
    engine = InBatches(Part.of_people(pd.DataFrame({"x": [1.0, 1.0, 1.0, 1.0, 1.0]}), person, 3))
    people = PeopleCounts(ONE_CELL, 1, 1)
    assert engine.reads_anew
    assert engine.run([fold_of(people)])[0].tolist() == RowsOfPeople(engine.rows.data, person, 3).fold(people).tolist()


def test_only_rows_that_count_do(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[Scan] = []
    monkeypatch.setattr(PandasRows, "engine", InBatches)
    run = Scan.run
    monkeypatch.setattr(Scan, "run", lambda scan, folds: (passes.append(scan), run(scan, folds))[1])
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=[0, 0, 7])
    assert PandasRows(frame, KnownIds(5)).fold(Counts())[0, 0] == 1
    assert len(passes) == 1
