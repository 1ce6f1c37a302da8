"""`blocks(k)`: one row is in one block, whatever the function does, and what it gives is a table of k public rows."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import seeded_noise, zero_noise
from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.protect import session_lookup
from pandas_dp.core.schema.schema import Domain
from pandas_dp.tools import fold
from pandas_dp.tools.fold import Blocks, Call, Reported, Sorting
from tests.contracts.questions import TABLES, normal
from tests.contracts.test_silence import WAYS, asked
from tests.refusals import refused

from . import estimators


class People(pa.DataFrameModel):
    age: int = pa.Field(ge=0, le=99)
    sex: str = pa.Field(isin=["f", "m"])


def people(session: pdp.Session, rows: int = 60, **columns: Any) -> Any:
    made = {"age": np.arange(rows) % 99, "sex": ["f", "m"] * (rows // 2), **columns}
    return session.protect(pd.DataFrame(made))


def open_session(**terms: Any) -> pdp.Session:
    return pdp.Session(**{"epsilon": 1e9, "schema": People, **terms})


def total(rows: pd.DataFrame) -> float:
    return float(rows["age"].sum())


def made(frame: Any, f: Any, blocks: int = 6, **how: Any) -> np.ndarray:
    """What f gave on each block, exactly, for whoever may see it."""
    applied = frame.dp.blocks(blocks).apply(f, bounds=(-1e9, 1e9), **how)
    return applied._subject.blocks.table(applied._subject.source.data).to_numpy()[:, 0]


# -- one row is in one block


def frames(sorting: Sorting, data: pd.DataFrame) -> list[str]:
    """Each block as text, with the dtypes of its columns."""
    said = Domain.read(People)
    blocks = Blocks(3, sorting, {name: said.said_of(name) for name in data.columns}, Call(total, (), None))
    return [repr((each.to_dict("list"), each.dtypes.tolist())) for each in blocks.frames(data)]


def differ(one: list[str], other: list[str]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


OTHERS = [("age", 98), ("age", "a text"), ("age", None), ("age", 10**30), ("sex", "m"), ("sex", 5), ("sex", None)]


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "derived"])
@pytest.mark.parametrize(("column", "value"), OTHERS, ids=str)
def test_a_row_that_changes_moves_one_block_also_by_what_pandas_makes_of_its_column(
    column: str, value: Any, whole: bool
) -> None:
    data = pd.DataFrame({"age": range(10), "sex": ["f"] * 10}, dtype=object).infer_objects()
    sorting = Sorting(None if whole else KnownIds(10), 10)
    for at in range(10):
        changed = data.astype({column: object})
        changed.loc[at, column] = value
        with seeded_noise(at):
            before = frames(sorting, data if whole else data.iloc[::-1])
        with seeded_noise(at):
            after = frames(sorting, changed.infer_objects())
        assert differ(before, after) == 1


def test_a_row_that_comes_or_goes_moves_one_block() -> None:
    ids = np.array([3, 8, 20, 21, 300, 301, 302, 5_000])
    data = pd.DataFrame({"age": range(8), "sex": "f"}, index=ids)
    for at in range(8):
        fewer = np.delete(ids, at)
        after = frames(Sorting(KnownIds(7, fewer)), data.drop(index=ids[at]))
        assert differ(frames(Sorting(KnownIds(8, ids)), data), after) == 1
    positions = data.reset_index(drop=True)
    for at in range(8):  # from a table that was cut, under replace
        both = []
        for each in (positions, positions.drop(index=at)):
            with seeded_noise(at):
                both.append(frames(Sorting(KnownIds(8), 8), each))
        assert differ(*both) == 1


def test_rows_that_are_no_rows_of_the_table_and_copies_count_for_nothing() -> None:
    data = pd.DataFrame({"age": range(8), "sex": "f"})
    odd = pd.concat([data, data, data.set_axis(range(100, 108)), data.set_axis([np.nan] * 8)])
    both = []
    for each in (data, odd):
        with seeded_noise(1):
            both.append(frames(Sorting(KnownIds(8), 8), each))
    assert both[0] == both[1]


@pytest.mark.parametrize("one_row", [False, True], ids=["many rows", "one row"])
def test_a_person_with_all_rows_is_in_one_block(one_row: bool) -> None:
    r = np.random.default_rng(1)
    with open_session(unit="who") as session:
        data = pd.DataFrame({"who": r.integers(0, 40, 200), "age": 0, "sex": "f"})
        data["age"] = data["who"]
        visits = session.protect(data, one_row=one_row)
        blocks = visits.dp.blocks(5).apply(total, bounds=(0, 1), isolate=False)._subject
        parts = list(blocks.blocks.frames(pd.DataFrame(blocks.source.data)))
    owners = [set(each["age"]) for each in parts]
    assert sum(map(len, parts)) == (data["who"].nunique() if one_row else 200)
    assert all(not a & b for a, b in itertools.combinations(owners, 2))
    assert all(len(set(ages)) == 1 for each in parts for _, ages in each.groupby("who")["age"])


def test_blocks_are_as_large_as_each_other_and_drawn_anew_for_each_question() -> None:
    with open_session() as session:
        frame = people(session, 62)
        assert sorted(made(frame, len, 6, isolate=False)) == [10, 10, 10, 10, 11, 11]
        assert not np.array_equal(made(frame, total, 6, isolate=False), made(frame, total, 6, isolate=False))


def test_a_sorted_file_is_mixed_so_that_blocks_differ_as_random_ones_do() -> None:
    """Standard deviation of 100 means of 40 rows: within 25 % but for one run in 10^5. By position they would be as far
    apart as all rows, by remainder nearly equal."""
    with pdp.Session(epsilon=1) as session:
        frame = session.protect(pd.DataFrame({"age": np.sort(np.random.default_rng(2).random(4000))}))
        blocks = frame.dp.blocks(100, bounds=(0, 1)).apply(estimators.mean, bounds=(0, 1), isolate=False)
        found = blocks._subject.blocks.table(frame)["value"]
    assert 0.69 < found.std() / (12**-0.5 / 40**0.5) < 1.31


# -- whatever the function does

SPOILT = [
    "raises",
    "is_nan",
    "is_infinite",
    "is_nonsense",
    "is_a_table",
    "is_an_enormous_text",
    "tells_what_is_no_number",
    "exits",
    "leaves_at_once",
    "kills_itself",
    "kills_the_server",
    "closes_everything",
    "overflows_the_stack",
    "interrupts",
    "fills_memory",
    "spins",
    "sleeps",
]


QUICK = ("raises", "is_infinite", "kills_itself", "spins")


def on_odd(f: Any, monkeypatch: pytest.MonkeyPatch, **how: Any) -> list[float]:
    """What a function gave on six blocks of five rows, in one of which is the odd one; that block last."""
    if f is estimators.sleeps:  # only a sleeper uses up all of its time; the others, so much of the processor
        monkeypatch.setattr(fold, "LONGER", 10)
    with open_session() as session:
        frame = people(session, 30, age=[99, *range(29)])
        monkeypatch.setattr("pandas_dp.tools.run_blocks.Cut.tried", lambda self, call: None)
        told = made(frame, f, 6, seconds=1, memory=2**29, **how)
    return sorted(told.tolist(), key=np.isnan)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in SPOILT]
)
def test_where_it_fails_one_block_is_the_middle_and_no_other_changes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.testing.assert_equal(on_odd(getattr(estimators, name), monkeypatch), [1.0] * 5 + [np.nan])


SAID = {
    "numbers": ('[1.5, -0.0, "a"]', [1.5, -0.0, "a"]),
    "other labels": ("[1.0, 2.0, 7]", [1.0, 2.0, 7]),
    "a truth": ("[1.0, 2.0, true]", [1.0, 2.0, True]),
    "a whole number, a truth and a float": ("[1, true, 0.5]", [None] * 3),
    "no finite numbers": ("[NaN, -Infinity, null]", [None] * 3),
    "a text and lists": ('["1.0", [1.0], ["a"]]', [None] * 3),
    "objects": ('[{"value": 1.0}, {}, {"a": 1}]', [None] * 3),
    "too few": ("[1.0, 2.0]", [None] * 3),
    "too many": ('[1.0, 2.0, "a", 3.0]', [None] * 3),
    "a text as long": ('"abc"', [None] * 3),
    "an object as long": ('{"x": 1.0, "y": 2.0, "z": 3.0}', [None] * 3),
    "nothing": ("null", [None] * 3),
    "a whole number too long to read": ("[1.0, 2.0, " + "9" * 5_000 + "]", [None] * 3),
    "too deep to read": ("[" * 10**6, [None] * 3),
}


@pytest.mark.parametrize("name", SAID)
def test_what_a_child_says_is_checked_by_type_and_length(name: str) -> None:
    said, expected = SAID[name]
    told = Reported.read(f'{{"told": {said}, "failed": [1]}}', (("x", "number"), ("y", "number"), ("z", "label")))
    assert told.values == expected
    assert [type(value) for value in told.values] == [type(value) for value in expected]
    assert told.failed in (None, "what it gave cannot be read")


def test_what_is_no_answer_is_none() -> None:
    for said in (b"", b"\xff", b"[]", b"1.0", b'"told"', b"[" * 10**6, b'{"told"', b"{}"):
        assert Reported.read(said, (("x", "number"),)).values == [None]


class Word(str):
    """A label that says to be any other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("b")


@pytest.mark.parametrize(("gives", "expected"), [(Word("a"), ["a"]), (np.str_("a"), ["a"]), (b"a", [None])])
def test_a_label_of_this_process_is_a_plain_one(gives: Any, expected: list[Any]) -> None:
    with Call(lambda rows: gives, (("z", "label"),), None).runner() as runner:
        told = runner.on(0, pd.DataFrame({"x": [1]}))
    assert told.values == expected
    assert type(told.values[0]) in (str, type(None))


def isolated(f: Any) -> Call:
    return Call(f, (("value", "number"),), pickle.dumps(f))


@pytest.mark.slow
def test_a_block_draws_from_its_number_also_where_another_ended_the_process() -> None:
    """Else a row of one block would move all that come after it."""
    odd, even = (pd.DataFrame({"age": [age]}) for age in (estimators.ODD, 1.0))
    with isolated(estimators.kills_the_server_or_draws).runner() as runner:
        quiet = [runner.on(number, even).values for number in range(3)]
    with isolated(estimators.kills_the_server_or_draws).runner() as runner:
        killed = [runner.on(number, odd if number == 1 else even).values for number in range(3)]
    assert killed == [quiet[0], [None], quiet[2]]
    assert len({value for (value,) in quiet}) == 3


OUT_OF_STEP = """
import sys

from pandas_dp.tools import server

def in_a_child(f, how, number, asked, answers):
    return (server.NOTHING, False) if number == 1 else plain(f, how, number, asked, answers)

plain, server.in_a_child = server.in_a_child, in_a_child
server.serve()
"""


@pytest.mark.slow
def test_where_a_child_ended_before_it_had_its_rows_the_next_one_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "out_of_step.py"
    script.write_text(OUT_OF_STEP, "utf-8")
    monkeypatch.setattr(fold, "SCRIPT", (str(script),))
    monkeypatch.setenv("PYTHONPATH", str(Path(pdp.__file__).parents[1]))
    with isolated(estimators.mean).runner() as runner:
        told = [runner.on(number, pd.DataFrame({"age": [float(number)]})).values for number in range(4)]
    assert told == [[0.0], [None], [2.0], [3.0]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forks", "leaves_a_process_behind", "writes"])
def test_what_else_it_does_is_not_seen(name: str, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    assert on_odd(getattr(estimators, name), monkeypatch) == [1.0] * 6
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["raises", "is_nan", "is_nonsense", "exits", "writes"])
def test_in_this_process_it_may_fail_too(name: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    told = on_odd(getattr(estimators, name), monkeypatch, isolate=False)
    np.testing.assert_equal(told[:5], [1.0] * 5)
    assert capsys.readouterr().out == ""


def test_it_keeps_nothing_from_one_block_to_the_next_and_draws_what_is_public() -> None:
    with open_session() as session:
        frame = people(session)
        assert made(frame, estimators.remembers).tolist() == [1.0] * 6
        assert sorted(made(frame, estimators.draws)) == sorted(made(frame, estimators.draws))


def test_it_is_called_once_a_block_after_it_was_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANDAS_DP_COUNTED", str(tmp_path / "calls"))
    with open_session() as session:
        applied = people(session).dp.blocks(6).apply(estimators.counted, bounds=(0, 2))
        before = len((tmp_path / "calls").read_text().splitlines())
        assert session.share_used == 0
        session.plan(lambda: applied.mean(epsilon=1))
        assert len((tmp_path / "calls").read_text().splitlines()) == before
        applied.mean(epsilon=1)
        assert (tmp_path / "calls").read_text().splitlines()[before:] == ["10"] * 6


def test_it_is_tried_on_tables_without_gaps_too_and_gets_gaps_as_they_are() -> None:
    with pdp.Session(epsilon=1e9) as session:
        rows = pd.DataFrame({"a": np.arange(60.0), "b": np.arange(60.0) ** 2})
        blocks = session.protect(rows).dp.blocks(6, bounds=(0, 4000))
        assert blocks.apply(corrcoef, bounds=(-1, 1), isolate=False).mean(epsilon=1e6)["mean"].item() > 0.9


def corrcoef(rows: pd.DataFrame) -> float:
    return float(np.corrcoef(rows["a"], rows["b"])[0, 1])


def test_a_block_without_rows_is_the_middle() -> None:
    with open_session(neighbours="add_remove") as session:
        assert np.isnan(made(people(session, 2), len, 50, isolate=False)).sum() >= 48


def test_columns_have_the_form_of_their_declaration_and_no_ids() -> None:
    seen: list[pd.DataFrame] = []

    def keeps(rows: pd.DataFrame) -> float:
        seen.append(rows)
        return 1.0

    with open_session() as session:
        frame = people(session)
        made(frame[frame["age"] > 3], keeps, isolate=False)
    assert {str(each.dtypes["age"]) for each in seen} == {"float64"}
    assert all(each.index.equals(pd.RangeIndex(len(each))) for each in seen)
    assert all(type(each) is pd.DataFrame and not each.attrs for each in seen)


# -- what is asked of it


@pytest.mark.parametrize("way", ["whole", "derived", "add_remove"])
def test_a_mean_is_of_so_many_public_rows(way: str) -> None:
    terms = {"neighbours": "add_remove"} if way == "add_remove" else {}
    with open_session(**terms) as session:
        frame = people(session, 600)
        frame = frame[frame["age"] >= 0] if way == "derived" else frame
        with zero_noise():
            release = frame.dp.blocks(20).apply(estimators.mean, bounds=(0, 99), isolate=False).mean(epsilon=0.5)
        label = release.dp.metadata
    assert 40 < release["mean"].item() < 58
    assert (label["size"], label["rows"], label["neighbours"]) == (
        20,
        "followed" if way == "derived" else "whole",
        "add_remove" if way == "add_remove" else "replace",
    )
    each = "30 rows" if way == "whole" else "one row in 20"
    assert label["estimand"] == f"mean of blocks of {each}, called in the process of the session"
    assert label["estimand"] in release.dp.guarantee


def test_its_interval_is_about_what_it_gives_on_so_many_rows() -> None:
    with pdp.Session(epsilon=100, schema=People) as session:
        release = people(session, 600).dp.blocks(20).apply(estimators.mean, bounds=(0, 99)).mean(epsilon=50)
    assert "interval for the mean of blocks of 30 rows" in repr(release)


def test_several_numbers_and_labels_are_asked_for_as_columns() -> None:
    with open_session() as session:
        numbers, here = {"low": (0, 99), "high": (0, 99)}, {"isolate": False}
        blocks = people(session, 600).dp.blocks(20)
        found = blocks.apply(estimators.several, bounds=numbers, categories={"which": ["old", "young", "both"]}, **here)
        assert found.mean(epsilon=1e6)["mean"].between(0, 99).tolist() == [True, True]
        assert found.median(epsilon=1e6).index.tolist() == ["low", "high"]
        assert found.quantile([0.2, 0.8], epsilon=1e6).shape == (2, 2)
        votes = found.value_counts(epsilon=1e6)["count"]
        assert (votes.index.tolist(), votes.sum(), votes["both"]) == (["old", "young", "both"], 20, 0)


def test_numbers_beyond_the_bounds_are_clamped() -> None:
    with open_session() as session, zero_noise():
        found = people(session, 600).dp.blocks(20).apply(estimators.mean, bounds=(0, 10), isolate=False)
        assert found.mean(epsilon=1)["mean"].item() == 10


def test_a_jackknife_takes_the_bias_off_that_dividing_by_the_number_of_rows_has() -> None:
    """Of a variance it does so exactly."""
    with open_session() as session:
        frame = people(session)
        with seeded_noise(3):
            plain = made(frame, estimators.spread, isolate=False)
        with seeded_noise(3):
            corrected = made(frame, estimators.spread, jackknife=True)
    np.testing.assert_allclose(corrected, plain * 10 / 9, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_shape_price_and_label_do_not_depend_on_the_rows(way: str) -> None:
    def ask(frame: Any) -> pd.DataFrame:
        return frame[["x", "y", "k"]].dp.blocks(3).apply(odd_ratio, (0, 9), isolate=False).mean(epsilon=1)

    expected = asked(ask, normal(), way)
    for table, make in TABLES.items():
        assert asked(ask, make(), way) == expected, table


def odd_ratio(rows: pd.DataFrame) -> float:
    return float(rows["x"].mean() / (rows["y"].sum() or 1) + len(set(rows["k"])))


# -- a test of tests


def exceeding(seen: int, blocks: int, at: float, epsilon: float) -> Any:
    from fractions import Fraction

    from pandas_dp.core.evidence.noise import Noise
    from pandas_dp.core.noise.laplace import DiscreteLaplace
    from pandas_dp.tools.evidence import Exceeding

    return Exceeding("test_of_tests", seen, Noise(DiscreteLaplace(Fraction(1 / epsilon))), blocks, at)


@pytest.mark.parametrize(("blocks", "at", "epsilon"), [(20, 0.2, 1.0), (40, 0.1, 0.5), (8, 0.05, 0.3)])
def test_it_keeps_its_level_exactly_and_hardly_falls_short(blocks: int, at: float, epsilon: float) -> None:
    numbers = range(-60, blocks + 60)
    tails = {seen: exceeding(seen, blocks, at, epsilon).p_value for seen in numbers}
    reached = exceeding(0, blocks, at, epsilon)
    for alpha in (0.01, 0.05, 0.1):
        least = min(seen for seen in numbers if tails[seen] <= alpha)
        chance = reached.chance(at, least)
        assert 0.2 * alpha < chance <= alpha * (1 + 1e-9)
        for less in (0.0, at / 2):  # tests that keep theirs with room to spare
            assert reached.chance(less, least) <= chance


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.5, 0.9, 1.0])
def test_its_interval_holds_the_chance_of_a_small_p_value(share: float) -> None:
    numbers = np.arange(-40, 61)
    masses = -np.diff([exceeding(0, 20, 0.2, 0.7).chance(share, int(n)) for n in [*numbers, 61]])
    held = 0.0
    for seen, mass in zip(numbers, masses, strict=True):
        low, high = exceeding(int(seen), 20, 0.2, 0.7).interval(0.9, "population")
        held += mass * (low[0] <= share + 1e-9 and share <= high[0] + 1e-9)
    assert held >= 0.9


def test_few_small_p_values_are_no_evidence() -> None:
    assert exceeding(-5, 40, 0.2, 1.0).p_value > 0.99
    assert exceeding(30, 40, 0.2, 1.0).p_value < 1e-6


def test_a_false_hypothesis_is_rejected_and_a_true_one_not() -> None:
    """By chance of the noise it fails less than once in 10^8 runs."""
    r = np.random.default_rng(5)
    with open_session() as session:
        even = people(session, 2000, age=r.integers(0, 100, 2000))
        old = people(session, 2000, age=r.integers(30, 100, 2000))
        how = {"at": 0.2, "isolate": False, "epsilon": 20}
        found = [each.dp.blocks(40).test_of_tests(estimators.p_value, **how) for each in (even, old)]
    assert found[0].columns.tolist() == ["estimate", "std_error", "lower", "upper", "statistic", "p_value"]
    assert found[1]["p_value"].item() < 1e-4 < found[0]["p_value"].item()
    assert found[0].dp.metadata["mechanism"] == "laplace" or found[0].dp.metadata["mechanism"] == "staircase"


# -- refused before it is paid for

BLOCKS: dict[str, Callable[[Any], Any]] = {
    "one block": lambda f: f.dp.blocks(1),
    "half of them": lambda f: f.dp.blocks(31),
    "text": lambda f: f.dp.blocks("10"),
    "lambda": lambda f: f.dp.blocks(5).apply(lambda rows: 1, bounds=(0, 1)),
    "inner": lambda f: f.dp.blocks(5).apply(inner(), bounds=(0, 1)),
    "no function": lambda f: f.dp.blocks(5).apply(3, bounds=(0, 1)),
    "no bounds": lambda f: f.dp.blocks(5).apply(estimators.mean),
    "bounds that fall": lambda f: f.dp.blocks(5).apply(estimators.mean, bounds=(1, 0)),
    "other names": lambda f: f.dp.blocks(5).apply(estimators.several, bounds={"middle": (0, 1)}),
    "raises always": lambda f: f.dp.blocks(5).apply(always, bounds=(0, 1), isolate=False),
    "labels of a jackknife": lambda f: f.dp.blocks(5).apply(
        estimators.several, categories={"which": ["old"]}, jackknife=True
    ),
    "list of categories": lambda f: f.dp.blocks(5).apply(estimators.several, categories=["old"]),
    "model": lambda f: applied(f).mean(epsilon=1, model="idp"),
    "too dear": lambda f: applied(f).mean(epsilon=100),
    "a mean of labels": lambda f: f.dp.blocks(5).apply(
        estimators.several, categories={"which": ["old", "young"]}, isolate=False
    ).mean(epsilon=1),
    "labels of numbers": lambda f: applied(f).value_counts(epsilon=1),
    "at": lambda f: f.dp.blocks(5).test_of_tests(estimators.p_value, at=1.5, epsilon=1),
    "weights": lambda f: applied(f).mean(epsilon=1, weights="age"),
    "seconds": lambda f: f.dp.blocks(5).apply(estimators.mean, bounds=(0, 1), seconds=0.5),
    "perturbed": lambda f: f.dp.blocks(5).test_of_tests(
        estimators.p_value, at=0.2, isolate=False, mechanism="truncated-laplace", epsilon=1
    ),
}  # fmt: skip


def inner() -> Any:
    def f(rows: pd.DataFrame) -> float:
        return 1.0

    return f


def always(rows: pd.DataFrame) -> float:
    raise ZeroDivisionError


def applied(frame: Any) -> Any:
    return frame.dp.blocks(5).apply(estimators.mean, bounds=(0, 99), isolate=False)


@pytest.mark.parametrize("name", BLOCKS)
def test_what_cannot_be_is_refused_and_nothing_is_paid(name: str) -> None:
    with pdp.Session(epsilon=10, schema=People, models=["dp", "idp"]) as session:
        frame = people(session)
        with refused(errors.PrivacyError, name):
            BLOCKS[name](frame)
        assert session.share_used == 0


def test_a_function_that_a_clean_process_does_not_find_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimators.mean, "__module__", "nowhere.to.be.found")
    monkeypatch.setattr("pandas_dp.tools.run_blocks.pickle.dumps", lambda f: b"cnowhere\nmean\n.")
    with pdp.Session(epsilon=10, schema=People) as session:
        frame = people(session)
        with refused(errors.BadArgument):
            frame.dp.blocks(5).apply(estimators.mean, bounds=(0, 1))


@pytest.mark.parametrize(
    ("case", "script"),
    [("a Python without what it needs", "echo 'ImportError: no numpy' >&2"), ("silent", "exit 3"), ("absent", None)],
)
def test_where_no_clean_process_starts_it_is_not_said_that_the_function_is_wrong(
    case: str, script: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    if script is not None:
        python.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pdp.Session(epsilon=10, schema=People) as session:
        frame = people(session)
        with refused(errors.UnsupportedArgument, case) as caught:
            frame.dp.blocks(5).apply(estimators.mean, bounds=(0, 1))
        assert session.share_used == 0
    assert "isolate" not in str(caught.value)


def test_the_clean_process_starts_from_any_folder_with_what_python_has_alone(tmp_path: Path) -> None:
    """Without `site`, which loads modules before the script does; and beside modules that are called as Python's."""
    for name in ("collections", "json", "select"):
        (tmp_path / f"{name}.py").write_text("raise ImportError(__file__)", "utf-8")
    command = [sys.executable, "-S", *fold.SCRIPT]
    ended = subprocess.run(command, cwd=tmp_path, input=b"", capture_output=True, check=False)
    assert ended.stderr.decode().splitlines()[-1] == "EOFError"  # nobody asked it anything


def test_rows_that_nobody_protected_and_rows_of_a_survey_are_refused() -> None:
    with open_session() as session:
        session_lookup.enter(session._core)
        with refused(errors.NotProtected, "unprotected"):
            pd.DataFrame({"age": [1] * 30, "sex": "f"}).dp.blocks(3)
    with pdp.Session(epsilon=1, schema=People) as session:
        rows = pd.DataFrame({"age": [1] * 30, "sex": "f"})
        frame = session.protect(rows, design=pdp.Design(weights="age"))
        with refused(errors.UnsupportedArgument, "survey"):
            frame.dp.blocks(3)


def test_one_of_several_numbers_is_asked_by_its_name() -> None:
    def ends(rows: pd.DataFrame) -> dict[str, float]:
        return {"least": float(rows["x"].min()), "most": float(rows["x"].max())}

    frame = pdp.Session(epsilon=10**6).protect(pd.DataFrame({"x": [1.0, 9.0] * 50}))
    found = frame.dp.blocks(4, bounds=(0, 10)).apply(ends, bounds={"least": (0, 10), "most": (0, 10)}, isolate=False)
    assert found["most"].mean(epsilon=10**4)["mean"].round(1).to_dict() == {"most": 9.0}
    with refused(errors.UnknownColumn, "a number that it does not give"):
        found["middle"]
