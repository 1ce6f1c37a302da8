"""The layout in which statistics programs print what they found: a title, facts, a table, and what covers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from textwrap import wrap
from typing import Any, NoReturn

import pandas as pd

from ...errors import UnsupportedArgument
from .digits import NOT_DETERMINED, of_columns, texts

WIDTH = 78
LINE = "=" * WIDTH
Facts = Sequence[tuple[str, str, str, str]]


class Summary(str):
    """Text that a prompt and a notebook show as it is printed.

    Examples
    --------
    >>> Summary("coef  std err")
    coef  std err
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def framed(title: str, facts: Facts, *parts: str) -> str:
    """Facts below a title, two and two beside each other, then other parts, with lines between.

    Examples
    --------
    >>> print(framed("t test", [("Rows", "400", "", "")], "nothing else"))  # doctest: +ELLIPSIS
                                        t test
    ====...
    Rows:       400
    ====...
    nothing else
    ====...
    """
    written = [f"{_before(one):<12}{value:<30}{_before(other):<14}{said:>22}" for one, value, other, said in facts]
    lines = [title.center(WIDTH).rstrip(), LINE, *(line.rstrip() for line in written), LINE]
    return "\n".join([*lines, *(line for part in parts for line in (part, LINE))])


def _before(name: str) -> str:
    return f"{name}:" if name else ""


def wrapped(*sentences: str) -> str:
    """Each on lines of its own, none longer than the frame."""
    return "\n".join(line for each in sentences for line in wrap(each, WIDTH))


def rows_of(table: pd.DataFrame, confidence: float, names: Mapping[str, str], say: Mapping[str, object]) -> str:
    """Numbers to the digits that their intervals support, ends last, under the names that people know."""
    tail = (1 - confidence) / 2
    named = {**names, "lower": f"[{tail:.4g}", "upper": f"{1 - tail:.4g}]"}
    shown = texts(table, of_columns(table), say)  # type: ignore[arg-type]
    ordered = shown[[name for name in named if name in shown.columns]].rename(columns=named)
    return ordered.to_string(line_width=10**6, index=True, max_rows=None)


class ConcludedAccessor:
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


LEAST = 1e-12  # smaller p values are not distinguished
NOTHING = 1e-12  # what is nearer to 0 is printed as 0


class Conclusion(pd.DataFrame):
    """A contrast or a test of released numbers: shown to the digits that its intervals support, and holding all."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @property
    def dp(self) -> ConcludedAccessor:
        """It is no release; what covers the one that it was concluded from covers it.

        Examples
        --------
        >>> Conclusion({"estimate": [1.5]}).dp
        <.dp of a conclusion: pandas' own methods show and store it>
        """
        return ConcludedAccessor()

    def _shown(self) -> pd.DataFrame:
        plain = pd.DataFrame(self)
        return texts(plain, of_columns(plain), SAID)

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str:
        return self._shown().to_html(border=0)


def said_p(pvalue: float, least: float = LEAST) -> str:
    """A p value as it is quoted.

    Where `least` is the smallest that there can be, as from so many tables of a bootstrap, it is a bound.

    Examples
    --------
    >>> said_p(1e-300), said_p(0.01234), said_p(0.002, least=1 / 500)
    ('< 1e-12', '0.0123', '≤ 0.002')
    """
    if pvalue != pvalue:
        return NOT_DETERMINED
    if pvalue <= max(least, LEAST) * 1.01:
        return f"< {LEAST:g}" if least <= LEAST else f"≤ {least:.3g}"
    return f"{pvalue:.3g}"


def short(number: float, digits: int = 4) -> str:
    """A number to so many digits.

    Examples
    --------
    >>> short(25.63819)
    '25.64'
    """
    return NOT_DETERMINED if number != number else f"{0.0 if abs(number) < NOTHING else number:.{digits}g}"


SAID: Mapping[str, Callable[[Any], str]] = {"p_value": said_p, "statistic": short}
"""How the columns of a table read that have no interval."""


class Findings(pd.DataFrame):
    """What looks wrong with a release, a row each: shown as sentences, none of them cut."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def _sentences(self) -> list[str]:
        lines = [f"{row.where}: {row.finding}. {row.advice}" for row in self.itertuples()]
        return lines or ["Nothing looks wrong."]

    def __repr__(self) -> str:
        return "\n".join(self._sentences())

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(each)}</p>" for each in self._sentences())


@dataclass(frozen=True)
class TestResult:
    """A hypothesis and how well the released numbers agree with it.

    `procedure` says how the p value was found, `least` the smallest that it finds, `noise` whether and which noise was
    taken into account. `expected` holds the counts that the hypothesis expects, in the shape of the table; None where
    it expects none. `guarantee` is that of the release.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
    >>> result = people["sex"].dp.value_counts(categories=["f", "m"], epsilon=5).dp.goodness_of_fit([0.5, 0.5])
    >>> result.df, result.expected["count"].round(-2).to_dict()
    (1, {'f': 500.0, 'm': 500.0})
    """

    __test__ = False  # no test case, whatever pytest makes of its name

    statistic: float
    pvalue: float
    df: int | None
    hypothesis: str
    procedure: str
    noise: str
    expected: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    guarantee: str = field(default="", repr=False, compare=False)
    least: float = field(default=LEAST, repr=False)

    def summary(self) -> Summary:
        """The test as statistics programs print it; `print(result.summary())`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> result = people["sex"].dp.value_counts(categories=["f", "m"], epsilon=5).dp.goodness_of_fit([0.5, 0.5])
        >>> print(result.summary().splitlines()[-1])
        differentially private: epsilon=5; one row replaced; laplace noise.
        """
        df = "" if self.df is None else str(self.df)
        facts = [("Statistic", short(self.statistic), "p value", said_p(self.pvalue, self.least)), ("df", df, "", "")]
        head = framed("Test of a release", facts[: 2 if df else 1])
        return _covered(head, f"Hypothesis: {self.hypothesis}", self.procedure, self.noise, self.guarantee)

    def __repr__(self) -> str:
        return _fields(self)

    def __str__(self) -> str:
        df = "" if self.df is None else f", df = {self.df}"
        return (
            f"Hypothesis: {self.hypothesis}: statistic = {short(self.statistic)}{df}, p {_compared(self)}\n"
            f"  {self.procedure}\n  noise: {self.noise}"
        )

    def _repr_html_(self) -> str:
        df = "" if self.df is None else f" ({self.df} df)"
        return _html(
            f"Hypothesis: {self.hypothesis}",
            f"statistic {short(self.statistic)}{df}, p {escape(_compared(self))}",
            self.procedure,
            self.noise,
        )


@dataclass(frozen=True)
class EstimateResult:
    """An estimate from released numbers, and the interval that holds the true value with probability `confidence`.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
    >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
    >>> result = people.dp.crosstab("sex", "vote", categories=declared, epsilon=5).dp.cramers_v()
    >>> result.lower <= result.estimate <= result.upper, result.confidence
    (True, 0.95)
    """

    estimate: float
    lower: float
    upper: float
    confidence: float
    statistic: str
    procedure: str
    noise: str
    guarantee: str = field(default="", repr=False, compare=False)

    def summary(self) -> Summary:
        """The estimate as statistics programs print it; `print(result.summary())`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500}))
        >>> declared = {"sex": ["f", "m"], "vote": ["yes", "no"]}
        >>> result = people.dp.crosstab("sex", "vote", categories=declared, epsilon=5).dp.cramers_v()
        >>> print(result.summary().splitlines()[-1])
        differentially private: epsilon=5; one row replaced; laplace noise.
        """
        ends = f"{short(self.lower)} to {short(self.upper)}"
        facts = [("Estimate", short(self.estimate), f"{100 * self.confidence:g} % interval", ends)]
        head = framed("Estimate from a release", facts)
        return _covered(head, f"Estimate: {self.statistic}", self.procedure, self.noise, self.guarantee)

    def __repr__(self) -> str:
        return _fields(self)

    def __str__(self) -> str:
        interval = f"{100 * self.confidence:g} % interval {short(self.lower)} to {short(self.upper)}"
        return f"{self.statistic} = {short(self.estimate)}, {interval}\n  {self.procedure}\n  noise: {self.noise}"

    def _repr_html_(self) -> str:
        ends = f"{short(self.lower)} to {short(self.upper)}"
        said = f"{short(self.estimate)}, {100 * self.confidence:g} % interval {ends}"
        return _html(self.statistic, said, self.procedure, self.noise)


def _covered(estimated: str, what: str, procedure: str, noise: str, guarantee: str) -> Summary:
    """What was found, how, and what covers it in the last line."""
    lines = [estimated, wrapped(what, f"Found by: {procedure}", f"Noise: {noise}"), guarantee]
    return Summary("\n".join(line for line in lines if line))


def _compared(result: TestResult) -> str:
    """A p value behind its letter."""
    said = said_p(result.pvalue, result.least)
    return said if said.startswith(("<", "≤")) else f"= {short(result.pvalue)}"


def _html(what: str, found: str, procedure: str, noise: str) -> str:
    """`found` is HTML already."""
    small = f"{escape(procedure)}<br>noise: {escape(noise)}"
    return f"<p>{escape(what)}: <b>{found}</b><br><small>{small}</small></p>"


def _fields(result: Any) -> str:
    said = []
    for each in fields(result):
        value = getattr(result, each.name)
        if each.name == "pvalue" and value <= result.least * 1.01:
            said.append(f"pvalue {_compared(result)}")
        elif each.repr:
            said.append(f"{each.name}={short(value, 6) if isinstance(value, float) else repr(value)}")
    return f"{type(result).__name__}({', '.join(said)})"
