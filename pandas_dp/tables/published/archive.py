"""Releases in a folder: written once, whole or not at all, and read back only if nothing was changed.

It holds releases, their labels and nothing else: what is stored was public when it was released.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any, Self

import pandas as pd

from ...core.arguments import a_path
from ...core.label.release import Release, digest, is_release, label_of, labelled
from ...errors import MissingExtra, PrivacyError, TablesDamaged, TablesError, UnsupportedType, wrong_value

FORMAT = "pandas-dp tables 1"
MANIFEST = "tables.json"
MODEL = ".synthesis.json"
UNFINISHED = ".unfinished"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

Typed = list[str]
"""A category as JSON: its type and its text."""

READERS: dict[str, Callable[[str], Hashable]] = {
    "str": str,
    "bool": "True".__eq__,
    "int": int,
    "float": float,
    "Timestamp": pd.Timestamp,
    "Timedelta": pd.Timedelta,
    "date": date.fromisoformat,
    "missing": lambda _: nan,
}


class Draft:
    """A folder in the making, beside its final place. Only one process can have it at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder.with_name(folder.name + UNFINISHED)
        self._stored: dict[str, str] = {}
        self._models: dict[str, str] = {}
        self._replaces = False  # an empty folder, made to hold them

    @classmethod
    def begin(cls, folder: Path) -> Self:
        """Claim the place; refused where somebody else has it, or once had it and was stopped."""
        draft = cls(folder)
        with _estimated(folder):
            try:
                draft._path.mkdir(parents=True)
            except FileExistsError:
                raise TablesError(
                    f"tables are being published into {folder} by another process, or one was stopped before it was "
                    f"done; what was paid is in the ledger. If none is at work, remove {draft._path} and publish "
                    "again, which is paid again.",
                    folder=str(folder),
                ) from None
            try:
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
                    draft._replaces = True
            except OSError:
                draft.abandon()
                raise
        return draft

    def abandon(self) -> None:
        """Give the place up, as nothing was paid for."""
        with suppress(OSError):
            shutil.rmtree(self._path)
            if self._replaces:
                self._folder.mkdir()

    def keep(self, name: str, release: Release, categories: Mapping[str, Sequence[Typed]]) -> None:
        """Write a release, its labels as text beside what they stand for."""
        label = {**(label_of(release) or {}), "categories": {key: list(each) for key, each in categories.items()}}
        path = self._path / f"{name}.parquet"
        with _estimated(self._folder):
            labelled(pd.DataFrame(release).set_axis(_mapped(release.index, str), axis=0), label).to_parquet(path)
            _synced(path)
            self._stored[name] = _sha256(path)
            again = label_of(_read(path, self._stored[name])) or {}
        if again["digest"] != label["digest"]:
            raise TablesDamaged(f"{path} does not read back as it was written; nothing is published.")

    def keep_model(self, name: str, model: Mapping[str, Any]) -> None:
        """Write what a release of that name was made into, beside it."""
        path = self._path / f"{name}{MODEL}"
        with _estimated(self._folder):
            path.write_text(json.dumps(model), "utf-8")
            _synced(path)
            self._models[name] = _sha256(path)

    def finish(self) -> None:
        """Move the folder to its place, complete."""
        content: dict[str, Any] = {"format": FORMAT, "releases": self._stored}
        content |= {"models": self._models} if self._models else {}
        path = self._path / MANIFEST
        with _estimated(self._folder):
            path.write_text(json.dumps({**content, "seal": seal_of(content)}, indent=1), "utf-8")
            _synced(path)
            _sync_folder(self._path)
            os.rename(self._path, self._folder)
            _sync_folder(self._folder.parent)


def as_folder(given: Any) -> Path:
    """A path as it was typed, links followed."""
    path = Path(os.path.realpath(a_path("folder", given)))
    if path.name.endswith(UNFINISHED):
        raise TablesError(
            f"{path} is the name of a folder that is still being published; choose one that does not end in "
            f"{UNFINISHED}.",
            folder=str(path),
        )
    return path


def holds_tables(folder: Path) -> bool:
    """Whether tables were published here; refused where something else is."""
    with _estimated(folder):
        if not folder.exists():
            return False
        if folder.is_dir() and not any(folder.iterdir()):
            return False
    if not (folder / MANIFEST).is_file():
        _check_listed(folder)
        raise TablesError(
            f"{folder} holds something else than published tables; name a folder that is new or empty.",
            folder=str(folder),
        )
    return True


def read_folder(folder: Path) -> dict[str, Release]:
    """All releases by name, each checked against the seal, its digest and its label."""
    with _estimated(folder), undamaged(folder):
        if not (folder / MANIFEST).is_file():
            _check_listed(folder)
            begun = folder.with_name(folder.name + UNFINISHED).exists()
            hint = (
                f"a publication into it was begun and not finished, see {folder.name}{UNFINISHED}"
                if begun
                else ("make them by pdp.publish_tables")
            )
            raise TablesError(f"{folder} holds no published tables; {hint}.", folder=str(folder))
        stored = dict(_content(folder)["releases"])
        return {name: _read(folder / f"{name}.parquet", seal) for name, seal in stored.items()}


def read_models(folder: Path) -> dict[str, Any]:
    """What releases were made into, by name, as it was written."""
    found = {}
    with _estimated(folder), undamaged(folder):
        for name, seal in _content(folder).get("models", {}).items():
            path = folder / f"{name}{MODEL}"
            if not NAME.fullmatch(name) or not path.is_file() or _sha256(path) != seal:
                raise TablesDamaged(
                    f"{path} was changed or removed since it was published; restore the folder from a copy."
                )
            found[name] = json.loads(path.read_text("utf-8"))
    return found


def _check_listed(folder: Path) -> None:
    if any(folder.glob("*.parquet")):
        raise TablesDamaged(
            f"{folder} holds Parquet files, and {MANIFEST}, which lists published tables, is missing; restore it "
            "from a copy."
        )


def checked_name(name: object) -> str:
    """A name that any file system takes."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise wrong_value("a name of tables", "be letters, digits, - and _, at most 64", name)
    return name


def typed(labels: Sequence[Any], key: Hashable) -> list[Typed]:
    """Categories as JSON can hold them; others are refused."""
    found = [_typed(label) for label in labels]
    if any(each is None for each in found):
        raise UnsupportedType(
            f"a category of {key!r} is no string, number, bool or time, so it cannot be stored; rename the categories.",
            column=key,
        )
    if len({text for _, text in filter(None, found)}) < len(found):
        raise UnsupportedType(f"two categories of {key!r} read alike, such as 1 and '1'; rename one.", column=key)
    return [each for each in found if each is not None]


def check_parquet() -> None:
    """That tables can be written, before they are paid for."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            'published tables are Parquet files, which need pyarrow; pip install "pandas-dp[arrow]".', extra="arrow"
        ) from error


def _typed(label: Any) -> Typed | None:
    name = type(label).__name__
    if isinstance(label, float) and isnan(label):
        return ["missing", str(label)]
    if name not in READERS or (isinstance(label, float) and not isfinite(label)):
        return None
    text = str(label)
    try:
        whole = type(label)(READERS[name](text)) if name in ("int", "float") else READERS[name](text)
    except (TypeError, ValueError):
        return None
    return [name, text] if whole == label and str(whole) == text else None


def _read(path: Path, seal: str) -> Release:
    if not path.is_file() or _sha256(path) != seal:
        raise TablesDamaged(f"{path} was changed or removed since it was published; restore the folder from a copy.")
    table = pd.read_parquet(path)
    label = label_of(table)
    if label is None or not is_release(table) or label.get("digest") != digest(table):
        raise TablesDamaged(f"the label of {path} does not describe its numbers; restore the folder from a copy.")
    label = dict(label)
    categories = label.pop("categories")
    meant = {key: {text: READERS[kind](text) for kind, text in each} for key, each in categories.items()}
    index = _mapped(table.index, lambda text, key: meant.get(str(key), {}).get(text, text), named=True)
    return labelled(pd.DataFrame(table).set_axis(index, axis=0), label)


def _mapped(index: pd.Index, change: Callable[..., Any], named: bool = False) -> pd.Index:
    """Labels changed one by one; those of one level stay as they are."""
    levels = [
        [change(label, index.names[level]) if named else change(label) for label in index.get_level_values(level)]
        for level in range(index.nlevels)
    ]
    if index.nlevels == 1:
        return pd.Index(levels[0], name=index.name)
    return pd.MultiIndex.from_arrays([pd.Index(each, dtype=object) for each in levels], names=index.names)


def _content(folder: Path) -> dict[str, Any]:
    """What the list of a folder says, if nobody changed it."""
    try:
        content = json.loads((folder / MANIFEST).read_text("utf-8"))
        sealed = content.pop("seal") == seal_of(content)
        whole = sealed and content["format"] == FORMAT
    except (ValueError, KeyError, AttributeError, TypeError):
        whole, sealed = False, False
    if sealed and not whole:
        raise TablesError(f"{folder} was published by another version of pandas-dp; open it with that version.")
    if not whole or not all(NAME.fullmatch(name) for name in content["releases"]):
        raise TablesDamaged(f"{folder / MANIFEST} was changed since it was published; restore the folder from a copy.")
    return dict(content)


def seal_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of what JSON holds, in whatever order."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _synced(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if hasattr(os, "O_DIRECTORY"):  # not on Windows, where a folder cannot be synced
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def undamaged(path: Path) -> Iterator[None]:
    """Whatever is wrong in what a folder or file holds, its seals right or not, is one refusal."""
    try:
        yield
    except (PrivacyError, OSError, ImportError):
        raise
    except Exception as error:
        raise TablesDamaged(f"what {path} holds is damaged; restore it from a copy.") from error


@contextmanager
def _estimated(folder: Path) -> Iterator[None]:
    """Trouble with the file system as a refusal of ours."""
    try:
        yield
    except TablesError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TablesError(f"{folder} cannot be read or written: {reason}.", folder=str(folder)) from error
