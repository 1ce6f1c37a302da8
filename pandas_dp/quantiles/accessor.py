"""`.dp` of a released distribution: quantiles and shares of ranges, with intervals, for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..views.picture import picture_of
from ..views.pictures import Drawing, draw_steps
from ..views.plots import entitled
from .conclude import quantiles_of_cdf, share_between


@with_arguments_named
class CdfAccessor(ReleaseAccessor):
    """What follows from a released distribution, for nothing."""

    own = ("between", "quantile")

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
