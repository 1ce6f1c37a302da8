"""`.dp` of what was concluded from a release: it is no release, and needs none of a release's words."""

from __future__ import annotations

from typing import NoReturn

from ..errors import UnsupportedArgument


class ConcludedFace:
    """A table of conclusions has pandas' own methods; `.dp` says so.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
    >>> counts = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
    >>> counts.dp.contrast("f", "m").dp
    <.dp of a conclusion: pandas' own methods show and store it>
    """

    def __repr__(self) -> str:
        return "<.dp of a conclusion: pandas' own methods show and store it>"

    def __dir__(self) -> list[str]:
        return []

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnsupportedArgument(
            f"this table was concluded from a release and has no {name!r} of its own: what covers the release covers "
            "it. Its numbers are its columns; pandas' own methods show and store them, such as table.to_markdown().",
            argument=name,
        )
