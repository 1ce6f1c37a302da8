"""A Parquet file that is damaged is refused in one sentence before paying, and withheld after."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import AnswerLost, NotProtected

ENDS = 0, 500
SECRET = "Ms Smith"


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    path = tmp_path / "whole.parquet"
    rows = pd.DataFrame({"x": [float(each % 500) for each in range(500)], "name": [SECRET] * 500})
    rows.to_parquet(path, row_group_size=100)
    return path.read_bytes()


def refusal_of(path: Path) -> Exception | None:
    try:
        pdp.Session(epsilon=10).scan(str(path))["x"].dp.sum(bounds=ENDS, epsilon=1)
    except (NotProtected, AnswerLost) as refused:
        return refused
    return None


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: b"",
        lambda file: file[: len(file) // 2],
        lambda file: file[:-4] + b"XXXX",
        lambda file: file[:-8] + b"\xff\xff\xff\x7f" + file[-4:],
        lambda file: file[:-8] + bytes(4) + file[-4:],
    ],
    ids=["empty", "cut", "magic", "long footer", "no footer"],
)
def test_a_file_that_cannot_be_opened_is_one_sentence_and_nothing_is_paid(
    damage: object, whole: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.parquet"
    path.write_bytes(damage(whole))  # type: ignore[operator]
    session = pdp.Session(epsilon=10)
    with pytest.raises(NotProtected, match="is no Parquet file, is damaged, or may not be read") as told:
        session.scan(str(path))
    assert told.value.__cause__ is None
    assert SECRET not in str(told.value)
    assert session.used.epsilon == 0


def test_flipped_bits_are_refused_or_withheld_or_make_no_difference(whole: bytes, tmp_path: Path) -> None:
    random, path = Random("flipped"), tmp_path / "flipped.parquet"
    refused: list[Exception | None] = []
    for each in range(30):
        file = bytearray(whole)
        start = len(file) - 2000 if each % 2 else 0  # the footer, or anywhere
        file[random.randrange(start, len(file))] ^= 64
        path.write_bytes(bytes(file))
        refused.append(refusal_of(path))
    told = [each for each in refused if each is not None]
    assert {type(each) for each in told} == {NotProtected, AnswerLost}
    assert not any(each.__cause__ or SECRET in str(each) for each in told)
