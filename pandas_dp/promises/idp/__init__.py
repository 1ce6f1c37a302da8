"""Individual DP: the noise is scaled to how far neighbours of these very data move the statistic."""

from .individual import Individual

__all__ = ["Individual"]
