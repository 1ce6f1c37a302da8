"""Tables at several levels of a key, made fit to print: cells add up to every coarser level."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp

DISTRICTS = list("abcde")
KEYS = {"district": DISTRICTS, "work": ["yes", "no"], "age": ["0", "1", "2"]}
AREAS = {"a": "N", "b": "N", "c": "S", "d": "S", "e": "S"}
COASTS = {"a": "wet", "b": "dry", "c": "wet", "d": "dry", "e": "dry"}  # neither within areas nor the other way round
LANDS = {"a": "one", "b": "one", "c": "one", "d": "two", "e": "two"}
SETS = {
    "one level": ([["district", "work"], ["area"], []], {"area": AREAS}),
    "levels crossed with a key": ([["district", "work"], ["area", "work"], ["district"]], {"area": AREAS}),
    "three levels": (
        [["district", "work"], ["area"], ["zone", "work"], []],
        {"area": {**AREAS, "e": "M"}, "zone": {**AREAS, "e": "S"}},
    ),
    "levels beside each other": ([["district", "work"], ["area"], ["coast"]], {"area": AREAS, "coast": COASTS}),
    "levels that cross": ([["district", "work"], ["area", "coast"], []], {"area": AREAS, "coast": COASTS}),
    "all pairs": (
        [["district", "work", "age"], ["area", "work"], ["area", "age"], ["work", "age"]],
        {"area": AREAS},
    ),
    "no table of all": ([["district"], ["area", "work"]], {"area": AREAS}),
}


def of(numbers: pd.Series, keys: Any, every: list[str]) -> pd.Series:
    """The rows of one table of the release."""
    is_all = {key: numbers.index.get_level_values(key) == "All" for key in every}
    return numbers[np.all([~is_all[key] if key in keys else is_all[key] for key in every], axis=0)]


def added(numbers: pd.Series, keys: Any, requested: Any, levels: Any, every: list[str]) -> pd.Series | float:
    """A table added up to keys and levels that it tells."""
    cells = of(numbers, keys, every)
    if not requested:
        return float(cells.sum())
    read = [
        cells.index.get_level_values(key)
        if key in keys
        else cells.index.get_level_values("district").map(lambda d, key=key: levels[key][d])
        for key in requested
    ]
    return cells.groupby([np.asarray(each, dtype=str) for each in read]).sum()


@pytest.mark.parametrize("rows", [0, 2000])
@pytest.mark.parametrize(("tables", "levels"), SETS.values(), ids=SETS)
@pytest.mark.parametrize("consistent", [True, False])
def test_cells_add_up_to_every_level(tables: Any, levels: Any, consistent: bool, rows: int) -> None:
    r = np.random.default_rng(31)
    keys = {key: values for key, values in KEYS.items() if any(key in table for table in tables)}
    frame = pdp.Session(epsilon=10**6, neighbours="add_remove").protect(
        pd.DataFrame({key: pd.Series(r.choice(values, rows), dtype=object) for key, values in keys.items()})
    )
    for _ in range(2):
        release = frame.dp.marginals(
            tables, hierarchies={"district": levels}, categories=keys, epsilon=0.3, consistent=consistent
        )
        every = list(release.index.names)
        for adjusted, base in (
            (release.dp.nonnegative(), 0),
            (release.dp.nonnegative(integer=True), 1),
            (release.dp.round_to(5, additive=True), 5),
        ):
            numbers = adjusted["count"].astype(float)
            assert base == 5 or numbers.min() >= 0
            assert not base or not (numbers % base).any()
            told = [{*table, *(levels if "district" in table else ())} for table in tables]
            for (one, first), (other, second) in product(zip(tables, told, strict=True), repeat=2):
                common = sorted(first & second)
                here, there = (added(numbers, table, common, levels, every) for table in (one, other))
                assert np.asarray(here) == pytest.approx(np.asarray(there), abs=1e-6)


def test_levels_without_negative_numbers_stay_as_they_were() -> None:
    data = pd.DataFrame({"district": DISTRICTS * 200, "work": ["yes", "no"] * 500})
    frame = pdp.Session(epsilon=10**6).protect(data[data["district"] != "a"])
    levels = {"district": {"area": AREAS}}
    keys = {"district": DISTRICTS, "work": ["yes", "no"]}
    seen = 0
    for _ in range(20):  # none of twenty has a negative district a: probability below 10^-5 by 2^-20 and less
        release = frame.dp.marginals(
            [["district", "work"], ["area"], []], hierarchies=levels, categories=keys, epsilon=0.1
        )
        before, after = release["count"], release.dp.nonnegative()["count"]
        upper = [
            of(numbers, margin, ["district", "work", "area"])
            for numbers in (before, after)
            for margin in (["area"], [])
        ]
        seen += bool(before.min() < 0)
        assert upper[0].to_numpy() == pytest.approx(upper[2].to_numpy())
        assert upper[1].to_numpy() == pytest.approx(upper[3].to_numpy())
    assert seen


def test_the_mean_cell_of_a_sparse_table_is_one_that_can_be() -> None:
    frame = pdp.Session(epsilon=10**6).protect(pd.DataFrame({"district": DISTRICTS * 200}))
    release = frame.dp.marginals(
        [["district"], ["area"]],
        hierarchies={"district": {"area": AREAS}},
        categories={"district": DISTRICTS},
        epsilon=10,
    )
    assert release.dp.suppress(sparse=150)["count"].notna().all()  # 200 a district, and half of that if areas counted
    assert release.dp.suppress(sparse=250)["count"].isna().all()
