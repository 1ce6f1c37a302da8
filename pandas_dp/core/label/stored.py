"""A release as text and back, to the last bit: plain JSON, so whoever reads it runs nothing that it holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from ...errors import LedgerCorrupt, UnsupportedType
from .release import Release, digest, label_of

PLAIN = (str, bool, int, float, type(None))
WRITTEN: Mapping[type, Callable[[Any], Any]] = {
    pd.Timestamp: lambda value: [value.isoformat(), value.unit, None if value.tz is None else str(value.tz)],
    pd.Timedelta: lambda value: [value.asm8.astype(np.int64).item(), value.unit],
    pd.Period: lambda value: [value.ordinal, value.freqstr],
    pd.Interval: lambda value: [_one(value.left), _one(value.right), value.closed],
    date: date.isoformat,
    tuple: lambda value: list(map(_one, value)),
    type(pd.NaT): lambda _: None,
    type(pd.NA): lambda _: None,
}
READ: Mapping[str, Callable[[Any], Any]] = {
    "Timestamp": lambda said: _in_zone(pd.Timestamp(said[0]).as_unit(said[1]), said[2]),
    "Timedelta": lambda said: pd.Timedelta(np.timedelta64(said[0], said[1])),
    "Period": lambda said: pd.Period(ordinal=said[0], freq=said[1]),
    "Interval": lambda said: pd.Interval(_value(said[0]), _value(said[1]), said[2]),
    "date": date.fromisoformat,
    "tuple": lambda said: tuple(map(_value, said)),
    "NaTType": lambda _: pd.NaT,
    "NAType": lambda _: pd.NA,
}
Json = dict[str, Any]


def text_of(release: Release) -> str:
    """The table and its label."""
    columns = [_array(release.iloc[:, place]) for place in range(release.shape[1])]
    return json.dumps({**text_of_labels(release), "values": columns, "label": label_of(release)})


def text_of_labels(table: pd.DataFrame) -> Json:
    """Index and columns; refused where a label is none that can be written."""
    return {"index": _axis(table.index), "columns": _axis(table.columns)}


def release_of(text: str) -> Release:
    """What was written; refused where its label is of other numbers."""
    try:
        said = json.loads(text)
        values = [pd.Series(_read(each)) for each in said["values"]]
        table = pd.concat(values, axis=1) if values else pd.DataFrame(index=range(len(_axis_of(said["index"]))))
        table = table.set_axis(_axis_of(said["index"]), axis=0).set_axis(_axis_of(said["columns"]), axis=1)
        release = Release(table)
        release.attrs = {"dp": said["label"]}
        if digest(release) == said["label"]["digest"]:
            return release
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError, MemoryError):
        pass
    raise LedgerCorrupt("a release that the ledger stores was changed; restore the ledger from a copy.")


def _axis(axis: pd.Index) -> Json:
    if isinstance(axis, pd.MultiIndex):
        levels = [_array(axis.get_level_values(level)) for level in range(axis.nlevels)]
        return {"levels": levels, "names": list(map(_one, axis.names))}
    if isinstance(axis, pd.RangeIndex):
        return {"range": [axis.start, axis.stop, axis.step], "names": [_one(axis.name)]}
    return {"level": _array(axis), "names": [_one(axis.name)], "freq": getattr(axis, "freqstr", None)}


def _axis_of(said: Json) -> pd.Index:
    names = list(map(_value, said["names"]))
    if "levels" in said:
        return pd.MultiIndex.from_arrays(list(map(_read, said["levels"])), names=names)
    if "range" in said:
        return pd.RangeIndex(*said["range"]).rename(names[0])
    index = pd.Index(_read(said["level"]), name=names[0])
    return index if said["freq"] is None else pd.DatetimeIndex(index, freq=said["freq"])


def _array(values: pd.Index | pd.Series[Any]) -> Json:
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        held: Any = values.array
        return {"codes": held.codes.tolist(), "of": _array(dtype.categories), "ordered": bool(dtype.ordered)}
    if isinstance(dtype, pd.IntervalDtype):
        sides: Any = pd.Index(values)
        return {"left": _array(sides.left), "right": _array(sides.right), "closed": dtype.closed}
    if dtype.kind in "mM":
        ticks: Any = pd.Index(values)
        return {"dtype": str(dtype), "ticks": ticks.asi8.tolist()}
    if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
        return {"dtype": str(dtype), "numbers": values.to_numpy().tolist()}
    return {"dtype": str(dtype), "values": list(map(_one, values.tolist()))}


def _read(said: Json) -> Any:
    if "codes" in said:
        return pd.Categorical.from_codes(said["codes"], pd.Index(_read(said["of"])), ordered=said["ordered"])
    if "left" in said:
        return pd.arrays.IntervalArray.from_arrays(_read(said["left"]), _read(said["right"]), said["closed"])
    if "ticks" in said:
        ticks = np.array(said["ticks"], dtype=np.int64)
        unit, _, zone = said["dtype"].partition("[")[2].rstrip("]").partition(", ")
        kind = "M8" if said["dtype"].startswith("datetime") else "m8"
        found = pd.Index(ticks.view(f"{kind}[{unit}]"))
        return found.tz_localize("UTC").tz_convert(zone) if zone else found
    if "numbers" in said:
        return np.array(said["numbers"], dtype=said["dtype"])
    return pd.Index(list(map(_value, said["values"])), dtype=said["dtype"])


def _one(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if type(value) in PLAIN:
        return value
    if type(value) not in WRITTEN:
        raise UnsupportedType(
            "a label of this answer is no text, number, time or truth value, so the ledger cannot store it; rename "
            "the categories."
        )
    return {type(value).__name__: WRITTEN[type(value)](value)}


def _value(said: Any) -> Any:
    if not isinstance(said, dict):
        return said
    ((kind, how),) = said.items()
    return READ[kind](how)


def _in_zone(time: pd.Timestamp, zone: str | None) -> pd.Timestamp:
    return time if zone is None else time.tz_convert(zone)
