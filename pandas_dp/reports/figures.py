"""The picture of a release, inside the page."""

from __future__ import annotations

import base64
import io
from typing import Any

from ..errors import MissingExtra, PrivacyError
from ..plots import off_screen
from ..release import Release
from .tags import Html, alone, element

INCHES = 96  # pixels of a page


def figure(release: Release, title: str, **how: Any) -> Html | None:
    """What `release.dp.plot()` draws; None where it draws nothing, or there is nothing to draw with."""
    try:
        with off_screen():
            return _drawn(release, title, how)
    except PrivacyError:
        return None


def can_draw() -> bool:
    """Whether matplotlib is there."""
    try:
        with off_screen():
            return True
    except MissingExtra:
        return False


def _drawn(release: Release, title: str, how: dict[str, Any]) -> Html | None:
    picture: Any = release.dp.plot(**how).figure  # each kind of release knows its own
    wide, high = (round(INCHES * each) for each in picture.get_size_inches())
    file = io.BytesIO()
    picture.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
    data = base64.b64encode(file.getvalue()).decode()
    alt = f"Picture of the numbers in the table: {title}, with their intervals where they have any."
    image = alone("img", src=f"data:image/svg+xml;base64,{data}", alt=alt, width=wide, height=high)
    return element("figure", element("div", image, class_="wide"), element("figcaption", title))
