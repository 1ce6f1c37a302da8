"""Short texts of one length are found as Arrow finds any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pandas_dp.core.engine import arrow
from pandas_dp.core.engine.arrow import ArrowStrings, HashSlots, ShortTexts

ALPHABET = ["a", "b", "\x00", "ä", "7"]


@given(st.lists(st.text(st.sampled_from(ALPHABET), max_size=9), max_size=20, unique=True), st.data())
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_every_text_is_found_where_it_is_wanted(kind: pa.DataType, requested: list[str], data: st.DataObject) -> None:
    same = data.draw(st.booleans())
    texts = (
        st.sampled_from([*requested, "a", "ab"])
        if not same
        else st.text(st.sampled_from("ab7"), min_size=2, max_size=2)
    )
    rows = data.draw(st.lists(texts, max_size=12))
    first = data.draw(st.integers(0, len(rows)))
    column = ArrowStrings(pa.chunked_array([pa.array(rows, kind)]))
    found = column.find(slice(first, len(rows)), requested)
    assert found.tolist() == [requested.index(text) if text in requested else -1 for text in rows[first:]]


def test_missing_texts_are_nowhere() -> None:
    column = ArrowStrings(pa.chunked_array([pa.array(["aa", None, "bb"])]))
    assert column.find(slice(0, 3), ["bb", ""]).tolist() == [-1, -1, 0]


def test_what_a_missing_text_hides_is_not_found() -> None:
    hidden = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(b"\x02"), *pa.array(["aa", "bb"]).buffers()[1:]])
    assert ArrowStrings(pa.chunked_array([hidden])).find(slice(0, 2), ["aa", "bb"]).tolist() == [-1, 1]


def test_texts_of_one_length_are_found_without_arrows_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: Any, **how: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(arrow.pc, "index_in", never)
    requested = [f"a{n:02}" for n in range(100)]
    column = ArrowStrings(pa.chunked_array([pa.array([*requested[::-1], "zzz"])]))
    assert column.find(slice(0, 101), requested).tolist() == [*range(99, -1, -1), -1]


@pytest.mark.parametrize("many", [1, 2, 20, 100, 256])
def test_a_table_without_collisions_is_found(many: int) -> None:
    numbers = {int.from_bytes(f"{n:07}".encode(), "little"): n for n in range(many)}
    table = HashSlots.of(numbers)
    assert table is not None
    assert table.find(np.array(list(numbers), np.uint64)).tolist() == list(range(many))


def test_too_many_and_too_long_texts_are_left_to_arrow() -> None:
    assert not ShortTexts([f"{n:05}" for n in range(300)]).requested
    assert not ShortTexts(["ninebytes", ""]).requested
    assert pc.index_in(pa.array(["ninebytes"]), pa.array(["ninebytes"])).to_pylist() == [0]
