"""Several releases of the same numbers as one: averaged by the precision of their noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...errors import NotConcluded, UnsupportedArgument
from ...version import VERSION
from ..arguments import read_by_signature
from ..evidence.evidence import Evidence
from ..label.label import Label
from ..label.layout import Released, in_zone
from ..label.release import Release, publish
from .numbers import releases, summed_cost

QUESTION = ("statistic", "columns", "by", "layout", "shows", "zone", "bootstrap")
POPULATION = ("session", "frame", "size")
PROMISE = ("model", "neighbours", "unit")
# the rest of the evidence says what was asked
ESTIMATED = (
    "noise",
    "tied",
    "total",
    "squares",
    "product",
    "count",
    "values",
    "released",
    "around",
    "clip",
    "ends",
    "top",
    "beside",
    "numbers",
    "runs",
)


@read_by_signature
def combine(releases_: Sequence[pd.DataFrame]) -> Release:
    """The best average of several releases of the same numbers, with what all of them cost.

    Each is weighted by the inverse of its noise variance, which is public. Its intervals, also those for the
    population, follow from the averaged sums: the rows are the same, so their sampling error enters once.

    Parameters
    ----------
    releases_ : sequence of Release
        Answers to one and the same question about one whole frame, each paid for.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> first, second = (people["age"].dp.sum(epsilon=e, bounds=(0, 100)) for e in (1, 0.5))
    >>> both = combine([first, second])
    >>> bool(both["std_error"].item() < first["std_error"].item())
    True
    >>> both.dp.guarantee
    'differentially private: epsilon=1.5; one row replaced; laplace noise; combined from 2 releases.'
    """
    frames = list(releases_) if isinstance(releases_, list | tuple) else []
    if len(frames) < 2 or not all(isinstance(frame, pd.DataFrame) for frame in frames):
        raise UnsupportedArgument("combine takes a list of two or more releases.")
    read = [Released.of(frame) for frame in frames]
    labels = [each.label for each in read]
    paid = releases(labels)
    _check_same(frames, labels)
    pooled = [first.pooled(others) for first, *others in zip(*(each.evidence for each in read), strict=True)]
    names = [name for each in labels for name in (each.mechanism or "").split(", ")]
    said = [{name: facts[name] for name in ("column", "type", "asked")} for facts in labels[0].evidence]
    label = replace(
        labels[0],
        kind="combined",
        id="+".join(part["id"] for part in paid),
        entry=None,
        releases=tuple(paid),
        **summed_cost(paid),
        mechanism=", ".join(dict.fromkeys(names)),
        noise=None,  # the evidence holds it
        evidence=tuple({**facts, **each.to_json()} for facts, each in zip(said, pooled, strict=True)),
        version=VERSION,
        insecure=any(each.insecure for each in labels),
    )
    return publish(in_zone(_filled(read[0], pooled), label.zone), label)


def _check_same(frames: Sequence[pd.DataFrame], labels: Sequence[Label]) -> None:
    if any(label.is_reworked for label in labels):
        raise NotConcluded(
            "a release that was rounded or adjusted has more error than its noise; "
            "combine releases as they were before."
        )
    if any(label.size_is_private or label.rows != "whole" for label in labels):
        raise NotConcluded(
            "labels do not say whether two derived frames hold the same rows; combine releases of a whole frame, "
            "of groups for instance."
        )
    one = labels[0]
    for frame, label in zip(frames[1:], labels[1:], strict=True):
        for names, what in ((QUESTION, "question"), (PROMISE, "promise"), (POPULATION, "protected frame")):
            if any(getattr(label, name) != getattr(one, name) for name in names):
                raise NotConcluded(f"these releases do not share one {what}; combine answers to the same question.")
        shaped = frame.index.equals(frames[0].index) and frame.columns.equals(frames[0].columns)
        if not shaped or [_asked(e) for e in label.evidence] != [_asked(e) for e in one.evidence]:
            raise NotConcluded(
                "these releases were asked with other bounds, categories or options; "
                "combine answers to the same question."
            )


def _asked(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What the evidence says of the question, without what was measured: where residuals were cut off, as the estimand
    says it, follows from a stage."""
    measured = {"n", "estimand"} if any(name.startswith("clip") for name in facts) else {"n"}
    known = {name: fact for name, fact in facts.items() if not name.startswith(ESTIMATED) and name not in measured}
    return {name: _asked(fact) if isinstance(fact, Mapping) else fact for name, fact in known.items()}


def _filled(first: Released, pooled: Sequence[Evidence]) -> pd.DataFrame:
    """The shape of the first release with the averaged numbers."""
    items = [replace(item, evidence=each) for item, each in zip(first.items, pooled, strict=True)]
    with np.errstate(all="ignore"):
        return first.layout.frame(items, first.label.confidence)[0]
