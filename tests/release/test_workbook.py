"""Excel: what stands on a sheet, read back with openpyxl."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.testing import seeded_noise

from ..refusals import refused

KEYS = {"sex": ["f", "m"], "work": ["=1+1", "none"]}
YEAR = (pd.Timestamp("2024-01-01"), pd.Timestamp("2025-01-01"))


@pytest.fixture
def session() -> pdp.Session:
    return pdp.Session(epsilon=1000, name="survey")


@pytest.fixture
def people(session: pdp.Session) -> pd.DataFrame:
    rows = {
        "age": np.arange(1000.0) % 90,
        "sex": ["f", "m"] * 500,
        "work": ["none"] * 400 + ["=1+1"] * 600,
        "seen": pd.date_range("2024-01-02", periods=1000, freq="8h", tz="Europe/Berlin"),
    }
    return session.protect(pd.DataFrame(rows))


def read(path: Path, name: str = "release") -> Any:
    return openpyxl.load_workbook(path)[name]


def column(sheet: Any, name: str) -> str:
    """The letter over which a header stands."""
    return next(cell.column_letter for row in sheet.iter_rows() for cell in row if cell.value == name)


def test_a_number_stands_under_a_title_with_its_interval_and_the_guarantee(people: Any, tmp_path: Path) -> None:
    with seeded_noise(1):
        release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet = read(tmp_path / "a.xlsx")
    assert [sheet["A1"].value, sheet["A4"].value] == ["Mean of age", "age"]
    assert [cell.value for cell in sheet[4]][1:5] == pytest.approx(release.iloc[0].tolist(), rel=1e-14)
    assert [cell.number_format for cell in sheet[4]][1:5] == ["#,##0.0", "#,##0.00", "#,##0.0", "#,##0.0"]
    assert sheet["A6"].value == "lower, upper: intervals of 95 % for the population."
    assert sheet.cell(sheet.max_row, 1).value == release.dp.guarantee
    assert sheet.freeze_panes == "B4"


def test_counts_are_whole_and_have_their_intervals_beside_them(people: Any, tmp_path: Path) -> None:
    release = people["sex"].dp.value_counts(epsilon=1, categories=KEYS["sex"])
    release.dp.to_excel(tmp_path / "a.xlsx", title="Who answered")
    sheet, ends = read(tmp_path / "a.xlsx"), release.dp.confint()
    assert sheet["A1"].value == "Who answered"
    assert [[cell.value for cell in row] for row in sheet["A3:D5"]] == [
        ["sex", "count", "lower", "upper"],
        ["f", release.iloc[0, 0], *ends.iloc[0]],
        ["m", release.iloc[1, 0], *ends.iloc[1]],
    ]
    assert {cell.number_format for row in sheet["B4:D5"] for cell in row} == {"#,##0"}


def test_a_crosstab_has_a_spanner_and_a_second_table_of_intervals(people: Any, tmp_path: Path) -> None:
    release = people.dp.crosstab("sex", "work", epsilon=1, categories=KEYS, margins=True)
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet, ends = read(tmp_path / "a.xlsx"), release.dp.confint()
    assert sheet["B3"].value == "work"
    assert "B3:D3" in {str(each) for each in sheet.merged_cells.ranges}
    assert [cell.value for cell in sheet[4]][:4] == ["sex", "=1+1", "none", "All"]
    assert [[cell.value for cell in row] for row in sheet["B5:D7"]] == release.to_numpy().tolist()
    assert sheet["A9"].value == "Intervals of 95 %"
    assert [[cell.value for cell in row] for row in sheet["B13:G15"]] == ends.to_numpy().tolist()


def test_what_looks_like_a_formula_is_text(people: Any, tmp_path: Path) -> None:
    people["work"].dp.value_counts(epsilon=1, categories=KEYS["work"]).dp.to_excel(tmp_path / "a.xlsx")
    cell = read(tmp_path / "a.xlsx")["A4"]
    assert (cell.value, cell.data_type, cell.quotePrefix) == ("=1+1", "s", True)


def test_outer_labels_stand_once_and_columns_are_as_wide_as_their_texts(people: Any, tmp_path: Path) -> None:
    release = people.dp.marginals([["sex", "work"]], epsilon=1, categories={**KEYS, "sex": ["f" * 30, "m"]})
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet = read(tmp_path / "a.xlsx")
    assert [sheet[f"A{row}"].value for row in range(4, 8)] == ["f" * 30, None, "m", None]
    assert [sheet[f"B{row}"].value for row in range(4, 8)] == [*KEYS["work"]] * 2
    assert sheet.column_dimensions["A"].width >= 30 > sheet.column_dimensions["B"].width


def test_times_are_dates_on_their_own_clock(people: Any, tmp_path: Path) -> None:
    ends = tuple(each.tz_localize("Europe/Berlin") for each in YEAR)
    release = people["seen"].dp.mean(epsilon=1, bounds=ends)
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet = read(tmp_path / "a.xlsx")
    found = sheet[f"{column(sheet, 'mean')}4"]
    assert found.is_date
    assert found.number_format == "yyyy-mm-dd"
    assert abs(pd.Timestamp(found.value) - release["mean"].item().tz_localize(None)) < pd.Timedelta("1s")
    assert sheet["A6"].value == "Times in Europe/Berlin."
    error = sheet[f"{column(sheet, 'std_error')}4"]
    assert error.number_format == '0.0" days"'
    assert error.value == pytest.approx(release["std_error"].item() / pd.Timedelta("1D"), rel=1e-6)


def test_an_open_writer_keeps_all_its_sheets(people: Any, tmp_path: Path) -> None:
    ages = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    sexes = people["sex"].dp.value_counts(epsilon=1, categories=KEYS["sex"])
    with pd.ExcelWriter(tmp_path / "a.xlsx", engine="openpyxl") as book:
        pd.DataFrame({"x": [1]}).to_excel(book, sheet_name="first")
        ages.dp.to_excel(book, sheet_name="ages")
        sexes.dp.to_excel(book, sheet_name="sexes")
    assert openpyxl.load_workbook(tmp_path / "a.xlsx").sheetnames == ["first", "ages", "sexes"]
    with pd.ExcelWriter(tmp_path / "a.xlsx", engine="openpyxl", mode="a") as book:
        ages.dp.to_excel(book, sheet_name="again")
    sheets = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert sheets.sheetnames == ["first", "ages", "sexes", "again"]
    assert sheets["again"]["B4"].value == sheets["ages"]["B4"].value


def test_several_releases_and_the_ledger_in_one_workbook(session: pdp.Session, people: Any, tmp_path: Path) -> None:
    releases = {
        "ages": people["age"].dp.mean(epsilon=1, bounds=(0, 100)),
        "sexes": people["sex"].dp.value_counts(epsilon=1, categories=KEYS["sex"]),
    }
    pdp.to_excel(tmp_path / "a.xlsx", releases, titles={"ages": "How old"}, session=session)
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert book.sheetnames == ["ages", "sexes", "ledger"]
    assert book["ages"]["A1"].value == "How old"
    ledger = book["ledger"]
    assert ledger["A1"].value == "Ledger of session 'survey'"
    heads = [cell.value for cell in ledger[3]]
    assert heads[0] == "entry"
    paid = [ledger.cell(row, heads.index("epsilon") + 1).value for row in (4, 5)]
    assert paid == [1, 1]
    assert ledger.cell(4, heads.index("time (UTC)") + 1).is_date
    assert ledger.cell(ledger.max_row, 1).value == session.promise


def test_a_workbook_that_grows_has_the_ledger_once_as_it_is_then(
    session: pdp.Session, people: Any, tmp_path: Path
) -> None:
    path = tmp_path / "days.xlsx"
    for day in ("first", "second"):
        release = people["age"].dp.mean(bounds=(0, 100), epsilon=0.1)
        how: dict[str, Any] = {"mode": "a"} if path.exists() else {}
        with pd.ExcelWriter(path, engine="openpyxl", **how) as book:
            pdp.to_excel(book, {day: release}, session=session)
    assert openpyxl.load_workbook(path).sheetnames == ["first", "second", "ledger"]
    ledger = openpyxl.load_workbook(path)["ledger"]
    assert sum(cell.value == "mean" for row in ledger.iter_rows() for cell in row) == 2


def test_a_sheet_of_that_name_which_is_no_ledger_is_not_replaced(
    session: pdp.Session, people: Any, tmp_path: Path
) -> None:
    release = people["age"].dp.mean(bounds=(0, 100), epsilon=0.1)
    with pd.ExcelWriter(tmp_path / "mine.xlsx", engine="openpyxl") as book:
        pd.DataFrame({"mine": [1]}).to_excel(book, sheet_name="ledger")
        with pytest.raises(errors.UnsupportedArgument, match="two sheets would be called 'ledger'"):
            pdp.to_excel(book, {"ages": release}, session=session)


def test_a_summary_leaves_empty_what_has_no_interval(people: Any, tmp_path: Path) -> None:
    release = people["age"].dp.describe(epsilon=50, bounds=(0, 100))
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet = read(tmp_path / "a.xlsx")
    assert sheet["A1"].value == "Summary of age"
    lines = {sheet[f"A{row}"].value: [sheet.cell(row, at).value for at in (2, 3, 4)] for row in range(4, 12)}
    assert lines["max"][1:] == [None, None]
    assert lines["50%"][1] <= lines["50%"][0] <= lines["50%"][2]
    assert lines["mean"][1] < lines["mean"][0] < lines["mean"][2]


NAMES: dict[str, Callable[[Any, Path], None]] = {
    "long": lambda r, path: r.dp.to_excel(path, sheet_name="x" * 32),
    "colon": lambda r, path: r.dp.to_excel(path, sheet_name="a:b"),
    "twice": lambda r, path: pdp.to_excel(path, {"ages": r, "Ages": r}),
    "no mapping": lambda r, path: pdp.to_excel(path, r),
    "odd title": lambda r, path: pdp.to_excel(path, {"ages": r}, titles={"age": "x"}),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_no_workbook_takes_are_refused_before_a_file_is_made(name: str, people: Any, tmp_path: Path) -> None:
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    with refused(errors.UnsupportedArgument, name):
        NAMES[name](release, tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_sheet_that_is_there_is_not_written_over(people: Any, tmp_path: Path) -> None:
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    with pd.ExcelWriter(tmp_path / "a.xlsx", engine="openpyxl") as book:
        release.dp.to_excel(book)
        with refused(errors.UnsupportedArgument):
            release.dp.to_excel(book)
    assert openpyxl.load_workbook(tmp_path / "a.xlsx").sheetnames == ["release"]


def test_only_a_session_has_a_ledger(people: Any, tmp_path: Path) -> None:
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    with refused(errors.UnsupportedArgument):
        release.dp.to_excel(tmp_path / "a.xlsx", session="survey")


def test_a_changed_table_is_not_published(people: Any, tmp_path: Path) -> None:
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    release.iloc[0, 0] = 7.0
    with refused(errors.ChangedRelease):
        release.dp.to_excel(tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []
