"""Logistic and Poisson regressions."""
