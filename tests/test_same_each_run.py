"""Noise of tests is the same in every run, in every thread, and looks like the operating system's."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise, zero_noise
from pandas_dp.core.noise.samplers import bits

from .same_each_run import IS_OFF, Stream, drawn_from


def answer() -> tuple[float, str, str]:
    people = pdp.Session(epsilon=10).protect(pd.DataFrame({"x": [0.0, 1.0] * 50}))
    release = people["x"].dp.sum(epsilon=1, bounds=(0, 1))
    return release["sum"].item(), release.attrs["dp"]["id"], secrets.token_hex(8)


def test_a_name_gives_the_same_answers_and_ids_and_other_names_give_others() -> None:
    found = []
    for name in ("one", "one", "other"):
        with drawn_from(name):
            found += [answer()]
    assert found[0] == found[1]
    assert len({*found[0], *found[2]}) == 6
    assert answer() != found[0]


AT_IMPORT = answer()


@pytest.mark.skipif(IS_OFF, reason="new noise was asked for")
def test_what_a_file_of_tests_draws_while_it_is_imported_follows_from_its_name() -> None:
    with drawn_from("tests/test_same_each_run.py"):
        assert answer() == AT_IMPORT


@pytest.mark.parametrize("context", [lambda: seeded_noise(1), zero_noise], ids=["seeded", "zero"])
def test_noise_that_a_test_replaces_itself_is_its_own(context: Callable[[], object]) -> None:
    with drawn_from("any"):
        assert bits.is_secure()
        with context():  # type: ignore[attr-defined]
            assert not bits.is_secure()
        assert bits.is_secure()


def test_threads_draw_on_from_the_same_stream() -> None:
    found: list[object] = []
    with drawn_from("any"):
        first = bits.integer(64)
        thread = threading.Thread(target=lambda: found.extend([bits.integer(64), bits.is_secure()]))
        thread.start()
        thread.join()
    with drawn_from("any"):
        assert [bits.integer(64), bits.integer(64), True] == [first, *found]


def test_another_process_does_not_draw_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, again = Stream("any"), Stream("any")
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert stream(16) != again(16)
