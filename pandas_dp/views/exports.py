"""Ways to publish a release outside of Python, each with the guarantee below the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from os import PathLike
from typing import Any

import pandas as pd

from ..core.door.hints import needing, reading_label, with_arguments_named
from ..core.reading import a_new_file
from .text import below, in_latex, in_markdown, latex, markdown, printed
from .workbook import checked_names, ledger_of, sheet_of, write

Path = str | PathLike[str]


@with_arguments_named
class Exports(ABC):
    """What an accessor of a release has for other programs."""

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
    def _frame(self) -> pd.DataFrame:
        """The table with its label."""

    @property
    def _below(self) -> list[str]:
        """Whom intervals are about, what was estimated and noted, and the guarantee."""
        return [*below(self._frame), self.guarantee]

    @reading_label
    def to_markdown(self, path: Path | None = None, **options: Any) -> str:
        """A Markdown table, each number to the digits that its interval supports, the guarantee as its last line.

        Options are those of `DataFrame.to_markdown`; one that formats numbers is given all their digits.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> text = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_markdown()
        >>> print(text.splitlines()[0], text.splitlines()[-1], sep="\\n")
        | sex   |   count |
        differentially private: epsilon=1; one row replaced; laplace noise.
        """
        with needing("export"):
            table = markdown(self._frame, options)
        lines = map(in_markdown, self._below)
        return _written("\n\n".join([table, *lines]) + "\n", path)

    @reading_label
    def to_latex(self, path: Path | None = None, **options: Any) -> str:
        r"""A LaTeX table, each number to the digits that its interval supports, the guarantee as its last line.

        Options are those of `DataFrame.to_latex`; `escape` is True unless given.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> print(people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_latex().splitlines()[-1])
        \par\smallskip differentially private: epsilon=1; one row replaced; laplace noise.
        """
        with needing("export"):
            table = latex(self._frame, options)
        lines = [f"\\par\\smallskip {in_latex(line)}" for line in self._below]
        return _written("\n".join([table, *lines]) + "\n", path)

    @reading_label
    def to_html(self, path: Path | None = None, **options: Any) -> str:
        """An HTML table, each number to the digits that its interval supports, the guarantee as its last line.

        Options are those of `DataFrame.to_html`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> print(people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"]).dp.to_html().splitlines()[-1])
        <p>differentially private: epsilon=1; one row replaced; laplace noise.</p>
        """
        lines = [f"<p>{escape(line)}</p>" for line in self._below]
        return _written("\n".join([printed(self._frame, options).to_html(**options), *lines]) + "\n", path)

    def to_excel(
        self,
        path: Path | pd.ExcelWriter[Any],
        sheet_name: str = "release",
        *,
        title: str | None = None,
        session: Any = None,
    ) -> None:
        """A sheet with a title, the numbers to their digits, their intervals, and the guarantee as the last line.

        `pdp.to_excel` writes several releases at once.

        Parameters
        ----------
        path : path or pd.ExcelWriter
            A new workbook, or one that is open; the sheets that it has are kept.
        sheet_name : str
        title : str, optional
            In place of the words of the question.
        session : Session, optional
            A second sheet shows its ledger, and what covers everything released.

        Examples
        --------
        >>> import tempfile, pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> release = people["sex"].dp.value_counts(epsilon=1, categories=["f", "m"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release.dp.to_excel(folder + "/sexes.xlsx")
        ...     sheet = pd.read_excel(folder + "/sexes.xlsx", header=None)
        >>> print(sheet.iloc[0, 0], sheet.iloc[-1, 0], sep="\\n")
        Number of rows by sex
        differentially private: epsilon=1; one row replaced; laplace noise.
        """
        checked_names([sheet_name])
        with needing("export"):
            write(path, [sheet_of(self._frame, sheet_name, title), *ledger_of(session)])


def _written(text: str, path: Path | None) -> str:
    if path is not None:
        a_new_file("path", path, "table").write_text(text, "utf-8")
    return text
