"""How texts are made alike before they are compared: each by itself, so that nothing is learnt from others."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal, get_args

from ..errors import wrong_value

Spelling = Literal["NFC", "casefold"]
FORMS: dict[str, Callable[[str], str]] = {
    "NFC": lambda text: unicodedata.normalize("NFC", text),
    "casefold": lambda text: unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()),
}


def read_spelling(given: object) -> Spelling | None:
    """How texts are made alike before they are compared; None leaves them as they are."""
    if given is not None and given not in get_args(Spelling):
        raise wrong_value("spelling", "be 'NFC', 'casefold' or None", given)
    return given  # type: ignore[return-value]


def spelt(text: str, spelling: Spelling | None) -> str:
    """A text in its normal form: a function of the text alone.

    Examples
    --------
    >>> spelt("Flu", "casefold"), spelt("Flu", None)
    ('flu', 'Flu')
    """
    return text if spelling is None else FORMS[spelling](text)
