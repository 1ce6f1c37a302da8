"""Rows written as files in which those of one person stand together, so that a scan can tell people apart."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from ..errors import UnsupportedArgument
from ..reading import whole_number
from ..session import writer
from ..signatures import read_by_signature


@read_by_signature
def cluster(source: Any, *, by: str, into: str | os.PathLike[str], parts: int = 256) -> Path:
    """Write a table as so many Parquet files, each with all rows of some of the people. Nothing is released.

    `Session(unit=...).scan` reads the folder one file at a time, so a file has to fit into memory once for each
    processor. Which file a person's rows are in follows from a hash of the id that everybody can compute. The files
    hold all that the source holds, ids too, and are the keeper's own: nothing in them is protected.

    Parameters
    ----------
    source : DataFrame, path, pyarrow.dataset.Dataset or callable
        A table in memory, or what `Session.scan` reads.
    by : str
        The column that says whose a row is: whole numbers or texts. Rows without an id are written, and never count.
    into : path
        A folder that is not there yet.
    parts : int
        How many files.

    Returns
    -------
    Path
        Of the folder.

    Examples
    --------
    >>> import tempfile, pandas_dp as pdp
    >>> folder = pdp.custodian.cluster(
    ...     pdp.datasets.load_rice_farms(), by="id", into=tempfile.mkdtemp() + "/farms", parts=4
    ... )
    >>> session = pdp.Session(epsilon=1e9, unit="id")  # so much that there is no noise to see
    >>> farms = session.scan(folder)
    >>> farms["id"].dp.nunique(epsilon=1e6)["nunique"].round().item()
    171
    >>> people = farms.dp.per_person(goutput="sum")
    >>> people["goutput"].dp.mean(bounds=(0, 60_000), epsilon=1e6)["mean"].round(1).item()
    8431.0
    >>> session.close()
    """
    count, folder = whole_number("parts", parts, 1, 2**16), Path(into)
    if folder.exists():
        raise UnsupportedArgument(
            "cluster writes a folder that is not there yet, and into= names one that is; name another, or remove it "
            "first.",
            argument="into",
        )
    write = writer(source, by, count)
    written = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(written, ignore_errors=True)
    written.mkdir(parents=True)
    write(written)
    written.rename(folder)
    return folder
