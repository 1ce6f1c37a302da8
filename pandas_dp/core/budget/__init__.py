"""Costs, the filters that add them up, and the ledgers that record them."""
