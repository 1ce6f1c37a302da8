"""Derivations that keep people apart: by a language that has no other, by calling f on each person, by a trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..backends.expressions import Node, evaluated
from ..errors import NotProtected, UnsupportedArgument, type_of, wrong_value
from ..protected import ProtectedFrame, is_whole, origin_of
from . import active
from .apart import by_person
from .collections import collection
from .derived import KEY, with_known_ranges
from .expressions import Reading
from .made_up import Like
from .replay import replayed
from .tables import Table

if TYPE_CHECKING:
    from .desk import Desk

Array = np.ndarray[Any, Any]


def derive(desk: Desk, what: Any, frames: Sequence[Any], each: object, written: Mapping[str, object]) -> Any:
    """What `Session.derive` was asked for."""
    if any(map(collection, (what, *frames))):
        raise UnsupportedArgument(
            "derive takes frames of pandas, and this is a collection of Dask, which is derived by steps of its own: "
            "ddf.assign(z=np.log1p(ddf['cost'])), ddf['cost'].map(f), ddf.apply(f, axis=1)."
        )
    if isinstance(what, pd.DataFrame):
        if frames or each is not None:
            raise UnsupportedArgument("derive takes a function and frames, or one frame and expressions, not both.")
        return _by_expressions(desk, what, written)
    if not callable(what) or not frames or not all(isinstance(frame, pd.DataFrame) for frame in frames):
        raise UnsupportedArgument(
            "derive takes a function and the frames it is to be called with, derive(f, frame), or a frame and "
            f"expressions, derive(frame, z='log1p(x)'), not {type_of(what)}."
        )
    if written:
        raise UnsupportedArgument(
            f"derive has no argument {next(iter(written))!r}; what f needs besides frames it gets by a lambda.",
            argument=next(iter(written)),
        )
    likes = [_like(desk, frame) for frame in frames]
    for like in likes:
        like.check()
    if each is None:
        found = replayed(what, likes)
        if found is not None:
            raise found.refusal(desk.tables.people is not None)
        return what(*frames)
    if not isinstance(each, str) or each != "person":
        raise wrong_value("each", "be 'person' or left out", each)
    return _apart(desk, what, frames, likes)


def _by_expressions(desk: Desk, frame: pd.DataFrame, written: Mapping[str, object]) -> pd.DataFrame:
    if not written:
        raise UnsupportedArgument("derive was given a frame and no expression; write e.g. derive(frame, z='log1p(x)').")
    table, people = _table_of(desk, frame), desk.tables.people
    for name in written:
        if people is not None and name in people.names:
            raise UnsupportedArgument(
                f"derive makes no column {name!r}, which says whose a row is; give the new one another name.",
                argument=name,
            )
    columns, nodes = [*frame.columns], dict[str, Node]()
    for name, text in written.items():
        nodes[name] = Reading(name, columns, people is not None).read(text)
        columns.append(name)
    made = evaluated(frame, nodes, _persons(desk, table, frame))
    made.attrs = _without(frame.attrs, nodes)
    return made


def _apart(desk: Desk, f: Callable[..., Any], frames: Sequence[pd.DataFrame], likes: Sequence[Like]) -> pd.DataFrame:
    people = desk.tables.people
    if people is None or len(frames) > 1:
        raise UnsupportedArgument(
            "each='person' runs f on the rows of one person of one frame, in a session with unit=; without a unit a "
            "row is a person: write expressions, derive(frame, z='log1p(x)'), or derive(f, frame).",
            argument="each",
        )
    persons = _persons(desk, _table_of(desk, frames[0]), frames[0])
    assert persons is not None
    return by_person(f, frames[0], persons, people.known, (people.unit, people.names), likes[0])


def _table_of(desk: Desk, frame: pd.DataFrame) -> Table | None:
    """Which of the session's tables a frame was cut from; refused where it is none of them."""
    if active.desk_for(frame) is not desk:
        raise NotProtected("this table belongs to another session; derive it there.")
    origin = origin_of(frame) if is_whole(frame) else None
    if not desk.tables:
        return None
    return desk.tables.of(frame) if origin is None else desk.tables[origin.frame]


def _persons(desk: Desk, table: Table | None, frame: pd.DataFrame) -> Array | None:
    if desk.tables.people is None or table is None:
        return None
    return np.asarray(table.known.people(frame.index))


def _like(desk: Desk, frame: pd.DataFrame) -> Like:
    """What is public of a frame: its columns by the schema, the name of its index, what it carries of its own."""
    table, people = _table_of(desk, frame), desk.tables.people
    if isinstance(frame.columns, pd.MultiIndex) or not frame.columns.is_unique:
        raise UnsupportedArgument("derive takes frames with plain column names, each once.")
    domain = with_known_ranges(desk.opening.domain, frame, None if table is None else table.counted)
    unit = None if people is None else next((name for name in frame.columns if name in people.names), None)
    of_people = people is not None and desk.tables.is_unit(frame.index.name)
    columns = tuple((name, domain.said_of(name)) for name in frame.columns)
    if people is not None and unit is None and not of_people:
        raise UnsupportedArgument(
            f"derive tells people apart by the column {people.unit!r}, which this table lacks; keep it.",
            column=people.unit,
        )
    return Like(columns, frame.index.name, unit, of_people, isinstance(frame, ProtectedFrame))


def _without(attrs: Mapping[Any, Any], names: Mapping[str, Node]) -> dict[Any, Any]:
    """What a frame carries, but for the ranges of columns that are made anew."""
    label = attrs.get("dp")
    said = label.get(KEY) if isinstance(label, dict) else None
    if not isinstance(said, dict) or not isinstance(said.get("columns"), list):
        return dict(attrs)
    kept = [fact for fact in said["columns"] if not (isinstance(fact, dict) and fact.get("column") in names)]
    return {**attrs, "dp": {**label, KEY: {**said, "columns": kept}}}  # type: ignore[dict-item]
