"""What a release supports: intervals, and later tests. It reads tables and labels; it cannot reach data."""

from .adjusted import nonnegative, rounded_to, suppressed
from .confint import confint
from .evidence import checked_label, evidence_of
from .margin import margin
from .replicates import replicates
from .shares import shares

__all__ = [
    "checked_label",
    "confint",
    "evidence_of",
    "margin",
    "nonnegative",
    "replicates",
    "rounded_to",
    "shares",
    "suppressed",
]
