"""What a release supports: intervals, tests, estimates. It reads tables and labels; it cannot reach data."""

from .association import cramers_v, odds_ratio
from .binomial import Binomial
from .confint import confint
from .evidence import checked_label, evidence_of
from .goodness import goodness_of_fit
from .independence import independence_test, log_linear_test
from .likelihood import REPLICATES, independence_tests, model_tests
from .masses import Masses
from .picture import Picture, picture_of
from .replicates import replicates
from .results import EstimateResult, TestResult

__all__ = [
    "REPLICATES",
    "Binomial",
    "EstimateResult",
    "Masses",
    "Picture",
    "TestResult",
    "checked_label",
    "confint",
    "cramers_v",
    "evidence_of",
    "goodness_of_fit",
    "independence_test",
    "independence_tests",
    "log_linear_test",
    "model_tests",
    "odds_ratio",
    "picture_of",
    "replicates",
]
