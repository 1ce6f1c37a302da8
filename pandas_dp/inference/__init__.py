"""What a release supports: intervals, contrasts, tests, averages. It reads tables and labels; it cannot reach data."""

from .adjusted import nonnegative, rounded_to, suppressed
from .combine import combine
from .confint import confint
from .contrast import How, against, contrast_between, contrast_within
from .evidence import checked_label, evidence_of
from .margin import margin
from .replicates import replicates
from .shares import shares

__all__ = [
    "How",
    "against",
    "checked_label",
    "combine",
    "confint",
    "contrast_between",
    "contrast_within",
    "evidence_of",
    "margin",
    "nonnegative",
    "replicates",
    "rounded_to",
    "shares",
    "suppressed",
]
