"""Quantiles and shares of ranges, from a released distribution: conclusions, and `.dp` of such a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd

from ..core.arguments import a_number, check_target, is_number, one_of
from ..core.conclude.results import Conclusion
from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..core.label.layout import Released, in_unit, in_zone
from ..core.schema.bounds import exact
from ..errors import NotConcluded, wrong_value
from ..views.drawings import Drawing, draw_steps
from ..views.picture import picture_of
from ..views.plots import entitled
from .conclude_inequality import gini_of, lorenz_of
from .evidence import Cdf, Inclusive


def quantiles_of_cdf(table: pd.DataFrame, q: Any, confidence: float, target: str | None) -> pd.DataFrame:
    """A row for each rank: the quantile, and the ends of its interval."""
    released, cdf, confidence, target = _read(table, confidence, target)
    ranks = list(q) if pd.api.types.is_list_like(q) else [q]
    if not ranks or not all(is_number(rank) and 0 < rank < 1 for rank in ranks):
        raise wrong_value("q", "be a number between 0 and 1, or a list of such; ask for min and max for the ends", q)
    found = cdf.quantiles(np.array(ranks, dtype=float), confidence, target)
    columns = {
        name: in_unit(values, cdf.unit) for name, values in zip(["quantile", "lower", "upper"], found, strict=True)
    }
    return Conclusion(in_zone(pd.DataFrame(columns, index=pd.Index(ranks)), _zone(released)))


def share_between(
    table: pd.DataFrame, left: Any, right: Any, inclusive: Any, confidence: float, target: str | None
) -> pd.DataFrame:
    """One row: the share of values in a range, and the ends of its interval."""
    released, cdf, confidence, target = _read(table, confidence, target)
    name = released.frame.index.name
    low, high = (float(exact(end, cdf.unit, name, _zone(released))) for end in (left, right))
    if not low <= high:
        raise wrong_value("right", "be no less than left", right)
    ends = cdf.usual_ends if inclusive is None else one_of("inclusive", inclusive, get_args(Inclusive))
    share, lower, upper = cdf.share_between(low, high, ends, confidence, target)
    return Conclusion({"share": [share], "lower": [lower], "upper": [upper]}, index=pd.Index([f"{left} to {right}"]))


def _read(table: pd.DataFrame, confidence: float, target: str | None) -> tuple[Released, Cdf, float, str]:
    confidence = a_number("confidence", confidence, 0, 1)
    check_target(target)
    released = Released.of(table)
    (cdf,) = released.evidence
    if not isinstance(cdf, Cdf):
        raise NotConcluded("this release is no distribution; ask for cdf.")
    return released, cdf, confidence, target or cdf.default_target


def _zone(released: Released) -> str | None:
    zone = getattr(released.frame.index, "tz", None)
    return None if zone is None else str(zone)


@with_arguments_named
class CdfAccessor(ReleaseAccessor):
    """What follows from a released distribution, for nothing."""

    own = ("between", "quantile", "gini", "lorenz")

    def quantile(
        self, q: float | Sequence[float] = 0.5, *, confidence: float = 0.95, target: str | None = None
    ) -> pd.DataFrame:
        """Quantiles with their intervals, for as many as are wanted.

        Each interval holds with the stated confidence whatever the values are, also where many are equal. Within a bin
        a quantile is placed as if values lay evenly in it.

        Parameters
        ----------
        q : number from 0 to 1, or several
            But not 0 or 1 themselves: ask for `min` and `max`.
        confidence, target
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> people["age"].dp.cdf(rho=1e8, bounds=(0, 100)).dp.quantile(0.7)["quantile"].round().tolist()
        [47.0]
        """
        return quantiles_of_cdf(self._frame, q, confidence, target)

    def between(
        self,
        left: Any,
        right: Any,
        *,
        inclusive: str | None = None,
        confidence: float = 0.95,
        target: str | None = None,
    ) -> pd.DataFrame:
        """The share of values from `left` to `right`.

        Where an end lies inside a bin, the interval allows for any place of the values in it.

        Parameters
        ----------
        left, right : number or time
        inclusive : {"both", "left", "right", "neither"}, optional
            Which ends count. By default both of whole numbers and times, and the right one of floats: their bins hold
            the upper end and not the lower, but for the first, which holds both.
        confidence, target
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> ages = people["age"].dp.cdf(rho=1e8, bounds=(0, 100))
        >>> ages.dp.between(30, 50, target="sample")["share"].round(3).tolist()
        [0.5]
        """
        return share_between(self._frame, left, right, inclusive, confidence, target)

    def gini(self, *, confidence: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """The Gini coefficient of inequality, 0 where all have the same, and its interval: all that the band of the
        distribution allows, and any place of the values within their bins.

        Parameters
        ----------
        confidence, target
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1e9).protect(pd.DataFrame({"cost": [0, 10, 20, 90] * 250}))
        >>> costs = people["cost"].dp.cdf(rho=1e8, bounds=(0, 100))
        >>> costs.dp.gini(target="sample")["gini"].round(2).item()
        0.58
        """
        _, cdf, confidence, target = _read(self._frame, confidence, target)
        value, low, high = gini_of(cdf, confidence, target)
        name: list[Any] = [self._frame.index.name or "value"]
        return Conclusion({"gini": [value], "lower": [low], "upper": [high]}, index=pd.Index(name))

    def lorenz(
        self, p: Sequence[float] | None = None, *, confidence: float = 0.95, target: str | None = None
    ) -> pd.DataFrame:
        """The Lorenz curve: what share of the total the poorest p have, a row for each p; all intervals hold together.

        Parameters
        ----------
        p : list of numbers from 0 to 1, optional
            Tenths if not given.
        confidence, target
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1e9).protect(pd.DataFrame({"cost": [0, 10, 20, 90] * 250}))
        >>> costs = people["cost"].dp.cdf(rho=1e8, bounds=(0, 100))
        >>> costs.dp.lorenz([0.5, 0.75], target="sample")["lorenz"].round(2).tolist()
        [0.08, 0.25]
        """
        _, cdf, confidence, target = _read(self._frame, confidence, target)
        tenths = [each / 10 for each in range(1, 10)]
        given: Any = tenths if p is None else p
        ranks = list(given) if pd.api.types.is_list_like(given) else [given]
        if not ranks or not all(is_number(rank) and 0 <= rank <= 1 for rank in ranks):
            raise wrong_value("p", "be a number from 0 to 1, or a list of such", p)
        found = lorenz_of(cdf, np.array(ranks, dtype=float), confidence, target)
        return Conclusion(found, columns=["lorenz", "lower", "upper"], index=pd.Index(ranks, name="p"))

    def plot(
        self,
        kind: str = "auto",
        *,
        sort: str | None = None,
        top: int | None = None,
        title: str | None = None,
        confidence: float = 0.95,
        ax: Any = None,
    ) -> Any:
        """The curve with its band; matplotlib axes. `kind="bars"` shows the numbers one below the other.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1e9).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> people["age"].dp.cdf(rho=1e8, bounds=(0, 100)).dp.plot().get_ylabel()
        'cdf of age'
        """
        how = Drawing.read(kind, sort, top, title)
        if how.kind != "auto" or how.orders:
            return super().plot(kind, sort=sort, top=top, title=title, confidence=confidence, ax=ax)
        picture = picture_of(self._frame, confidence)
        _, values, ends = picture.as_one_column()
        band = [values, values] if ends is None else list(ends.T)
        points = self._frame.index.to_numpy()
        words = (picture.names[0], picture.statistic)
        drawn = draw_steps(points, [(values, band[0], band[1])], [""], words, picture.foot, ax)
        return entitled(drawn, title)
