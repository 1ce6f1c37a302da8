"""Bootstrap DP: the declared domain is replaced by the rows that occur."""

from .bootstrap import Bootstrap

__all__ = ["Bootstrap"]
