"""Distributions of noise and the mechanisms that are calibrated to a sensitivity and a cost."""
