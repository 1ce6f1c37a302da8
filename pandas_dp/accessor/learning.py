"""Classifiers and their kin, from released sums."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Unpack

import pandas as pd

from ..release import Release
from . import classifying, counted_learning
from .keywords import Keywords, with_keywords_named


@with_keywords_named
class Learning:
    """Classifiers and their kin, from released sums."""

    _frame: pd.DataFrame

    def gam_classifier(
        self,
        formula: Any,
        terms: Sequence[Hashable] | None = None,
        *,
        splines: int | Mapping[Hashable, Any] = 6,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """A column that is true or false by an additive model, "union ~ s(school) + s(age) + C(region)", from one
        noisy matrix: `.dp.predictor()` has scikit-learn's methods.

        Coefficients are shrunk by as much as the noise asks for, and have no standard errors: no theory holds for them.
        Probabilities are made of the released sums as if scores were normal in each class; nothing more is known.

        Parameters
        ----------
        formula : str
            Or the column that is explained, with `terms` as a list of columns; then every column of numbers is a
            spline.
        splines : int or mapping
            How many evenly spaced knots the range of a spline has, two or more; for some other numbers or knots.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
        >>> table = pd.DataFrame({"age": [20, 30, 50, 60] * 300, "member": [0, 1, 1, 0] * 300})
        >>> bounds = {"age": (20, 60), "member": (0, 1)}
        >>> model = session.protect(table).dp.gam_classifier("member", ["age"], splines=5, bounds=bounds, rho=1e10)
        >>> model.dp.predictor().predict(pd.DataFrame({"age": [22, 41, 59]})).tolist()
        [False, True, False]
        """
        return classifying.gam_classifier(self._frame, formula, terms, splines, keywords)

    def naive_bayes(
        self,
        target: Hashable,
        features: Sequence[Hashable] | None = None,
        *,
        bins: int | Mapping[Hashable, Any] = 8,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """Counts of each class by each feature, of which a naive Bayes classifier is made: `.dp.predictor()`.

        The features share the cost equally. Every number of the table has its interval; of the classifier's
        probabilities nothing is known, as it takes the features for independent.

        Parameters
        ----------
        target : column of classes
        features : columns, optional
            All others of which a range or categories are declared, unless given.
        bins : int or mapping
            Into how many equal bins of their ranges columns of numbers are cut; for some other numbers or edges.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> people = session.protect(pd.DataFrame({"union": [True, False] * 500, "wage": [30.0, 10.0] * 500}))
        >>> counts = people.dp.naive_bayes("union", ["wage"], bins=4, bounds={"wage": (0, 40)},
        ...                                categories={"union": [False, True]}, rho=1e6)
        >>> counts["count"].tolist()
        [0, 500, 0, 0, 0, 0, 0, 500]
        >>> counts.dp.predictor().predict(pd.DataFrame({"wage": [12, 35]})).tolist()
        [False, True]
        """
        return counted_learning.naive_bayes(self._frame, target, features, bins, keywords)

    def kmeans(
        self,
        columns: Sequence[Hashable],
        k: int,
        *,
        bins: int | Mapping[Hashable, Any] | None = None,
        seed: int = 0,
        **keywords: Unpack[Keywords],
    ) -> Release:
        """k clusters of the rows by one to three columns of numbers, from the counts of a grid over their ranges.

        The grid is what is paid for: `release.dp.kmeans(k)` makes any other number of clusters of it at no cost, and
        `release.dp.grid()` shows it. A row counts at the middle of its cell, so a centre may be off by half of a cell
        for that alone, and bounds far beyond all values make cells wide. How far a centre is off is not known.

        Parameters
        ----------
        columns : list of columns
            Distances are measured in their declared ranges.
        k : int
        bins : int or mapping, optional
            How many bins each range is cut into, or edges; by default as many as public facts say are worth their
            noise.
        seed : int
            Of the starts of the algorithm, which sees nothing but noisy counts.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> homes = session.protect(pd.DataFrame({"rent": [600, 1400] * 500, "rooms": [2, 5] * 500}))
        >>> bounds = {"rent": (0, 2000), "rooms": (0, 8)}
        >>> found = homes.dp.kmeans(["rent", "rooms"], 2, bins=8, bounds=bounds, rho=1e6)
        >>> found["centre of rent"].tolist(), found["rows"].round().tolist()
        ([625.0, 1375.0], [500.0, 500.0])
        >>> found.dp.predictor().predict(pd.DataFrame({"rent": [700, 1300], "rooms": [1, 6]})).tolist()
        [0, 1]
        """
        return counted_learning.kmeans(self._frame, columns, k, bins, seed, keywords)
