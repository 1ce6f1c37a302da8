"""What the backends compute, written again value by value in fractions: slow, and meant to be plainly right."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, isnan, prod

import numpy as np
import pandas as pd

from pandas_dp.core.schema.values import Breaks
from pandas_dp.numeric.measure import Distinct

EPOCH = pd.Timestamp(0).to_pydatetime()


def number(value):
    """A Fraction, ±inf, or None."""
    if isinstance(value, np.timedelta64):  # which numpy calls an integer
        return None
    if isinstance(value, complex | np.complexfloating):
        return number(value.real) if value.imag == 0 else None
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return Fraction(int(value))
    if isinstance(value, Decimal):
        if value.is_nan():
            return None
        return Fraction(value) if value.is_finite() else inf * (-1 if value.is_signed() else 1)
    if isinstance(value, float | np.floating):
        return None if isnan(value) else Fraction(*value.as_integer_ratio()) if isfinite(value) else float(value)
    return None


def nanoseconds(value, kind):
    if value is pd.NaT or (isinstance(value, np.datetime64 | np.timedelta64) and np.isnat(value)):
        return None
    if kind == "datetime":
        if isinstance(value, np.datetime64):
            value = pd.Timestamp(value)
        if isinstance(value, pd.Timestamp):
            value = value.tz_convert(None) if value.tz is not None else value
            unit = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[value.unit]
            return Fraction(int(value.asm8.astype("i8")) * unit)
        if isinstance(value, dt.datetime):
            value = value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
            return 1000 * Fraction((value - EPOCH) // dt.timedelta(microseconds=1))
        if isinstance(value, dt.date):
            return Fraction((value.toordinal() - EPOCH.toordinal()) * 86_400 * 10**9)
        return None
    if isinstance(value, np.timedelta64):
        value = pd.Timedelta(value)
    if isinstance(value, pd.Timedelta):
        unit = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[value.unit]
        return Fraction(int(value.asm8.astype("i8")) * unit)
    return 1000 * Fraction(value // dt.timedelta(microseconds=1)) if isinstance(value, dt.timedelta) else None


def read(value, kind):
    return number(value) if kind in ("float", "integer") else nanoseconds(value, kind)


def code(value, interval):
    """The code of a value, None where it is missing."""
    grid = interval.grid
    found = read(value, interval.kind)
    if found is None:
        return None
    k = grid.low if found == -inf else grid.high if found == inf else round(found / grid.step)
    return grid.factor * max(grid.low, min(grid.high, k)) - grid.offset


def same(value, declared):
    """Whether a value is that declared category."""
    for reader in (number, lambda v: nanoseconds(v, "datetime"), lambda v: nanoseconds(v, "timedelta")):
        if reader(declared) is not None:
            return reader(value) is not None and reader(value) == reader(declared)
    texts = [v.decode(errors="replace") if isinstance(v, bytes) else v for v in (declared, value)]
    return type(texts[0]) is type(texts[1]) and texts[0] == texts[1]


def place(value, key):
    """Which category, None where none."""
    none = key.size - 1 if key.other else None
    if not isinstance(key.labels, Breaks):
        return next((i for i, declared in enumerate(key.labels.values) if same(value, declared)), none)
    found = number(value)
    if found is None:
        if key.clamp is None or key.clamp.nullable:
            return none
        found = (key.clamp.lower + key.clamp.upper) / 2
    try:
        found = float(found)
    except OverflowError:
        found = inf if found > 0 else -inf
    if key.clamp is not None:
        found = min(max(found, float(key.clamp.lower)), float(key.clamp.upper))
    edges = key.labels.edges
    if found == edges[-1]:
        return len(edges) - 2
    at = bisect_right(edges, found) - 1
    return at if 0 <= at < len(edges) - 1 else none


def rows(data, measurement_cells, variables, kept=None):
    """(cell, codes) of each row that counts."""
    values = {
        name: list(data[name].astype(object))
        for name in {k.column for k in measurement_cells.keys} | {v.column for v in variables}
    }
    for i in range(len(data)):
        if kept is not None and not kept[i]:
            continue
        places = [place(values[k.column][i], k) for k in measurement_cells.keys]
        codes = [code(values[v.column][i], v.interval) for v in variables]
        lost = any(c is None and v.nullable for c, v in zip(codes, variables, strict=True))
        if lost or None in places:
            continue
        cell = 0
        for found, size in zip(places, measurement_cells.shape, strict=True):
            cell = cell * size + found
        yield cell, [c or 0 for c in codes]


def term(monomial, shift, codes):
    if len(monomial) < 2:
        return codes[monomial[0]] if monomial else 1
    product = prod(float(codes[j]) for j in monomial)
    return round(Fraction(product) / 2**shift)


def fold(data, measurement, kept=None):
    if isinstance(measurement, Distinct):
        return distinct(data, measurement, kept)
    sums = np.zeros((measurement.cells.size, len(measurement.monomials)), object)
    for cell, codes in rows(data, measurement.cells, measurement.variables, kept):
        for column, (monomial, shift) in enumerate(zip(measurement.monomials, measurement.shifts, strict=True)):
            sums[cell, column] += term(monomial, shift, codes)
    return measurement.arrange(sums)


def distinct(data, measurement, kept=None):
    seen = defaultdict(set)
    if measurement.variables:
        for cell, codes in rows(data, measurement.cells, measurement.variables, kept):
            seen[cell].add((codes[0] + measurement.item.grid.half) // measurement.item.grid.factor)
    else:
        cells = type(measurement.cells)((*measurement.cells.keys, measurement.item))
        for cell, _ in rows(data, cells, (), kept):
            outer, inner = divmod(cell, measurement.item.size)
            if not (measurement.item.other and inner == measurement.item.size - 1):
                seen[outer].add(inner)
    return np.array([[len(seen[cell])] for cell in range(measurement.cells.size)])


def positions(data, measurement, kept=None):
    """All positions of each cell, sorted."""
    grid, found = measurement.variable.grid, defaultdict(list)
    for cell, (y,) in rows(data, measurement.cells, (measurement.variable,), kept):
        found[cell].append((y + grid.half) // grid.factor)
    return [sorted(found[cell]) for cell in range(measurement.cells.size)]
