"""Weaker privacy definitions: individual and bootstrap differential privacy."""
