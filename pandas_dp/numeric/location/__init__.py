"""Means that outliers do not move, and bounds that are learned from the rows."""
