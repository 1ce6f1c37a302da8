"""What can be made of a released table: shares, whole and nonnegative counts, rounding."""
