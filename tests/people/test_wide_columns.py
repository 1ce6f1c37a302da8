"""Columns of whatever width, far from zero or near it: sums over rows of people are Python's own, however many rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise
from pandas_dp.core.engine.rows import RowsOfPeople
from pandas_dp.core.measure.cells import GRAIN, Cells, Key, Variable
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric.measure import Counts, Moments, Totals
from pandas_dp.people.measure import PeopleTotals, PersonTotals, RowMeans, Weighted
from tests.core.engine.slow_rows import code, place, term

Open = Callable[..., pdp.Session]
MOST = 2
WIDTHS = (20, 30, 33, 34, 36, 40, 47, 52, 60)
ROWS = (0, 1, 5, 200, 700)
LOWS = (0, 10**9, 2**40, 2**61, -(2**52) - 20, -(2**61))
KEY = Key("k", Categories(("a", "b")))


def table(interval: Interval, rows: int) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Both ends, what lies beyond, and values between; of people with one row to nine."""
    r = np.random.default_rng(rows)
    low, high = int(interval.lower), int(interval.upper)
    values = [int(each) for each in r.integers(low, high, rows, endpoint=True)]
    for at, value in enumerate((high, low, high, max(low - 9, -(2**63)), min(high + 9, 2**63 - 1))):
        values[at::7] = [value] * len(values[at::7])
    frame = pd.DataFrame(
        {"x": pd.Series(values, dtype="int64"), "k": pd.Series(r.choice(["a", "b"], rows), dtype=object)}
    )
    return frame, np.minimum(r.integers(0, rows + 1, rows), r.integers(0, rows // 3 + 1, rows)).astype(np.int32)


def measurements(variable: Variable, cells: Cells) -> list[Any]:
    inner = [
        Counts(cells),
        Totals(variable, cells),
        Moments(variable, cells),
        Moments(variable, cells, counted=True),
    ]
    return [*(Weighted(each, MOST) for each in inner), RowMeans(variable, cells, MOST)]


def cells_of(frame: pd.DataFrame, cells: Cells) -> list[int]:
    return [place(k, KEY) if cells.keys else 0 for k in frame["k"]]


def added(measurement: Weighted, frame: pd.DataFrame, person: Any) -> Any:
    """Σ of what the rows of each person weigh, times what they bring, in Python's integers."""
    many = np.bincount(person).tolist()
    sums = np.zeros((measurement.cells.size, len(measurement.inner.monomials)), object)
    for of, cell, x in zip(person.tolist(), cells_of(frame, measurement.cells), frame["x"], strict=True):
        weight = GRAIN if many[of] <= MOST else GRAIN * MOST // many[of]
        codes = [code(x, each.interval) for each in measurement.variables]
        for column, (monomial, shift) in enumerate(
            zip(measurement.inner.monomials, measurement.inner.shifts, strict=True)
        ):
            sums[cell, column] += weight * term(monomial, shift, codes)
    return measurement.arrange(sums)


def means(measurement: RowMeans, frame: pd.DataFrame, person: Any) -> Any:
    many = np.bincount(person).tolist()
    steps = measurement.steps(np.array([float(code(x, measurement.variable.interval)) for x in frame["x"]])).tolist()
    hers: dict[tuple[int, int], list[int]] = defaultdict(list)
    for of, cell, step in zip(person.tolist(), cells_of(frame, measurement.cells), steps, strict=True):
        hers[of, cell].append(step)
    sums = np.zeros((measurement.cells.size, 5), object)
    for (of, cell), found in hers.items():
        counts = min(many[of], MOST) * measurement.fine
        u, v = (counts * each // many[of] for each in (sum(found), len(found) * measurement.width - sum(found)))
        rest = measurement.scale - u - v
        sums[cell] += np.array([u + v, u - v, u * v, u * rest, v * rest], object)
    return sums


@pytest.mark.slow
@pytest.mark.parametrize("low", LOWS)
def test_sums_over_rows_are_exact_whatever_the_width_and_however_many_rows(low: int) -> None:
    for bits in WIDTHS:
        interval = Interval(Fraction(low), Fraction(low + 2**bits), "integer")
        for rows in ROWS:
            frame, person = table(interval, rows)
            data = RowsOfPeople(frame, person, rows + 1)
            for cells in (Cells(), Cells((KEY,))):
                for measurement in measurements(Variable("x", interval), cells):
                    want = (means if isinstance(measurement, RowMeans) else added)(measurement, frame, person)
                    assert data.fold(measurement).tolist() == want.tolist(), (bits, rows, measurement)


@pytest.mark.parametrize("low", LOWS)
@pytest.mark.parametrize("end", [2**20, 2**61, 2**61 + 1, 2**64, 2**80])
def test_sums_of_people_are_clamped_alike_however_many_rows(low: int, end: int) -> None:
    for bits in (4, 40, 60):
        interval = Interval(Fraction(low), Fraction(low + 2**bits), "integer")
        grid = interval.grid
        for rows in (*ROWS, 510, 511):
            frame, person = table(interval, rows)
            hers: dict[int, int] = defaultdict(int)
            for of, x in zip(person.tolist(), frame["x"], strict=True):
                hers[of] += code(x, interval) + grid.offset
            for ends in ((end, end + 8), (-end, end), (-end - 8, -end)):
                want = sum(min(max(each // grid.factor, ends[0]), ends[1]) for each in hers.values())
                measurement = PersonTotals(Variable("x", interval), *ends)
                assert RowsOfPeople(frame, person, rows + 1).fold(measurement).item() == want, (bits, rows, ends)


@pytest.mark.parametrize("low", LOWS)
@pytest.mark.parametrize("end", [2**20, 2**41, 2**42, 2**61, 2**80])
def test_so_are_sums_of_people_in_cells(low: int, end: int) -> None:
    for bits, rows in ((4, 200), (40, 5), (60, 200), (60, 0)):
        interval = Interval(Fraction(low), Fraction(low + 2**bits), "integer")
        frame, person = table(interval, rows)
        hers: dict[tuple[int, int], int] = defaultdict(int)
        for of, cell, x in zip(person.tolist(), cells_of(frame, Cells((KEY,))), frame["x"], strict=True):
            hers[of, cell] += code(x, interval) + interval.grid.offset
        variables = (Variable("x", replace(interval, nullable=True)),)
        for ends in ((end, end + 8), (-end, end), (-end - 8, -end)):
            measurement, want = PeopleTotals(Cells((KEY,)), 1, 2, variables, *ends), [0, 0]
            for (of, cell), steps in hers.items():
                weight = measurement.weight(sum(other == of for other, _ in hers))
                want[cell] += weight * min(max(steps // interval.grid.factor, ends[0]), ends[1])
            assert RowsOfPeople(frame, person, rows + 1).fold(measurement).ravel().tolist() == want


def test_ends_far_beyond_what_people_have_hold_for_few_rows_and_for_many(open_session: Open) -> None:
    for many in (510, 511):
        rows = pd.DataFrame({"person_id": range(many), "x": 2**52})
        protected = open_session(schema=None).protect(rows)
        with zero_noise():
            asked = {"bounds": (2**52, 2**52 + 10), "per_person": (2**64, 2**64 + 8)}
            found = protected["x"].dp.sum(**asked, epsilon=10**5)["sum"].item()
        assert found == pytest.approx(many * 2**64, rel=1e-9)


QUESTIONS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "sum": lambda v: v["x"].dp.sum(max_rows=1, epsilon=1),
    "groups": lambda v: v.dp.groupby("k")["x"].sum(max_rows=2, epsilon=1),
    "margins": lambda v: v.dp.marginals([["k"], []], "x", "sum", max_rows=2, epsilon=1),
    "mean": lambda v: v["x"].dp.mean(max_rows=2, epsilon=1),
    "of people": lambda v: v["x"].dp.sum(per_person=(0, 2**40), epsilon=1),
}


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("bits", [20, 34, 36, 52])
def test_every_question_is_answered_however_many_rows_there_are(bits: int, neighbours: str, open_session: Open) -> None:
    schema = pa.DataFrameSchema(
        {"x": pa.Column(int, pa.Check.in_range(0, 2**bits)), "k": pa.Column(str, pa.Check.isin(["a", "b"]))}
    )
    for rows in ROWS:
        data = pd.DataFrame({"person_id": np.arange(rows) // 2, "x": np.full(rows, 3), "k": ["a"] * rows})
        with open_session(schema=schema, neighbours=neighbours) as session:
            protected = session.protect(data)
            for name, ask in QUESTIONS.items():
                assert len(ask(protected)), name
