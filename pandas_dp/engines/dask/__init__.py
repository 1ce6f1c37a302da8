"""Collections of Dask."""
