"""What a picture of each kind of release shows, by what matplotlib was told to draw."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.views.plots import draw_bars
from tests.refusals import refused

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def people() -> pd.DataFrame:
    r = np.random.default_rng(1)
    age = r.integers(0, 100, 3_000)
    data = pd.DataFrame({"age": age, "pay": 20.0 * age + r.normal(0, 300, 3_000)})
    data["day"] = pd.Timestamp("2025-01-01") + pd.to_timedelta(r.integers(0, 365, 3_000), unit="D")
    return pdp.Session(rho=1e4).protect(data)


BOUNDS = {"age": (0, 100), "pay": (-1_000, 3_000)}


def test_a_distribution_is_a_curve_within_its_band(people: pd.DataFrame) -> None:
    release = people["age"].dp.cdf(bounds=(0, 100), rho=0.01)
    ax = release.dp.plot()
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), release.index)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), release["cdf"])
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    ends = release.dp.confint()
    assert (heights.min(), heights.max()) == (ends.iloc[:, 0].min(), ends.iloc[:, 1].max())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "cdf of age")
    assert len(release.dp.plot("bars").get_yticklabels()) == len(release)


def test_an_interval_that_lies_askew_is_two_numbers(people: pd.DataFrame) -> None:
    keys = {"age": list(range(1000, 1010)), "pay": list(range(10))}  # nobody's
    release = people.dp.crosstab("age", "pay", categories=keys, epsilon=0.1)
    ends = release.dp.confint().to_numpy().reshape(-1, 2)
    drawn = [each.get_text().splitlines()[1] for each in release.dp.plot().texts[:-1]]
    askew = [said for said, value, (low, _) in zip(drawn, release.to_numpy().ravel(), ends, strict=True) if value < low]
    assert askew
    assert all(said.startswith("0 to ") for said in askew)
    for said, value, (low, high) in zip(drawn, release.to_numpy().ravel(), ends, strict=True):
        even = abs((low + high) / 2 - value) <= 0.05 * (high - low)
        assert said == (f"±{max(high - value, value - low):.0f}" if even else f"{low:,.0f} to {high:,.0f}")


def test_the_interval_of_a_number_outside_of_it_is_drawn_where_it_is(people: pd.DataFrame) -> None:
    release = people[people["age"] > 1000]["age"].dp.histogram(bins=20, bounds=(0, 100), epsilon=0.1)  # no rows
    assert release["count"].min() < 0
    ends = release.dp.confint().to_numpy()
    ((segments,),) = [
        [each.get_segments() for each in drawn[2]] for drawn in release.dp.plot().containers if len(drawn) == 3
    ]
    np.testing.assert_allclose([segment[:, 1] for segment in segments], ends)


@pytest.mark.parametrize("rho", [100])
def test_a_number_in_a_heat_map_has_the_digits_that_its_interval_supports(people: pd.DataFrame, rho: float) -> None:
    release = people[["age", "pay"]].dp.corr(bounds=BOUNDS, rho=rho)
    ends = release.dp.confint().to_numpy()[0, 2:]
    value = float(release.iloc[0, 1])
    half = np.abs(ends - value).max()
    places = int(1 - np.floor(np.log10(half)))
    ax = release.dp.plot()
    assert ax.texts[1].get_text() == f"{value:.{places}f}\n±{half:.{places}f}"


def test_correlations_have_two_colours_and_zero_is_between_them(people: pd.DataFrame) -> None:
    image = people[["age", "pay"]].dp.corr(bounds=BOUNDS, rho=1).dp.plot().images[0]
    least, most = image.get_clim()
    assert least == -most
    assert most >= 1
    red, _, blue, _ = image.cmap(0.5)
    assert min(red, blue) > 0.9  # nearly white


def test_dates_lie_along_an_axis_of_dates(people: pd.DataFrame) -> None:
    year = (pd.Timestamp("2025-01-01"), pd.Timestamp("2025-12-31"))
    ax = people["day"].dp.histogram(bins="MS", bounds=year, rho=1).dp.plot()
    widths = [round(bar.get_width()) for bar in ax.patches]
    assert widths[:11] == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30]
    ax.figure.canvas.draw()
    assert any(label.get_text() == "2025" for label in ax.get_xticklabels())


def test_the_intercept_of_a_regression_is_left_out(people: pd.DataFrame) -> None:
    fit = people.dp.ols("pay", ["age"], bounds=BOUNDS, rho=1)
    assert fit.index[0] == "Intercept"
    assert [label.get_text() for label in fit.dp.plot().get_yticklabels()] == ["age"]


MONTHS = pd.period_range("2025-01", "2025-12", freq="M")


@pytest.fixture
def workers(people: pd.DataFrame) -> pd.DataFrame:
    r = np.random.default_rng(2)
    month = r.choice(np.arange(12), 2_000)
    data = pd.DataFrame({"month": MONTHS[month], "sex": r.choice(["f", "m"], 2_000), "pay": r.uniform(0, 100, 2_000)})
    data["start"] = data["month"].dt.start_time
    data["date"] = data["start"].dt.date
    return pdp.Session(rho=1e4).protect(data)


@pytest.mark.parametrize("key", ["month", "start", "date"])
def test_means_of_dates_and_periods_are_a_line_over_time_with_its_band(workers: pd.DataFrame, key: str) -> None:
    import matplotlib.dates as mdates

    points = {"month": MONTHS, "start": MONTHS.start_time, "date": [each.date() for each in MONTHS.start_time]}[key]
    declared = {key: list(points)[::-1]}  # the latest first
    release = workers.dp.groupby(key, categories=declared)["pay"].mean(bounds=(0, 100), rho=1)
    ax = release.dp.plot()
    shown = [each.date() for each in mdates.num2date(ax.lines[0].get_xdata())]
    assert shown == [each.date() for each in MONTHS.start_time]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), release["mean"].to_numpy()[::-1])
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    ends = release.dp.confint().to_numpy()
    assert (band.min(), band.max()) == (ends.min(), ends.max())
    ax.figure.canvas.draw()
    assert "2025" in [each.get_text() for each in ax.get_xticklabels()]
    assert (ax.get_xlabel(), ax.get_ylabel()) == (key, "mean of pay")


def test_each_other_key_is_a_line_of_its_own(workers: pd.DataFrame) -> None:
    declared = {"month": list(MONTHS), "sex": ["f", "m"]}
    release = workers.dp.groupby(["sex", "month"], categories=declared)["pay"].mean(bounds=(0, 100), rho=1)
    ax = release.dp.plot()
    assert [line.get_label() for line in ax.lines] == ["f", "m"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), release.loc["m", "mean"])
    assert [text.get_text() for text in ax.texts[:3]] == ["f", "m", "sex"]


def test_a_table_by_time_is_lines_unless_a_heat_map_is_asked_for(workers: pd.DataFrame) -> None:
    table = workers.dp.crosstab("month", "sex", categories={"month": list(MONTHS), "sex": ["f", "m"]}, rho=1)
    np.testing.assert_array_equal(table.dp.plot().lines[1].get_ydata(), table["m"])
    assert len(table.dp.plot("line").images) == 0
    assert len(table.dp.plot("heatmap").images) == 1


def test_more_lines_than_anyone_tells_apart_are_no_lines(workers: pd.DataFrame) -> None:
    declared = {"month": list(MONTHS), "pay": list(range(7))}
    assert len(workers.dp.crosstab("month", "pay", categories=declared, rho=1).dp.plot().images) == 1


def test_an_interval_without_an_end_leaves_the_picture_which_shows_all_numbers() -> None:
    values, ends = np.array([0.0, 2.0, 1.0]), np.array([[-1.0, 3.0], [1.0, np.inf], [-np.inf, np.inf]])
    ax = draw_bars(values, ends, ["a", "b", "c"], ("", "coef"), "", filled=False)
    low, high = ax.get_xlim()
    assert low < -1 and high > 3 and high - low < 10  # noqa: PT018 - one sentence
    (askew, both) = [segment[:, 0] for segment in ax.collections[0].get_segments()][1:]
    assert askew[0] == 1 and askew[1] > high  # noqa: PT018
    assert both[0] < low and both[1] > high  # noqa: PT018
    known = draw_bars(values, ends[:, :1] + [0.0, 1.0], ["a", "b", "c"], ("", "coef"), "", filled=True)
    assert np.isfinite(known.get_xlim()).all()


def test_bars_are_sorted_and_the_foot_says_how_many_are_left_out(people: pd.DataFrame) -> None:
    counts = people["age"].dp.value_counts(categories=list(range(20)), rho=1)
    falling = counts["count"].sort_values(ascending=False, kind="stable")
    ax = counts.dp.plot(sort="descending", top=5)
    assert [bar.get_width() for bar in ax.patches] == falling.iloc[:5].tolist()
    assert "The 5 largest of 20 numbers are shown, 15 are left out." in ax.texts[-1].get_text().replace("\n", " ")
    ax = counts.dp.plot(sort="ascending", top=5)
    assert [bar.get_width() for bar in ax.patches] == falling.iloc[4::-1].tolist()
    chosen = [label.get_text() for label in counts.dp.plot(top=5).get_yticklabels()]
    assert chosen == [str(age) for age in sorted(falling.index[:5])]
    assert "left out" not in counts.dp.plot(sort="ascending").texts[-1].get_text()
    assert len(counts.dp.plot(top=100).patches) == 20
    assert "1 is left out." in counts.dp.plot(top=19).texts[-1].get_text().replace("\n", " ")


def test_every_picture_of_a_release_has_a_title(people: pd.DataFrame) -> None:
    pictures = [
        people["age"].dp.histogram(bins=5, bounds=(0, 100), rho=1).dp.plot,
        people["age"].dp.cdf(bounds=(0, 100), rho=1).dp.plot,
        people[["age", "pay"]].dp.corr(bounds=BOUNDS, rho=1).dp.plot,
        people["age"].dp.value_counts(categories=[1, 2], rho=1).dp.plot,
        people["age"].dp.value_counts(categories=[1, 2], rho=1).dp.synthesize().plot,
    ]
    for draw in pictures:
        assert draw(title="What it shows").get_title("left") == "What it shows"
        assert not draw().get_title("left")


@pytest.mark.parametrize(
    "how",
    [
        {"sort": "up"},
        {"top": 0},
        {"title": 5},
        {"kind": "line"},
        {"kind": "pie"},
        {"kind": "heatmap", "sort": "ascending"},
        {"kind": "auto", "top": 3},
    ],
    ids=str,
)
def test_pictures_that_there_are_not_are_refused(people: pd.DataFrame, how: dict[str, Any]) -> None:
    release = people["age"].dp.histogram(bins=5, bounds=(0, 100), rho=1)
    with refused((TypeError, ValueError), f"a picture {how}"):
        release.dp.plot(**how)


def test_in_a_grid_of_two_by_three_no_picture_reaches_into_another(people: pd.DataFrame, workers: pd.DataFrame) -> None:
    import matplotlib.pyplot as plt

    declared = {"month": list(MONTHS), "sex": ["f", "m"]}
    ages: Any = people["age"].dp
    pictures = [
        ages.histogram(bins=5, bounds=(0, 100), rho=1),
        ages.cdf(bounds=(0, 100), rho=1),
        ages.value_counts(categories=list(range(30)), rho=1),
        workers.dp.groupby(["sex", "month"], categories=declared)["pay"].mean(bounds=(0, 100), rho=1),
        workers.dp.crosstab("sex", "month", categories={**declared, "month": list(MONTHS[:4])}, rho=1),
        workers.dp.groupby("sex", categories={"sex": ["f", "m"]})["pay"].mean(bounds=(0, 100), rho=1),
    ]
    figure, panels = plt.subplots(2, 3, figsize=(15, 8), layout="constrained")
    for panel, release in zip(panels.flat, pictures, strict=True):
        how = {"sort": "descending", "top": 6} if len(release) == 30 else {}
        assert release.dp.plot(ax=panel, title="What it shows", **how) is panel
    figure.canvas.draw()
    boxes = [panel.get_tightbbox() for panel in panels.flat]
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width and box.y0 >= 0 for box in boxes)
    assert not [(one, other) for one, other in combinations(range(6), 2) if boxes[one].overlaps(boxes[other])]


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_the_foot_of_a_picture_stays_within_its_own_panel(people: pd.DataFrame, columns: int) -> None:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, columns, figsize=(4 * columns, 6), layout="constrained", squeeze=False)
    ages: Any = people["age"].dp.histogram(bins=5, bounds=(0, 100), rho=1)
    for panel in panels.flat:
        ages.dp.plot(ax=panel)
    figure.canvas.draw()
    for row, column in np.ndindex(panels.shape):
        foot = panels[row, column].texts[-1].get_window_extent()
        assert foot.x1 <= figure.bbox.width * (column + 1) / columns
