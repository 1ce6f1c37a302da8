"""`Session.report`: one page that says what was released, and needs nothing else."""

from __future__ import annotations

import gc
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.label.layout import Released
from pandas_dp.core.protect import session_lookup
from pandas_dp.views.report import numbers
from pandas_dp.views.report import page as section_of_page
from pandas_dp.views.titles import title_of
from tests.refusals import refused

from .reading import Page

EVIL = "<script>alert('x')</script>&"
SCHEMA = pa.DataFrameSchema(
    {
        "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
        "age": pa.Column(int, pa.Check.in_range(0, 120), metadata={"dp": {"complete": True}}),
        "born": pa.Column("datetime64[ns]", pa.Check.in_range(pd.Timestamp("1900-01-01"), pd.Timestamp("2027-01-01"))),
    }
)


def rows(many: int = 1000) -> pd.DataFrame:
    born = pd.Timestamp("1980-01-01") + pd.to_timedelta(np.arange(many), unit="D")
    return pd.DataFrame({"sex": ["f", "m"] * (many // 2), "age": np.arange(many) % 90, "born": born})


def opened(**how: Any) -> tuple[pdp.Session, pd.DataFrame]:
    session = pdp.Session(**{"epsilon": 100, "schema": SCHEMA, "name": "people", **how})
    return session, session.protect(rows())


def page_of(session: pdp.Session, folder: Path) -> Page:
    return Page(text_of(session, folder))


def text_of(session: pdp.Session, folder: Path) -> str:
    return session.report(folder / "report.html").read_text("utf-8")


def test_a_page_needs_no_other_file_and_no_network(tmp_path: Path) -> None:
    session, people = opened()
    people["age"].dp.histogram(bins=4, epsilon=1)
    text = text_of(session, tmp_path)
    page = Page(text)
    assert not page.all("script", "link", "iframe", "object")
    assert all(image.attributes["src"].startswith("data:image/svg+xml;base64,") for image in page.all("img"))
    assert "@import" not in text
    assert "url(" not in text
    assert all(link.attributes["href"].startswith("#") for link in page.all("a"))


def test_each_release_stands_with_words_numbers_interval_cost_guarantee_and_picture(tmp_path: Path) -> None:
    session, people = opened()
    people["age"].dp.mean(epsilon=1)
    table = people.dp.groupby("sex")["age"].mean(epsilon=0.5)
    page = page_of(session, tmp_path)
    first, second = (page.one("section", id=f"release-{place}") for place in (1, 2))
    assert "1. Mean of age" in first.said
    assert "Mean of age by sex" in second.said
    for said in ("epsilon=0.5", "entry 2 of the ledger", "all 1,000 of the protected table"):
        assert said in second.said
    assert table.dp.guarantee in second.said
    assert "95 % intervals for the population, of values clamped to 0 … " in second.said
    shown = [each.said for each in second.inside if each.name == "td"]
    assert len(shown) == 8
    assert float(shown[0]) == pytest.approx(table["mean"].iloc[0], abs=1)
    assert [each.name for each in second.inside].count("figure") == 1
    assert "figure" not in [each.name for each in first.inside]  # one number is no picture


def test_a_column_of_counts_has_its_ends_beside_it_and_a_table_below_each_number(tmp_path: Path) -> None:
    session, people = opened()
    counts = people["sex"].dp.value_counts(epsilon=1)
    people.dp.crosstab("sex", "age", epsilon=1, categories={"age": [20, 30, 40]})
    page = page_of(session, tmp_path)
    first, second = (page.one("section", id=f"release-{place}") for place in (1, 2))
    low, high = counts.dp.confint().iloc[0]
    cells = [each.said for each in first.inside if each.name == "td"]
    assert cells[:3] == [str(counts["count"].iloc[0]), f"{low:.0f}", f"{high:.0f}"]
    assert len([each for each in second.inside if each.attributes.get("class") == "ends"]) == 6


def test_the_top_says_what_is_promised_of_whom_and_what_is_left(tmp_path: Path) -> None:
    session, people = opened(epsilon=4)
    people["age"].dp.mean(epsilon=1)
    top = page_of(session, tmp_path).one("section", id="promise").said
    for said in (
        "each row is taken for one",
        "how many rows a protected table has is public",
        "epsilon=4",
        "in memory",
        "25.0% spent",
    ):
        assert said in top
    assert session.promise in page_of(session, tmp_path).one("header").said


def test_under_a_unit_the_top_says_that_people_are_hidden(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=4, unit="id")
    visits = session.protect(pd.DataFrame({"id": [1, 1, 2], "cost": [3.0, 5.0, 2.0]}))
    visits.groupby("id")["cost"].sum().dp.mean(bounds=(0, 10), epsilon=1)
    top = page_of(session, tmp_path).one("section", id="promise").said
    assert "all rows with the same 'id', in all tables, are one person" in top
    assert "all rows of one person are others; how many people there are is private" in top
    said = page_of(session, tmp_path).one("section", id="release-1").said
    assert "of people of a protected table, all or some: as said below" in said


def test_a_roster_makes_the_number_of_people_public_on_the_page(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=4, unit="id")
    session.protect(pd.DataFrame({"id": [1, 2], "age": [3.0, 5.0]}), roster="members")
    top = page_of(session, tmp_path).one("section", id="promise").said
    assert "how many people there are is public, by the roster" in top
    assert "'members'" in top


def test_what_was_declared_stands_on_the_page(tmp_path: Path) -> None:
    session, _ = opened()
    said = [each.said for each in page_of(session, tmp_path).one("section", id="declared").inside if each.name == "td"]
    gaps = "may be missing", "declared complete: a gap counts as the middle of the range", "may be missing"
    assert said[1::2] == list(gaps)
    assert said[::2] == ["f, m", "0 to 120", "1900-01-01 to 2027-01-01"]


def test_a_note_says_which_rows_a_filter_kept_and_the_page_says_where_none_does(tmp_path: Path) -> None:
    session, people = opened()
    adults = people[people["age"] >= 18]
    adults["age"].dp.mean(epsilon=1, note="of 18 and more")
    adults["age"].dp.median(epsilon=1)
    page = page_of(session, tmp_path)
    first, second = (page.one("section", id=f"release-{place}").said for place in (1, 2))
    assert "of 18 and more" in first
    assert all("as said below" in each and "age >= 18" in each for each in (first, second))
    assert "of 18 and more" in page.one("nav").said
    assert "of 18 and more" in page.one("section", id="ledger").said


def test_a_page_says_by_which_expressions_rows_were_made(tmp_path: Path) -> None:
    with pdp.Session(epsilon=100, schema=SCHEMA) as session:
        people = session.scan(rows())
        adults = people[people["age"] > 17]
        adults["age"].dp.mean(epsilon=1)
        adults._rows._source.shows("values")
        adults["age"].dp.mean(epsilon=1)
        first, second = (page_of(session, tmp_path).one("section", id=f"release-{place}").said for place in (1, 2))
    assert "which: as said below. How many is private" in first
    assert "rows: age > 17" in first
    assert "rows: age > #1" in second
    assert "holds if no constant in it was read from the rows" in second
    assert "holds if no constant" not in first


def test_whatever_is_written_stays_text(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=100, name=EVIL)
    people = session.protect(pd.DataFrame({EVIL: [EVIL, "b"] * 500, "x": range(1000)}))
    people.dp.groupby(EVIL, categories={EVIL: [EVIL, "b"]})["x"].mean(bounds=(0, 1000), epsilon=1, note=EVIL)
    people.dp.crosstab(EVIL, "x", categories={EVIL: [EVIL, "b"], "x": [1, 2]}, epsilon=1)
    page = page_of(session, tmp_path)
    assert not page.all("script")
    assert EVIL in page.one("h1").said
    assert EVIL in page.one("section", id="release-1").said


def test_every_table_has_a_caption_and_headers_that_say_what_they_head(tmp_path: Path) -> None:
    session, people = opened()
    people.dp.crosstab("sex", "age", epsilon=1, categories={"age": [20, 30]})
    people.dp.groupby(["sex", "age"], categories={"age": [20, 30]})["age"].agg(["mean", "sum"], epsilon=1)
    page = page_of(session, tmp_path)
    for table in page.all("table"):
        assert next(each.name for each in table.inside) == "caption"
        assert table.inside[0].said
    assert all(each.attributes["scope"] in ("row", "col", "rowgroup", "colgroup") for each in page.all("th"))
    assert all(each.said for each in page.all("th"))
    assert all(each.attributes["alt"] for each in page.all("img"))


def test_headings_skip_no_level_and_links_lead_somewhere(tmp_path: Path) -> None:
    session, people = opened()
    people["age"].dp.mean(epsilon=1)
    page = page_of(session, tmp_path)
    levels = [int(each.name[1]) for each in page.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(then - now <= 1 for now, then in itertools.pairwise(levels))
    names = [each.attributes["id"] for each in page.elements if "id" in each.attributes]
    assert len(set(names)) == len(names)
    assert {link.attributes["href"][1:] for link in page.all("a")} <= set(names)
    assert page.one("html", lang="en")


def test_writing_pays_nothing_and_replaces_what_was_there(tmp_path: Path) -> None:
    session, people = opened()
    people["age"].dp.mean(epsilon=1)
    before = session.ledger
    file = tmp_path / "report.html"
    file.write_text("old")
    assert session.report(str(file)) == file
    session.report(file)
    assert file.read_text("utf-8").startswith("<!DOCTYPE html>")
    pd.testing.assert_frame_equal(session.ledger, before)


def test_a_release_is_reported_whatever_became_of_it(tmp_path: Path) -> None:
    session, people = opened()
    release = people["sex"].dp.value_counts(epsilon=1)
    first = str(release["count"].iloc[0])
    release.loc["f", "count"] = -73_519_204_417  # so long that no id holds it by luck
    release.index.name = "changed"
    release.attrs["dp"]["note"] = "changed"
    release.attrs.clear()
    del release
    people["age"].dp.mean(epsilon=1)
    gc.collect()
    session.close()
    page = page_of(session, tmp_path)
    assert next(each.said for each in page.one("section", id="release-1").inside if each.name == "td") == first
    assert "73519204417" not in page.one("main").said.replace(",", "")
    assert page.one("section", id="release-2")


def test_what_other_sessions_paid_is_listed_without_numbers(tmp_path: Path) -> None:
    for name in ("first", "second"):
        session, people = opened(ledger=tmp_path / "people.ledger", name=name)
        people["age"].dp.mean(epsilon=1, note=f"by the {name}")
        session.close()
    page = page_of(session, tmp_path)
    assert page.one("section", id="release-1").said.count("entry 2 of the ledger") == 1
    assert "Entry 1: mean of age" in page.one("main").said
    assert "in the file people.ledger" in page.one("section", id="promise").said
    assert re.search(r"number 2, has the hash [0-9a-f]{64}", page.one("section", id="ledger").said)


def test_a_watch_is_listed_and_questions_asked_together_are_reported(tmp_path: Path) -> None:
    session, people = opened()
    session.watch(above=100, epsilon=1)
    session.together(lambda: people["age"].dp.mean(epsilon=1), lambda: people["age"].dp.median(epsilon=1))
    page = page_of(session, tmp_path)
    assert "Entry 1: watch" in page.one("main").said
    assert "Median of age" in page.one("section", id="release-2").said


def test_a_session_that_released_nothing_says_so(tmp_path: Path) -> None:
    session, _ = opened()
    said = page_of(session, tmp_path).one("main").said
    assert "Nothing has been released in this session." in said
    assert "No entries." in said


def test_seeded_noise_is_said_at_the_top(tmp_path: Path) -> None:
    session, people = opened()
    with pdp.audit.seeded_noise(1):
        people["age"].dp.mean(epsilon=1)
    assert "INSECURE" in page_of(session, tmp_path).one("main").said.partition("Contents")[0]


def test_without_matplotlib_there_are_tables_alone_and_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, people = opened()
    people["sex"].dp.value_counts(epsilon=1)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.style", None)
    assert not numbers.can_draw()
    page = page_of(session, tmp_path)
    assert not page.all("img")
    assert "matplotlib is not installed" in page.one("main").said
    assert page.one("section", id="release-1")


def test_pictures_of_a_page_are_no_figures_of_pyplot(tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    plt.close("all")
    session, people = opened()
    people["sex"].dp.value_counts(epsilon=1)
    assert page_of(session, tmp_path).all("img")
    assert not plt.get_fignums()


def test_only_the_latest_releases_are_kept_and_no_large_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_lookup, "MOST_NUMBERS", 8)
    monkeypatch.setattr(session_lookup, "LARGEST", 4)
    session, people = opened()
    for _ in range(3):
        people["age"].dp.mean(epsilon=1)  # four numbers each
    people["age"].dp.histogram(bins=10, epsilon=1)
    page = page_of(session, tmp_path)
    assert [each.attributes["id"] for each in page.all("section") if "release-" in each.attributes.get("id", "")] == [
        "release-1",
        "release-2",
    ]
    said = page.one("main").said
    assert "entry 2 of the ledger" in said
    assert "Entry 1: mean of age" in said
    assert "Entry 4: histogram by age" in said


def test_of_many_bars_the_picture_has_the_largest(tmp_path: Path) -> None:
    session, people = opened()
    people["age"].dp.value_counts(categories=list(range(90)), epsilon=1)
    page = page_of(session, tmp_path)
    assert "the 30 largest numbers" in page.all("img")[0].attributes["alt"]


def test_a_long_table_shows_its_first_rows_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, people = opened()
    people["age"].dp.histogram(bins=1200, epsilon=1, bounds=(0, 1200))
    monkeypatch.setattr(section_of_page, "ALONG_AN_AXIS", ())  # no picture, which takes seconds
    page = page_of(session, tmp_path)
    section = page.one("section", id="release-1")
    assert "The first 1,000 of 1,200 rows are shown." in section.said
    assert len([each for each in section.inside if each.name == "tr"]) == 1001


def test_a_wide_table_stands_in_parts_that_paper_holds(tmp_path: Path) -> None:
    session, people = opened()
    people.dp.crosstab("sex", "age", epsilon=1, categories={"age": list(range(20))})
    section = page_of(session, tmp_path).one("section", id="release-1")
    tables = [each for each in section.inside if each.name == "table"]
    assert [len([cell for cell in each.inside if cell.name == "td"]) for each in tables] == [17, 17, 9]
    assert "Columns 17 to 20 of 20." in tables[2].said


@pytest.mark.parametrize(
    ("case", "error"),
    [
        *[("no path", TypeError), ("a folder", TypeError), ("no such folder", TypeError), ("a ledger", TypeError)],
        ("another kind of file", TypeError),
    ],
)
def test_a_wrong_path_is_refused_and_nothing_is_written(tmp_path: Path, case: str, error: type[Exception]) -> None:
    session, _ = opened(ledger=tmp_path / "people.ledger")
    paths = {
        "no path": 5,
        "a folder": tmp_path,
        "no such folder": tmp_path / "none" / "report.html",
        "a ledger": tmp_path / "people.ledger",
        "another kind of file": tmp_path / "report.pdf",
    }
    before = sorted(each.name for each in tmp_path.iterdir())
    with refused(error, case):
        session.report(paths[case])  # type: ignore[arg-type]
    assert sorted(each.name for each in tmp_path.iterdir()) == before
    session.ledger  # noqa: B018  # it still verifies


def test_regressions_and_tests_are_entitled_by_what_they_compare() -> None:
    _, people = opened()
    people = people.assign(old=people["age"] > 50)
    told = [
        people.dp.ols("age", ["sex"], epsilon=1),
        people.dp.groupby("sex").ols("age ~ 1", epsilon=1),
        people.dp.crosstab("sex", "old", categories={"old": [False, True]}, epsilon=1).dp.logit("old"),
        people.dp.t_test("age", by="sex", epsilon=1),
    ]
    assert [title_of(Released.of(each)) for each in told] == [
        "Regression: age ~ sex",
        "Regression: age ~ 1 by sex",
        "Regression: old ~ C(sex)",
        "T test of age by sex",
    ]
