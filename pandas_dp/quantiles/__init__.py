"""Medians, quantiles, distribution functions."""
