"""Pictures that ask for what they show: histograms, bars and boxes."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

mpl.use("Agg")
FIVE = [0.05, 0.25, 0.5, 0.75, 0.95]


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_a_histogram_is_drawn_as_it_was_released(people: pd.DataFrame) -> None:
    ax = people["age"].dp.hist([0, 20, 60, 100], title="Ages")
    counts = np.histogram(pd.DataFrame(people)["age"], [0, 20, 60, 100.5])[0]
    assert [bar.get_height() for bar in ax.patches] == counts.tolist() == ax.release["count"].tolist()
    assert ax.get_title(loc="left") == "Ages"


def test_a_picture_costs_what_its_question_costs(session: pdp.Session, people: pd.DataFrame) -> None:
    release = people["age"].dp.hist(4, epsilon=1).release
    assert session.ledger[["statistic", "epsilon"]].to_numpy().tolist() == [["histogram", 1.0]]
    assert release.attrs["dp"]["noise"] == people["age"].dp.histogram(4, epsilon=1).attrs["dp"]["noise"]


def test_boxes_are_released_quantiles_with_the_interval_of_the_median(people: pd.DataFrame) -> None:
    ax = people.dp.groupby("sex")["age"].boxplot(epsilon=100)
    release = ax.release
    assert [label.get_text() for label in ax.get_yticklabels()] == release.index.tolist() == ["f", "m"]
    for at, sex in enumerate(["f", "m"]):
        numbers = np.sort(release.loc[sex].to_numpy(dtype=float))
        box, (below, above, middle, interval) = ax.patches[at], ax.lines[4 * at : 4 * at + 4]
        assert [box.get_x(), box.get_x() + box.get_width()] == pytest.approx(numbers[[1, 3]].tolist())
        assert [*below.get_xdata(), *above.get_xdata()] == pytest.approx(numbers[[0, 1, 3, 4]].tolist())
        assert middle.get_xdata()[0] == numbers[2]
        ends = release.dp.confint().loc[sex, ("age", 0.5)]
        assert interval.get_xdata().tolist() == pytest.approx(ends.tolist())
    assert "from the 5 % to the 95 % quantile" in ax.texts[-1].get_text().replace("\n", " ")


def test_boxes_of_several_columns_are_named_after_them(people: pd.DataFrame) -> None:
    ax = people[["age", "income"]].dp.boxplot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["age", "income"]
    both = people.dp.groupby("sex")[["age", "income"]].boxplot()
    assert [label.get_text() for label in both.get_yticklabels()] == ["f, age", "m, age", "f, income", "m, income"]


def test_a_release_of_five_ranks_is_drawn_as_boxes(people: pd.DataFrame) -> None:
    ranks = [0.1, 0.25, 0.5, 0.75, 0.9]
    assert len(people["age"].dp.quantile(ranks).dp.plot().patches) == 1
    assert len(people["age"].dp.quantile(ranks).dp.plot("bars").patches) == 0
    with refused(errors.NotConcluded):
        people["age"].dp.quantile([0.25, 0.75]).dp.plot("box")


def test_a_column_is_drawn_as_what_was_declared(people: pd.DataFrame) -> None:
    assert people["region"].dp.plot().release.index.tolist() == ["north", "south", "west"]
    assert len(people["age"].dp.plot().release) == 10
    assert people["age"].dp.plot("box").release.index.tolist() == FIVE
    assert people["note"].dp.plot(categories=["note 1"]).release.index.tolist() == ["note 1"]


def test_what_cannot_be_drawn_is_refused_before_it_is_paid(session: pdp.Session, people: pd.DataFrame) -> None:
    with refused(errors.BadArgument, "a line"):
        people["age"].dp.plot("line")
    with refused(errors.BadArgument, "axes"):
        people["age"].dp.hist(ax=3)
    with refused(errors.UnsupportedType, "boxes of times"):
        people["born"].dp.boxplot()
    assert len(session.ledger) == 0


def test_a_picture_is_planned_as_its_question(session: pdp.Session, people: pd.DataFrame) -> None:
    planned = session.plan(lambda: people["age"].dp.hist(4, epsilon=1), lambda: people["age"].dp.boxplot(epsilon=1))
    assert planned["statistic"].tolist() == ["count", *["quantile"] * 5]
    assert len(session.ledger) == 0
