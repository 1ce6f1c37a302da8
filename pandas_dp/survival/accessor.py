"""`.dp` of a life table: its curves, tests and quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import pandas as pd

from ..core.arguments import a_flag, a_number
from ..core.conclude.results import TestResult
from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..views.drawings import Drawing, draw_steps
from ..views.plots import entitled
from . import conclude
from . import conclude as lives


@with_arguments_named
class LifeAccessor(ReleaseAccessor):
    """Conclusions from a life table, beside those of all releases."""

    own: ClassVar[tuple[str, ...]] = ("curve", "quantile", "log_rank_test", "hazard")

    def curve(self, simultaneous: bool = False, *, confidence: float = 0.95, target: str | None = None) -> pd.DataFrame:
        """Survival at the edges of the bins, with intervals for the population.

        Parameters
        ----------
        simultaneous : bool
            True: all points of all curves together are in their bands with this probability.
        confidence, target
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"left": [2, 5, 9, 12] * 100, "event": [True, True, False, False] * 100})
        >>> staff = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> life = staff.dp.survival("left", "event", bins=[0, 4, 8, 12], bounds=(0, 12), rho=1e6)
        >>> life.dp.curve(simultaneous=True)["survival"].round(2).to_dict()
        {0.0: 1.0, 4.0: 0.75, 8.0: 0.5, 12.0: 0.5}
        """
        return lives.curve(self._frame, confidence, simultaneous, target)

    def quantile(
        self, q: float | Sequence[float] = 0.5, *, confidence: float = 0.95, target: str | None = None
    ) -> pd.DataFrame:
        """The time by which a share `q` has had an event, 0.5 for the median, in each group, in ends of bins.

        It is the first end of a bin by which so many had one, and infinite where no bin says. The interval holds every
        end at which the interval of the curve holds 1 − q. Of a list of shares, a row for each.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"left": [2, 5, 7, 12] * 100, "event": [True, True, True, False] * 100})
        >>> staff = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> life = staff.dp.survival("left", "event", bins=[0, 4, 6, 8, 12], bounds=(0, 12), rho=1e6)
        >>> life.dp.quantile(0.7).loc["all"].tolist()
        [8.0, 6.0, 8.0]
        >>> life.dp.quantile([0.2, 0.4])["quantile"].tolist()
        [4.0, 6.0]
        """
        return lives.quantile(self._frame, q, confidence, target)

    def log_rank_test(self) -> TestResult:
        """Whether all groups have one law of survival, the noise taken into account.

        Bins count up to where every group's number at risk is told from nobody; the result says up to which.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"left": [2, 5, 9, 12] * 100, "event": [True, True, False, False] * 100})
        >>> staff = pdp.Session(rho=1e9).protect(rows.assign(union=rows["left"] > 3))  # no noise to see
        >>> life = staff.dp.survival("left", "event", by="union", bins=[0, 4, 8, 12], bounds=(0, 12), rho=1e6,
        ...                          categories={"union": [False, True]})
        >>> life.dp.log_rank_test().df
        1
        """
        return lives.log_rank_test(self._frame)

    def hazard(
        self,
        regressors: Sequence[str] | None = None,
        *,
        link: Literal["logit", "cloglog"] = "logit",
        confidence: float = 0.95,
        target: str | None = None,
    ) -> pd.DataFrame:
        """A regression of the event in each bin among those at risk in it: one number a bin, and what each group adds.

        Parameters
        ----------
        regressors : list of keys, optional
            Those of the groups that explain the hazard, each by its categories against the first; all unless given.
        link : "logit" or "cloglog"
            Of log odds of the event in a bin; or of logarithms of the hazard in continuous time, whose differences
            between groups are the log hazard ratios of Cox's regression, whatever the bins.
        confidence, target
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"left": [2, 5, 9, 2, 5, 5] * 100, "sex": ["f", "f", "f", "m", "m", "m"] * 100})
        >>> staff = session.protect(rows.assign(event=[True, True, False, True, False, True] * 100))
        >>> life = staff.dp.survival("left", "event", by="sex", bins=[0, 4, 8], bounds=(0, 12), rho=1e6,
        ...                          categories={"sex": ["f", "m"]})
        >>> life.dp.hazard().index.tolist()
        ['left[0.0, 4.0)', 'left[4.0, 8.0)', 'C(sex)[T.m]']
        """
        return conclude.hazard(self._frame, regressors, confidence, target, link)

    def plot(
        self,
        kind: str = "auto",
        *,
        sort: str | None = None,
        top: int | None = None,
        title: str | None = None,
        confidence: float = 0.95,
        simultaneous: bool = False,
        ax: Any = None,
    ) -> Any:
        """The curves as steps with their bands; matplotlib axes. `kind="bars"` shows the table's numbers as others do.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"left": [2, 5, 9, 12] * 100, "event": [True, True, False, False] * 100})
        >>> staff = pdp.Session(rho=1e9).protect(rows)  # so much that there is no noise to see
        >>> life = staff.dp.survival("left", "event", bins=[0, 4, 8, 12], bounds=(0, 12), rho=1e6)
        >>> life.dp.plot().get_ylabel()
        'survival'
        """
        how = Drawing.read(kind, sort, top, title)
        if how.kind != "auto" or how.orders:
            return super().plot(kind, sort=sort, top=top, title=title, confidence=confidence, ax=ax)
        drawn = lives.steps_of(
            self._frame, a_number("confidence", confidence, 0, 1), a_flag("simultaneous", simultaneous)
        )
        curves = list(zip(drawn.survival, drawn.low, drawn.high, strict=True))
        words = (drawn.time, "survival")
        return entitled(draw_steps(drawn.edges, curves, drawn.names, words, drawn.foot, ax), title)
