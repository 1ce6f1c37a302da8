"""A synthesis as one JSON file: the model to the last bit, its columns, and the releases with their labels."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import a_new_file, a_path
from ..core.arrays import Floats
from ..core.evidence.noise import Noise
from ..core.label.label import Label
from ..core.label.release import Release, digest, label_of, labelled
from ..core.schema.values import Interval, plain
from ..errors import TablesDamaged, TablesError
from ..tables.published.archive import READERS, seal_of, typed, undamaged
from .conclude_columns import SyntheticColumn
from .conclude_described import Described
from .conclude_measured import Again, ModelKey, ModelKeys
from .model.fit import TableEstimate
from .model.graph import Graph
from .model.model import Model, Parts

FORMAT = "pandas-dp synthesis 1"
Json = dict[str, Any]


def written(of: Described, path: Any) -> None:
    """Write the file: whole, or not at all."""
    target = a_new_file("path", path, "synthesis")
    content = to_json(of)
    sealed = json.dumps({**content, "seal": seal_of(content)})
    draft = target.with_name(target.name + ".unfinished")
    try:
        draft.write_text(sealed, "utf-8")
        os.replace(draft, target)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TablesError(f"{target} cannot be written: {reason}.", folder=str(target)) from error


def read(path: Any, schema: Any = None) -> Described:
    """Read what `written` wrote; refused where the file was changed."""
    source = a_path("path", path)
    try:
        content = json.loads(source.read_text("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TablesError(f"{source} cannot be read: {reason}.", folder=str(source)) from error
    except (ValueError, RecursionError):
        content = None
    seal = content.pop("seal", None) if isinstance(content, dict) else None
    if seal is None or seal != seal_of(content):
        raise TablesDamaged(f"{source} holds no synthesis, or was changed since it was written; restore a copy.")
    if content.get("format") != FORMAT:
        raise TablesError(f"{source} was written by another version of pandas-dp; read it with that version.")
    with undamaged(source):
        return from_json(content, schema)


def to_json(of: Described) -> Json:
    return {
        "format": FORMAT,
        "sizes": list(of.model.sizes),
        "cliques": [list(margin) for margin in of.model.graph.cliques],
        "parents": list(of.model.graph.parents),
        "weights": list(map(_bits, of.model.weights)),
        "thetas": {name: _bits(theta) for name, theta in (of.model.thetas or {}).items()},
        "rows": float(of.model.rows).hex(),
        "keys": [_key_to_json(key) for key in of.keys.each],
        "shown": [of.names.index(key.name) for key in of.shown],
        "columns": [_column_to_json(column) for column in of.columns],
        "tables": [list(margin) for margin in of.tables],
        "again": [_again_to_json(each) for each in of.again],
        "zeros": [{"keys": list(margin), "possible": there.astype(int).tolist()} for margin, there in of.zeros],
        "public": [{"keys": list(each.margin), "values": _bits(each.values)} for each in of.public],
        "releases": [_release_to_json(release) for release in of.releases],
        "distances": [_release_to_json(release) for release in of.distances],
        "approximate": of.approximate,
        "public_rows": of.public_rows,
        "evenness": of.evenness.hex(),
        "beyond": of.beyond,
    }


def from_json(said: Json, schema: Any = None) -> Described:
    sizes = tuple(said["sizes"])
    graph = Graph(sizes, tuple(map(tuple, said["cliques"])), tuple(said["parents"]))
    weights = tuple(
        _of_bits(table).reshape(graph.shape(margin))
        for margin, table in zip(graph.cliques, said["weights"], strict=True)
    )
    thetas = {name: _of_bits(theta) for name, theta in said["thetas"].items()}
    keys = ModelKeys(tuple(map(_key_from_json, said["keys"])), sizes)
    releases = tuple(map(_release_from_json, said["releases"]))
    return Described(
        model=Model(graph, weights, float.fromhex(said["rows"]), thetas),
        keys=keys,
        columns=tuple(map(_column_from_json, said["columns"])),
        shown=tuple(keys.each[at] for at in said["shown"]),
        tables=tuple(map(tuple, said["tables"])),
        again=tuple(map(_again_from_json, said["again"])),
        zeros=tuple((tuple(each["keys"]), np.array(each["possible"], dtype=bool)) for each in said["zeros"]),
        label=Label.from_json(label_of(releases[0]) or {}),
        releases=releases,
        public=tuple(_public_from_json(each, sizes) for each in said.get("public", ())),
        distances=tuple(map(_release_from_json, said.get("distances", ()))),
        approximate=said["approximate"],
        public_rows=said["public_rows"],
        evenness=float.fromhex(said["evenness"]),
        beyond=said["beyond"],
        schema=schema,
    )


def _public_from_json(said: Json, sizes: Sequence[int]) -> TableEstimate:
    margin = tuple(said["keys"])
    return TableEstimate(margin, _of_bits(said["values"]).reshape([sizes[place] for place in margin]), 0.0)


def _bits(numbers: Floats) -> list[str]:
    """To the last bit."""
    return [float(each).hex() for each in numbers.ravel()]


def _of_bits(said: Sequence[str]) -> Floats:
    return np.array([float.fromhex(each) for each in said])


def _key_to_json(key: ModelKey) -> Json:
    level = None if key.level is None else key.level.tolist()
    return {"name": _one(key.name), "place": key.place, "labels": _labels(key.labels), "level": level}


def _key_from_json(said: Json) -> ModelKey:
    level = None if said["level"] is None else np.array(said["level"], dtype=np.intp)
    name = _of_one(said["name"])
    return ModelKey(name, said["place"], _index(said["labels"], name), level)


def _column_to_json(column: SyntheticColumn) -> Json:
    in_bins = column.bins is not None
    labels = [list(map(float, each)) for each in column.labels] if in_bins else [_one(each) for each in column.labels]
    return {
        "name": _one(column.name),
        "labels": labels,
        "dtype": _dtype_to_json(column.dtype),
        "bins": None if column.bins is None else column.bins.to_json(),
        "missing": column.missing,
        "parts": None
        if column.parts is None
        else [_bits(np.array(e)) for e in (column.parts.edges, column.parts.below)],
    }


def _column_from_json(said: Json) -> SyntheticColumn:
    bins = None if said["bins"] is None else _interval(said["bins"])
    labels = [tuple(each) for each in said["labels"]] if bins is not None else map(_of_one, said["labels"])
    parts = said.get("parts") and Parts(*(tuple(_of_bits(each).tolist()) for each in said["parts"]))
    return SyntheticColumn(
        _of_one(said["name"]), tuple(labels), _dtype_from_json(said["dtype"]), bins, said["missing"], parts
    )


def _interval(said: Mapping[str, Any]) -> Interval:
    resolution = said.get("resolution")
    return Interval(
        Fraction(said["lower"]),
        Fraction(said["upper"]),
        said.get("kind", "float"),
        bool(said.get("nullable", False)),
        None if resolution is None else Fraction(resolution),
        said.get("zone"),
    )


def _dtype_to_json(dtype: Any) -> Any:
    if dtype is None:
        return None
    if isinstance(dtype, pd.CategoricalDtype):
        return {"categories": [_one(each) for each in dtype.categories], "ordered": bool(dtype.ordered)}
    return str(dtype)


def _dtype_from_json(said: Any) -> Any:
    if isinstance(said, dict):
        return pd.CategoricalDtype([_of_one(each) for each in said["categories"]], ordered=said["ordered"])
    return None if said is None else pd.api.types.pandas_dtype(said)


def _again_to_json(each: Again) -> Json:
    groups = None if each.groups is None else each.groups.tolist()
    noise = each.noise.to_json()
    return {"keys": list(each.margin), "groups": groups, "size": each.size, "noise": noise, "effect": each.effect}


def _again_from_json(said: Json) -> Again:
    groups = None if said["groups"] is None else np.array(said["groups"], dtype=np.intp)
    return Again(tuple(said["keys"]), groups, said["size"], Noise.from_json(said["noise"]), said["effect"])


def _release_to_json(release: Release) -> Json:
    plain = pd.DataFrame(release)
    columns = [_labels(plain.columns.get_level_values(level)) for level in range(plain.columns.nlevels)]
    rows = [_labels(plain.index.get_level_values(level)) for level in range(plain.index.nlevels)]
    values = [
        {"dtype": str(column.dtype), "values": [_number(each) for each in column.tolist()]}
        for _, column in plain.items()
    ]
    names = {"rows": [_one(n) for n in plain.index.names], "columns": [_one(n) for n in plain.columns.names]}
    return {"label": label_of(release), "columns": columns, "rows": rows, "names": names, "values": values}


def _release_from_json(said: Json) -> Release:
    columns = [np.array(list(map(_of_number, each["values"])), dtype=each["dtype"]) for each in said["values"]]
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.index = _axis(said["rows"], said["names"]["rows"])
    frame.columns = _axis(said["columns"], said["names"]["columns"])
    label = said["label"]
    if digest(frame) != label["digest"]:
        raise TablesDamaged("a release in this synthesis does not read back as it was written; restore a copy.")
    return labelled(frame, label)


def _axis(levels: Sequence[Any], names: Sequence[Any]) -> pd.Index:
    indexes = [_index(each, _of_one(name)) for each, name in zip(levels, names, strict=True)]
    if len(indexes) == 1:
        return indexes[0]
    return pd.MultiIndex.from_arrays(indexes, names=[index.name for index in indexes])


def _number(value: Any) -> Any:
    return value.hex() if isinstance(value, float) else value


def _of_number(value: Any) -> Any:
    return float.fromhex(value) if isinstance(value, str) else value


def _labels(index: pd.Index) -> Json:
    return {"dtype": str(index.dtype), "labels": [_one(each) for each in index.tolist()]}


def _index(said: Json, name: Any) -> pd.Index:
    labels = list(map(_of_one, said["labels"]))
    dtype = said["dtype"] if said["dtype"] in ("object", "str", "bool", "int64", "float64") else None
    return pd.Index(labels, name=name, dtype=dtype, tupleize_cols=False)


def _one(value: Any) -> Any:
    """A label as JSON: its type and its text; of an interval its ends."""
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return None
    if isinstance(value, pd.Interval):
        return ["interval", _one(value.left), _one(value.right), value.closed]
    return typed([plain(value)], "a key")[0]


def _of_one(said: Any) -> Any:
    if said is None:
        return None
    if said[0] == "interval":
        return pd.Interval(_of_one(said[1]), _of_one(said[2]), closed=said[3])
    return READERS[said[0]](said[1])
