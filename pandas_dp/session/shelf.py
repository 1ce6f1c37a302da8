"""What a session has released, kept for its report: public numbers, as many as a page can show."""

from __future__ import annotations

from collections import deque
from typing import Any

import pandas as pd

from ..forks import Turn
from ..release import Release

MOST_RELEASES = 1_000
MOST_NUMBERS = 100_000  # of all releases together
LARGEST = 10_000  # numbers of one release


class Shelf:
    """The latest releases. Larger ones are not kept, and the oldest make room: some 20 MB in all at most.

    A release is kept as it was answered, whatever becomes of the one that was handed out: the numbers are shared with
    it until either changes.
    """

    def __init__(self) -> None:
        self._kept: deque[tuple[pd.DataFrame, dict[str, Any]]] = deque()
        self._numbers = 0
        self._turn = Turn()

    def keep(self, release: Release) -> None:
        """Put it behind the others."""
        if release.size > LARGEST:
            return
        kept = (pd.DataFrame(release), {**release.attrs["dp"]})
        with self._turn.lock:
            self._kept.append(kept)
            self._numbers += release.size
            while len(self._kept) > MOST_RELEASES or self._numbers > MOST_NUMBERS:
                self._numbers -= self._kept.popleft()[0].size

    def releases(self) -> list[Release]:
        """Oldest first."""
        with self._turn.lock:
            kept = list(self._kept)
        return [_labelled(*each) for each in kept]


def _labelled(frame: pd.DataFrame, label: dict[str, Any]) -> Release:
    """As it was, its digest included."""
    release = Release(frame)
    release.attrs = {"dp": label}
    return release
