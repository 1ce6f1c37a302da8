"""The moment matrix, and what follows from it: covariances, correlations, regressions."""
