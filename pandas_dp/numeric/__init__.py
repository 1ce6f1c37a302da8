"""Counts, sums, means, shares, spreads, ratios, locations, and the bootstrap."""
