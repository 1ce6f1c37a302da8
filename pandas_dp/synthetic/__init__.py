"""Synthetic rows from a model of noisy tables."""
