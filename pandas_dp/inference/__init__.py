"""What a release supports: intervals, contrasts, tests, averages. It reads tables and labels; it cannot reach data."""

from .adjusted import nonnegative, rounded_to, suppressed
from .association import cramers_v, odds_ratio
from .binomial import Binomial
from .combine import combine
from .confint import confint, is_reworked
from .contrast import How, against, contrast_between, contrast_within
from .evidence import checked_label, evidence_of
from .goodness import goodness_of_fit
from .independence import independence_test, log_linear_test
from .likelihood import REPLICATES, independence_tests, model_tests
from .margin import can_be_parted, margin
from .masses import Masses
from .picture import Picture, picture_of
from .published import PublishedTables, open_tables
from .replicates import replicates
from .results import EstimateResult, TestResult
from .shares import shares

__all__ = [
    "REPLICATES",
    "Binomial",
    "EstimateResult",
    "How",
    "Masses",
    "Picture",
    "PublishedTables",
    "TestResult",
    "against",
    "can_be_parted",
    "checked_label",
    "combine",
    "confint",
    "contrast_between",
    "contrast_within",
    "cramers_v",
    "evidence_of",
    "goodness_of_fit",
    "independence_test",
    "independence_tests",
    "is_reworked",
    "log_linear_test",
    "margin",
    "model_tests",
    "nonnegative",
    "odds_ratio",
    "open_tables",
    "picture_of",
    "replicates",
    "rounded_to",
    "shares",
    "suppressed",
]
