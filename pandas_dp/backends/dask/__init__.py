"""Collections of Dask: which of their expressions are row by row, and the pass over their partitions.

Nothing of Dask is imported before a collection is protected.
"""
