"""Ways to publish a release outside of Python, each with the guarantee below the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import pandas as pd

from ..errors import MissingExtra

Path = str | PathLike[str]


class Exports(ABC):
    """What a face of a release has for other programs."""

    @property
    @abstractmethod
    def guarantee(self) -> str:
        """The promise in one line.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.guarantee
        'differentially private: epsilon=1; one row replaced; laplace noise.'
        """

    @property
    @abstractmethod
    def _plain(self) -> pd.DataFrame:
        """The table without its face."""

    def to_markdown(self, path: Path | None = None, **options: Any) -> str:
        """A Markdown table, the guarantee as its last line.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> text = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_markdown()
        >>> print(text.splitlines()[0], text.splitlines()[-1], sep="\\n")
        | sex   |   count |
        differentially private: epsilon=1; one row replaced; laplace noise.
        """
        with _needing("export"):
            table = self._plain.to_markdown(**options)
        return _written(f"{table}\n\n{self.guarantee}\n", path)

    def to_latex(self, path: Path | None = None, **options: Any) -> str:
        r"""A LaTeX table, the guarantee as its last line.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> print(people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_latex().splitlines()[-1])
        \par\smallskip differentially private: epsilon=1; one row replaced; laplace noise.
        """
        text = self.guarantee.replace("_", r"\_").replace("%", r"\%")
        with _needing("export"):
            table = self._plain.to_latex(**options)
        return _written(f"{table}\n\\par\\smallskip {text}\n", path)

    def to_html(self, path: Path | None = None, **options: Any) -> str:
        """An HTML table, the guarantee as its last line.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> print(people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_html().splitlines()[-1])
        <p>differentially private: epsilon=1; one row replaced; laplace noise.</p>
        """
        return _written(f"{self._plain.to_html(**options)}\n<p>{self.guarantee}</p>\n", path)

    def to_excel(self, path: Path, sheet_name: str = "release") -> None:
        """A sheet, the guarantee below the table.

        Examples
        --------
        >>> import tempfile, pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release.dp.to_excel(folder + "/sexes.xlsx")
        ...     pd.read_excel(folder + "/sexes.xlsx").iloc[-1, 0]
        'differentially private: epsilon=1; one row replaced; laplace noise.'
        """
        table = self._plain
        with _needing("export"), pd.ExcelWriter(path) as writer:
            table.to_excel(writer, sheet_name=sheet_name)
            below = len(table) + table.columns.nlevels + 2
            line = pd.DataFrame([[self.guarantee]])
            line.to_excel(writer, sheet_name=sheet_name, startrow=below, header=False, index=False)


@contextmanager
def _needing(extra: str) -> Iterator[None]:
    """Say by name which extra is missing, where pandas says which package."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f'this way of publishing needs packages that are not installed; pip install "pandas-dp[{extra}]".',
            extra=extra,
        ) from error


def _written(text: str, path: Path | None) -> str:
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text
