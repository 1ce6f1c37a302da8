"""The share of rows for which a condition holds: a mean whose bounds, 0 and 1, the question itself says."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Interval, Kind
from ..domain.fingerprint import said
from ..evidence import Proportions
from ..neighbours import Setting
from ..tally import Blurred, Cells, Variable
from .estimator import Estimator
from .means import Mean
from .moments import in_units, moments
from .offered import Columns, Statistic


@dataclass(frozen=True)
class Share(Mean):
    """The mean of true and false, as one and zero.

    Which values count is public, a value at a time: a number above one half is true, any other is false; what is no
    number is missing, and missing values are dropped where the column may have them, and count one half where not.
    """

    statistic: ClassVar[str] = "share"

    @property
    def kind(self) -> Kind:
        return "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        bootstrap = self.bootstrap and self.bootstrap.to_json()
        return said(statistic="share", of=self.variable.to_json(), cells=self.cells.to_json(), bootstrap=bootstrap)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Proportions:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        return Proportions(sums, bootstrap=self.bootstrap)


def true_or_false(column: Hashable, nullable: bool) -> Variable:
    """A column whose values are zeros and ones, whatever was declared of a column of that name."""
    return Variable(column, Interval(Fraction(0), Fraction(1), "integer", nullable))


def _share(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Share(columns.condition(column), cells)


SHARE = Statistic("share", Share, _share, shows_error=True)
