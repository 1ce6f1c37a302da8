"""A regression of a released table as statistics programs print it."""

from __future__ import annotations

import pandas as pd

from ..evidence import TableFit
from ..release import Released, guarantee
from .regressions.summary import NO_RATIO, READ, of_terms
from .summaries import Facts, Summary, framed, wrapped
from .table_regressions import Fitted


def table_summary(table: Released | pd.DataFrame) -> Summary:
    """What was fitted, then a line for each coefficient; of several outcomes one below the other."""
    fitted = Fitted.of(table, None)
    model, label = fitted.fit.model, fitted.released.label
    many, frame = len(model.names), fitted.released.frame
    blocks = [frame.iloc[at : at + many].set_axis(model.names, axis=0) for at in range(0, len(frame), many)]
    outcomes = [f"{model.response}={each}\n" for each in model.answers[1:]] if len(blocks) > 1 else [""]
    parts = [said + of_terms(block, label.confidence) for said, block in zip(outcomes, blocks, strict=True)]
    told = framed(f"Regression: {model.formula}", _facts(fitted.fit), *parts)
    how = wrapped(READ.format("counts", "noise and chance", "z", NO_RATIO).replace("\n", " "))
    return Summary("\n".join([told, how, guarantee(label)]))


def _facts(fit: TableFit) -> Facts:
    model = fit.model
    cells = fit.released.reshape(-1, len(model.answers)).sum(axis=0)
    rows = f"about {cells.sum():,}"
    cov_type = "HC" if model.robust else "nonrobust"
    if fit.statistic != "logit":
        return [
            ("Response", model.response, "Rows", rows),
            ("Model", fit.statistic, "Covariance", cov_type),
        ]
    return [
        ("Response", f"{model.response} = {model.answers[-1]}", "Rows", rows),
        ("Model", "logit", "Yeses", f"about {cells[-1]:,}"),
        ("Covariance", cov_type, "", ""),
    ]
