"""Releases: tables with the label that says what they are."""
