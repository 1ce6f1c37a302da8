"""Classifiers, clusters, components, additive models."""
