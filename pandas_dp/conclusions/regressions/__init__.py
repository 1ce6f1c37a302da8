"""What follows from a regression: tests of its terms, other regressions of the same release, predictions."""

from __future__ import annotations

from .fitted import Fitted
from .generalized import generalized_summary, ratios
from .generalized import predict as predict_mean
from .predicted import predict, r_squared, standardized
from .refitted import fitted_to, gram_of, refit
from .summary import summary
from .tested import against, anova, contrast, overidentification_test, wald_test

__all__ = [
    "Fitted",
    "against",
    "anova",
    "contrast",
    "fitted_to",
    "generalized_summary",
    "gram_of",
    "overidentification_test",
    "predict",
    "predict_mean",
    "r_squared",
    "ratios",
    "refit",
    "standardized",
    "summary",
    "wald_test",
]
