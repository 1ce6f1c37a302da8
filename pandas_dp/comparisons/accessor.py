"""`.dp` of a test that looked at rows: the summary that people know."""

from __future__ import annotations

from typing import ClassVar

from ..core.conclude.results import SAID, Facts, Summary, framed, rows_of, wrapped
from ..core.door.hints import with_arguments_named
from ..core.door.released import ReleaseAccessor
from ..core.evidence.evidence import Evidence
from ..core.label.layout import Released
from ..core.label.release import guarantee
from ..views.titles import title_of
from .evidence_differences import Difference
from .evidence_groups import Against, ManyGroups, Path

Words = tuple[str, str, str]
WORDS_OF_TESTS: dict[tuple[str, str], Words] = {
    ("t_test", "difference"): ("two means", "both groups have the same mean", "t"),
    ("t_test", "against"): ("one mean", "the mean is {value:g}", "t"),
    ("rank_test", "difference"): (
        "Wilcoxon, Mann and Whitney",
        "a value of one group is as often greater than one of the other as less",
        "z",
    ),
    ("rank_test", "groups"): ("Kruskal and Wallis", "all groups have the same distribution", "chi2"),
    ("rank_test", "against"): ("signed ranks", "differences are as often and as far above 0 as below", "t"),
    ("ks_test", "path"): ("Kolmogorov and Smirnov", "both groups have the same distribution", "K"),
}
"""Of each test by its statistic and kind: the method, the hypothesis, and the letter of what is compared."""


@with_arguments_named
class PaidTestAccessor(ReleaseAccessor):
    """Conclusions from a `t_test`, a `rank_test` or a `ks_test`, beside those of all releases."""

    own: ClassVar[tuple[str, ...]] = ("summary",)

    def summary(self) -> Summary:
        """The test as statistics programs print it; `print(test.dp.summary())`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(rho=1e9).protect(pd.DataFrame({"wage": [20, 30, 25, 40] * 50}))  # no noise to see
        >>> test = people.dp.t_test("wage", value=25, bounds={"wage": (0, 120)}, rho=1e6)
        >>> print(test.dp.summary().splitlines()[-1])
        differentially private: rho=1e+06 (epsilon=1.01e+06 at delta=1e-06); one row replaced; gaussian noise.
        """
        released = Released.of(self._frame)
        (evidence,), label = released.evidence, released.label
        method, hypothesis, letter = WORDS_OF_TESTS[label.statistic, evidence.kind]
        names = {"estimate": "estimate", "std_error": "std err", "statistic": letter, "df": "df", "p_value": _p(letter)}
        numbers = rows_of(released.frame.rename_axis(None), label.confidence, names, SAID)
        head = framed(title_of(released), _facts(evidence, method), numbers)
        value = getattr(evidence, "value", 0.0)
        sentences = [f"Hypothesis: {hypothesis.format(value=value)}; the noise is part of the error."]
        sentences += [f"Estimate: {evidence.estimand}."] if evidence.estimand else []
        return Summary("\n".join([head, wrapped(*sentences), guarantee(label)]))


def _p(letter: str) -> str:
    return f"P>|{letter}|" if letter in "tz" else f"P>{letter}"


def _facts(evidence: Evidence, method: str) -> Facts:
    facts = [("Test", method, "Rows", _rows(evidence))]
    if isinstance(evidence, Difference) and not evidence.ranks:
        facts.append(("Variances", "equal" if evidence.spread == "equal" else "of each group (Welch)", "", ""))
    return facts


def _rows(evidence: Evidence) -> str:
    if isinstance(evidence, Path):
        return "private" if evidence.size is None else f"{evidence.size:,}"
    if isinstance(evidence, Difference):
        return f"about {evidence.released[0]:,.0f}"
    assert isinstance(evidence, Against | ManyGroups)
    rows = f"{evidence.sums.n.sum():,.0f}"
    return rows if evidence.sums.count is None else f"about {rows}"
