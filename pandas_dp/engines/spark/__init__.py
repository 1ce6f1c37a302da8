"""Tables of Spark."""
