"""What rows that were drawn from a model say of themselves."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ...version import VERSION
from ..numbers import releases, summed_cost
from .described import Described

KIND = "synthetic"
SENTENCE = (
    "Rows of nobody, drawn from a model. The tables that were measured are kept up to the noise; anything else is what "
    "the model makes of them, which may be wrong, and nothing in the rows shows it. Do not compute standard errors, "
    "tests or intervals from these rows: ask the synthesis, by table and estimate. More rows give no more information."
)


def row_label(of: Described, rows: int, drawn: str, where: Mapping[Hashable, Sequence[Any]]) -> dict[str, Any]:
    """Plain JSON, for `attrs["dp"]`."""
    paid = releases([of.label])
    return {
        "format": 1,
        "kind": KIND,
        "says": SENTENCE,
        "synthesis": of.digest,
        "releases": paid,
        **summed_cost(paid),
        "model": of.label.model,
        "neighbours": of.label.neighbours,
        "unit": of.label.unit,
        "measured": [[str(of.names[place]) for place in kept] for kept in of.tables],
        "weights": "approximate" if of.approximate else None,
        "where": {str(name): [str(each) for each in values] for name, values in where.items()} or None,
        "drawn": drawn,
        "rows": rows,
        "version": VERSION,
    }
