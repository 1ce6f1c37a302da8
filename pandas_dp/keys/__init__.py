"""Partition selection: categories that nobody declared."""
