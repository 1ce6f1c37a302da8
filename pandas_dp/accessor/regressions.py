"""Least squares, logit, Poisson: regressions as one release."""

from __future__ import annotations


class Regressions:
    """Least squares, logit, Poisson: regressions as one release."""
