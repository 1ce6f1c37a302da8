"""Weights, strata and clusters of a sample."""
