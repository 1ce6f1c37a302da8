"""Folders of published tables that were forged, seals and all, are refused in words."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import pandas_dp as pdp
from pandas_dp.errors import TablesError
from pandas_dp.tables.published.archive import seal_of

GOLDEN = Path(__file__).parents[1] / "core" / "label" / "golden" / "tables"


def sealed(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "tables.json"
    content = json.loads(path.read_text("utf-8"))
    del content["seal"]
    change(content)
    path.write_text(json.dumps({**content, "seal": seal_of(content)}), "utf-8")


def stored(folder: Path, name: str, file: bytes) -> None:
    (folder / f"{name}.parquet").write_bytes(file)
    sealed(folder, lambda said: said["releases"].update({name: sha256(file).hexdigest()}))


def money(folder: Path) -> bytes:
    return (folder / "money.parquet").read_bytes()


FORGED: dict[str, Callable[[Path], object]] = {
    "no JSON": lambda folder: (folder / "tables.json").write_text("{"),
    "deep JSON": lambda folder: (folder / "tables.json").write_text("[" * 100_000),
    "bytes": lambda folder: (folder / "tables.json").write_bytes(b"\xff\xfe\x00"),
    "list": lambda folder: (folder / "tables.json").write_text("[]"),
    "no releases": lambda folder: sealed(folder, lambda said: said.pop("releases")),
    "releases are numbers": lambda folder: sealed(folder, lambda said: said.update(releases=[1, 2])),
    "releases are null": lambda folder: sealed(folder, lambda said: said.update(releases=None)),
    "models are numbers": lambda folder: sealed(folder, lambda said: said.update(models=[1])),
    "name leads elsewhere": lambda folder: sealed(folder, lambda said: said["releases"].update({"../money": "0"})),
    "absolute name": lambda folder: sealed(folder, lambda said: said["releases"].update({"/etc/passwd": "0"})),
    "file is missing": lambda folder: (folder / "money.parquet").unlink(),
    "file is a folder": lambda folder: [(folder / "money.parquet").unlink(), (folder / "money.parquet").mkdir()],
    "files changed places": lambda folder: shutil.copy(folder / "work.parquet", folder / "money.parquet"),
    "no Parquet": lambda folder: stored(folder, "money", b"PAR1 and nothing else"),
    "half a file": lambda folder: stored(folder, "money", money(folder)[:400]),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=list(FORGED))
def test_a_forged_folder_is_refused_in_words(forge: Callable[[Path], object], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(GOLDEN, tmp_path / "tables"))
    assert pdp.open_tables(folder)
    forge(folder)
    with pytest.raises(TablesError):
        pdp.open_tables(folder)


@pytest.mark.parametrize("said", [{}, {"sizes": 1}, {"sizes": [10**12], "cliques": [[0]], "parents": [-1]}])
def test_a_forged_synthesis_is_refused_in_words(said: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    content = {"format": "pandas-dp synthesis 1", **said}
    path.write_text(json.dumps({**content, "seal": seal_of(content)}), "utf-8")
    with pytest.raises(TablesError, match="is damaged; restore it from a copy"):
        pdp.read_synthesis(path)
    path.write_text("[" * 100_000, "utf-8")
    with pytest.raises(TablesError, match="holds no synthesis"):
        pdp.read_synthesis(path)
