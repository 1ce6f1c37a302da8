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
from pandas_dp.audit import seeded_noise
from tests.refusals import refused

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
    mean, error, low, high = release.iloc[0].tolist()
    ends = [np.floor(low * 10) / 10, np.ceil(high * 10) / 10]  # as they are shown, rounded outward
    assert [cell.value for cell in sheet[4]][1:5] == pytest.approx([mean, error, *ends], rel=1e-14)
    assert [cell.number_format for cell in sheet[4]][1:5] == ["#,##0.0", "#,##0.00", "#,##0.0", "#,##0.0"]
    assert sheet["A6"].value == "lower, upper: 95 % intervals for the population, of values clamped to 0 … 100."
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


def test_large_numbers_are_shown_in_the_unit_that_their_interval_tells(session: pdp.Session, tmp_path: Path) -> None:
    rows = pd.DataFrame({"pay": np.arange(1000.0) * 1e6, "sex": ["f", "m"] * 500})
    release = session.protect(rows)["pay"].dp.sum(epsilon=1, bounds=(0, 1e9))
    release.dp.to_excel(tmp_path / "a.xlsx")
    cells = list(read(tmp_path / "a.xlsx")[4])[1:5]
    assert {cell.number_format for cell in cells} == {'#,##0.00,,," billion"'}
    assert cells[0].value == release["sum"].item()
    shown = f"{cells[0].value / 1e9:,.2f} billion"
    assert shown in repr(release)


def test_bins_are_written_as_people_write_them_on_a_sheet(people: Any, tmp_path: Path) -> None:
    release = people["age"].dp.histogram(bins=3, bounds=(0, 100), epsilon=1)
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet = read(tmp_path / "a.xlsx")
    assert [cell.value for cell in sheet["A"]][3:6] == ["0.0 to 33.3", "33.3 to 66.7", "66.7 to 100.0"]
    assert "A value of age at the edge of two bins is in the one that begins there." in [c.value for c in sheet["A"]]


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


HOSTILE = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")', "none"]
LINKS = [
    "{=1+1}",
    "http://x.y",
    "https://x.y",
    "ftp://x.y",
    "file://x/y",
    "mailto:x@y.z",
    "internal:a!B1",
    "external:x",
]


@pytest.mark.parametrize("open_writer", [False, True])  # which would write formulas by itself
def test_what_looks_like_a_formula_is_text_in_every_cell_of_every_sheet(open_writer: bool, tmp_path: Path) -> None:
    session = pdp.Session(epsilon=100, name="=survey")
    rows = {"=work": HOSTILE * 10, "@sex": ["f", "m"] * 35, "-age": np.arange(70.0)}
    people = session.protect(pd.DataFrame(rows))
    keys = {"=work": HOSTILE, "@sex": ["f", "m"]}
    linked = session.protect(pd.DataFrame({"work": LINKS, "sex": ["f", "m"] * 4}))
    releases = {
        "=1": people["=work"].dp.value_counts(epsilon=1, categories=HOSTILE, note="=1+1"),
        "-2": people.dp.crosstab("=work", "@sex", epsilon=1, categories=keys, note="+1 more"),
        "3": people.dp.crosstab("@sex", "=work", epsilon=1, categories=keys, margins=True, note="@all"),
        "4": people["-age"].dp.mean(epsilon=1, bounds=(0, 100), note="-age"),
        "5": linked["work"].dp.value_counts(epsilon=1, categories=LINKS),
        "6": linked.dp.crosstab("sex", "work", epsilon=1, categories={"sex": ["f", "m"], "work": LINKS}, margins=True),
    }
    titles = {"3": "=1+1", "4": "\x01-1"}
    if open_writer:
        with pd.ExcelWriter(tmp_path / "a.xlsx", engine="xlsxwriter") as book:
            pdp.to_excel(book, releases, titles=titles, session=session)
    else:
        pdp.to_excel(tmp_path / "a.xlsx", releases, titles=titles, session=session)
    cells = [cell for sheet in openpyxl.load_workbook(tmp_path / "a.xlsx") for row in sheet.iter_rows() for cell in row]
    hostile = [cell for cell in cells if str(cell.value).startswith(("=", "+", "-", "@", "\t"))]
    assert "f" not in {cell.data_type for cell in cells}
    assert not any(cell.hyperlink for cell in cells)
    assert len(hostile) > 40
    assert all(cell.quotePrefix for cell in hostile if isinstance(cell.value, str))
    assert {str(cell.value) for cell in cells} >= {*HOSTILE, *LINKS, "=work", "@sex", "-age", "+1 more", "@all"}


def test_pandas_own_tables_hold_no_formula_either(people: Any, tmp_path: Path) -> None:
    """`release.to_csv` and `release.to_excel` are pandas', and what they write is opened in spreadsheets."""
    release = people["work"].dp.value_counts(epsilon=1, categories=KEYS["work"]).rename_axis("@work")
    both = people.dp.crosstab("work", "sex", epsilon=1, categories=KEYS)
    assert [line.split(",")[0] for line in release.to_csv().splitlines()] == ["'@work", "'=1+1", "none"]
    assert both.T.to_csv().splitlines()[0] == "sex,'=1+1,none"
    release.to_excel(tmp_path / "a.xlsx")
    assert [row[0].value for row in openpyxl.load_workbook(tmp_path / "a.xlsx").active.iter_rows()] == [
        "'@work",
        "'=1+1",
        "none",
    ]
    linked = (
        pdp.Session(epsilon=1).protect(pd.DataFrame({"x": LINKS}))["x"].dp.value_counts(epsilon=1, categories=LINKS)
    )
    linked.to_excel(tmp_path / "b.xlsx")
    cells = [row[0] for row in openpyxl.load_workbook(tmp_path / "b.xlsx").active.iter_rows()][1:]
    assert [(cell.value, cell.data_type, cell.hyperlink) for cell in cells] == [(f"'{x}", "s", None) for x in LINKS]
    assert [line.split(",")[0] for line in linked.to_csv().splitlines()] == ["x", *LINKS]  # text in every spreadsheet
    plain = people["sex"].dp.value_counts(epsilon=1, categories=KEYS["sex"])
    assert plain.to_csv() == pd.DataFrame(plain).to_csv()
    assert release.index[0] == "=1+1"  # the table itself is as it was


def test_numbers_that_were_withheld_have_a_symbol_that_is_explained(people: Any, tmp_path: Path) -> None:
    release = people["work"].dp.value_counts(epsilon=50, categories=KEYS["work"]).dp.suppress(below=500)
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet = read(tmp_path / "a.xlsx")
    assert [sheet["B4"].value, sheet["B5"].value, sheet["B5"].alignment.horizontal] == [600, "[c]", "right"]
    assert "[c]: withheld." in [row[0].value for row in sheet.iter_rows()]
    assert "withheld" in repr(release).splitlines()[3]
    assert "[c]" in release.dp.to_markdown().splitlines()[3]
    assert "[c]: withheld." in release.dp.to_markdown()


def test_ends_are_rounded_outward_as_in_text(people: Any, tmp_path: Path) -> None:
    for turn in range(8):
        sexes = {"sex": KEYS["sex"]}
        release = people.dp.groupby("sex", categories=sexes)["age"].mean(epsilon=1, bounds=(0, 100))
        release.dp.to_excel(tmp_path / f"{turn}.xlsx")
        sheet = read(tmp_path / f"{turn}.xlsx")
        shown = [each for each in repr(release).splitlines() if each.startswith(("f ", "m "))]
        for row, line in zip((4, 5), shown, strict=True):
            low, high = (sheet.cell(row, at).value for at in (4, 5))
            assert [float(each) for each in line.split()[-2:]] == [low, high]
            assert low <= release["lower"].iloc[row - 4]
            assert high >= release["upper"].iloc[row - 4]


def test_a_ledger_is_read_on_paper(session: pdp.Session, people: Any, tmp_path: Path) -> None:
    note = "a note that goes on for so long that no column of a sheet would hold it in one line, " * 2
    release = people["sex"].dp.value_counts(epsilon=1, categories=KEYS["sex"], note=note.strip())
    pdp.to_excel(tmp_path / "a.xlsx", {"sexes": release}, session=session)
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    ledger = book["ledger"]
    heads = [cell.value for cell in ledger[3]]
    assert "period" not in heads  # which says nothing here
    assert "session" not in heads  # which the title names
    noted = ledger.cell(4, heads.index("note") + 1)
    assert (noted.alignment.wrap_text, noted.alignment.horizontal) == (True, "left")
    head = ledger.cell(3, noted.column).alignment
    assert (head.horizontal, head.indent) == (noted.alignment.horizontal, noted.alignment.indent)
    assert ledger.row_dimensions[4].height > 50
    assert ledger.column_dimensions[noted.column_letter].width <= 50
    assert ledger.print_title_rows == "$3:$3"
    assert ledger.page_setup.orientation == "landscape"
    assert ledger.page_setup.fitToHeight == 0  # as many pages as there are, each as wide as the sheet
    assert f"Note: {note.strip()}" in [row[0].value for row in book["sexes"].iter_rows()]


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


def test_days_that_excel_has_not_are_texts(session: pdp.Session, tmp_path: Path) -> None:
    """Excel shows none before 1900, and is a day from LibreOffice until March."""
    for year, kept in (("1850", False), ("1900", False), ("1950", True)):
        for freq, off in (("8h", "1D"), ("30s", "1s")):  # told to days, to seconds
            times = pd.Timestamp(f"{year}-01-20") + np.arange(-500, 501) * pd.Timedelta(freq)
            people = session.protect(pd.DataFrame({"seen": times}))
            release = people["seen"].dp.mean(epsilon=0.2, bounds=(times[0], times[-1]))
            release.dp.to_excel(tmp_path / "a.xlsx")
            sheet = read(tmp_path / "a.xlsx")
            found = sheet[f"{column(sheet, 'mean')}4"]
            assert isinstance(found.value, str) is not kept
            assert abs(pd.Timestamp(found.value) - release["mean"].item()) < pd.Timedelta(off)
            assert (":" in str(found.value if not kept else found.number_format)) == (off == "1s")
            assert found.alignment.horizontal == "right"


def test_an_open_writer_keeps_all_its_sheets(people: Any, tmp_path: Path) -> None:
    ages = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    sexes = people["sex"].dp.value_counts(epsilon=1, categories=KEYS["sex"])
    with pd.ExcelWriter(tmp_path / "a.xlsx", engine="xlsxwriter") as book:
        pd.DataFrame({"x": [1]}).to_excel(book, sheet_name="first")
        ages.dp.to_excel(book, sheet_name="ages")
        sexes.dp.to_excel(book, sheet_name="sexes")
    assert openpyxl.load_workbook(tmp_path / "a.xlsx").sheetnames == ["first", "ages", "sexes"]
    sheets = openpyxl.load_workbook(tmp_path / "a.xlsx")
    ages.dp.to_excel(tmp_path / "b.xlsx")
    assert sheets["ages"]["B4"].value == read(tmp_path / "b.xlsx")["B4"].value
    with refused(errors.BadArgument):  # a writer that is closed, which would write nothing and say nothing
        ages.dp.to_excel(book, sheet_name="again")


def test_a_workbook_that_is_there_is_not_added_to(people: Any, tmp_path: Path) -> None:
    ages = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    ages.dp.to_excel(tmp_path / "a.xlsx", sheet_name="ages")
    with (
        pd.ExcelWriter(tmp_path / "a.xlsx", engine="openpyxl", mode="a") as book,
        refused(errors.UnsupportedArgument),
    ):
        ages.dp.to_excel(book, sheet_name="again")
    assert openpyxl.load_workbook(tmp_path / "a.xlsx").sheetnames == ["ages"]


def test_the_same_sheets_are_the_same_bytes(people: Any, tmp_path: Path) -> None:
    release = people.dp.crosstab("sex", "work", epsilon=1, categories=KEYS)
    release.dp.to_excel(tmp_path / "a.xlsx")
    release.dp.to_excel(tmp_path / "b.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    made = openpyxl.load_workbook(tmp_path / "a.xlsx").properties  # not when it was written, nor by whom
    assert (made.created, made.modified) == (pd.Timestamp("1980-01-01"),) * 2
    assert not made.creator


def test_a_sheet_looks_like_a_table_of_an_office(people: Any, tmp_path: Path) -> None:
    release = people.dp.crosstab("sex", "work", epsilon=1, categories=KEYS)
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet = read(tmp_path / "a.xlsx")
    assert (sheet["A1"].font.bold, sheet["A1"].font.size) == (True, 13)
    sides = {at: sheet[at].alignment.horizontal for at in ("A4", "B3", "B4", "B5")}
    assert sides == {"A4": "left", "B3": "center", "B4": "right", "B5": "right"}
    label, number, header = (sheet[at] for at in ("A5", "B5", "B4"))
    assert [sheet[at].border.bottom.style for at in ("B3", "C3", "A4", "B4", "C4")] == ["thin"] * 5
    assert (header.font.bold, number.font.bold, label.alignment.wrap_text) == (True, False, True)
    assert number.border.bottom.style is None
    last = sheet.cell(sheet.max_row, 1)
    assert (last.font.italic, last.font.size, last.alignment.wrap_text) == (True, 9, True)
    assert f"A{last.row}:H{last.row}" in {str(each) for each in sheet.merged_cells.ranges}
    assert sheet.row_dimensions[last.row].height is None  # one line, as others are
    assert sheet.column_dimensions["A"].width == 11
    assert (sheet.page_setup.paperSize, sheet.page_margins.left, sheet.page_margins.top) == (9, 0.4, 1)
    assert (sheet.page_setup.orientation, sheet.sheet_properties.pageSetUpPr.fitToPage) == ("portrait", True)


def test_a_text_that_no_cell_holds_ends_with_dots(people: Any, tmp_path: Path) -> None:
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    release.dp.to_excel(tmp_path / "a.xlsx", title="\uffff" + "x" * 40_000)
    title = read(tmp_path / "a.xlsx")["A1"].value
    assert (len(title), title[-2:]) == (32_767 + len("_xFFFF_") - 1, "x…")  # which is how a file has that letter


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


def test_a_workbook_has_the_ledger_of_its_session_once(session: pdp.Session, people: Any, tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "days.xlsx", engine="xlsxwriter") as book:
        for day in ("first", "second"):
            release = people["age"].dp.mean(bounds=(0, 100), epsilon=0.1)
            pdp.to_excel(book, {day: release}, session=session if day == "second" else None)
        with refused(errors.UnsupportedArgument):
            pdp.to_excel(book, {"third": release}, session=session)
    found = openpyxl.load_workbook(tmp_path / "days.xlsx")
    assert found.sheetnames == ["first", "second", "ledger"]
    assert sum(cell.value == "mean" for row in found["ledger"].iter_rows() for cell in row) == 2


def test_a_sheet_of_that_name_which_is_no_ledger_is_not_replaced(
    session: pdp.Session, people: Any, tmp_path: Path
) -> None:
    release = people["age"].dp.mean(bounds=(0, 100), epsilon=0.1)
    with pd.ExcelWriter(tmp_path / "mine.xlsx", engine="xlsxwriter") as book:
        pd.DataFrame({"mine": [1]}).to_excel(book, sheet_name="ledger")
        with pytest.raises(errors.UnsupportedArgument, match="two sheets would be called 'ledger'"):
            pdp.to_excel(book, {"ages": release}, session=session)


def test_a_summary_marks_what_has_no_interval(people: Any, tmp_path: Path) -> None:
    release = people["age"].dp.describe(epsilon=50, bounds=(0, 100))
    release.dp.to_excel(tmp_path / "a.xlsx")
    sheet = read(tmp_path / "a.xlsx")
    assert sheet["A1"].value == "Summary of age"
    lines = {sheet[f"A{row}"].value: [sheet.cell(row, at).value for at in (2, 3, 4)] for row in range(4, 12)}
    assert lines["max"][1:] == ["[x]", "[x]"]
    assert "[x]: not told." in [row[0].value for row in sheet.iter_rows()]
    assert lines["50%"][1] <= lines["50%"][0] <= lines["50%"][2]
    assert lines["mean"][1] < lines["mean"][0] < lines["mean"][2]


NAMES: dict[str, Callable[[Any, Path], None]] = {
    "long": lambda r, path: r.dp.to_excel(path, sheet_name="x" * 32),
    "letters of two": lambda r, path: r.dp.to_excel(path, sheet_name="𝛆" * 16),
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
    with pd.ExcelWriter(tmp_path / "a.xlsx", engine="xlsxwriter") as book:
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
