"""Neighbours that are made up from a schema: two tables, of which one person's row differs."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from ...dataclass import dataclass
from ...domain import Declared, Domain
from ...errors import BadArgument, shown, type_of
from ...reading import whole_number

FAR = 10  # ranges beyond the end: a value out of bounds
ROWS = 12  # of a table unless told otherwise
REPLACED = (("least", "greatest"), ("crossed", "greatest"), ("middle", "missing"), ("greatest", "outside"))
ODD = ("least", "odd")
DROPPED = ("greatest", "least", "crossed", "missing", "odd")


@dataclass(frozen=True, eq=False)
class Pair:
    """Two tables of which one row differs, or that one of them has alone.

    Examples
    --------
    >>> Pair("one more", pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [1]}))
    <one more: 2 rows and 1>
    """

    name: str
    one: pd.DataFrame
    other: pd.DataFrame

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.one)} rows and {len(self.other)}>"


def made_up(schema: Any, neighbours: str = "replace", rows: int = ROWS, seed: int = 0) -> list[Pair]:
    """Pairs of tables that try what the schema allows, and what it does not: ends, gaps, values out of bounds, text.

    Parameters
    ----------
    schema : as of `Session`
    neighbours : "replace" or "add_remove"
    rows : int
        Of a table.
    seed : int
        Of the rows that both tables have.

    Examples
    --------
    >>> import pandera.pandas as pa
    >>> schema = pa.DataFrameSchema({"age": pa.Column(int, pa.Check.in_range(0, 90)), "sex": pa.Column(str)})
    >>> pair = made_up(schema, rows=3)[0]
    >>> pair.name, pair.one["sex"].iloc[0], pair.other["sex"].iloc[0]
    ('a row least, or greatest, among others', 'a', 'b')
    """
    if neighbours not in ("replace", "add_remove"):
        raise BadArgument(f"neighbours must be 'replace' or 'add_remove', not {shown(neighbours)}.")
    many, declared = whole_number("rows", rows, 1, 10_000), Domain.read(schema).declared
    if not declared:
        raise BadArgument(
            "tables are made up from a schema, which declares no column here; give tables=[(one, other)]."
        )
    kinds = {kind: _row(kind, declared) for kind in (*DROPPED, "middle", "outside")}
    found = []
    for place, others in (("among others", _others(kinds, many - 1, seed)), ("alone", [])):
        if neighbours == "replace":
            for one, other in (*REPLACED, ODD):
                tables = [_table([kinds[kind], *others], declared) for kind in (one, other)]
                found.append(Pair(f"a row {one}, or {other}, {place}", *tables))
        else:
            for kind in DROPPED:
                tables = [_table(rows_of, declared) for rows_of in ([kinds[kind], *others], others)]
                found.append(Pair(f"a row {kind}, or none, {place}", *tables))
    return found


def read_pairs(tables: Any) -> list[Pair]:
    """Pairs as someone gave them."""
    found = []
    for at, pair in enumerate(tables):
        if isinstance(pair, Pair):
            found.append(pair)
            continue
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(each, pd.DataFrame) for each in pair):
            raise BadArgument(
                f"tables= takes pairs of neighbours, each a tuple of two DataFrames, not {type_of(pair)}."
            )
        found.append(Pair(f"pair {at + 1}", *pair))
    if not found:
        raise BadArgument("tables= holds no pair of neighbours.")
    return found


def _others(kinds: dict[str, dict[Hashable, Any]], many: int, seed: int) -> list[dict[Hashable, Any]]:
    r, usual = np.random.default_rng(seed), ("least", "greatest", "middle", "crossed")
    return [kinds[usual[place]] for place in r.integers(0, len(usual), many)]


def _row(kind: str, declared: Any) -> dict[Hashable, Any]:
    """One row; crossed is least and greatest by turns."""
    row = {}
    for at, (name, said) in enumerate(declared.items()):
        mine = ("least" if at % 2 else "greatest") if kind == "crossed" else kind
        row[name] = None if mine == "missing" else _value(mine, said)
    return row


def _table(rows: list[dict[Hashable, Any]], declared: Any) -> pd.DataFrame:
    return pd.DataFrame({name: [row[name] for row in rows] for name in declared})


def _value(kind: str, said: Declared) -> Any:
    if kind == "odd":
        return "odd"
    if said.listed is not None:
        values = list(said.listed.values)
        if kind == "outside":
            return "elsewhere" if isinstance(values[0], str) else values[-1]
        return {"least": values[0], "greatest": values[-1], "middle": values[len(values) // 2]}[kind]
    if said.kind is None:
        return {"least": "a", "greatest": "b", "middle": "c", "outside": "d"}[kind]
    return _number(kind, said)


def _number(kind: str, said: Declared) -> Any:
    low = float(said.limits.lower) if said.limits.lower is not None else 0.0
    high = float(said.limits.upper) if said.limits.upper is not None else low + 1.0
    value = {"least": low, "greatest": high, "middle": (low + high) / 2, "outside": high + FAR * (high - low)}[kind]
    if said.dtype in ("bool", "boolean"):
        return value >= 0.5
    if said.kind == "datetime":
        return pd.Timestamp(int(min(value, 9.2e18)))
    if said.kind == "timedelta":
        return pd.Timedelta(int(min(value, 9.2e18)))
    return int(value) if said.kind == "integer" else value
