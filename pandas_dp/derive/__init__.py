"""Columns and rows made of protected ones."""
