"""How much a fixed number of answers reveals together: within one release, never as a filter. Pure numbers."""

from __future__ import annotations

from .losses import Losses
from .resampling import delta_of, epsilon_of, least_variance
from .samples import Sample, resample, subset

__all__ = ["Losses", "Sample", "delta_of", "epsilon_of", "least_variance", "resample", "subset"]
