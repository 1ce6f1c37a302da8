"""Rows of nobody: a model of released tables, numbers read off it, and rows drawn from it. Proof: synthesis.md."""
