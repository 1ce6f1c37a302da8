"""What a collection is made of, read off its expression before anything is paid: whole or not, row by row or not."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
from dask._expr import Expr

from ...errors import NotProtected, NotRowwise
from .rules import FEWER_ROWS, rule_for
from .tasks import Protected

Why = Literal["looks", "groups", "hands over", "ids", "places", "before", "copies", "columns", "other", "inside"]

REASONS: Mapping[Why, str] = {
    "looks": (
        "{name} looks at other rows, and what is asked of a protected collection is made row by row; put a public or a "
        "released number there, e.g. ddf['x'].dp.mean(), or ask for it: ddf.dp has statistics of its own."
    ),
    "groups": (
        "{name} of groups looks at other rows; ask for it, ddf.dp.groupby('crop')['x'].mean(), or, where people have "
        "many rows, for one number of each person, ddf.dp.per_person(x='sum')."
    ),
    "hands over": (
        "{name} hands many rows to a function at once; write it row by row, with operators, map or apply(axis=1), or "
        "call it before protect, if each row that it gives is made of one row."
    ),
    "ids": "{name} uses the index, which holds row ids of the session; make a column of it before protect.",
    "places": (
        "{name} takes rows by where they stand, which other rows decide; take them by a condition: ddf[ddf['x'] > 2]."
    ),
    "before": (
        "{name} comes before protect, which answers for rows as they are: "
        "ddf = session.protect(ddf.persist()), or .repartition(...) in that place."
    ),
    "copies": (
        "{name} may give a row more than once, or bring in rows of others; look values up by "
        "ddf['crop'].map({{'rice': 1}}), or do it before protect."
    ),
    "columns": (
        "{name} is not offered on a protected collection; write a column of it, e.g. ddf.assign(double=ddf['x'] * 2)."
    ),
    "other": (
        "this was taken from another collection than the protected one, so its rows do not go with these; join the "
        "two before protect."
    ),
    "inside": "{name} is a step inside of Dask; ask the collection as it was written.",
}

MODULES: Mapping[str, Why] = {
    "_categorical": "before",
    "_concat": "copies",
    "_cumulative": "looks",
    "_describe": "looks",
    "_dummies": "columns",
    "_groupby": "groups",
    "_indexing": "places",
    "_merge": "copies",
    "_merge_asof": "copies",
    "_quantile": "looks",
    "_quantiles": "looks",
    "_reductions": "looks",
    "_repartition": "before",
    "_resample": "looks",
    "_rolling": "looks",
    "_shuffle": "places",
    "resample": "looks",
    "_analyze": "inside",
    "_backends": "inside",
    "datasets": "other",
    "_delayed": "other",
    "bag": "other",
    "io": "other",
    "parquet": "other",
    "records": "other",
}
"""Of files all of whose nodes are alike."""

_NAMES: Mapping[Why, str] = {
    "looks": "BFill Diff FFill FillnaCheck Mode NUniqueColumns Shift ShiftIndex VarColumns",
    "hands over": (
        "CombineFrame CombineFrameAlign CombineSeries CombineSeriesAlign MapOverlap MapOverlapAlign MapPartitions"
    ),
    "ids": (
        "AddPrefixSeries AddSuffixSeries AssignIndex FunctionMapIndex Index MapIndexAlign PropertyMapIndex RenameAxis "
        "ResetIndex ToFrameIndex ToSeriesIndex ToTimestamp"
    ),
    "places": (
        "BlockwiseHead BlockwiseHeadIndex BlockwiseTail BlockwiseTailIndex Head Partitions PartitionsFiltered Sample "
        "Split SplitTake Tail"
    ),
    "before": "AsUnknown ClearDivisions EnforceRuntimeDivisions SetDivisions",
    "copies": "CombineFirst DropDuplicatesBlockwise ExplodeFrame ExplodeSeries",
    "columns": "AsUnknown CaseWhen CatBlockwise Eval SplitMap Sqrt ToBackend ToTimedelta",
    "other": (
        "AlignAlignPartitions AlignGetitem AssignAlign CombineFirstAlign FillnaAlign FilterAlign LocAlign MapAlign "
        "MaskAlign MaybeAlignPartitions MethodOperatorAlign OpAlignPartitions UFuncAlign WhereAlign _Align "
        "DelayedsExpr Literal _DelayedExpr"
    ),
    "inside": (
        "ArrowStringConversion Binop BinOpFrame BinOpSeries Blockwise CreateOverlappingPartitions Elemwise Expr "
        "FinalizeComputeDF Fused Lengths MemoryUsagePerPartition ResolveOverlappingDivisions ScalarToSeries Unaryop "
        "_DeepCopy"
    ),
}
NAMES: Mapping[str, Why] = {name: why for why, names in _NAMES.items() for name in names.split()}
"""Of the others, by name; a string of texts put together looks at other rows."""
CALLED = {
    "AsType": "astype",
    "Cat": "str.cat",
    "CatBlockwise": "str.cat",
    "Filter": "a condition",
    "FromGraph": "persist",
    "FunctionMap": "an accessor",
    "LocUnknown": "loc",
    "MapPartitions": "map_partitions",
    "PropertyMap": "an accessor",
    "Projection": "[...]",
    "RenameFrame": "rename",
    "RenameSeries": "rename",
    "SplitMap": "str.split(expand=True)",
    "ToDatetime": "to_datetime",
    "ToFrame": "to_frame",
    "ToNumeric": "to_numeric",
    "ToTimedelta": "to_timedelta",
    "UFuncElemwise": "a function of numpy",
}
"""Where people call a node otherwise."""


def called(kind: type) -> str:
    """A kind of node as people know it."""
    return CALLED.get(kind.__name__, kind.__name__)


def why_refused(kind: type) -> Why | None:
    """The reason for a kind of node; None where it is unknown."""
    file, name = kind.__module__.rsplit(".", 1)[-1], kind.__name__
    if not kind.__module__.startswith("dask.dataframe."):
        return "inside" if kind.__module__.startswith(("dask.", "distributed.")) else None
    if file == "_str_accessor" and name == "Cat":
        return "looks"
    return MODULES.get(file) or NAMES.get(name)


def refusal(kind: type) -> str:
    """The sentence for a kind of node."""
    why, name = why_refused(kind), called(kind)
    if why is None:
        return f"{name} is a step of which pandas-dp does not know that it is row by row; do it before protect."
    return REASONS[why].format(name=name)


UNMATCHED = (
    "{name} takes columns of one set of rows, and these are of several, such as ddf['x'] and a column of rows that "
    "were filtered; make the columns first and filter last."
)
NOT_PROTECTED = "this collection is not protected; write ddf = session.protect(ddf) first."


@dataclass(frozen=True)
class Lineage:
    """The name under which its rows are protected, and whether they are all of them, with columns by name alone."""

    name: str
    whole: bool


def lineage(expr: Any) -> Lineage:
    """Of a collection that is made of one protected frame, row by row; any other is refused."""
    found: dict[str, Hashable] = {}
    names = {node.operand("name") for node in nodes(expr) if isinstance(node, Protected)}
    _check_leaves(expr, names)
    for node in nodes(expr):
        if isinstance(node, Protected):
            found[node._name] = node.operand("name")
            continue
        check_node(node)
        found[node._name] = _rows_of(node, [found[each._name] for each in _columns(node)])
    return Lineage(names.pop(), _is_whole(expr))


def nodes(expr: Any) -> list[Any]:
    """From the protected frames up to the expression itself: each after what it is made of."""
    seen: dict[str, Any] = {}
    waiting: list[tuple[Any, bool]] = [(expr, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            seen[node._name] = node
        elif node._name not in seen:
            waiting.append((node, True))
            waiting += [(each, False) for each in _columns(node)]
    return list(seen.values())


def check_node(node: Any) -> None:
    """Refused, by its name, where it is not row by row."""
    rule = rule_for(type(node))
    if rule is None:
        raise NotRowwise(refusal(type(node)))
    wrong = rule(node)
    if wrong is not None:
        said = called(type(node))
        raise NotRowwise(f"{said[0].lower()}{said[1:]} {wrong}.")


def _columns(node: Any) -> list[Any]:
    """What a node is made of, but for values that were written out."""
    if isinstance(node, Protected):
        return []
    return [each for each in node.dependencies() if type(each).__name__ != "_DelayedExpr"]


def _check_leaves(expr: Any, names: set[str]) -> None:
    if len(names) > 1:
        raise NotRowwise(
            "this is made of two protected collections, whose rows do not go with each other; join them before protect."
        )
    for node in nodes(expr):
        if isinstance(node, Protected) or _columns(node):
            continue
        index = getattr(getattr(node, "_meta", None), "index", None)
        if isinstance(index, pd.Index) and str(index.name).startswith("dp_row_"):
            raise NotRowwise(
                "this collection was computed or persisted after it was protected, so nobody knows what its rows are; "
                "persist comes first: ddf = session.protect(ddf.persist())."
            )
        if not names:
            raise NotProtected(NOT_PROTECTED)
        raise NotRowwise(refusal(type(node)))


def _rows_of(node: Any, sources: list[Hashable]) -> Hashable:
    """Which rows a node has: those of its columns, or fewer. `assign` looks up a column of others by unique ids."""
    if len(set(sources)) > 1 and type(node).__name__ != "Assign":
        raise NotRowwise(UNMATCHED.format(name=called(type(node))))
    return node._name if type(node).__name__ in FEWER_ROWS else sources[0]


def _is_whole(expr: Expr) -> bool:
    while type(expr).__name__ == "Projection" and rule_for(type(expr)):
        expr = expr.frame
    return isinstance(expr, Protected)
