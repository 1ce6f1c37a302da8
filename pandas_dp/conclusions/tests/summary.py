"""A test that looked at rows, as statistics programs print it."""

from __future__ import annotations

import pandas as pd

from ...evidence import Against, Difference, Evidence, ManyGroups, Path
from ...release import Released, guarantee
from ..results import SAID
from ..summaries import Facts, Summary, framed, rows_of, wrapped
from ..titles import title_of

Words = tuple[str, str, str]
WORDS: dict[tuple[str, str], Words] = {
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


def summary(table: Released | pd.DataFrame) -> Summary:
    """What was compared, the numbers, the hypothesis that the p value is of, and what covers them."""
    released = Released.of(table)
    (evidence,), label = released.evidence, released.label
    method, hypothesis, letter = WORDS[label.statistic, evidence.kind]
    names = {"estimate": "estimate", "std_error": "std err", "statistic": letter, "df": "df", "p_value": _p(letter)}
    numbers = rows_of(released.frame.rename_axis(None), label.confidence, names, SAID)
    told = framed(title_of(released), _facts(evidence, method), numbers)
    value = getattr(evidence, "value", 0.0)
    sentences = [f"Hypothesis: {hypothesis.format(value=value)}; the noise is part of the error."]
    sentences += [f"Estimate: {evidence.estimand}."] if evidence.estimand else []
    return Summary("\n".join([told, wrapped(*sentences), guarantee(label)]))


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
