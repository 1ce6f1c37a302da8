"""`audit [WORD ...]`: whether the library's own questions keep what they promise, on tables that are made up."""

from __future__ import annotations

import argparse
from typing import Any


def add_to(topics: Any) -> None:
    """Declare the command."""
    words = "tests the library's own questions on made-up neighbours; no table of yours is read"
    topic = topics.add_parser("audit", help=words, description=words)
    topic.add_argument("words", metavar="WORD", nargs="*", help="of the names of questions; all without it")
    topic.add_argument("--runs", type=int, default=300, help="of each of two tables that are sampled; 0 for none")
    topic.add_argument("--seconds", type=float, default=10.0, help="for each question")
    topic.add_argument("--list", action="store_true", help="the names alone")
    topic.set_defaults(answer=audited)


def audited(chosen: argparse.Namespace) -> str:
    """A report a question as it is ready, and how many failed; then the exit code is 1."""
    from ..audit.run import OWN, audit_own  # late: it brings what only tests need

    if chosen.list:
        return "\n".join(OWN)
    failed, done = [], 0
    for found in audit_own(chosen.words, runs=chosen.runs, seconds=chosen.seconds):
        print(found, flush=True)
        done += 1
        if not found.passed:
            failed.append(found.name)
    chosen.failed = bool(failed)
    said = f"failed: {', '.join(failed)}" if failed else "nothing found, which is no proof"
    return f"{done} question{'s' * (done != 1)}: {said}."
