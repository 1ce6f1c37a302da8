"""A collection that was made of a protected one, row by row: as a step that is done before rows are counted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd

from ...core.engine.batch import Batch
from ...errors import NotRowwise, PrivacyError
from ...tools.run_processes import quiet
from ..scan.row_steps import batch_of_frame
from .program import Program, Shape


class Derivation:
    """An expression, compiled anew for the columns that a question needs; two of the same expression are equal."""

    def __init__(self, expr: Any, name: str) -> None:
        self.expr, self.name = expr, name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Derivation) and other.expr._name == self.expr._name

    def __hash__(self) -> int:
        return hash(self.expr._name)

    @property
    def shape(self) -> Shape:
        return Shape.of(self.expr)

    def program(self, columns: Sequence[Hashable]) -> Program:
        """What makes these columns of it, and reads no more than they need."""
        expr = self.expr
        if expr.ndim == 2:
            kept = list(columns) or list(self.shape.names[:1])
            expr = expr[kept]
        return Program.of(expr.simplify(), self.name)

    def rehearse(self) -> None:
        """Refused, before anything is paid, where it fails on no rows."""
        try:
            program = self.program(self.shape.names)
            with quiet():
                program.on(pd.DataFrame(program.columns.nothing()))
        except PrivacyError:
            raise
        except Exception as error:
            raise NotRowwise(
                f"this collection was tried on no rows, whose numbers are floats as they are in questions, and raised "
                f"{type(error).__name__}; write it otherwise, or do it before protect."
            ) from error

    def on(self, batch: Batch) -> Batch:
        """Of no rows; others are read where they are."""
        assert not len(batch), "partitions are read where they are"
        nothing = self.shape.nothing()
        return batch_of_frame(nothing if isinstance(nothing, pd.DataFrame) else nothing.to_frame(), whose=batch.whose)
