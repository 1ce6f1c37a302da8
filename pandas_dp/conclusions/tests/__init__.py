"""Tests of released tables of counts that take their noise into account."""
