"""Tests of released tables of counts."""
