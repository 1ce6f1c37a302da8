"""What was released and how noisy it is, as values: estimates and intervals follow from it alone."""
