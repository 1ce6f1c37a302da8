"""Sums of products of columns, of which regressions are made."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from ..release import Release
from . import gram
from .keywords import Keywords, with_keywords_named


@with_keywords_named
class MomentQuestions:
    """Sums of products of columns, of which regressions are made."""

    _keys: list[Hashable] = []  # noqa: RUF012 - of a table there are none
    _declared: dict[str, Any] = {}  # noqa: RUF012 - nor anything said of them

    if TYPE_CHECKING:
        _frame: pd.DataFrame

    def moments(
        self,
        columns: Sequence[Hashable],
        *,
        terms: Sequence[Any] = (),
        splines: Mapping[Hashable, Sequence[float]] | None = None,
        importance: Mapping[Hashable, float] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """The sums of products of each two columns, the constant among them: one release, of which any regression,
        covariance or component of these columns can be concluded. In a grouping, for each cell, at the cost of one.

        Parameters
        ----------
        columns : list of columns
            Numbers with declared bounds; and categoricals, of which each declared category becomes a column. `C(x)` is
            a column of whole numbers taken as a categorical. A row counts where it has all of them.
        terms : list of str, optional
            Products of two of the columns: "age:income", or a number times a categorical, "region:income".
        splines : mapping, optional
            For a column its knots, which you choose, not the data: {"age": [18, 30, 45, 66]}. It then stands as
            piecewise linear functions, one for each knot.
        importance : mapping, optional
            How much a term matters beside others, which count 1: the variance of its sums is divided by about that.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e16)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47] * 300, "sex": ["f", "m", "f"] * 300}))
        >>> declared = {"bounds": {"age": (0, 100)}, "categories": {"sex": ["f", "m"]}}
        >>> people.dp.moments(["age", "sex"], rho=1e15, **declared).round(-1).astype(int)
                   Intercept      age  C(sex)[f]  C(sex)[m]
        Intercept        900    39600        600        300
        age            39600  1825800      23400      16200
        C(sex)[f]        600    23400        600          0
        C(sex)[m]        300    16200          0        300
        """
        wanted = gram.Wanted(columns, terms, splines, importance)
        both: Any = {**self._declared, **keywords}
        return gram.release(self._frame, wanted, self._keys, both)
