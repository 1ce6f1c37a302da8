"""Files, read piece by piece."""
