"""What was declared as plain JSON, and its fingerprint: the same for ever, whatever classes and fields are called."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def said(**facts: Any) -> dict[str, Any]:
    """What was said; an option that is left out is not among it, so that new ones leave old fingerprints alone."""
    return {name: fact for name, fact in facts.items() if fact is not None and fact is not False and fact != []}


def named(label: object) -> list[str]:
    """A name or a category as JSON: 1 and "1" are two."""
    return [type(label).__name__, str(label)]


def fingerprint(facts: Any) -> str:
    """Sixteen hexadecimal digits of the SHA-256 of what was said."""
    text = json.dumps(facts, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
