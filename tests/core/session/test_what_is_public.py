"""When everyone knows how many rows an answer counts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pandas_dp.core.measure.cells import ONE_CELL, Cells, Key, Presence, Variable
from pandas_dp.core.neighbours import PublicFacts, Relation
from pandas_dp.core.schema.values import Categories, Interval

SWAP = Relation.REPLACE.adjacency(whole=True)
FULL = Variable("x", Interval(Fraction(0), Fraction(1)))
GAPS = Variable("x", Interval(Fraction(0), Fraction(1), nullable=True))
CELLS = Cells((Key("k", Categories(("a", "b"))),))


@pytest.mark.parametrize(
    ("size", "cells", "variables", "public"),
    [
        (10, ONE_CELL, [], True),
        (0, ONE_CELL, [FULL], True),
        (10, ONE_CELL, [FULL, FULL], True),
        (None, ONE_CELL, [FULL], False),
        (10, CELLS, [FULL], False),
        (10, ONE_CELL, [FULL, GAPS], False),
        (10, ONE_CELL, [Presence("x")], False),
    ],
)
def test_a_count_is_public_of_all_rows_in_one_cell_where_none_can_be_missing(
    size: int | None, cells: Cells, variables: list[Variable], public: bool
) -> None:
    assert PublicFacts(SWAP, size).counts_public(cells, variables) is public
