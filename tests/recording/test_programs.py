"""Programs that mix rows are refused, or their answers say that values were read; the others are followed."""

from __future__ import annotations

import contextlib

import pytest

import pandas_dp as pdp
from pandas_dp.language.column import LazyColumn
from pandas_dp.language.table import LazyTable

from .honest import HONEST
from .programs import FURTHER, MIXING, OUTSIDE, programs
from .running import ROWS, changes, neighbours, run, shows_mixing, table

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


OF_ITSELF = (
    "d.y * sys.getsizeof(d.k)",
    "d.y * d.__sizeof__()",
    "d.y * pd.api.types.is_integer_dtype(d.n)",
    'd.y * (str(d[["n"]].dtypes.iloc[0]) == "int64")',
)
"""What these read of a lazy column or table is the same whatever its rows."""


@pytest.mark.slow  # ten seconds
@pytest.mark.parametrize("program", sorted({*ALL} - {*OF_ITSELF, *programs(OUTSIDE)}))
def test_a_mixing_program_gives_nothing_of_a_scanned_table(program: str) -> None:
    """That shows no row, so no program can read any, whatever it does."""
    found = None
    with contextlib.suppress(Exception):
        found = run(program, pdp.Session(epsilon=1).scan(table()), table())
    if isinstance(found, LazyTable):
        with pytest.raises(pdp.PrivacyError):
            found.dp.count(epsilon=0.1)
    assert not isinstance(found, LazyColumn)
