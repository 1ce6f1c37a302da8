"""pandas' own groupby has no questions: `.dp` of it says where they are."""

from __future__ import annotations

from typing import Any, NoReturn

import pandas as pd

from ..errors import UnsupportedArgument

HOW = (
    "pandas' groupby shows which keys occur; write df.dp.groupby(keys)[columns].mean(epsilon=1), whose cells are the "
    "declared categories."
)


class GroupedByPandas:
    """Whatever is asked of it is refused."""

    def __repr__(self) -> str:
        return f"<{HOW}>"

    def __dir__(self) -> list[str]:
        return []

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnsupportedArgument(HOW, argument=name)


def tell_where_groups_are_asked() -> None:
    """Put the word where a newcomer looks for `.dp`."""
    told: Any = property(lambda grouped: GroupedByPandas())
    for kind in (pd.api.typing.DataFrameGroupBy, pd.api.typing.SeriesGroupBy):
        setattr(kind, "dp", told)  # noqa: B010  # stubs do not have it
