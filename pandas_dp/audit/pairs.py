"""The exact loss between two tables, where the laws of what is released are discrete and known: no chance in it."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from ..core.arguments import whole_number
from ..core.arrays import Array
from ..core.budget.cost import Concentrated, Pure
from ..core.measure.measurement import Noisy, Rows
from ..core.noise.choice import NearRank
from ..core.noise.gaussian import DiscreteGaussian
from ..core.noise.laplace import DiscreteLaplace
from ..core.noise.mechanism import Law
from ..core.plan import run
from ..core.plan.plan import Plan
from ..core.plan.steps import NoisySum, Step
from ..core.promise import Differential
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..errors import BadArgument, shown, type_of
from ..numeric.run import EndOfRange
from ..quantiles.measure import EVERY_RANK, Ranks
from ..quantiles.run import Choice, Value
from ..tools.run_contest import Winner
from .noise import ORDERS, loss, shifted
from .sensitivity import answer_of

PAIR = np.array([[0, 1]])
MOST_POINTS = 100_000  # of a grid on which a number is chosen
FINE = 50.0  # up to this standard deviation divergences are added up from probabilities
StageAnswer = tuple[Plan, Rows]


@contextlib.contextmanager
def looking() -> Iterator[list[StageAnswer]]:
    """Every plan that is carried out inside, with the rows that it looks at."""
    found: list[StageAnswer] = []
    in_turn = run.asked_in_turn

    def noted(plan: Plan, rows: Rows) -> tuple[Noisy, ...]:
        found.append((plan, rows))
        return in_turn(plan, rows)

    with patch.object(run, "asked_in_turn", noted):
        yield found


def exact_loss(one: Sequence[StageAnswer], other: Sequence[StageAnswer]) -> float | None:
    """The share of their price that two tables use, over the joint answers of all that was asked; None where laws are
    not known in advance, or are too wide to be written down, or where the two were not asked the same.

    Examples
    --------
    >>> exact_loss([], []) is None
    True
    """
    if not one or len(one) != len(other):
        return None
    if any(not _is_discrete(plan) or plan.steps != twin.steps for (plan, _), (twin, _) in zip(one, other, strict=True)):
        return None
    if len({isinstance(plan.price, Pure) for plan, _ in one}) > 1:
        return None
    with contextlib.suppress(NotKnown):
        return max(_share(one, other, order) for order in ((np.inf,) if isinstance(one[0][0].price, Pure) else ORDERS))
    return None


class NotKnown(Exception):
    """A law that is not written down."""


def _is_discrete(plan: Plan) -> bool:
    known = all(isinstance(step, NoisySum | Choice | EndOfRange | Winner | Value) for step in plan.steps)
    return known and isinstance(plan.model, Differential) and isinstance(plan.price, Pure | Concentrated)


def _share(one: Sequence[StageAnswer], other: Sequence[StageAnswer], order: float) -> float:
    spent = allowed = 0.0
    for (plan, rows), (_, others) in zip(one, other, strict=True):
        spent += sum(_loss(step, plan.whole, (rows, others), order) for step in plan.steps)
        allowed += _allowed(plan.price, order)
    return spent / allowed if allowed else 0.0


def _allowed(price: Any, order: float) -> float:
    return float(price.epsilon) if isinstance(price, Pure) else order * float(price.rho)


def _loss(step: Step, whole: bool, tables: tuple[Rows, Rows], order: float) -> float:
    two = _Two(step.measurement, tables)
    if not isinstance(step, NoisySum):
        return float(loss(step, two, whole, PAIR, order)[0])  # type: ignore[arg-type]  # it has what of Exact is read
    moved = np.abs(two.answers(whole)[0] - two.answers(whole)[1]).astype(object)
    return sum(_moved(law, int(by), order) for cell in moved for law, by in zip(step.laws, cell, strict=True) if by)


def _moved(law: Law, by: int, order: float) -> float:
    """Of wide noise by its formula."""
    if isinstance(law, DiscreteLaplace) and order == np.inf:
        return float(by / law.scale)
    if law.sd <= FINE:
        return shifted(law, by, order)
    if isinstance(law, DiscreteGaussian):
        return order * float(by**2 / (2 * law.sigma_squared))
    raise NotKnown


@dataclass(frozen=True, eq=False)
class _Two:
    """The exact answers of two tables to a measurement, as `Exact` gives those of a universe."""

    measurement: Any
    tables: tuple[Rows, Rows]

    @property
    def universe(self) -> _Two:
        return self

    def pairs(self, world: Any) -> Array:
        return PAIR

    def answers(self, whole: bool) -> Array:
        self._check()
        return np.stack([answer_of(self.measurement, rows) for rows in self.tables])

    def near_ranks(self, whole: bool) -> list[list[NearRank]]:
        self._check()
        return [rows.near_ranks(self.measurement, EVERY_RANK) for rows in self.tables]

    def _check(self) -> None:
        if (
            isinstance(self.measurement, Ranks)
            and self.measurement.variable.grid.high - self.measurement.variable.grid.low > MOST_POINTS
        ):
            raise NotKnown


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
