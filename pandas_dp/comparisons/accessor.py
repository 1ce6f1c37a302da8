"""`.dp` of a test that looked at rows: the summary that people know."""

from __future__ import annotations

from typing import ClassVar

from ..core.conclude.results import Summary
from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..tables.tests.conclude_goodness import summary


@with_arguments_named
class PaidTestAccessor(ReleaseAccessor):
    """Conclusions from a `t_test`, a `rank_test` or a `ks_test`, beside those of all releases."""

    own: ClassVar[tuple[str, ...]] = ("summary",)

    def summary(self) -> Summary:
        """The test as statistics programs print it; `print(test.dp.summary())`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(rho=1e9)  # so much that there is no noise to see
        >>> rows = pd.DataFrame({"wage": [20, 30, 25, 40] * 50, "union": [False, True, False, True] * 50})
        >>> people = session.protect(rows)
        >>> test = people.dp.t_test("wage", by="union", bounds={"wage": (0, 120)},
        ...                         categories={"union": [False, True]}, rho=1e6)
        >>> print(test.dp.summary().splitlines()[-1])
        differentially private: rho=1e+06 (epsilon=1.01e+06 at delta=1e-06); one row replaced; gaussian noise.
        """
        return summary(self._frame)
