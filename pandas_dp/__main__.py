"""`python -m pandas_dp`: ledgers, published tables and audits at the command line."""

from __future__ import annotations

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
