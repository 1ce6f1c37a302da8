"""Several regressions side by side, as papers print them: what `models_table` makes of releases, at no cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

import pandas as pd

from ..core.arguments import read_by_signature
from ..core.conclude.digits import of_columns, texts
from ..core.conclude.numbers import FACTS, summed_cost
from ..core.conclude.results import SAID, Conclusion
from ..core.label.label import Label
from ..core.label.release import cost_text, guarantee
from ..errors import UnsupportedArgument
from ..views.exports import in_latex, in_markdown, latex, markdown
from .conclude import FittedRelease, label_text
from .conclude_words import rows_said, share_said

STARS = {0.01: "***", 0.05: "**", 0.1: "*"}
ERRORS = (
    "In brackets standard errors, of noise and of chance where the intervals of a regression are for the population."
)
STARRED = "* p < 0.1, ** p < 0.05, *** p < 0.01; p values allow for the noise."


class ModelsTable(Conclusion):
    """A column for each regression, all of it texts, and notes below."""

    @property
    def notes(self) -> list[str]:
        """What errors and stars mean, which models were chosen, and the guarantee of each release."""
        found: list[str] = self.attrs["dp"]["notes"]
        return found

    def __repr__(self) -> str:
        return "\n".join([pd.DataFrame(self).to_string(), *self.notes])

    def _repr_html_(self) -> str:
        return "\n".join([pd.DataFrame(self).to_html(border=0), *(f"<p>{escape(each)}</p>" for each in self.notes)])

    def to_latex(self, **options: object) -> str:  # type: ignore[override]
        """A LaTeX table with its notes; options are those of `DataFrame.to_latex`, and it is returned as a text."""
        below = [f"\\par\\smallskip {in_latex(each)}" for each in self.notes]
        return "\n".join([latex(pd.DataFrame(self), options), *below]) + "\n"

    def to_markdown(self, **options: object) -> str:  # type: ignore[override]
        """A Markdown table with its notes; options are those of `DataFrame.to_markdown`."""
        return "\n\n".join([markdown(pd.DataFrame(self), options), *map(in_markdown, self.notes)]) + "\n"


@dataclass(frozen=True)
class ModelColumn:
    """One regression of a release: of its only group, or of one of them."""

    fitted: FittedRelease
    at: int = 0

    @property
    def label(self) -> Label:
        return self.fitted.released.label

    @property
    def group(self) -> Hashable:
        return self.fitted.groups[self.at]

    @cached_property
    def part(self) -> pd.DataFrame:
        """Its coefficients, with what stands beside them."""
        many = self.fitted.many
        rows = self.fitted.released.frame.iloc[self.at * many : (self.at + 1) * many]
        names = [label_text(name) for name in rows.index]
        return rows.set_axis(names if self.group is None else self.fitted.fit.design.names, axis=0)

    def cells(self, stars: bool) -> dict[tuple[str, str], str]:
        """Each coefficient, and its error below, to the digits that its interval supports."""
        said, found = texts(self.part, of_columns(self.part), SAID), {}
        for (name, row), p in zip(said.iterrows(), self.part["p_value"].astype(float), strict=True):
            mark = next((sign for level, sign in STARS.items() if p < level), "") if stars else ""
            found[str(name), ""] = f"{row['coef']}{mark}"
            found[str(name), "error"] = f"({row['std_error']})"
        return found

    @property
    def facts(self) -> dict[str, str]:
        fit = self.fitted.fit
        method = getattr(fit, "family", None) or (fit.estimand or fit.statistic).split(",")[0]
        named = {"Method": method, "Rows": rows_said(fit, self.at), "R-squared": ""}
        share = share_said(self.fitted, self.at)
        if share is not None:
            named["R-squared"] = share[0]
        return {**named, "Cost": cost_text(vars(self.label))}

    @property
    def response(self) -> str:
        formula = getattr(self.fitted.fit, "design", None) or self.fitted.fit.model
        return str(formula.formula.split("~")[0].strip())


@read_by_signature
def models_table(
    models: Sequence[pd.DataFrame], *, names: Sequence[str] | None = None, stars: bool = False
) -> ModelsTable:
    """Regressions side by side: coefficients with their standard errors below, as papers print them; free of charge.

    A release with a regression for each group has a column for each. The number of rows is there as it is known,
    public or released. Notes below say what each release guarantees and what all of them cost, each counted once.

    Parameters
    ----------
    models : list of Release
        Releases of `ols`, `logit`, `poisson`, and what follows from them, `refit` too.
    names : list of str, optional
        Of the columns; (1), (2), … if not given.
    stars : bool
        Whether coefficients have stars by their p values.

    Examples
    --------
    >>> import numpy as np, pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(rho=1e12)  # so much that there is no noise to see
    >>> people = pd.DataFrame({"school": [9, 12, 16, 12, 9] * 200, "age": [50, 30, 40, 20, 60] * 200})
    >>> people["wage"] = 5 + 2 * people["school"] + np.tile([1, -1], 500)
    >>> bounds = {"school": (0, 20), "age": (18, 66), "wage": (0, 60)}
    >>> fit = session.protect(people).dp.ols("wage ~ school + age", stages=1, bounds=bounds, rho=1e10)
    >>> table = pdp.models_table([fit.dp.refit("wage ~ school"), fit], names=["short", "long"])
    >>> table.iloc[:2].to_dict("list")
    {'short': ['wage', '2.000'], 'long': ['wage', '2.000']}
    """
    listed = [models] if isinstance(models, pd.DataFrame) else list(models)
    columns = [ModelColumn(each, at) for each in map(FittedRelease.of, listed) for at in range(len(each.groups))]
    headers = _headers(columns, names)
    cells = [each.cells(stars) for each in columns]
    rows = list(dict.fromkeys(row for each in cells for row in each))
    rows = [*(row for row in rows if row[0] != "Intercept"), *(row for row in rows if row[0] == "Intercept")]
    body = [[each.get(row, "") for each in cells] for row in rows]
    facts = [{"Response": each.response, **each.facts} for each in columns]
    kept = [name for name in facts[0] if any(each[name] for each in facts)] if facts else []
    body = [[each["Response"] for each in facts], *body, *([e[name] for e in facts] for name in kept[1:])]
    index = pd.Index(["Response", *(name if part == "" else "" for name, part in rows), *kept[1:]])
    found = ModelsTable(body, index=index, columns=headers)
    paid = {part["id"]: {f: part[f] for f in FACTS} for c in columns for part in c.label.releases or [vars(c.label)]}
    cost = summed_cost(list(paid.values()))
    notes = [
        ERRORS,
        *([STARRED] if stars else []),
        *_notes(columns, headers),
        f"All together: {cost_text({**cost, 'releases': True})}.",
    ]
    found.attrs = {"dp": {"kind": "conclusion", "conclusion": "models", "notes": notes, "releases": [*paid.values()]}}
    found.attrs["dp"].update(cost)
    return found


def _headers(columns: Sequence[ModelColumn], names: Sequence[str] | None) -> list[str]:
    if not columns or (names is not None and (isinstance(names, str) or len(names) != len(columns))):
        raise UnsupportedArgument(
            f"models_table takes a list of regressions, and a name for each of its {len(columns)} columns."
            if columns
            else "models_table takes a list of one regression or more: pdp.models_table([first, second])."
        )
    groups = ["" if each.group is None else f" {label_text(each.group)}" for each in columns]
    return [str(name) for name in names or [f"({at + 1}){said}" for at, said in enumerate(groups)]]


def _notes(columns: Sequence[ModelColumn], headers: Sequence[str]) -> list[str]:
    """What a label says, once, of all columns of which it does."""
    found: dict[str, list[str]] = {}
    for column, name in zip(columns, headers, strict=True):
        chosen, said = column.label.chosen, guarantee(column.label)
        for note in [f"{chosen['said']}."] if chosen else []:
            found.setdefault(note[:1].upper() + note[1:], []).append(name)
        found.setdefault(said[:1].upper() + said[1:], []).append(name)
    return [f"{', '.join(names)}: {note}" for note, names in found.items()]
