"""Whose a row is, by its id: found among many by slots, as a search by halves finds it, and by nothing else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine import row_ids
from pandas_dp.core.engine.row_ids import KnownIds, KnownRows

RNG = np.random.default_rng(2)
SPREAD = np.unique(RNG.integers(0, 2**53, 30_000))
SORTED = {
    "spread": SPREAD,
    "needs_count": np.arange(30_000) + 2**52,
    "both": np.unique(np.concatenate([SPREAD, np.arange(60) + 7])),
    "ends": np.unique(np.concatenate([SPREAD, [0, 2**53 - 1]])),
    "one": np.array([5]),
    "none": np.zeros(0, np.int64),
}


@pytest.mark.parametrize("name", SORTED)
def test_ids_are_found_where_a_search_by_halves_finds_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_ids, "FEW", 1)
    monkeypatch.setattr(row_ids, "BLOCK", 1_000)
    ids = SORTED[name]
    near = np.concatenate([ids, ids + 1, ids - 1, RNG.integers(-5, 2**53, 10_000), [-1, 0, 2**53 - 1]])
    asked = pd.Index(RNG.permutation(np.clip(near, -1, 2**53 - 1)))
    place = {each: at for at, each in enumerate(ids.tolist())}
    expected = [place.get(each, -1) for each in asked.tolist()]
    assert KnownIds(len(ids), ids).people(asked).tolist() == expected
    assert (KnownIds(len(ids), ids)._slots is None) is (name in ("needs_count", "none"))


def test_rows_lead_to_their_people_in_any_order_and_number() -> None:
    index = pd.Index(RNG.permutation(SPREAD), name="row")
    persons = RNG.integers(-1, 900, len(index)).astype(np.int32)
    known = KnownRows(index, persons)
    assert known.people(index) is persons
    taken = RNG.integers(0, len(index), 20_000)
    assert known.people(index[taken]).tolist() == persons[taken].tolist()
    strangers = pd.Index([-1, 3, *SPREAD[:5] + 1])
    assert known.people(strangers).tolist() == [-1] * 7
    assert known.people(pd.Index(["a", None], dtype=object)).tolist() == [-1, -1]
    assert known.people(index[:0]).tolist() == []
    order = known.in_order(index[taken])
    assert order is not None
    assert known.in_order(index) is None
    assert taken[order].tolist() == sorted(taken.tolist())


def test_rows_of_an_empty_table_are_nobodys() -> None:
    known = KnownRows(pd.Index(np.zeros(0, np.int64)), np.zeros(0, np.int32))
    assert known.people(pd.Index([1, 2])).tolist() == [-1, -1]
