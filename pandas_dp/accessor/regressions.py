"""Least squares, logit, Poisson: regressions as one release."""

from __future__ import annotations

from .looking import LookingRegressions


class Regressions(LookingRegressions):
    """Least squares, logit, Poisson: regressions as one release."""
