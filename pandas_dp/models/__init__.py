"""Regressions: formulas, sets of coefficients, hypotheses, predictions."""
