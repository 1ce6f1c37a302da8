"""Graphical models of tables."""
