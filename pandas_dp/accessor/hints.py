"""What a pandas user may have meant: for names that `.dp` does not have."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

QUESTIONS = {
    "hist": "use histogram",
    "percentile": "use quantile",
    "mode": "use value_counts",
    "sem": "mean shows it, as std_error",
    "nlargest": "use quantile, e.g. quantile([0.9, 0.99])",
    "nsmallest": "use quantile, e.g. quantile([0.01, 0.1])",
    "head": "rows are never released",
    "sample": "rows are never released",
    "unique": "use value_counts, over the declared categories",
    "query": "filter first, and ask then: df.query(...).dp",
    "isna": "filter first, and ask then: df[df['x'].isna()].dp",
    "plot": "ask first, and draw the answer: release.dp.plot()",
}
ARGUMENTS = {
    "percentiles": "ask for quantile([...])",
    "inclusive": "both ends are included",
    "range": "the range is given by bounds=",
    "density": "divide by the released total and the width",
}
CONCLUSIONS = {
    "chi2_contingency": "use independence_test",
    "chi2": "use independence_test",
    "chisq_test": "use independence_test",
    "fisher_exact": "use independence_test, or odds_ratio",
    "chisquare": "use goodness_of_fit",
    "binomtest": "use goodness_of_fit",
    "ttest": "use test, or contrast for two numbers",
    "ttest_1samp": "use test",
    "ttest_ind": "use contrast",
    "conf_int": "use confint",
    "ci": "use confint",
    "clip": "use nonnegative",
}


def about_conclusion(name: str, offered: Sequence[str]) -> str:
    """Of what a release does not have: a hint in brackets, or nothing."""
    return f" ({CONCLUSIONS[name]})" if name in CONCLUSIONS else _near(name, offered)


def about_question(name: str, offered: Sequence[str]) -> str:
    """A hint in brackets, or nothing."""
    if name in QUESTIONS:
        return f" ({QUESTIONS[name]})"
    from .released import ReleasedFace  # late: all that a release supports takes a while to import

    if hasattr(ReleasedFace, name):
        return (
            " (it concludes from a release, and this table is none; a release read back from CSV has lost its label, "
            "which Parquet keeps)"
        )
    return _near(name, offered)


def about_argument(name: str, offered: Sequence[str]) -> str:
    """A hint in brackets, or nothing."""
    return f" ({ARGUMENTS[name]})" if name in ARGUMENTS else _near(name, offered)


def _near(name: str, offered: Sequence[str]) -> str:
    near = get_close_matches(name, offered, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
