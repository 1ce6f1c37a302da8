"""Logit, multinomial and Poisson regressions from tables of counts."""
