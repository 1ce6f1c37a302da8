"""Life tables, their tests, hazards."""
