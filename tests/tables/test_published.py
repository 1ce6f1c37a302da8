"""Tables published once and answered from a folder: free, always the same, safe against crashes and damage."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from pandas_dp.tables.published import archive
from tests.refusals import refused

from .publishing import CATEGORIES, PLACES, people, publish

KEYS = {"k": ["a", "b", "c"], "j": [1, 2], "i": ["x", "y", "z", "w"]}


def random_people(rows: int = 500) -> pd.DataFrame:
    r = np.random.default_rng(5)
    frame = pd.DataFrame({name: r.choice(np.array([*values, None], object), rows) for name, values in KEYS.items()})
    return frame.assign(x=r.integers(0, 11, rows))


def served(folder: Path, **how: Any) -> tuple[pdp.Session, pd.DataFrame, pdp.PublishedTables]:
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(random_people())
    asked = {"categories": KEYS, "epsilon": 1, **how}
    pairs = {"categories": {name: KEYS[name] for name in "kj"}, "bounds": (0, 10), "epsilon": 1, **how}
    tables = pdp.publish_tables(
        folder,
        {
            "people": lambda: frame.dp.marginals([["k", "j", "i"], ["i"], []], **asked),
            "x": lambda: frame.dp.marginals([["k", "j"], ["k"]], "x", **pairs),
        },
    )
    return session, frame, tables


# -- what is answered


@pytest.mark.parametrize("consistent", [True, False])
def test_every_part_is_what_pandas_counts_where_there_is_no_noise(tmp_path: Path, consistent: bool) -> None:
    with zero_noise():
        _, _, tables = served(tmp_path / "t", consistent=consistent)
    declared = random_people().dropna()
    for keys in ([], ["i"], ["i", "k"], ["j", "k", "i"], ["k"]):
        for where in ({}, {"k": "a"}, {"j": [2], "i": ["z", "x"]}):
            chosen = declared[
                np.logical_and.reduce(
                    [declared[k].isin(np.atleast_1d(v)) for k, v in where.items()] or [declared.k.notna()]
                )
            ]
            found = tables.table(keys, where)
            assert list(found.index.names) == (keys or [None])
            for label, number in found["count"].items():
                values = label if isinstance(label, tuple) else (label,)
                here = np.logical_and.reduce(
                    [chosen[k] == v for k, v in zip(keys, values, strict=False)] or [chosen.k.notna()]
                )
                assert number == pytest.approx(here.sum())
    sums = tables.table(["j"], {"k": ["a", "c"]}, values="x")
    known = random_people().dropna(subset=["k", "j"])
    assert sums.loc[1, "sum"] == pytest.approx(known.x[known.k.isin(["a", "c"]) & (known.j == 1)].sum())
    cross = tables.crosstab("i", ["j", "k"], {"k": ["c", "a"]})
    assert cross.loc["w", (2, "c")] == pytest.approx(
        ((declared.i == "w") & (declared.j == 2) & (declared.k == "c")).sum()
    )
    assert cross.dp.confint().shape == (4, 8)


def test_answers_cost_nothing_and_are_always_the_same(tmp_path: Path) -> None:
    session, _, tables = served(tmp_path / "t")
    used, entries = session.share_used, len(session.ledger)
    first = tables.table(["k", "i"], {"j": 2})
    again = pdp.open_tables(tmp_path / "t").table(["k", "i"], {"j": 2})
    pd.testing.assert_frame_equal(pd.DataFrame(first), pd.DataFrame(again))
    assert first.attrs == again.attrs
    assert first.dp.confint().equals(again.dp.confint())
    assert (session.share_used, len(session.ledger)) == (used, entries)
    assert first.dp.metadata["id"] == session.ledger["release"].iloc[0]
    assert first.dp.guarantee == tables.releases["people"].dp.guarantee
    ends, apart = first.dp.confint(0.975), first.dp.contrast(("a", "x"), ("a", "y")).iloc[0]
    one, other = ends.loc[("a", "x")], ends.loc[("a", "y")]
    assert (apart["lower"], apart["upper"]) == (one["lower"] - other["upper"], one["upper"] - other["lower"])


def test_the_least_noisy_of_several_stored_tables_answers(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=100)
    frame = session.protect(people())

    def ask(tables: list[list[str]], epsilon: float) -> Any:
        declared = CATEGORIES if len(tables[0]) > 1 else CATEGORIES["k"]
        return lambda: frame.dp.marginals(tables, categories=declared, epsilon=epsilon)

    tables = pdp.publish_tables(
        tmp_path / "t", {"broad": ask([["k", "j"]], 1), "fine": ask([["k"]], 5), "poor": ask([["k"]], 0.1)}
    )
    assert tables.table(["k"]).dp.metadata["epsilon"] == 5
    assert tables.table(["k"], {"j": 1}).dp.metadata["epsilon"] == 1
    raw = frame.dp.marginals(
        [["j", "k"], ["j"]], categories=CATEGORIES, epsilon=1, consistent=False, cost_shares=[1, 9]
    )
    assert raw.dp.margin(["j"])["std_error"].iloc[0] < raw.dp.margin(["k"])["std_error"].iloc[0] / 5


@pytest.mark.slow
@pytest.mark.parametrize("consistent", [True, False])
def test_intervals_of_parts_hold_and_their_errors_are_those_stated(consistent: bool) -> None:
    """300 tables of real noise: the least part has one number, whose mean square errs by 10 per cent, so 30 of its root
    are six of its own errors; of intervals of 90 per cent fewer than 80 would be luck of 1e-7, and more than 98.5."""
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(random_people(200))
    ask = {"tables": [["k", "j"], ["i", "j"], ["k"]], "categories": KEYS, "consistent": consistent, "confidence": 0.9}
    parts: list[tuple[list[str], dict[str, Any]]] = [
        (["j"], {"k": ["a", "b"]}),
        ([], {"i": ["x", "w"]}),
        (["i"], {"j": 1}),
    ]
    with zero_noise():
        exact = frame.dp.marginals(**ask, epsilon=1)
        true = [exact.dp.margin(keys, where)["count"].to_numpy() for keys, where in parts]
    errs: list[list[Any]] = [[], [], []]
    held: list[list[float]] = [[], [], []]
    for _ in range(300):
        table = frame.dp.marginals(**ask, epsilon=1)
        for at, (keys, where) in enumerate(parts):
            part = table.dp.margin(keys, where)
            errs[at].append(part["count"].to_numpy() - true[at])
            held[at].append(((part["lower"] <= true[at] + 1e-9) & (part["upper"] >= true[at] - 1e-9)).mean())
    for at, (keys, where) in enumerate(parts):
        stated = table.dp.margin(keys, where)["std_error"].iloc[0]
        assert np.sqrt(np.mean(np.square(errs[at]))) == pytest.approx(stated, rel=0.3)
        assert 0.8 < np.mean(held[at]) < 0.985


def test_weights_of_parts_are_those_of_least_squares() -> None:
    """The sum of a block of cells, against a dense solver."""
    from pandas_dp.tables.planning.lattice import Effects

    from .test_margins import SIZES, VARIANCES, summing

    effects = Effects(SIZES, VARIANCES)
    design = np.vstack([summing(k) / np.sqrt(v) for k, v in VARIANCES.items()])
    spread = np.linalg.pinv(design.T @ design)
    for margin, blocks in [
        ((0, 1), [(0, 2), (1,)]),
        ((0, 1, 2), [(0,), (1, 2, 3), (0, 1)]),
        ((2,), [(1,)]),
        ((1, 2), [(0, 3), (0,)]),
    ]:
        one = np.zeros([SIZES[p] for p in margin])
        one[np.ix_(*blocks)] = 1
        row = one.ravel() @ summing(margin)
        taken = {place: len(block) for place, block in zip(margin, blocks, strict=True)}
        terms = effects.terms(margin, taken)
        assert sum(n * w**2 * VARIANCES[m] for m, w, n in terms) == pytest.approx(row @ spread @ row, rel=1e-9)
        for outer in VARIANCES:  # and every noise is in it
            assert sum(n for m, _, n in terms if m == outer) == effects.cells(outer)


def test_structural_zeros_stay_exact_in_parts(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=10)
    frame = session.protect(people())
    zeros = {"k": "a", "j": 1}
    raw = frame.dp.marginals([["k", "j"]], categories=CATEGORIES, epsilon=0.1, consistent=False, structural_zeros=zeros)
    part = raw.dp.margin(["k"], {"j": 1})
    assert part.loc["a", ["count", "lower", "upper"]].tolist() == [0, 0, 0]
    assert part.loc["b", "upper"] > part.loc["b", "count"]
    fitted = frame.dp.marginals([["k", "j"], []], categories=CATEGORIES, epsilon=0.1, structural_zeros=zeros)
    part = fitted.dp.margin(["k"], {"j": 1})
    assert part.loc["a", ["lower", "upper"]].tolist() == [0, 0]
    assert part.loc["b", "upper"] > part.loc["b", "count"]


def test_categories_of_every_kind_come_back(tmp_path: Path) -> None:
    keys: dict[str, list[Any]] = {
        "n": [3, 1],
        "f": [0.1, 2.5],
        "b": [True, False],
        "t": [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-02-01 03:00")],
        "s": ["All", "other one"],
    }
    data = pd.DataFrame(list(product(*keys.values())), columns=list(keys))
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(data)
    with zero_noise():
        tables = pdp.publish_tables(
            tmp_path / "t",
            {"all": lambda: frame.dp.marginals([list(keys), []], categories=keys, epsilon=1, other=True)},
        )
    again = pdp.open_tables(tmp_path / "t")
    for key, values in keys.items():
        assert again.table([key]).index.tolist() == [*values, "other"]
        assert again.table([], {key: values[1]})["count"].item() == pytest.approx(len(data) / 2)
    assert tables.table(["n", "t"]).equals(again.table(["n", "t"]))


# -- asked again


def test_the_same_list_again_is_answered_free_and_another_is_refused(tmp_path: Path) -> None:
    with pdp.Session(epsilon=10, ledger=tmp_path / "l") as session:
        first = publish(tmp_path / "t", session)
        assert len(session.ledger) == 2
        frame = session.protect(people())
        with refused(errors.TablesMismatch, "another protected frame"):
            publish(tmp_path / "t", session)
        other = lambda: frame.dp.marginals([["k"]], categories=CATEGORIES["k"], epsilon=1)  # noqa: E731
        with refused(errors.TablesMismatch, "holds other tables"):
            pdp.publish_tables(tmp_path / "t", {"one": other})
        assert len(session.ledger) == 2
    with pdp.Session(epsilon=10, ledger=tmp_path / "l") as later:  # the next morning
        table = publish(tmp_path / "t", later).table(["k"])
        assert table.equals(first.table(["k"]))
        assert len(later.ledger) == 2
    with pdp.Session(epsilon=10, ledger=tmp_path / "l") as later:
        with refused(errors.TablesMismatch, "holds tables of another cost"):
            publish(tmp_path / "t", later, epsilon=2)
        assert len(later.ledger) == 2
    with refused(errors.TablesMismatch, "another ledger"):
        publish(tmp_path / "t", pdp.Session(epsilon=10))


def test_in_one_session_the_same_frame_is_recognised_and_a_derived_one_never(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=10)
    frame = session.protect(people())
    some = frame[frame["k"] != "c"]
    for name, data in (("whole", frame), ("derived", some)):
        ask = {"t": lambda data=data: data.dp.marginals([["k"]], categories=CATEGORIES["k"], epsilon=1)}
        pdp.publish_tables(tmp_path / name, ask)
        used = session.share_used
        if name == "whole":
            pdp.publish_tables(tmp_path / name, ask)
        else:
            with refused(errors.TablesMismatch):
                pdp.publish_tables(tmp_path / name, ask)
        assert session.share_used == used


# -- crashes and damage


def run(folder: Path, when: str) -> int:
    code = [sys.executable, "-m", "tests.tables.publishing", str(folder / "t"), str(folder / "l"), when]
    return subprocess.run(code, cwd=Path(__file__).parents[2], capture_output=True, check=False, timeout=600).returncode


@pytest.mark.slow
@pytest.mark.parametrize("when", list(PLACES))
def test_a_killed_publication_is_never_answered_twice(tmp_path: Path, when: str) -> None:
    killed = run(tmp_path, when) == -signal.SIGKILL
    assert killed == (when != "never")
    with pdp.Session(epsilon=10, ledger=tmp_path / "l") as session:
        paid = len(session.ledger)
        assert paid == (0 if when in ("before paying", "while paying", "before the charges are durable") else 2)
        if when in ("never", "when the folder is in place"):
            tables = publish(tmp_path / "t", session)
            assert [each.dp.metadata["id"] for each in tables.releases.values()] == session.ledger["release"].tolist()
        else:
            assert not (tmp_path / "t").exists()
            with refused(errors.TablesError, "begun and not finished"):
                pdp.open_tables(tmp_path / "t")
            with refused(errors.TablesError, "one was stopped before it was done; what was paid"):
                publish(tmp_path / "t", session)
            assert len(session.ledger) == paid
            shutil.rmtree(tmp_path / "t.unfinished")
            publish(tmp_path / "t", session)
            assert len(session.ledger) == paid + 2
        assert sorted(each.name for each in tmp_path.iterdir() if each.is_dir()) == ["t"]


def test_of_many_that_publish_at_once_one_pays(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=100)
    frame = session.protect(people())
    ask = {"t": lambda: frame.dp.marginals([["k"]], categories=CATEGORIES["k"], epsilon=1)}
    outcomes: list[Any] = []
    refusals: list[str] = []

    def work() -> None:
        try:
            outcomes.append(pdp.publish_tables(tmp_path / "t", ask).table(["k"])["count"].tolist())
        except errors.TablesError as refusal:
            refusals.append(str(refusal))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(session.ledger) == 1
    assert outcomes
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert all("by another process" in refusal for refusal in refusals)
    assert len(outcomes) + len(refusals) == 8


def test_a_damaged_folder_is_refused(tmp_path: Path) -> None:
    publish(tmp_path / "t", pdp.Session(epsilon=10))

    def damaged(name: str, change: Any) -> None:
        shutil.copytree(tmp_path / "t", tmp_path / "d")
        change(tmp_path / "d" / name)
        with pytest.raises(errors.TablesDamaged):
            pdp.open_tables(tmp_path / "d")
        shutil.rmtree(tmp_path / "d")

    damaged("one.parquet", lambda path: path.unlink())
    damaged("one.parquet", lambda path: path.write_bytes(path.read_bytes()[:-1]))
    damaged("one.parquet", lambda path: path.write_bytes((tmp_path / "t" / "both.parquet").read_bytes()))
    damaged("tables.json", lambda path: path.write_text("{}"))
    damaged("tables.json", lambda path: path.write_text(path.read_text().replace("one", "two")))
    damaged("tables.json", lambda path: path.write_text(path.read_text()[:50]))
    damaged("tables.json", lambda path: path.write_text("[]"))


def test_a_file_whose_label_tells_of_other_numbers_is_refused_even_if_the_list_knows_it(tmp_path: Path) -> None:
    publish(tmp_path / "t", pdp.Session(epsilon=10))
    path = tmp_path / "t" / "one.parquet"
    table = pd.read_parquet(path)
    table.iloc[0, 0] += 1
    table.to_parquet(path)
    content = json.loads((tmp_path / "t" / "tables.json").read_text())
    content.pop("seal")
    content["releases"]["one"] = archive._sha256(path)
    (tmp_path / "t" / "tables.json").write_text(json.dumps({**content, "seal": archive.seal_of(content)}))
    with refused(errors.TablesDamaged):
        pdp.open_tables(tmp_path / "t")


def test_a_stored_file_is_a_release_by_itself(tmp_path: Path) -> None:
    tables = publish(tmp_path / "t", pdp.Session(epsilon=10))
    alone = pd.read_parquet(tmp_path / "t" / "both.parquet")
    assert alone.dp.margin(["k"])["count"].tolist() == tables.releases["both"].dp.margin(["k"])["count"].tolist()
    assert alone.dp.margin(["j"]).index.tolist() == ["1", "2"]


def test_nothing_but_the_releases_is_written(tmp_path: Path) -> None:
    """Two data sets of one size give folders that differ in numbers and in what is drawn at random alone."""
    found = []
    for at, data in enumerate((people(), people().assign(k="zzz secret", j=-77))):
        session = pdp.Session(epsilon=10, name="s")
        frame = session.protect(data)
        with zero_noise():
            pdp.publish_tables(
                tmp_path / str(at),
                {"t": lambda frame=frame: frame.dp.marginals([["k", "j"]], categories=CATEGORIES, epsilon=1)},
            )
        assert sorted(os.listdir(tmp_path / str(at))) == ["t.parquet", "tables.json"]
        table = pd.read_parquet(tmp_path / str(at) / "t.parquet")
        assert b"secret" not in (tmp_path / str(at) / "t.parquet").read_bytes()
        label = dict(table.attrs["dp"])
        assert label.pop("digest")
        label["evidence"][0].pop("interior")  # numbers as they were released, too
        found.append(
            (table.index.tolist(), table.columns.tolist(), {k: v for k, v in label.items() if k not in ("id", "frame")})
        )
    assert found[0] == found[1]


# -- refusals


def _refuse(*given: Any) -> None:
    raise errors.BudgetExceeded("spent meanwhile")


def test_refusals_come_before_paying_and_leave_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = pdp.Session(epsilon=1)
    frame = session.protect(people())

    def ask(epsilon: float = 0.4, categories: Any = CATEGORIES["k"]) -> Any:
        return lambda: frame.dp.marginals([["k"]], epsilon=epsilon, categories=categories)

    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")

    def silent() -> None:
        frame.dp.marginals([["k"]], epsilon=0.1, categories=CATEGORIES["k"])

    for folder, questions, says in [
        ("t", {}, "publish_tables takes questions by name"),
        ("t", ask(), "publish_tables takes questions by name"),
        ("t", {"t": frame}, "publish_tables takes questions by name"),
        ("t", {"../t": ask()}, "a name of tables must be letters"),
        ("t", {"t": ask(), "T": ask()}, "upper and lower case"),
        ("t", {"t": silent}, "must ask for marginals, or synthesize, once and return the answer"),
        ("t", {"t": lambda: None}, "must ask for marginals, or synthesize, once"),
        (
            "t",
            {"t": lambda: frame["k"].dp.value_counts(categories=["a"], epsilon=0.1)},
            "must ask for marginals, or synthesize, once",
        ),
        ("t", {"a": ask(), "b": ask(), "c": ask()}, "do not fit together in what is left, epsilon=1"),
        ("t", {"t": ask(epsilon=2)}, "do not fit"),
        ("t", {"t": ask(categories=["1", 1])}, "two categories of 'k' read alike"),
        ("t", {"t": ask(categories=[("a", 1)])}, "cannot be stored"),
        ("t", {"t": ask(categories=None)}, "no declared categories"),
        ("full", {"t": ask()}, "holds something else than published tables"),
        ("a\0b", {"t": ask()}, "folder must be a path"),
        ("file", {"t": ask()}, "cannot be read or written|holds something else"),
    ]:
        with pytest.raises(errors.PrivacyError, match=says):
            pdp.publish_tables(f"{tmp_path}/{folder}", questions)  # type: ignore[arg-type]
        assert session.share_used == 0
        assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "full"]
    with refused(errors.TablesError, "holds no published tables; make them by"):
        pdp.open_tables(tmp_path / "t")
    with refused(errors.UnsupportedArgument, "plan its questions themselves"):
        session.plan(lambda: pdp.publish_tables(tmp_path / "t", {"t": ask()}))
    assert not (tmp_path / "t.unfinished").exists()
    with refused(errors.BadArgument, "folder must be a path, not 3"):
        pdp.open_tables(3)  # type: ignore[arg-type]
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    monkeypatch.setattr("pandas_dp.core.budget.ledger.MemoryLedger.charge_all", _refuse)
    with refused(errors.BudgetExceeded, "spent meanwhile"):
        pdp.publish_tables(tmp_path / "link", {"t": ask()})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["empty", "file", "full", "link"]
    monkeypatch.undo()
    pdp.publish_tables(tmp_path / "link", {"t": ask()})
    assert pdp.open_tables(tmp_path / "empty").table(["k"]).shape == (3, 4)


def test_a_question_that_nothing_stored_covers_says_what_is_stored(tmp_path: Path) -> None:
    _, _, tables = served(tmp_path / "t")
    for ask, says in [
        (
            lambda: tables.table(["k", "z"]),
            "no stored table has these keys together; stored are k × j × i, i, All; k × j, k",
        ),
        (
            lambda: tables.table(["i"], values="x"),
            "no stored table of these keys has values='x' and aggfunc=None; there is",
        ),
        (
            lambda: tables.table(["k"], {"j": 3}),
            "where= names a category of 'j' that these tables do not have; they have 1, 2",
        ),
        (lambda: tables.table(["k"], {"j": []}), "where= must name categories of each of its keys"),
        (lambda: tables.table(["k"], {"j": [1, 1]}), "one at least and each once"),
        (lambda: tables.table(["k"], ["j"]), "where must name categories by key"),
        (lambda: tables.table("k"), "keys must be a list of keys"),
        (lambda: tables.table(["k", "k"]), "a key given twice"),
        (lambda: tables.table(["k"], aggfunc=3), "aggfunc must be the name"),
        (lambda: tables.crosstab([], "k"), "needs a key for the rows"),
    ]:
        with refused(errors.PrivacyError, says):
            ask()  # type: ignore[no-untyped-call]
    assert "k × j × i" in repr(tables)
    assert tables.contents["cells"].tolist() == [24, 4, 1, 6, 3]
    assert (tables.contents["std_error"] > 0).all()
