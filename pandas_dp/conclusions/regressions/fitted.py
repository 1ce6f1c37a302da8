"""A released regression read back: its coefficients by name, group by group."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from ...dataclass import dataclass
from ...equations.design import Design, Regression
from ...errors import NotConcluded, UnsupportedArgument
from ...evidence import Fit, Generalized
from ...release import Released
from ..confint import check_target
from ..numbers import releases, summed_cost
from ..results import Conclusion

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Fitted:
    """A release of coefficients."""

    released: Released
    fit: Any  # of least squares, or by a step of Newton

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> Fitted:
        released = Released.of(table, parts=True)
        fit = released.evidence[0] if len(released.evidence) == 1 else None
        if not isinstance(fit, Fit | Generalized):
            raise NotConcluded("this is concluded from a regression; ask for one by ols, logit or poisson.")
        return cls(released, fit)

    @property
    def design(self) -> Design:
        return self.fit.design

    @property
    def rows(self) -> pd.Index:
        """The labels of all coefficients."""
        return self.released.layout.rows

    @property
    def groups(self) -> list[Hashable]:
        """The labels of the groups; None alone where there are none."""
        if len(self.fit.matrices) == 1 and self.rows.nlevels == 1:
            return [None]
        step = len(self.design.names)
        labels = [tuple(label)[:-1] for label in self.rows[::step]]
        return [label[0] if len(label) == 1 else label for label in labels]

    def target(self, target: str | None) -> str:
        check_target(target)
        return target or self.fit.default_target

    def regressions(self, target: str | None) -> list[Regression]:
        return self.fit.regressions(self.target(target))

    def regression(self, group: Hashable, target: str | None) -> Regression:
        """That of one group, or the only one."""
        groups = self.groups
        if group is None and len(groups) == 1:
            return self.regressions(target)[0]
        if group is None or group not in groups:
            named = ", ".join(map(repr, groups[:12])) if groups != [None] else ""
            raise UnsupportedArgument(
                f"this regression has a fit for each group; name one by group=: {named}."
                if named
                else "this regression has no groups; leave group= out."
            )
        return self.regressions(target)[groups.index(group)]

    def place(self, name: Any) -> tuple[int, int]:
        """Of a coefficient by the label of its row, its group and its place there."""
        found = [at for at, label in enumerate(self.rows) if label == name]
        if not found:
            raise UnsupportedArgument(
                f"this regression has no such coefficient; it has {', '.join(map(str, self.rows[:20]))}."
            )
        return divmod(found[0], len(self.design.names))

    def concluded(self, table: pd.DataFrame, what: str, **said: Any) -> Conclusion:
        """The table, with what it was concluded from."""
        paid = releases([self.released.label])
        found = Conclusion(table)
        found.attrs = {"dp": {"kind": "conclusion", "conclusion": what, **said, "releases": paid, **summed_cost(paid)}}
        return found

    def by_group(self, names: list[str], columns: dict[str, list[Any]], name: str | None = None) -> pd.DataFrame:
        """A row for each name in each group."""
        groups = self.groups
        if groups == [None]:
            return pd.DataFrame(columns, index=pd.Index(names, name=name))
        keys = self.rows.names[:-1]
        rows = [(*(group if isinstance(group, tuple) else (group,)), each) for group in groups for each in names]
        return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(rows, names=[*keys, name]))


def noise_of(fitted: Fitted) -> str:
    """What was taken into account, in words."""
    return f"{fitted.released.label.mechanism}, allowed for: the equations are linear in the released sums"
