"""Exact samplers: the only place that draws."""
