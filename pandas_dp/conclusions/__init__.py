"""What a release supports: intervals, contrasts, tests, averages. It reads tables and labels; it cannot reach data."""

from .adjust.adjusted import nonnegative, rounded_to, suppressed
from .adjust.decimals import to_decimals
from .calibrate import calibrate
from .combine import combine
from .confint import confint
from .contrast import How, against, contrast_between, contrast_within
from .digits import NOT_TOLD, WITHHELD, Digits, as_text, outward, seen, texts
from .distribution import quantiles_of_cdf, share_between
from .hints import Finding, check, findings
from .labels import short_labels
from .lines import MOST_NUMBERS, about_ends, about_estimate, about_intervals, about_note, hints, level_of
from .picture import Picture, picture_of
from .relabel import relabelled
from .replicates import replicates
from .results import SAID, Conclusion, EstimateResult, TestResult
from .runs import count_between
from .shares import shares
from .stored.margin import can_be_parted, margin
from .stored.published import PublishedTables, open_tables
from .tests.association import cramers_v, odds_ratio
from .tests.binomial import Binomial
from .tests.changed_pairs import mcnemar_test
from .tests.equivalence import anova_test, equivalence_test
from .tests.goodness import goodness_of_fit
from .tests.independence import independence_test, log_linear_test
from .tests.likelihood import REPLICATES, independence_tests, model_tests
from .tests.masses import Masses
from .tests.risks import relative_risk, risk_difference, trend_test
from .titles import title_of

__all__ = [
    "MOST_NUMBERS",
    "NOT_TOLD",
    "REPLICATES",
    "SAID",
    "WITHHELD",
    "Binomial",
    "Conclusion",
    "Digits",
    "EstimateResult",
    "Finding",
    "How",
    "Masses",
    "Picture",
    "PublishedTables",
    "TestResult",
    "about_ends",
    "about_estimate",
    "about_intervals",
    "about_note",
    "against",
    "anova_test",
    "as_text",
    "calibrate",
    "can_be_parted",
    "check",
    "combine",
    "confint",
    "contrast_between",
    "contrast_within",
    "count_between",
    "cramers_v",
    "equivalence_test",
    "findings",
    "goodness_of_fit",
    "hints",
    "independence_test",
    "independence_tests",
    "level_of",
    "log_linear_test",
    "margin",
    "mcnemar_test",
    "model_tests",
    "nonnegative",
    "odds_ratio",
    "open_tables",
    "outward",
    "picture_of",
    "quantiles_of_cdf",
    "relabelled",
    "relative_risk",
    "replicates",
    "risk_difference",
    "rounded_to",
    "seen",
    "share_between",
    "shares",
    "short_labels",
    "suppressed",
    "texts",
    "title_of",
    "to_decimals",
    "trend_test",
]
