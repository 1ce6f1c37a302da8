"""The exit: a DataFrame and its label. What is here may leave the building."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

Label = dict[str, Any]
RELEASED = ("release", "combined")


class Release(pd.DataFrame):
    """A published table. What pandas makes of it is a plain DataFrame; `attrs["dp"]` holds the label, plain JSON."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def _repr_html_(self) -> str:
        html: str = self.dp._repr_html_()  # the face knows the intervals
        return html


def publish(frame: pd.DataFrame, label: Mapping[str, Any]) -> Release:
    """The frame with its label, which from now on describes exactly these numbers."""
    release = Release(frame)
    release.attrs = {"dp": {"kind": "release", **label, "digest": digest(frame)}}
    return release


def label_of(data: pd.DataFrame | pd.Series) -> Label | None:
    """The label that a table carries, protected or released."""
    label = data.attrs.get("dp")
    return label if isinstance(label, dict) else None


def is_release(data: pd.DataFrame | pd.Series) -> bool:
    label = label_of(data)
    return label is not None and label.get("kind") in RELEASED


def digest(frame: pd.DataFrame) -> str:
    """SHA-256 of all labels and values, the same after a Parquet round trip."""
    seal = hashlib.sha256()
    axes = (frame.index, frame.columns)
    seal.update(json.dumps([[_texts(axis), list(map(str, axis.names))] for axis in axes]).encode())
    bare = pd.DataFrame(frame)
    bare.attrs = {}  # pandas copies the label for every column that it takes out
    for _, column in bare.items():
        numbers = column.to_numpy()
        if numbers.dtype.kind in "iuf":
            plain = numbers.astype(np.float64) + 0.0 if numbers.dtype.kind == "f" else numbers.astype(np.int64)
            seal.update(plain.dtype.str.encode() + plain.tobytes())
        else:
            seal.update(json.dumps(_texts(pd.Index(column))).encode())
    return seal.hexdigest()


def _texts(index: pd.Index) -> list[str]:
    return [str(label) for label in index]


def guarantee(label: Mapping[str, Any]) -> str:
    """The label in one line, for the foot of a table.

    Examples
    --------
    >>> guarantee({"model": "dp", "epsilon": 0.5, "delta": 0.0, "rho": None, "neighbours": "replace",
    ...            "mechanism": "laplace", "derived": False})
    'differentially private: epsilon=0.5; one row replaced; laplace noise.'
    """
    group = (label.get("options") or {}).get("group")
    moved = _NEIGHBOURS[label["neighbours"]] if group is None else f"{group} rows replaced together"
    moved += f" {UNPROTECTED}" if label.get("unprotected") else ""
    parts = [f"{_PROMISES[label['model']]}: {cost_text(label)}", moved]
    if label.get("mechanism"):
        parts.append(f"{label['mechanism']} noise")
    if label.get("derived"):
        parts.append(("" if label.get("unprotected") else "of a derived frame, ") + "its size private and paid for")
    parts += [_OPTIONS[name].format(value) for name, value in (label.get("options") or {}).items() if name in _OPTIONS]
    parts += label.get("adjusted", [])
    adding = " that add up" if label.get("moved") else ""
    parts += [f"rounded to multiples of {base}{adding}" for base in label.get("bases", ())]
    parts += [_rounding(decimals) for decimals in label.get("rounded", ())]
    if label.get("releases"):
        parts.append(f"combined from {len(label['releases'])} releases")
    if label.get("insecure"):
        parts.append("INSECURE: the noise was seeded for a test")
    return "; ".join(parts) + "."


def hint(label: Mapping[str, Any]) -> str | None:
    """What to do another time, where the label says that less is hidden than there could be.

    Examples
    --------
    >>> hint({"unprotected": True})
    'Protect a table before it is merged, df = session.protect(df): rows that a merge repeated count as different rows.'
    """
    return PROTECT if label.get("unprotected") else None


def _rounding(decimals: int) -> str:
    if decimals < 0:
        return f"rounded to multiples of {10**-decimals}"
    return "rounded to whole numbers" if not decimals else f"rounded to {decimals} decimal{'s' * (decimals > 1)}"


def cost_text(label: Mapping[str, Any]) -> str:
    """The cost as a user would write it.

    Examples
    --------
    >>> cost_text({"epsilon": 1.0, "delta": 1e-06, "rho": None})
    'epsilon=1, delta=1e-06'
    """
    if label["epsilon"] == 0 and not label["rho"]:
        return "public, at no cost"
    given = [f"{name}={label[name]:.6g}" for name in ("epsilon", "delta") if label[name]]
    if label.get("releases") and label["rho"] and given:  # a sum of prices of both kinds
        given = [f"{', '.join(given)} and rho={label['rho']:.6g}"]
    return ", ".join(given) if given else f"rho={label['rho']:.6g}"


UNPROTECTED = "of this table, which was not protected"
PROTECT = (
    "Protect a table before it is merged, df = session.protect(df): rows that a merge repeated count as different rows."
)
_PROMISES = {
    "dp": "differentially private",
    "idp": "individual DP, which is weaker than DP",
    "bdp": "bootstrap DP, which is weaker than DP",
}
_OPTIONS = {
    "floor": "WITHOUT FLOOR: exact where the data leave the answer no room",
    "cells": "in which cell each row is was declared public",
    "further_rows": "given further rows may take a row's place",
    "truncated": "TRUNCATED to within one of the truth, which gives rows away",
}
_NEIGHBOURS = {"replace": "one row replaced", "add_remove": "one row added or removed"}
