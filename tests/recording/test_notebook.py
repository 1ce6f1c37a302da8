"""What a notebook does with a protected table beside asking: it prints, copies, counts, plots, pickles and loops."""

from __future__ import annotations

import contextlib
import copy
import gc
import io
import pickle
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.protect.mark import is_whole

Act = Callable[[Any], Any]
TAKEN_FOR = "Protected: each row is taken for one person, and one row is what a release hides."


def people() -> pd.DataFrame:
    return pd.DataFrame({"x": np.arange(100) % 7.0, "y": np.arange(100) % 5, "k": list("ab") * 50})


def read_after(act: Act, **opened: Any) -> str:
    session = pdp.Session(epsilon=1, **opened)
    frame = session.protect(people())
    with contextlib.suppress(KeyError, AttributeError, TypeError, ValueError):
        act(frame)
    return str(session._core.tables.read)


NOTHING: dict[str, Act] = {
    "a loop over names": lambda d: list(d),
    "a loop over columns": lambda d: [column * 2 for _, column in d.items()],
    "names": lambda d: (d.columns, d.keys(), "x" in d, d.ndim, d.attrs, d.x.name, d.index.name),
    "dir": lambda d: (dir(d), dir(d.x), d._ipython_key_completions_()),
    "no such column": lambda d: d["nope"],
    "no such attribute": lambda d: d.nope,
    "truth": lambda d: bool(d),
    "copies": lambda d: (d.copy(), copy.copy(d), copy.deepcopy(d.x)),
    "a class": lambda d: isinstance(d, pd.DataFrame) and isinstance(d.x, pd.Series),
    "what is not followed": lambda d: (d.describe(), d.head(), d.x.rank(), d.groupby("k").x.mean()),
}
SHOWN: dict[str, Act] = {
    "repr": repr,
    "text": str,
    "html": lambda d: d._repr_html_(),
    "a column": lambda d: repr(d.x),
    "info": lambda d: d.info(),
    "plot": lambda d: d.plot,
    "rows": lambda d: repr(d.head()),
}
VALUES: dict[str, Act] = {
    "csv": lambda d: d.to_csv(io.StringIO()),
    "info in a buffer": lambda d: d.info(buf=io.StringIO()),
    "an array": np.asarray,
    "an array of a column": lambda d: np.array(d.x),
    "a pickle": pickle.dumps,
    "a pickle of a column": lambda d: pickle.dumps(d.x),
    "a frame": pd.DataFrame,
    "a row": lambda d: d.x[0],
    "a loop": lambda d: list(d.x),
    "equality": lambda d: pd.testing.assert_frame_equal(d, d),
    "number of a cut": lambda d: len(d[d.x > 2]),
    "shape of a cut": lambda d: d[d.x > 2].shape,
    "number of labels": lambda d: len(d.k.value_counts()),
    "number of different rows": lambda d: len(d.x.drop_duplicates()),
    "names that are labels": lambda d: list(d.pivot_table(index="y", columns="k", values="x")),
    "columns that are labels": lambda d: dict(d.pivot_table(index="y", columns="k", values="x").items()),
    "whether there is a label": lambda d: hasattr(d.pivot_table(index="y", columns="k", values="x"), "c"),
    "no such label": lambda d: d.pivot_table(index="y", columns="k", values="x")["c"],
    "nothing there": lambda d: d.x[d.x > 99].first_valid_index(),
    "an error by a row": lambda d: d.k.astype(float),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("act", "read"),
    [
        pytest.param(act, word, id=name)
        for word, acts in (("nothing", NOTHING), ("shown", SHOWN), ("values", VALUES))
        for name, act in acts.items()
    ],
)
def test_what_is_read(act: Act, read: str) -> None:
    assert read_after(act) == read


@pytest.mark.parametrize("count", [len, lambda d: d.shape, lambda d: d.size, lambda d: len(d.x), lambda d: d.x.shape])
def test_the_number_of_rows_is_a_fact_where_everyone_knows_it(count: Act) -> None:
    assert read_after(count) == "nothing"
    assert read_after(count, neighbours="add_remove") == read_after(count, unit="y") == "values"


def test_a_table_says_what_its_rows_are_taken_for_and_what_was_cut_from_it_does_not() -> None:
    frame: Any = pdp.Session(epsilon=1).protect(people())
    for whole in (frame, frame[["x"]], frame.copy()):
        assert repr(whole).endswith("\n" + TAKEN_FOR)
        assert TAKEN_FOR in whole._repr_html_()
    for other in (frame[frame.x > 2], frame.head(), frame.assign(z=1)):
        assert TAKEN_FOR not in repr(other) + other._repr_html_()


def test_plots_and_files_are_those_of_pandas(tmp_path: Path) -> None:
    frame: Any = pdp.Session(epsilon=1).protect(people())
    assert len(frame.x.plot(kind="hist").patches) == 10
    frame[frame.x > 2].to_csv(tmp_path / "rows.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "rows.csv"), people()[people().x > 2].reset_index(drop=True))


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda d: d.copy(), lambda d: d.x.copy()])
def test_a_copy_is_followed_and_has_a_life_of_its_own(make: Act) -> None:
    frame: Any = pdp.Session(epsilon=1).protect(people())
    made = make(frame)
    frame["x"] = frame.x.rank()
    assert is_whole(made)
    assert not is_whole(frame)


def test_eight_threads_write_and_ask() -> None:
    session = pdp.Session(epsilon=10**9)
    frame, wrong = session.protect(people()), []

    def work(place: int) -> None:
        for step in range(12):
            made: Any = frame[frame.x > step % 5].assign(z=lambda f: f.x * place + f.y)
            made.loc[made.z > 3, "z"] = step
            made = made.rename(columns={"z": "v"}).dropna()
        found = made.v.dp.sum(bounds=(-100, 100), epsilon=10**7)["sum"].item()
        if abs(found - made._dp_real().v.sum()) > 0.1:
            wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(session.ledger) == 8
    assert is_whole(frame)


@pytest.mark.slow
def test_many_operations_are_one_question() -> None:
    session = pdp.Session(epsilon=10**9)
    frame: Any = session.protect(people())
    column = frame.x
    for place in range(1_000):
        column = column + (1 if place % 2 else -1)
    for place in range(80):
        frame["x"] = frame.x.where(frame.x > 3, frame.y + place % 3)
    for place in range(500):
        frame = frame[frame.x != 100 + place]
    for made in (column, frame.x):
        found = made.dp.sum(bounds=(-100, 100), epsilon=10**8)["sum"].item()
        assert found == pytest.approx(made._dp_real().sum(), abs=0.1)


def test_rows_that_nobody_holds_are_let_go() -> None:
    session = pdp.Session(epsilon=1)
    frame: Any = session.protect(people())
    source, cut = weakref.ref(frame._dp_rows._source), frame[frame.x > 2].assign(z=1)
    del frame
    gc.collect()
    assert source() is not None
    del cut
    gc.collect()
    assert source() is None


def test_what_is_not_followed_is_named_at_the_question() -> None:
    with pdp.Session(epsilon=1) as session:
        frame: Any = session.protect(people())
        with pytest.raises(errors.NotFollowed, match="head takes rows by where they stand"):
            frame.head().assign(z=1)["z"].dp.sum(bounds=(0, 1))
        assert session.share_used == 0
