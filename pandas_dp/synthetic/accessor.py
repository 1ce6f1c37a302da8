"""Rows of nobody from a released table of counts; and `.dp` of such rows, which has no answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NoReturn

import pandas as pd

from ..core.door.hints import with_arguments_named
from ..errors import SyntheticRows
from .ask_synthesis import Synthesis
from .conclude_described import described


@with_arguments_named
class TableSynthesis(ABC):
    """A model of a released table, or of several."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    def synthesize(self, schema: Any = None) -> Synthesis:
        """A model that agrees with the released tables, as even as can be elsewhere; tables and rows come from it.

        It is made of released numbers alone and costs nothing. See `pdp.Synthesis` for what it is worth.

        Parameters
        ----------
        schema : pandera DataFrameSchema or DataFrameModel, optional
            Rows then have its dtypes and its order, keys in bins become numbers on the declared grid, and all of them
            meet its checks. Without, they have the labels of the tables.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"sex": ["f", "m", "m"] * 400, "vote": ["yes", "no", "no"] * 400})
        >>> people = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> table = people.dp.crosstab("sex", "vote", categories=declared, rho=1e6)
        >>> table.dp.synthesize().sample(3, seed=1).value_counts().to_dict()
        {('m', 'no'): 2, ('f', 'yes'): 1}
        """
        return Synthesis(described(self._frame, schema))


class SyntheticAccessor:
    """`.dp` of rows that were drawn from a model: they are neither data nor a release."""

    def __init__(self, data: pd.DataFrame | pd.Series[Any]) -> None:
        self._data = data

    def __repr__(self) -> str:
        return "<.dp of synthetic rows, which has no answers: ask the synthesis>"

    def __dir__(self) -> list[str]:
        return []

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise SyntheticRows(REFUSED)


REFUSED = (
    "these rows were drawn from a model: they are neither data nor a release, and nothing is concluded from them; ask "
    "the synthesis, by table, estimate and measured."
)
