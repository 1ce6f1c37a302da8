"""Rectangles and parts that are read off stored tables: what can be done with them, and what they say of themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from tests.refusals import refused

KEYS = {"k": ["a", "b", "c"], "j": [1, 2, 3]}
LEVELS = {"k": {"g": {"a": "x", "b": "x", "c": "y"}}}


def people() -> pd.DataFrame:
    r = np.random.default_rng(3)
    return pd.DataFrame({name: r.choice(np.array(values, object), 300) for name, values in KEYS.items()}).assign(
        x=r.integers(0, 5, 300), y=1
    )


@pytest.fixture
def session() -> pdp.Session:
    return pdp.Session(epsilon=10)


@pytest.fixture
def frame(session: pdp.Session) -> pd.DataFrame:
    return session.protect(people())


@pytest.fixture
def tables(frame: pd.DataFrame, tmp_path: Path) -> pdp.PublishedTables:
    asked: Any = {"categories": KEYS, "epsilon": 0.5}
    place: Any = {"categories": KEYS["k"], "epsilon": 0.5, "bounds": (0, 5)}
    return pdp.publish_tables(
        tmp_path / "t",
        {
            "place": lambda: frame.dp.marginals([["k", "j"], ["k"], []], **asked),
            "levels": lambda: frame.dp.marginals(
                [["g"]], hierarchies=LEVELS, categories=KEYS["k"], epsilon=0.25, aggfunc="count"
            ),
            "sums": lambda: frame.dp.marginals([["k"], []], ["x", "y"], ["sum", "mean"], **place),
        },
    )


# -- rectangles


def test_a_rectangle_has_the_totals_that_are_stored(tables: pdp.PublishedTables) -> None:
    wide = tables.crosstab("k", "j", margins=True)
    assert wide.index.tolist() == [*KEYS["k"], "All"]
    assert wide.columns.tolist() == [*KEYS["j"], "All"]
    assert wide.iloc[:3, :3].equals(pd.DataFrame(tables.crosstab("k", "j")))
    for keys, numbers in ((["k"], wide.iloc[:3, 3]), (["j"], wide.iloc[3, :3]), ([], wide.iloc[3:, 3])):
        part = tables.table(keys)
        assert numbers.to_numpy() == pytest.approx(part["count"].to_numpy())
    ends = wide.dp.confint().to_numpy().reshape(4, 4, 2)
    assert ends[:3, 3] == pytest.approx(tables.table(["k"])[["lower", "upper"]].to_numpy())
    assert ends[3, :3] == pytest.approx(tables.table(["j"])[["lower", "upper"]].to_numpy())
    assert ends[3, 3] == pytest.approx(tables.table([])[["lower", "upper"]].to_numpy()[0])
    assert ends[:3, :3] == pytest.approx(tables.table(["k", "j"])[["lower", "upper"]].to_numpy().reshape(3, 3, 2))
    some = tables.crosstab("j", "k", {"j": [3, 1], "k": "b"}, margins=True)
    assert some.loc["All", "All"] == pytest.approx(tables.table([], {"j": [1, 3], "k": "b"})["count"].item())


def test_a_rectangle_is_adjusted_as_any_other(tables: pdp.PublishedTables, tmp_path: Path) -> None:
    wide = tables.crosstab("k", "j", margins=True)
    shares = wide.dp.shares("index")
    assert shares.iloc[:, :3].sum(axis=1).to_numpy() == pytest.approx(np.ones(4))
    assert (shares.dp.confint().to_numpy()[:, 1::2] >= np.minimum(shares, 1)).all(axis=None)
    shares.to_parquet(tmp_path / "s.parquet")
    assert pd.read_parquet(tmp_path / "s.parquet").dp.confint().to_numpy() == pytest.approx(
        shares.dp.confint().to_numpy()
    )
    fives = wide.dp.round_to(5, additive=True)
    assert (fives % 5 == 0).all(axis=None)
    assert (fives.iloc[:, :3].sum(axis=1) == fives["All"]).all()
    plain = tables.crosstab("k", "j")
    before, after = plain.dp.confint().to_numpy(), plain.dp.round_to(10).dp.confint().to_numpy()
    assert after[:, ::2] == pytest.approx(np.ceil(before[:, ::2]))  # of what was released, which are whole rows
    assert after[:, 1::2] == pytest.approx(np.floor(before[:, 1::2]))
    assert plain.dp.suppress(below=1000).isna().all(axis=None)
    whole = tables.crosstab("k", "j", margins=True).dp.nonnegative(integer=True)
    assert (whole.iloc[:3].sum() == whole.loc["All"]).all()
    assert tables.table(["k"], {"j": 2}).dp.nonnegative().min().item() >= 0


def test_what_a_part_cannot_do_is_refused_for_its_true_reason(tables: pdp.PublishedTables, frame: Any) -> None:
    rough = frame.dp.marginals([["k", "j"]], categories=KEYS, epsilon=0.1, structural_zeros={"k": "a", "j": 1})
    for ask, says in [
        (lambda: tables.crosstab("k", "j").dp.shares(), r"ask for it as crosstab\(..., margins=True\)"),
        (lambda: tables.table(["k"]).dp.shares(), r"of stored tables for tables.crosstab\(..., margins=True\)"),
        (lambda: tables.crosstab("k", "j").dp.independence_test(), "share noise, which these tests do not model"),
        (lambda: tables.table(["k"], values="x", aggfunc="sum").dp.round_to(5), "this release holds sum"),
        (lambda: tables.table(["k"], values="x").dp.nonnegative(), "this release holds sum, mean|shared means"),
        (lambda: rough.dp.margin(["k"], {"j": 1}).dp.nonnegative(), "has impossible cells"),
        (lambda: tables.crosstab("k", "j", margins="planned"), "margins must be True or False"),  # type: ignore[arg-type]
        (lambda: tables.table(["k"]).dp.margin([]), "this one is of 'marginals', or a part already"),
    ]:
        with refused(errors.PrivacyError, says):
            ask()  # type: ignore[no-untyped-call]


def test_margins_are_taken_of_adjusted_releases(tables: pdp.PublishedTables) -> None:
    release = tables.releases["place"]
    whole = release.dp.nonnegative(integer=True)
    part = whole.dp.margin(["j"], {"k": ["a", "b"]})
    cells = whole.loc[(["a", "b"], KEYS["j"]), "count"].groupby(level="j").sum()
    assert part["count"].tolist() == cells.tolist()
    assert part.columns.tolist() == ["count"]
    assert "a part of the tables so adjusted" in part.dp.guarantee
    with refused(errors.NotConcluded, "a margin of adjusted tables"):
        part.dp.confint()
    fives = release.dp.round_to(5, additive=True)
    assert fives.dp.margin(["k"])["count"].tolist() == fives.loc[(KEYS["k"], "All"), "count"].tolist()
    with refused(errors.NotConcluded, "a margin of rounded tables"):
        fives.dp.margin(["j"]).dp.confint()
    assert release.dp.suppress(below=10**6).dp.margin(["j"])["count"].isna().all()


# -- which statistic


def test_without_a_name_rows_are_counted(tables: pdp.PublishedTables) -> None:
    assert tables.table(["k"]).columns[0] == "count"
    assert tables.table(["k"], values="x", aggfunc="mean").shape[0] == 3
    with refused(errors.UnsupportedArgument, "'mean' was published of several columns; name one by val"):
        tables.table(["k"], aggfunc="mean")
    with refused(errors.NotConcluded, "has values='z' and aggfunc=None; there is"):
        tables.table(["k"], values="z")


def test_where_no_rows_were_counted_none_are_shown(frame: pd.DataFrame, tmp_path: Path) -> None:
    asked: Any = {"categories": KEYS["k"], "epsilon": 1, "bounds": (0, 5)}
    only = pdp.publish_tables(tmp_path / "o", {"x": lambda: frame.dp.marginals([["k"]], "x", **asked)})
    with refused(errors.NotConcluded):
        only.table(["k"])
    assert only.table(["k"], aggfunc="sum").columns[0] == "sum"


# -- which rows


@pytest.mark.parametrize(
    "given",
    [[1, 2], (1, 2), range(1, 3), np.arange(1, 3), pd.Index([1, 2]), pd.Series([1, 2]), {1, 2}, pd.array([1, 2])],
    ids=lambda given: type(given).__name__,
)
def test_categories_are_taken_from_whatever_lists_them(tables: pdp.PublishedTables, given: Any) -> None:
    assert tables.table(["k"], {"j": given}).equals(tables.table(["k"], {"j": [1, 2]}))
    assert tables.releases["place"].dp.margin(["k"], {"j": given}).shape == (3, 4)


def test_single_categories_are_one_each(tables: pdp.PublishedTables) -> None:
    for given in (2, np.int64(2)):
        assert tables.table(["k"], {"j": given}).equals(tables.table(["k"], {"j": [2]}))
    with refused(errors.UnsupportedArgument, "takes no dict"):
        tables.table(["k"], {"j": {1: 2}})


def test_a_slice_is_the_categories_from_one_to_the_other(tables: pdp.PublishedTables) -> None:
    assert tables.table(["k"], {"j": slice(1, 2)}).equals(tables.table(["k"], {"j": [1, 2]}))
    assert tables.crosstab("k", "j", {"j": slice(3, None)}).equals(tables.crosstab("k", "j", {"j": 3}))
    with refused(errors.UnsupportedArgument, "takes a slice of ordered"):
        tables.table(["j"], {"k": slice("a", "b")})


# -- what is said of them


def test_what_all_questions_cost_together_is_said(tables: pdp.PublishedTables, session: pdp.Session) -> None:
    assert session.share_used == pytest.approx(0.125)
    assert tables.guarantee.splitlines()[-1] == "For all 3 questions together: epsilon=1.25."
    assert repr(tables).endswith(tables.guarantee)
    assert dict(tables.contents[["name", "cost"]].drop_duplicates().to_numpy()) == {
        "place": "epsilon=0.5",
        "levels": "epsilon=0.25",
        "sums": "epsilon=0.5",
    }
    assert tables.table(["g"]).dp.metadata["stored"] == "levels"
    assert tables.crosstab("k", "j", margins=True).dp.metadata["stored"] == "place"


def test_a_folder_that_lost_its_list_is_told_from_another(
    tables: pdp.PublishedTables, tmp_path: Path, frame: pd.DataFrame
) -> None:
    (tmp_path / "t" / "tables.json").unlink()
    ask = {"t": lambda: frame.dp.marginals([["k"]], categories=KEYS["k"], epsilon=1)}
    opening: tuple[Callable[[Path], Any], ...] = (pdp.open_tables, lambda folder: pdp.publish_tables(folder, ask))
    for again in opening:
        with refused(errors.TablesDamaged):
            again(tmp_path / "t")


def test_totals_of_tables_that_do_not_agree_are_not_put_beside_them(frame: pd.DataFrame, tmp_path: Path) -> None:
    with zero_noise():
        apart = pdp.publish_tables(
            tmp_path / "a",
            {"t": lambda: frame.dp.marginals([["k", "j"], ["k"]], categories=KEYS, epsilon=1, consistent=False)},
        )
    with refused(errors.NotConcluded):
        apart.crosstab("k", "j", margins=True)
