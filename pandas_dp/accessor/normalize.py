"""`normalize=` of a table of counts: pandas' words for shares, which are taken of what was released."""

from __future__ import annotations

from ..errors import UnsupportedArgument, wrong_value
from ..release import Release
from .keywords import Keywords

WORDS = {"all": "all", "index": "index", "columns": "columns"}
NUMBERS = {0: "index", 1: "columns"}


def read_normalize(statistic: str, given: object, keywords: Keywords) -> str | None:
    """Over what total, or None; whatever has no shares is refused before it is paid."""
    of = ("all" if given else None) if isinstance(given, bool) else _named(given)
    model = keywords.get("model", "dp")
    if of is not None and model != "dp":
        raise UnsupportedArgument(
            f"{statistic} takes normalize= with model='dp'; under {model!r} divide the released counts by their sum.",
            argument="normalize",
        )
    return of


def _named(given: object) -> str:
    found = WORDS.get(given) if isinstance(given, str) else NUMBERS.get(given) if isinstance(given, int) else None
    if found is None:
        raise wrong_value("normalize", "be True, False, 'all', 'index' or 'columns'", given)
    return found


def normalized(counts: Release, of: str | None) -> Release:
    """The shares of a release; what is only planned stays as it is."""
    if of is None or not isinstance(counts, Release):
        return counts
    from ..conclusions import shares  # late: all that a release supports takes a while to import

    return shares(counts, of)
