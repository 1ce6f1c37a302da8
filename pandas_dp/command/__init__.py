"""The command line: what is in a ledger or in a folder of published tables, and an audit of the library's questions.

It reads, and never writes or charges. Exit codes: 0 done; 1 what was named does not verify, or an audit failed;
2 called otherwise than `--help` says; 3 it cannot be read.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..errors import LedgerCorrupt, PrivacyError, TablesDamaged
from . import audits, ledgers, published

__all__ = ["main"]

DONE, DAMAGED, UNREADABLE = 0, 1, 3  # argparse itself ends with 2
TOPICS = (ledgers, published, audits)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command, and give its exit code.

    Examples
    --------
    >>> main(["ledger", "show", "nowhere.ledger"])
    3
    """
    chosen = _parser().parse_args(arguments)
    try:
        print(chosen.answer(chosen))
        sys.stdout.flush()
    except (LedgerCorrupt, TablesDamaged) as error:
        return _failed(error, DAMAGED)
    except PrivacyError as error:
        return _failed(error, UNREADABLE)
    except BrokenPipeError:  # whoever read it has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DAMAGED if getattr(chosen, "failed", False) else DONE


def _failed(error: PrivacyError, code: int) -> int:
    print(f"pandas_dp: {error}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pandas_dp",
        description="Shows ledgers and published tables, and audits the library. It never writes or charges anything.",
        epilog="Exit codes: 0 done; 1 what was named does not verify, or an audit failed; 2 called wrongly; "
        "3 it cannot be read.",
    )
    topics = parser.add_subparsers(required=True, metavar="TOPIC")
    for topic in TOPICS:
        topic.add_to(topics)
    return parser
