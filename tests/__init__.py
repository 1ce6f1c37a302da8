"""Tests, which run in as many processes as there are cores: one thread of BLAS in each, as more wait for each other."""

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")  # read when numpy is imported
