"""Bins as people write them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.views.labels import short_labels


@pytest.mark.parametrize(
    ("edges", "first"),
    [
        (np.linspace(300, 19_000, 31), "300 to 923"),
        (np.linspace(0, 1, 11), "0.0 to 0.1"),
        ([0.0, 0.125, 0.5], "0.000 to 0.125"),
        ([-4.0, -1.0, 1.5], "-4.0 to -1.0"),
        ([-np.inf, 18.0, 65.0], "-inf to 18"),
        ([1e6, 2e6, 7e6], "1,000,000 to 2,000,000"),
        ([pd.Timestamp("2020-01-01"), pd.Timestamp("2020-02-01")], "2020-01-01 to 2020-02-01"),
        ([pd.Timestamp("2020-01-01"), pd.Timestamp("2020-02-01 12:00")], "2020-01-01 00:00:00 to 2020-02-01 12:00:00"),
    ],
)
def test_edges_have_the_decimals_that_tell_them_apart(edges: list[object], first: str) -> None:
    bins = pd.IntervalIndex.from_breaks(edges, closed="left", name="pay")
    assert short_labels(bins)[0] == first
    assert short_labels(bins).name == "pay"
    assert short_labels(bins).is_unique


def test_bins_among_other_labels_and_levels_are_written_so_too() -> None:
    bins = list(pd.IntervalIndex.from_breaks([0.0, 1.0, 2.0], closed="left"))
    assert short_labels(pd.Index([*bins, "All"], dtype=object)).tolist() == ["0 to 1", "1 to 2", "All"]
    both = short_labels(pd.MultiIndex.from_product([["f", "m"], bins], names=["sex", "pay"]))
    assert both.tolist()[-1] == ("m", "1 to 2")
    assert list(both.names) == ["sex", "pay"]
    plain = pd.Index(["a", "b"], name="k")
    assert short_labels(plain) is plain


def test_every_view_of_a_histogram_has_its_bins_and_says_where_an_edge_belongs() -> None:
    people: Any = pdp.Session(epsilon=1).protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
    table = people["age"].dp.histogram(bins=3, bounds=(0, 100), epsilon=1)
    for text in (repr(table), table._repr_html_(), table.dp.to_markdown(), table.dp.to_latex(), table.dp.to_html()):
        assert "33.3 to 66.7" in text
        assert "A value of age at the edge of two bins is in the one that begins there." in text
    assert isinstance(table.index, pd.IntervalIndex)
