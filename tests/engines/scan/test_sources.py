"""What can be scanned: one schema over unlike files, and what is refused before a row is read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.dataset as datasets
import pyarrow.parquet as parquet
import pytest
from pandera.pandas import Check, Column, DataFrameSchema

import pandas_dp as pdp
from pandas_dp.errors import UnsupportedType
from tests.refusals import refused

from .conftest import CROPS

Write = Callable[..., Path]
KINDS = {"int8": pa.int8(), "int32": pa.int32(), "int64": pa.int64(), "uint16": pa.uint16(), "double": pa.float64()}


def test_numbers_of_any_width_go_together(session: pdp.Session, written: Write) -> None:
    files = {name: pa.table({"goats": pa.array([1, 2, 3], kind)}) for name, kind in KINDS.items()}
    farms = session.scan(written(**files))
    assert farms["goats"].dp.sum()["sum"].item() == 6 * len(KINDS)
    assert (farms["goats"] + 1).dp.sum(bounds=(0, 10))["sum"].item() == pytest.approx(9 * len(KINDS), abs=1e-3)
    assert farms.map(lambda d: d)["goats"].dp.max()["max"].item() == 3


def test_dictionaries_go_with_plain_texts_and_with_each_other(session: pdp.Session, written: Write) -> None:
    plain = pa.array(["rice", "Rye", None, "öats"])
    files = {
        "plain": pa.table({"crop": plain}),
        "large": pa.table({"crop": plain.cast(pa.large_string())}),
        "levels": pa.table({"crop": plain.dictionary_encode()}),
        "reversed": pa.table({"crop": pa.array(["öats", "Rye", "rice"]).dictionary_encode()}),
        "nothing": pa.table({"crop": pa.nulls(5)}),
        "empty": pa.table({"crop": pa.array([], pa.string())}),
    }
    counted = session.scan(written(**files)).dp.value_counts()["count"]
    assert counted.tolist() == [4, 4, 4]


def test_folders_may_say_the_value_of_a_column(session: pdp.Session, tmp_path: Path) -> None:
    for crop in CROPS:
        for year in (2025, 2026):
            (tmp_path / f"crop={crop}" / f"year={year}").mkdir(parents=True)
            made = pa.table({"size": [float(len(crop))] * 10})
            parquet.write_table(made, tmp_path / f"crop={crop}" / f"year={year}" / "rows.parquet")
    for source in (tmp_path, str(tmp_path / "*" / "*" / "*.parquet")):
        farms = session.scan(source)
        late = farms[farms["year"] == 2026]
        assert late.dp.groupby("crop")["size"].sum().round(2).iloc[:, 0].to_dict() == {
            "rice": 40,
            "Rye": 30,
            "öats": 40,
        }


def in_folders(path: Path, values: list[str]) -> Path:
    for value in values:
        (path / f"code={value}").mkdir(parents=True)
        parquet.write_table(pa.table({"size": [1.0] * 10}), path / f"code={value}" / "rows.parquet")
    return path


@pytest.mark.parametrize("last", ["abc", str(2**40)])
def test_one_folder_does_not_make_texts_of_the_numbers_of_others(
    session: pdp.Session, tmp_path: Path, last: str
) -> None:
    with refused(UnsupportedType):
        session.scan(in_folders(tmp_path, ["1", "2", last]))


@pytest.mark.parametrize("last", ["3", "abc"])
def test_folders_of_a_column_that_is_declared_as_texts_say_texts(tmp_path: Path, last: str) -> None:
    schema = DataFrameSchema({"code": Column(str, Check.isin(["1", "2"]))})
    farms = pdp.Session(epsilon=1e9, schema=schema).scan(in_folders(tmp_path, ["1", "2", last]))
    assert farms[["code"]].dp.value_counts(epsilon=1e6)["count"].tolist() == [10, 10]


def test_an_empty_file_among_others_changes_nothing(session: pdp.Session, written: Write) -> None:
    files = {"one": pa.table({"size": [1.0, 2.0]}), "none": pa.table({"size": pa.array([], pa.float64())})}
    assert session.scan(written(**files))["size"].dp.sum()["sum"].item() == pytest.approx(3, abs=1e-6)


def test_columns_may_stand_in_any_order(session: pdp.Session, written: Write) -> None:
    one = pa.table({"size": [1.0, 2.0], "goats": [10, 20]})
    farms = session.scan(written(one=one, other=one.select(["goats", "size"])))
    assert farms["goats"].dp.sum()["sum"].item() == 60


UNLIKE: dict[str, tuple[pa.Table, pa.Table]] = {
    "lacks a column": (pa.table({"size": [1.0], "goats": [1]}), pa.table({"size": [1.0]})),
    "texts and numbers": (pa.table({"size": [1.0]}), pa.table({"size": ["one"]})),
    "times and spans": (
        pa.table({"wait": pa.array([0], pa.timestamp("s"))}),
        pa.table({"wait": pa.array([0], pa.duration("s"))}),
    ),
}


@pytest.mark.parametrize("case", UNLIKE)
def test_files_that_do_not_go_together_are_refused(case: str, session: pdp.Session, written: Write) -> None:
    one, other = UNLIKE[case]
    with refused((pdp.errors.UnsupportedArgument, pdp.errors.UnsupportedType)):
        session.scan(written(one=one, other=other))


def test_one_type_says_more_than_the_null_of_other_files(session: pdp.Session, written: Write) -> None:
    farms = session.scan(written(a=pa.table({"size": pa.nulls(3)}), b=pa.table({"size": [1.0, 2.0]})))
    assert farms["size"].dp.sum()["sum"].item() == pytest.approx(3 + 3 * 4, abs=1e-6)  # declared complete
    assert farms[farms["size"].notna()]["size"].dp.sum()["sum"].item() == pytest.approx(3, abs=1e-6)


def test_two_columns_of_one_name_are_refused(session: pdp.Session) -> None:
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["size", "size"])
    with refused(pdp.errors.UnsupportedArgument):
        session.scan(lambda: twice.to_reader())


def reader() -> pa.RecordBatchReader:
    return pa.table({"size": [1.0]}).to_reader()


SOURCES: dict[str, Callable[[Path], object]] = {
    "reader": lambda folder: reader(),
    "iterator": lambda folder: iter([1]),
    "number": lambda folder: 3,
    "no file": lambda folder: "nothing/*.parquet",
    "no folder": lambda folder: "nothing",
    "function of a frame": lambda folder: lambda: pd.DataFrame({"size": [1.0]}),
    "text": lambda folder: "farms.csv",
    "packed text": lambda folder: "farms.csv.gz",
    "lines": lambda folder: "farms.jsonl",
    "filtered": lambda folder: datasets.dataset(pa.table({"size": [1.0]})).filter(pc.field("size") > 2),
}


@pytest.mark.parametrize("case", SOURCES)
def test_what_cannot_be_scanned_is_refused(case: str, session: pdp.Session, tmp_path: Path) -> None:
    with refused((pdp.errors.UnsupportedArgument, pdp.errors.UnsupportedType)):
        session.scan(SOURCES[case](tmp_path))


def test_text_has_types_only_where_somebody_declares_them(session: pdp.Session, tmp_path: Path) -> None:
    path = tmp_path / "farms.csv"
    path.write_text("size,crop\n1,rice\n2,Rye\n")
    with refused(pdp.errors.UnsupportedType):
        session.scan(datasets.dataset(path, format="csv"))
    declared = pyarrow.csv.ConvertOptions(column_types={"size": pa.float64(), "crop": pa.string()})
    farms = session.scan(lambda: pyarrow.csv.open_csv(path, convert_options=declared))
    assert farms["size"].dp.sum()["sum"].item() == pytest.approx(3, abs=1e-6)


def test_a_text_that_is_no_number_loses_the_answer_without_words(session: pdp.Session, tmp_path: Path) -> None:
    path = tmp_path / "farms.csv"
    path.write_text("size\n" + "1\n" * 10)
    declared = pyarrow.csv.ConvertOptions(column_types={"size": pa.float64()})
    farms = session.scan(lambda: pyarrow.csv.open_csv(path, convert_options=declared))
    path.write_text("size\n" + "1\n" * 9 + "secret 777\n")
    with pytest.raises(pdp.errors.AnswerLost) as caught:
        farms["size"].dp.sum()
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_the_schema_may_be_none(folder: Path) -> None:
    with pdp.Session(epsilon=10**6) as session:
        farms = session.scan(folder)
        assert farms["goats"].dp.sum(bounds=(0, 100), epsilon=1000)["sum"].item() > 0


def test_pyarrow_is_imported_when_something_is_scanned() -> None:
    code = (
        "import sys, pandas, pandera.pandas; seen = set(sys.modules); import pandas_dp; "
        "print([name for name in set(sys.modules) - seen if name.startswith('pyarrow')])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
