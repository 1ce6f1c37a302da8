"""Tables in memory that are scanned: they answer as protected ones do, and show no row."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.core.engine.fold import Batch, column_of
from pandas_dp.engines.scan import memory
from tests.people.conftest import no_other_sessions, open_session, patients, visits
from tests.people.test_over_rows import ANSWERS
from tests.refusals import refused

from .conftest import CROPS, GENEROUS, Farms, farms
from .libraries import Lazy, Relation, Speaks
from .test_people import HOWS, OF_FRAMES, POOR
from .test_same_answers import QUESTIONS

__all__ = ["no_other_sessions", "open_session", "patients", "visits"]  # fixtures

Open = Callable[..., pdp.Session]
MADE: dict[str, Callable[[Any], Any]] = {
    "sum": lambda t: t["size"] + t["gap"],
    "scaled": lambda t: t["size"] * 2 - 1,
    "power": lambda t: t["size"] ** 1.7,
    "rest": lambda t: t["size"] % 0.7,
    "log": lambda t: np.log(t["size"]),
    "exp": lambda t: np.expm1(t["gap"]),
    "filled": lambda t: t["gap"].fillna(3).clip(1, 6),
    "condition": lambda t: (t["size"] > 3) & ~t["gap"].isna(),
    "among": lambda t: t["crop"].isin(["rice", "öats"]),
    "length": lambda t: t["crop"].str.len(),
    "month": lambda t: t["sown"].dt.month,
    "later": lambda t: t["sown"] > "2024-06-01",
    "seconds": lambda t: t["wait"].dt.total_seconds(),
}
CUTS: dict[str, Callable[[Any], Any]] = {
    "all": lambda t: t,
    "most": lambda t: t[t["goats"] > 20],
    "most of most": lambda t: t[t["goats"] > 20][t["size"] < 7],
    "some": lambda t: t[(t["goats"] > 80) & (t["crop"] != "rice")],
    "some of some": lambda t: t[t["goats"] > 10][t["goats"] > 60][t["size"] < 7],
    "made before": lambda t: (lambda more: more[more["goats"] > 60])(t.assign(goats=t["goats"] * 2)),
    "none": lambda t: t[t["goats"] > 1000],
}


@pytest.fixture
def session() -> Iterator[pdp.Session]:
    with pdp.Session(schema=Farms, **GENEROUS) as opened:
        yield opened


@pytest.fixture
def mine(session: pdp.Session, table: pd.DataFrame) -> Any:
    return session.scan(table)


def read_of(table: Any) -> Any:
    """What a question reads of a table."""
    return table._rows._source.reading(table._rows, dict(table.items()))


def same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    """To the last bit."""
    pd.testing.assert_frame_equal(pd.DataFrame(one), pd.DataFrame(other), check_exact=True)
    assert one.dp.metadata.keys() == other.dp.metadata.keys()


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_the_numbers_of_a_protected_frame_and_of_files(
    name: str, mine: Any, whole: pd.DataFrame, scanned: Any
) -> None:
    ask = QUESTIONS[name]
    with zero_noise():
        found = ask(mine)
        same(found, ask(whole))
        same(found, ask(scanned))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", MADE)
def test_what_is_made_of_rows_has_the_numbers_of_files(name: str, cut: str, mine: Any, scanned: Any) -> None:
    def ask(table: Any) -> pd.DataFrame:
        made = CUTS[cut](table)
        made = made.assign(z=MADE[name](made))
        found: pd.DataFrame = made["z"].dp.agg(["count", "mean", "var", "iqr"], bounds=(0, 40), epsilon=1)
        return found

    with zero_noise():
        same(ask(mine), ask(scanned))


@pytest.mark.parametrize("cut", CUTS)
def test_texts_that_were_made_are_keys(cut: str, mine: Any, scanned: Any) -> None:
    def ask(table: Any) -> pd.DataFrame:
        some = CUTS[cut](table)
        some = some.assign(crop=some["crop"].str.upper())
        found: pd.DataFrame = some.dp.groupby("crop", categories=[each.upper() for each in CROPS])["size"].sum()
        return found

    with zero_noise():
        same(ask(mine), ask(scanned))


@pytest.mark.parametrize("resample", ["half-sample", "weights", "multinomial", "moments"])
def test_replicates_are_drawn_as_of_a_protected_frame(resample: str, mine: Any, whole: pd.DataFrame) -> None:
    for table in (mine, whole):
        found = table["size"].dp.mean(bootstrap=20, resample=resample, epsilon=10**9, delta=1e-9)
        assert found["mean"].item() == pytest.approx(farms()["size"].mean(), rel=0.05)


def test_weaker_promises_find_their_rows(table: pd.DataFrame) -> None:
    with pdp.Session(epsilon=10**9, delta=1e-6, schema=Farms, models=["dp", "idp"]) as session:
        found = [t["size"].dp.var(model="idp", epsilon=10**6)["var"].item() for t in (session.scan(table),)]
    assert found == pytest.approx([table["size"].var()], rel=1e-2)


STORED: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "objects": lambda t: t.astype(object),
    "nullable": lambda t: t.convert_dtypes(dtype_backend="numpy_nullable"),
    "arrow": lambda t: t.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda t: t.astype({"crop": "category", "goats": "category"}),
    "wide": lambda t: t.astype({"goats": np.complex128, "size": np.longdouble}),
    "seconds": lambda t: t.astype({"sown": "M8[s]", "wait": "m8[s]"}),
    "swapped": lambda t: t.astype({"goats": ">i8", "size": ">f8"}),
    "an index": lambda t: t.set_index(["size", "goats"]),
}


@pytest.mark.parametrize("stored", STORED)
def test_however_values_are_stored_they_are_the_same(stored: str, session: pdp.Session, table: pd.DataFrame) -> None:
    one, other = session.scan(STORED[stored](table)), session.scan(table)
    kinds = "size", "goats", "crop", "owned", "sown", "wait"
    assert [one[name].kind for name in kinds] == ["number", "number", "text", "condition", "time", "span"]
    with zero_noise():
        for ask in (
            lambda t: t.dp.groupby("crop")["size"].mean(),
            lambda t: t[t["goats"] > 80]["sown"].dp.mean(),
            lambda t: t["wait"].dp.median(),
            lambda t: t[t["owned"] & (t["crop"] == "rice") & (t["wait"] > "2h")].dp.groupby("crop").size(),
        ):
            same(ask(one), ask(other))


@pytest.mark.parametrize("of", [lambda table: table, Speaks, Lazy, Relation])
def test_tables_of_other_libraries_are_held_as_arrow_has_them(
    of: Callable[[pa.Table], Any], session: pdp.Session, table: pd.DataFrame
) -> None:
    made = pa.Table.from_pandas(table, preserve_index=False)
    views = made.set_column(2, "crop", made["crop"].cast(pa.string_view()))
    found, want = session.scan(of(views)), session.scan(table)
    eyes = session.protect(of(views))
    with zero_noise():
        for ask in (lambda t: t[t["goats"] > 80].dp.groupby("crop")["size"].sum(), lambda t: t["sown"].dp.mean()):
            same(ask(found), ask(want))
            same(ask(eyes), ask(want))
    assert found["size"].dp.count().dp.metadata["epsilon"] == 0


def test_frames_are_scanned_without_pyarrow() -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import pandas as pd, pandas_dp as pdp\n"
        "rows = pd.DataFrame({'x': [1.0, 3.0] * 50, 'k': ['a', 'b'] * 50})\n"
        "t = pdp.Session(epsilon=1e9).scan(rows)\n"
        "t = t[t['k'].str.upper() == 'B'].assign(y=t['x'] * 2)\n"
        "assert round(t['y'].dp.sum(bounds=(0, 9), epsilon=1e6)['sum'].item()) == 300\n"
        "u = pdp.Session(epsilon=1e9, unit='k').scan(rows)\n"
        "assert round(u.dp.per_person(x='sum')['x'].dp.sum(bounds=(0, 999), epsilon=1e6)['sum'].item()) == 200\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# -- sizes, and rows that are written later


def test_the_number_of_rows_is_public_where_that_of_a_protected_frame_is(table: pd.DataFrame) -> None:
    for how, public in ({}, True), ({"neighbours": "add_remove"}, False):
        with pdp.Session(epsilon=10**6, schema=Farms, **how) as session:
            for t in (session.scan(table), session.protect(table)):
                label = t["size"].dp.count(epsilon=1).dp.metadata
                assert ((label["epsilon"] == 0), label["size"]) == (public, 900 if public else None)
                assert t[t["size"] > 3]["size"].dp.count(epsilon=1).dp.metadata["size"] is None


def test_a_whole_table_has_a_length_where_it_is_public(
    table: pd.DataFrame, folder: Path, open_session: Callable[..., pdp.Session]
) -> None:
    with pdp.Session(epsilon=1, schema=Farms) as session:
        for t in (session.scan(table), session.scan(folder)):
            assert (len(t), t.shape) == (900, (900, len(table.columns)))
            assert t.assign(y=t["size"] + 1).sort_values("size").shape == (900, len(table.columns) + 1)
            for cut in (t[t["size"] > 3], t.dropna(), t.query("size > -1")):
                with pytest.raises(errors.UnsupportedArgument):
                    len(cut)
                with pytest.raises(AttributeError):
                    cut.shape  # noqa: B018
        assert len(session.ledger) == 0
        mapped = session.scan(folder).map(lambda d: d[d["size"] > 3])
        with pytest.raises(errors.UnsupportedArgument):
            len(mapped)
    with pdp.Session(epsilon=1, schema=Farms, neighbours="add_remove") as session:
        for t in (session.scan(table), session.scan(folder)):
            with pytest.raises(errors.UnsupportedArgument):
                len(t)
    with pytest.raises(errors.UnsupportedArgument):
        len(open_session(schema=None).scan(pd.DataFrame({"person_id": [1, 1, 2], "cost": 1.0})))


def test_what_is_written_into_the_frame_later_is_not_scanned(session: pdp.Session, table: pd.DataFrame) -> None:
    want = table["size"].sum()
    scanned = session.scan(table)
    table.loc[0, "size"] = 1e9
    table["size"] *= 2
    del table["goats"]
    table.pop("crop")
    with zero_noise():
        assert scanned["size"].dp.sum()["sum"].item() == pytest.approx(want, rel=1e-9)
        assert scanned["goats"].dp.count()["count"].item() == 900


def test_a_condition_is_evaluated_once_and_after_paying(
    mine: Any, session: pdp.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    plain = memory.holds
    monkeypatch.setattr(memory, "holds", lambda condition, rows: read.append(len(rows)) or plain(condition, rows))
    some = mine[mine["size"] > 3]
    with pytest.raises(errors.BudgetExceeded):
        some["size"].dp.mean(epsilon=10**14)
    assert not read
    some["size"].dp.mean()
    some.dp.groupby("crop")["goats"].sum()
    (some["size"] * 2).dp.median(bounds=(0, 16))
    assert read == [900]


def test_questions_that_are_asked_together_are_answered(mine: Any, whole: pd.DataFrame, session: pdp.Session) -> None:
    with zero_noise():
        found = session.together(
            lambda: mine["size"].dp.mean(epsilon=1),
            lambda: mine[mine["goats"] > 50].dp.groupby("crop").size(epsilon=1),
        )
        same(found[0], whole["size"].dp.mean(epsilon=1))
        same(found[1], whole[whole["goats"] > 50].dp.groupby("crop").size(epsilon=1))


def test_no_function_gets_rows_which_it_could_keep(mine: Any) -> None:
    kept: list[object] = []
    with pytest.raises(errors.NotFollowed):
        mine.map(lambda rows: kept.append(rows) or rows)
    assert not kept


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_where_blocks_end_makes_no_difference(size: int, mine: Any, scanned: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("pandas_dp.language.graph.BLOCK", size)
    monkeypatch.setattr("pandas_dp.core.engine.sweep.BLOCK", 3 * size)
    for ask in (
        lambda t: t[np.log(t["size"]) > 0.3].dp.groupby("crop")["gap"].sum(),
        lambda t: t.assign(crop=t["crop"].str.lower())["crop"].dp.value_counts(categories=["rye", "rice"]),
    ):
        with zero_noise():
            same(ask(mine), ask(scanned))


@pytest.mark.parametrize("few", [0.0, 1.0])
@pytest.mark.parametrize("name", MADE)
def test_rows_that_are_put_together_have_the_values_that_they_had(name: str, few: float, monkeypatch: Any) -> None:
    """Numpy computes some functions by several values at a time: where they stand makes no difference."""
    monkeypatch.setattr(memory, "FEW", few)
    table = farms(10_000)
    with pdp.Session(schema=Farms, **GENEROUS) as session:
        t = session.scan(table)
        every = read_of(t.assign(z=MADE[name](t)))._held.batch.column("z").block(slice(0, 10_000))[0]
        some = t[t["goats"] > 30]
        batch: Batch = read_of(some.assign(z=MADE[name](some)))._held.batch
        found = batch.column("z").block(slice(0, len(batch)))[0]
        found = found if batch.kept is None else found[batch.kept]
    assert (batch.kept is None) == (few == 1)
    assert found.tobytes() == every[table["goats"] > 30].tobytes()


# -- people


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in OF_FRAMES])
def test_questions_about_people_have_the_numbers_of_a_protected_frame(
    name: str, open_session: Open, visits: pd.DataFrame
) -> None:
    ask, _ = ANSWERS[name]
    visits.loc[::5, "day"] = np.nan
    session = open_session(delta=1e-9)
    with zero_noise():
        found, want = ask(session.scan(visits)), ask(session.protect(visits))
    same(found, want)
    label = found.dp.metadata
    assert (label["size"], label["unit"], label["counted"]) == (None, "person_id", "weighed rows")


@pytest.mark.parametrize("how", HOWS)
def test_a_table_of_people_is_that_of_a_protected_frame(how: str, open_session: Open, visits: pd.DataFrame) -> None:
    session = open_session(schema=None, delta=1e-9)
    with zero_noise():
        for ask in (
            lambda t: t.dp.per_person(cost=how)["cost"].dp.mean(bounds=(0, 900), epsilon=1),
            lambda t: t[t["day"] > 300].dp.per_person(x=("cost", how))["x"].dp.sum(bounds=(0, 99), epsilon=1),
            lambda t: t.dp.per_person(last="cost", n="size", by="day").dp.mean(bounds=(0, 900), epsilon=1),
        ):
            same(ask(session.scan(visits)), ask(session.protect(visits)))


def test_people_are_cut_and_computed_with(open_session: Open, visits: pd.DataFrame) -> None:
    people = open_session().scan(visits).dp.per_person(cost="sum", n="size")
    some = people[people["n"] > 1]
    want = visits.groupby("person_id")["cost"].agg(["sum", "size"]).query("size > 1")
    with zero_noise():
        found = (some["cost"] / some["n"]).dp.sum(bounds=(0, 1000), epsilon=1)
    assert found["sum"].item() == pytest.approx((want["sum"] / want["size"]).sum(), rel=1e-4)


def test_one_row_is_the_first_of_each_person(open_session: Open, visits: pd.DataFrame) -> None:
    session = open_session(delta=1e-9)
    one, other = session.scan(visits, one_row=True), session.protect(visits, one_row=True)
    with zero_noise():
        same(one["cost"].dp.mean(epsilon=1), other["cost"].dp.mean(epsilon=1))
        same(
            one[one["cost"] > 50].dp.value_counts("ward", epsilon=1),
            other[other["cost"] > 50].dp.value_counts("ward", epsilon=1),
        )
    assert one["cost"].dp.mean(epsilon=1).dp.metadata["counted"] == "rows"


@pytest.mark.parametrize("kind", ["int8", "Int64", "uint64", "str", "object", "category", "large_string[pyarrow]"])
def test_ids_of_any_type_are_the_same_ids(kind: str, open_session: Open) -> None:
    ids = pd.Series([1, 2, 2, 3] * 4)
    ids = ids.astype(str).astype(kind) if kind not in ("int8", "Int64", "uint64") else ids.astype(kind)
    if kind not in ("int8", "uint64"):
        ids = ids.where(np.arange(16) < 14)
    v = open_session(schema=None).scan(pd.DataFrame({"person_id": ids, "cost": 10.0}), max_rows=4)
    with zero_noise():
        assert v["person_id"].dp.nunique(epsilon=1)["nunique"].item() == 3
        found = v["cost"].dp.sum(per_person=(0, 50), epsilon=1)["sum"].item()
    assert found == pytest.approx(40 + 50 + (40 if kind in ("int8", "uint64") else 30), abs=0.01)


def test_whoever_is_not_on_the_roster_counts_nowhere(open_session: Open, visits: pd.DataFrame) -> None:
    session = open_session()
    ids = visits["person_id"].unique()
    session.protect(pd.DataFrame({"person_id": [*ids[10:], -1, -2]}), roster=True)
    v, theirs = session.scan(visits), visits[visits["person_id"].isin(ids[10:])]
    everybody = v.dp.per_person(cost="sum", absent=0)
    with zero_noise():
        assert v["person_id"].dp.nunique(epsilon=1)["nunique"].item() == len(ids) - 10
        assert everybody["cost"].dp.count(epsilon=1)["count"].item() == len(ids) - 8
        found = everybody["cost"].dp.sum(bounds=(0, 10**5), epsilon=1)["sum"].item()
    assert found == pytest.approx(theirs["cost"].sum(), rel=1e-3)


@pytest.mark.parametrize("name", POOR)
def test_whatever_people_have_every_question_is_answered(name: str, open_session: Open) -> None:
    v = open_session(delta=1e-9, per_query=0.001).scan(POOR[name])
    shapes = [ask(v).shape for asked, (ask, _) in ANSWERS.items() if asked not in OF_FRAMES]
    assert shapes[:3] == [(1, 4)] * 3
    people = v.dp.per_person(cost="sum", n="size", ward="first", last="day", by="day")
    assert people["cost"].dp.mean(bounds=(0, 9)).shape == people["n"].dp.mean(bounds=(0, 9)).shape == (1, 4)


# -- refusals


REFUSED: dict[str, Callable[[pdp.Session, pd.DataFrame], object]] = {
    "rows": lambda s, t: s.scan(t, rows=900),
    "unit": lambda s, t: s.scan(t, unit="crop"),
    "one row": lambda s, t: s.scan(t, one_row=True),
    "complete": lambda s, t: s.scan(t, complete=["acres"]),
    "twice": lambda s, t: s.scan(pd.concat([t, t], axis=1)),
    "levels": lambda s, t: s.scan(pd.concat({"a": t}, axis=1)),
    "names": lambda s, t: s.scan(t.rename(columns={"size": len})),
    "protected": lambda s, t: s.scan(s.protect(t)),
    "cut": lambda s, t: s.scan(s.protect(t)[:5]),
    "cut, as Arrow": lambda s, t: s.scan(pa.Table.from_pandas(s.protect(t)[:5])),
    "cut, without a label": lambda s, t: s.scan(pd.DataFrame(s.protect(t)[:5].to_dict("series")).reset_index()),
    "release, as Arrow": lambda s, t: s.scan(pa.Table.from_pandas(s.protect(t)["size"].dp.mean(epsilon=1))),
    "release": lambda s, t: s.scan(s.protect(t)["size"].dp.mean(epsilon=1)),
    "custodian": lambda s, t: s.scan(_for_eyes(t)),
    "column": lambda s, t: s.scan(t["size"]),
    "scanned": lambda s, t: s.scan(s.scan(t)),
    "nothing that Arrow knows": lambda s, t: s.scan(Speaks(None)),  # type: ignore[arg-type]
    "nothing that Arrow knows, protected": lambda s, t: s.protect(Speaks(None)),  # type: ignore[arg-type]
    "a release of Arrow, protected": lambda s, t: s.protect(
        pa.Table.from_pandas(s.protect(t)["size"].dp.mean(epsilon=1))
    ),
    "standardize": lambda s, t: s.scan(t).dp.standardize("size", epsilon=1),
    "blocks": lambda s, t: s.scan(t).dp.blocks(10),
}


def _for_eyes(table: pd.DataFrame) -> pd.DataFrame:
    seen = table.copy()
    seen.attrs["dp"] = {"kind": "custodian"}
    return seen


@pytest.mark.parametrize("case", REFUSED)
def test_other_tables_are_refused(case: str, table: pd.DataFrame) -> None:
    with pdp.Session(schema=Farms, epsilon=10) as session, refused((errors.PrivacyError,)):
        REFUSED[case](session, table)


def test_what_protect_refuses_of_a_table_scan_refuses_in_the_same_words(table: pd.DataFrame) -> None:
    odd = [
        pd.concat([table, table], axis=1),
        pd.concat({"a": table}, axis=1),
        table.rename(columns={"size": len}),
        _for_eyes(table),
    ]
    with pdp.Session(epsilon=10) as session:
        for each in [*odd, session.protect(table)["size"].dp.mean(bounds=(0, 8), epsilon=1)]:
            said = []
            for door in (session.scan, session.protect):
                with pytest.raises(errors.PrivacyError) as caught:
                    door(each)
                said.append(str(caught.value))
            assert said[0] == said[1]


def test_ids_that_protect_refuses_are_refused(open_session: Open, visits: pd.DataFrame) -> None:
    session = open_session()
    for each in (visits.astype({"person_id": float}), visits.drop(columns="person_id")):
        said = []
        for door in (session.scan, session.protect):
            with pytest.raises(errors.NotProtected) as caught:
                door(each)
            said.append(str(caught.value))
        assert said[0] == said[1]
    session.scan(visits)
    with pytest.raises(errors.NotProtected):
        session.scan(visits.astype({"person_id": str}))


# -- kinds


def test_kinds_are_those_that_are_declared_and_no_dtype_says_one() -> None:
    class Said(pandera.DataFrameModel):
        number: float
        whole: int = pandera.Field(ge=0, le=1)
        when: pd.Timestamp
        text: str
        told: bool
        open: object = pandera.Field(isin=["a"])

    said = ["number", "whole", "when", "text", "told"]
    frame = pd.DataFrame({name: [None, 1] for name in [*said, "open", "free"]}, dtype=object)
    frame = frame.assign(kind=pd.Categorical([1, 2]), time=pd.Timestamp("2026-01-01"), flag=True, share=0.5)
    facts = memory.facts_in(frame, pdp.Session(epsilon=1, schema=Said)._core.opening.domain)
    assert [facts[name].kind for name in said] == ["number", "number", "time", "text", "condition"]
    assert {facts[name].kind for name in ("open", "free", "kind", "time", "flag", "share")} == {"any"}


# -- nothing can be read


PROTOCOLS: dict[str, Callable[[Any], object]] = {
    "repr": repr,
    "str": str,
    "format": lambda t: f"{t}",
    "html": lambda t: t._repr_html_(),
    "len": len,
    "bool": bool,
    "iter": list,
    "next": next,
    "reversed": reversed,
    "in": lambda t: 1.0 in t,
    "int": int,
    "float": float,
    "complex": complex,
    "index": lambda t: [1, 2, 3][t],
    "round": round,
    "hash": lambda t: isinstance(hash(t), int),
    "equal": lambda t: t == 1.0,
    "equal to itself": lambda t: t == t,
    "unequal": lambda t: t != 1.0,
    "array": np.asarray,
    "numbers": lambda t: np.asarray(t, dtype=float),
    "objects": lambda t: np.array([t], dtype=object).shape,
    "sum": np.sum,
    "mean": np.mean,
    "where": lambda t: np.where(t, 1, 0),
    "matmul": lambda t: t @ t,
    "series": lambda t: pd.Series(t),
    "frame": lambda t: pd.DataFrame(t),
    "index of pandas": lambda t: pd.Index(t),
    "arrow": pa.table,
    "arrow's array": pa.array,
    "exchange": lambda t: t.__dataframe__(),
    "stream": lambda t: t.__arrow_c_stream__(),
    "arrow's protocol": lambda t: t.__arrow_array__(),
    "interface": lambda t: t.__array_interface__,
    "dlpack": lambda t: t.__dlpack__(),
    "buffer": memoryview,
    "bytes": bytes,
    "pickle": pickle.dumps,
    "reduce": lambda t: t.__reduce_ex__(4) and None,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "size": sys.getsizeof,
    "dir": dir,
    "first": lambda t: t[0],
    "slice": lambda t: t[:3],
    "loc": lambda t: t.loc[0],
    "mask": lambda t: t[[True, False]],
    "every": lambda t: t[...],
    "keys": dict,
    "unpacked": lambda t: [*t],
    "sorted": sorted,
    "least": min,
    "match": lambda t: t.__match_args__,
    "with": lambda t: t.__enter__(),
    "await": lambda t: t.__await__(),
    "path": lambda t: t.__fspath__(),
    "length hint": lambda t: t.__length_hint__(),
}


def shown(found: object) -> object:
    """What a program can see of a result."""
    if isinstance(found, pd.Index):
        return found.tolist()
    if isinstance(found, list | tuple):
        return [shown(each) for each in found]
    plain = isinstance(found, str | int | float | bool | type(None))
    words = repr(found)
    return (type(found).__name__, words.partition(" at 0x")[0]) if not plain else found


def outcome(of: Callable[[Any], object], on: Any) -> object:
    try:
        return shown(of(on))
    except Exception as error:  # noqa: BLE001 - whatever a name does
        return type(error).__name__, str(error).partition(" at 0x")[0]


def named(name: str) -> Callable[[Any], object]:
    """A public name: as it is, and called with nothing, with a number, with itself."""

    def use(on: Any) -> object:
        found = getattr(on, name)
        calls: list[Callable[[], object]] = [found, lambda: found(1), lambda: found(on), lambda: found("size")]
        return [shown(found), *(outcome(lambda _, call=call: call(), None) for call in calls if callable(found))]

    return use


ASKED: dict[str, Callable[[Any], Any]] = {
    "table": lambda t: t,
    "cut": lambda t: t[t["size"] > 3],
    "wider": lambda t: t.assign(z=t["size"] / 2),
    "column": lambda t: t["size"],
    "text": lambda t: t["crop"],
    "time": lambda t: t["sown"],
    "span": lambda t: t["wait"],
    "condition": lambda t: t["size"] > 3,
    "expression": lambda t: np.log(t["size"] + t["gap"]),
    "texts": lambda t: t["crop"].str.lower(),
    ".str": lambda t: t["crop"].str,
    ".dt": lambda t: t["sown"].dt,
}


@pytest.mark.parametrize("name", ASKED)
def test_nothing_that_a_program_does_tells_two_tables_apart(name: str, session: pdp.Session) -> None:
    """They differ in one row; each public name, and each protocol, does the same to both before it is asked by `.dp`,
    and after."""
    one, other = farms(50), farms(50)
    other.loc[7, ["size", "goats", "crop", "gap"]] = [7.75, 99, "öats", np.nan]
    other.loc[7, ["owned", "note"]] = [not one.loc[7, "owned"], "another"]
    assert (one.drop(index=7) == other.drop(index=7))["size"].all()
    scanned = [session.scan(each) for each in (one, other)]
    made = [ASKED[name](each) for each in scanned]
    public = [each for each in dir(made[0]) if not each.startswith("_") and each != "dp"]
    public += [each for each in (*dir(pd.DataFrame), *dir(pd.Series)) if not each.startswith("_") and each != "dp"]
    protocols = [each for each in dir(made[0]) if each.startswith("__") and each not in INSIDE]
    doings = {**PROTOCOLS, **{each: named(each) for each in (*public, *protocols)}}
    for _ in range(2):
        for doing, of in doings.items():
            first, second = (outcome(of, each) for each in made)
            assert first == second, doing
            assert "7.75" not in str(first), doing
        for each in made:
            if hasattr(each, "dp"):
                each.dp  # noqa: B018 - what asks has been made once
    assert len(doings) > 250


INSIDE = {"__dict__", "__hash__", "__class__", "__init__", "__setattr__", "__delattr__", "__getstate__", "__reduce__"}
INSIDE |= {"__reduce_ex__", "__dir__", "__sizeof__", "__init_subclass__", "__subclasshook__", "__weakref__", "__new__"}
"""What a class has of Python itself; pickles are tried above."""


def test_a_table_is_neither_pickled_nor_copied_with_its_rows(table: pd.DataFrame, tmp_path: Path) -> None:
    """Also where its session could be."""
    with pdp.Session(epsilon=1, ledger=tmp_path / "ledger.db") as session:
        t = session.scan(table)
        for each in (t, t["size"], t[t["size"] > 3], read_of(t), t.dp._frame):
            for take in (pickle.dumps, copy.deepcopy):
                try:
                    found = take(each)
                except (errors.PrivacyError, TypeError, pickle.PicklingError, AttributeError):
                    continue
                assert isinstance(found, bytes | pd.DataFrame)
                assert len(pickle.dumps(found)) < 3_000
        with refused(errors.PrivacyError):
            pickle.dumps(read_of(t).source)


def test_rows_stand_in_no_repr_of_what_is_inside(table: pd.DataFrame) -> None:
    with pdp.Session(epsilon=1) as session:
        t = session.scan(table)[["size"]]
        words = repr(t) + repr(read_of(t)) + repr(read_of(t).source)
    assert not any(f"{value}" in words for value in table["size"] if len(f"{value}") > 6)


def test_of_files_and_of_frames_the_same_words_are_said(mine: Any, scanned: Any) -> None:
    assert repr(mine).partition("spent")[0] == repr(scanned).partition("spent")[0]
    assert repr(mine["size"] > 3) == repr(scanned["size"] > 3)


def test_parquet_files_of_a_frame_are_read_as_the_frame(session: pdp.Session, tmp_path: Path) -> None:
    """Floats of all sizes, also those that are none."""
    r = np.random.default_rng(1)
    x = np.concatenate([r.normal(0, 1, 5_000) * 10.0 ** r.integers(-300, 300, 5_000), [np.nan, np.inf, -np.inf, -0.0]])
    parquet.write_table(pa.table({"x": x}), tmp_path / "x.parquet")
    tables = session.scan(pd.DataFrame({"x": x})), session.scan(tmp_path), session.protect(pd.DataFrame({"x": x}))
    with zero_noise():
        for ask in (
            lambda t: t["x"].dp.mean(bounds=(-7, 10)),
            lambda t: t["x"].dp.quantile([0.1, 0.77], bounds=(-7, 10)),
            lambda t: t["x"].dp.var(bounds=(-1e10, 1e10)),
        ):
            found = [ask(t) for t in tables]
            same(found[0], found[1])
            same(found[0], found[2])


def test_columns_are_read_as_protected_ones(table: pd.DataFrame) -> None:
    held = memory.TableInMemory(table)
    read = memory.HeldRows.of(held).batch.column("size").block(slice(3, 9))[0]
    assert read.tolist() == column_of(table["size"]).block(slice(3, 9))[0].tolist() == table["size"][3:9].tolist()
