"""Tests that compare groups of rows."""
