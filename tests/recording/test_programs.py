"""Programs that mix rows are refused, or their answers say that values were read; the others are followed."""

from __future__ import annotations

import pytest

from .honest import HONEST
from .programs import FURTHER, MIXING, OUTSIDE, programs
from .running import ROWS, changes, neighbours, shows_mixing

ALL = [each for text in (*MIXING.values(), OUTSIDE) for each in programs(text)] + FURTHER


@pytest.mark.slow  # two seconds, and says something of the programs alone
@pytest.mark.parametrize("program", ALL)
def test_a_mixing_program_mixes(program: str) -> None:
    assert shows_mixing(program)


@pytest.mark.parametrize("program", programs(HONEST))
def test_an_honest_program_mixes_nothing(program: str) -> None:
    assert max(changes(program, row, other) for row in ROWS for other in neighbours(row).values()) <= 1


def test_no_program_stands_twice() -> None:
    assert len({*ALL, *programs(HONEST)}) == len(ALL) + len(programs(HONEST))
    assert len(ALL) >= 900
