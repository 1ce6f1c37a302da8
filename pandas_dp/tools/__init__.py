"""Exponential mechanism, sparse vector, sample and aggregate."""
