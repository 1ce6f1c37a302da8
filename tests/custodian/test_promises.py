"""What the promises cost in accuracy, for the custodian alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import custodian, errors
from tests.refusals import refused


class Farms(pa.DataFrameModel):
    """A range much wider than the data."""

    status: str = pa.Field(isin=["mixed", "owner", "share"])
    noutput: int = pa.Field(ge=0, le=1_000_000, metadata={"dp": {"complete": True}})


@pytest.fixture
def session() -> Iterator[pdp.Session]:
    with pdp.Session(epsilon=1, schema=Farms, models=["idp", "bdp"], custodian=True) as opened:
        yield opened


@pytest.fixture
def farms(session: pdp.Session) -> pd.DataFrame:
    return session.protect(pdp.datasets.load_rice_farms()[["status", "noutput"]])


def test_half_widths_are_those_of_the_noise(farms: pd.DataFrame) -> None:
    """Of Laplace noise of scale 17,568 under bdp and 1,000,000 under dp, the 95 % half width is ln 20 scales. Of 4,000
    draws its quantile is within 12 % but for a chance below 1e-6: a quantile's standard error is 7 % of a scale."""
    table = custodian.promises(farms["noutput"], "sum", epsilon=1, draws=4000)
    half = table["half_width"].droplevel([1, 2])
    assert half["bdp"] == pytest.approx(2.9957 * 17_568, rel=0.12)
    assert half["dp"] == pytest.approx(2.9957 * 1_000_000, rel=0.12)
    assert table["gain"].droplevel([1, 2])["bdp"] == pytest.approx(1_000_000 / 17_568, rel=0.25)


def test_nothing_is_spent_and_nothing_is_released(session: pdp.Session, farms: pd.DataFrame) -> None:
    table = custodian.promises(farms, "value_counts", subset=["status"], draws=20)
    assert session.share_used == 0
    assert not len(session.ledger)
    assert table.attrs["dp"]["kind"] == "custodian"
    assert set(table.index.get_level_values("model")) == {"dp", "idp", "bdp"}
    assert table["cells"].tolist() == [3, 3, 3]


def test_a_promise_that_does_not_offer_a_question_is_left_out(farms: pd.DataFrame) -> None:
    small = farms[farms["status"] == "owner"]["noutput"]
    table = custodian.promises(small, "median", epsilon=1, mechanism="exponential", draws=50)
    assert table.index.get_level_values("model").tolist() == ["dp", "bdp"]
    with refused(errors.UnsupportedArgument):
        custodian.promises(farms["noutput"], "nunique", epsilon=1, draws=50)


@pytest.mark.parametrize(
    "how",
    [
        {"question": "avg"},
        {"model": "dp"},
        {"confidence": 2},
        {"draws": 3},
    ],
)
def test_what_cannot_be_compared_is_refused(
    farms: pd.DataFrame,
    how: dict[str, Any],
) -> None:
    with refused(errors.UnsupportedArgument, str(how)):
        custodian.promises(farms["noutput"], **{"question": "mean", "epsilon": 1, **how})


def test_a_session_that_was_not_opened_for_it_refuses() -> None:
    with pdp.Session(epsilon=1, schema=Farms) as session:
        farms = session.protect(pdp.datasets.load_rice_farms())
        with pytest.raises(errors.NoConsent):
            custodian.promises(farms["noutput"], "mean")


def test_the_picture_shows_a_bar_for_each_promise(farms: pd.DataFrame) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    table = custodian.promises(farms["noutput"], "mean", epsilon=1, draws=50)
    figure = custodian.draw_promises(table)
    (axes,) = figure.axes
    assert [dot.get_xdata()[0] for dot in axes.lines] == table["half_width"].tolist()
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["dp", "idp", "bdp"]
    assert axes.get_title(loc="left") == "mean of noutput"
    assert figure.get_suptitle() == "mean, epsilon=1"
    assert "Do not publish" in figure.get_supxlabel()
    matplotlib.pyplot.close(figure)
    for other in (farms, 3):
        with refused(errors.UnsupportedArgument, f"drawing a {type(other).__name__}"):
            custodian.draw_promises(other)  # type: ignore[arg-type]


def test_a_question_that_dp_does_not_offer_is_shown_for_the_others(farms: pd.DataFrame) -> None:
    table = custodian.promises(farms["noutput"], "max", nth=2, epsilon=1, draws=50)
    assert table.index.get_level_values("model").tolist() == ["idp", "bdp"]
    assert table["gain"].isna().all()


def test_quartiles_are_told_apart(farms: pd.DataFrame) -> None:
    table = custodian.promises(farms["noutput"], "quantile", [0.25, 0.75], epsilon=1, draws=20, mechanism="exponential")
    assert set(table.index.get_level_values("statistic")) == {"quantile 0.25", "quantile 0.75"}


def test_quantiles_stand_there_with_smooth_noise_too_unless_a_mechanism_was_chosen() -> None:
    with pdp.Session(epsilon=1, models=["idp"], custodian=True) as session:
        farms = session.protect(pdp.datasets.load_rice_farms())["noutput"]

        def models(question: str, **keywords: object) -> list[str]:
            table = pdp.custodian.promises(farms, question, epsilon=0.5, bounds=(0, 20_000), draws=50, **keywords)
            return table.index.get_level_values("model").tolist()

        assert models("median") == ["dp", "dp (smooth)", "idp"]
        assert models("median", mechanism="exponential") == ["dp"]
        assert models("mean") == ["dp", "idp"]


def test_of_many_cells_the_picture_shows_the_median_and_the_widest(farms: pd.DataFrame) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    how = {"values": "noutput", "index": "status", "aggfunc": "sum"}
    table = custodian.promises(farms, "pivot_table", **how, epsilon=1, draws=50)
    assert (table["widest"] > table["half_width"]).any()
    figure = custodian.draw_promises(table)
    (axes,) = figure.axes
    lines = [tuple(path[:, 0]) for lines in axes.collections for path in lines.get_segments()]
    wider = table[(table["widest"] > table["half_width"]) & (table["half_width"] > 0)]
    assert lines == list(zip(wider["half_width"], wider["widest"], strict=True))
    assert axes.get_xlabel() == "95 % half width, median cell to widest"
    assert figure.get_suptitle() == "pivot_table(values='noutput', index='status', aggfunc='sum'), epsilon=1"
    assert axes.get_xlim()[1] > wider["widest"].max()
    matplotlib.pyplot.close(figure)


def test_the_title_says_what_was_asked_and_no_noise_is_exact() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    with pdp.Session(epsilon=1, models=["idp"], custodian=True) as session:
        same = session.protect(pd.DataFrame({"x": [5] * 100}))["x"]
        table = custodian.promises(same, "max", nth=2, epsilon=0.5, bounds=(0, 10), draws=50, floor=0)
    figure = custodian.draw_promises(table)
    assert figure.get_suptitle() == "max(nth=2, bounds=(0, 10), floor=0), epsilon=0.5"
    assert [text.get_text() for text in figure.axes[0].texts] == ["exact"]
    matplotlib.pyplot.close(figure)
