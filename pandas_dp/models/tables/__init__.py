"""Regressions of a released table of counts."""
