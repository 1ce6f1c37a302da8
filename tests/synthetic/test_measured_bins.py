"""Numbers whose bins are measured, in `frame.dp.synthesize(bins="measured")`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.door.importance import usual_edges
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.schema.values import Interval
from pandas_dp.quantiles.solve import Binned, curve_of
from pandas_dp.synthetic.model.model import Parts, even_bins, parts_of
from pandas_dp.synthetic.statistic_adaptive_stages import AdaptiveStages, ThreeStages
from pandas_dp.synthetic.statistic_table_stages import MOST, BinnedNumber, BinsFirst
from pandas_dp.tables.planning.prefixes import Prefixes
from tests.refusals import refused

from .test_stages_of_tables import answered, facts

SCHEMA = pa.DataFrameSchema(
    {
        "wage": pa.Column(float, pa.Check.in_range(0, 1_000_000), nullable=True),
        "age": pa.Column(int, pa.Check.in_range(0, 110)),
        "kids": pa.Column(int, pa.Check.in_range(0, 9)),
        "work": pa.Column(str, pa.Check.isin(["full", "none"])),
    }
)


def people(rows: int = 4_000) -> pd.DataFrame:
    r = np.random.default_rng(1)
    work = r.choice(["full", "none"], rows)
    wage = np.minimum(np.exp(r.normal(np.where(work == "full", 10.5, 8.5), 0.5)), 1e6)
    wage[r.random(rows) < 0.1] = np.nan
    return pd.DataFrame({"wage": wage, "age": r.integers(18, 66, rows), "kids": r.binomial(3, 0.3, rows), "work": work})


def protected(rho: float = 1e9, rows: int = 4_000, **terms: Any) -> pd.DataFrame:
    return pdp.Session(rho=rho, schema=SCHEMA, **terms).protect(people(rows))


def curve(counts: list[float], sd: float) -> Any:
    """Of parts of these counts, known exactly and said to have noise of this spread."""
    way = Prefixes(len(counts))
    measured = way.matrix @ np.array(counts)
    variances = tuple([sd**2] * len(way.matrix))
    return curve_of([Binned(tuple(range(len(counts))), way, variances)], [measured], None)


def test_bins_hold_about_as_many_rows_each_and_are_no_more_than_were_wanted() -> None:
    counts = [100.0, *[1.0] * 50, *[25.0] * 30, 0.0, 0.0]
    ends = even_bins(curve(counts, 1e-3), 8)
    held = np.diff(np.append(0, np.cumsum(counts))[[0, *ends]])
    assert ends == [14, 55, 60, 65, 70, 75, 83]
    assert held.tolist() == [113, 137, 125, 125, 125, 125, 150]


def test_bins_exceed_their_noise_and_where_nothing_does_there_is_one() -> None:
    assert even_bins(curve([10.0] * 40, 1.0), 41) == list(range(1, 41))
    few = even_bins(curve([10.0] * 40, 1024 * 5.0), 41)  # 5 rows in an entry of one
    assert 2 <= len(few) <= 20
    assert even_bins(curve([10.0] * 40, 1024 * 1e6), 40) == [40]


def test_parts_are_drawn_by_their_shares_and_evenly_where_nothing_is_known() -> None:
    parts = parts_of(curve([30.0, 0.0, 10.0, 0.0, 0.0], 1e-3), (0.0, 1.0, 2.0, 4.0, 5.0, 6.0))
    rng, many = np.random.default_rng(1), np.full(4_000, 1.0)
    assert np.bincount(parts.drawn(0 * many, 4 * many, rng), minlength=3) / 4_000 == pytest.approx(
        [0.75, 0, 0.25], abs=0.04
    )
    empty = Parts((0.0, 1.0, 2.0, 3.0), (0.0, 0.5, 0.5, 0.5))
    assert np.bincount(empty.drawn(many, 3 * many, rng), minlength=3) / 4_000 == pytest.approx([0, 0.5, 0.5], abs=0.04)
    assert parts.middle(0, 4) == pytest.approx(0.75 * 0.5 + 0.25 * 3)
    assert empty.middle(1, 3) == 2


def stages(made: Any, norm: Any) -> BinsFirst:
    """Two of three keys are numbers whose bins are measured."""
    numbers = []
    for place, top in ((0, 40), (2, 300)):
        variable = Variable(f"k{place}", Interval(Fraction(0), Fraction(top), "integer"))
        numbers.append(BinnedNumber(place, variable, tuple(map(float, range(top + 2))), tuple(range(top + 1))))
    return BinsFirst(facts(3, norm), tuple(numbers), made)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("sort", ["huge", "0", "100", str(-(10**12))])
@pytest.mark.parametrize("made", [ThreeStages, AdaptiveStages])
def test_shares_add_up_to_one_whatever_is_answered(made: Any, sort: str, norm: int) -> None:
    shares = answered(stages(made, norm), np.random.default_rng(1), sort)
    assert shares[:2] == [Fraction(1, 20)] * 2
    assert all(share > 0 for share in shares)
    assert sum(shares) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("way", "cost"), [(3, {"rho": 1e6}), ("adaptive", {"epsilon": 1e4})])
def test_rows_have_the_values_of_a_skewed_number_and_how_they_hang_together(way: Any, cost: dict[str, float]) -> None:
    data = people()
    frame = pdp.Session(**{name: 2 * value for name, value in cost.items()}, schema=SCHEMA).protect(data)
    synthesis = frame.dp.synthesize(bins="measured", stages=way, **cost)
    rows = synthesis.sample(seed=1)
    SCHEMA.validate(rows)
    assert rows["wage"].isna().mean() == pytest.approx(data["wage"].isna().mean(), abs=0.01)
    requested = [0.05, 0.25, 0.5, 0.75, 0.95]
    assert rows["wage"].quantile(requested).to_numpy() == pytest.approx(
        data["wage"].quantile(requested), rel=0.1, abs=600
    )
    means = data.groupby("work")["wage"].mean()
    assert synthesis.table(["work"], values="wage")["mean"].to_numpy() == pytest.approx(means, rel=0.05)
    assert rows["age"].between(18, 65).all()
    assert synthesis.table(["kids"])["source"].eq("measured").all()
    assert len(synthesis.table(["wage"])) <= MOST + 1


def test_numbers_are_looked_at_first_and_those_of_few_values_are_not() -> None:
    session = pdp.Session(rho=1, schema=SCHEMA)
    frame = session.protect(people(300))
    planned = session.plan(lambda: frame.dp.synthesize(bins="measured", rho=0.1))["stages"].item().split("; ")
    assert planned[0].startswith("1 cut into bins: 1/20 of the price, std_error ")
    assert planned[2].startswith("4 tables: 9/50 of the price")
    label = frame.dp.synthesize(bins="measured", rho=0.1).measured[0].attrs["dp"]
    asked = [each["parameter"] for each in label["stages"]]
    assert asked[:2] == [{"cut into bins": ["wage"], "parts": 1000}, {"cut into bins": ["age"], "parts": 111}]
    assert sum(Fraction(each["share"]) for each in label["stages"]) == 1
    assert session.ledger["rho"].tolist() == [pytest.approx(0.1)]


def test_one_number_alone_may_be_measured() -> None:
    synthesis = protected().dp.synthesize(["wage", "age"], bins={"wage": "measured", "age": 5}, rho=1e6)
    assert len(synthesis.table(["age"])) == 5
    assert len(synthesis.table(["wage"])) > 20


def test_times_are_cut_into_bins_too() -> None:
    r = np.random.default_rng(2)
    hours = pd.to_timedelta(np.minimum(r.exponential(30, 3_000), 1e4).round(), unit="h")
    data = pd.DataFrame({"seen": pd.Timestamp("2020-01-01") + hours, "how": r.choice(["a", "b"], 3_000)})
    bounds = {"seen": (pd.Timestamp("2020-01-01"), pd.Timestamp("2024-01-01"))}
    with pdp.Session(rho=1e9) as session:
        frame = session.protect(data)
        synthesis = frame.dp.synthesize(bins="measured", bounds=bounds, categories={"how": ["a", "b"]}, rho=1e6)
    rows = synthesis.sample(seed=1)
    assert abs(rows["seen"].median() - data["seen"].median()) < pd.Timedelta("1D")
    assert rows["seen"].max() <= bounds["seen"][1]


@pytest.mark.parametrize("rows", [0, 1, 60])
@pytest.mark.parametrize(
    ("cost", "terms"), [({"rho": 0.001}, {}), ({"epsilon": 0.01}, {}), ({"rho": 0.001}, {"neighbours": "add_remove"})]
)
def test_few_rows_and_wide_noise_are_answered(rows: int, cost: dict[str, float], terms: dict[str, Any]) -> None:
    session = pdp.Session(epsilon=10, delta=1e-6, schema=SCHEMA, **terms)
    frame = session.protect(people(60).iloc[:rows])
    for asked in (frame, frame[frame["age"] > 30]):
        SCHEMA.validate(asked.dp.synthesize(bins="measured", **cost).sample(20, seed=1))


def test_a_synthesis_with_measured_bins_reads_back_as_it_was(tmp_path: Path) -> None:
    synthesis = protected(rows=500).dp.synthesize(bins="measured", rho=1)
    synthesis.write(tmp_path / "synthesis.json")
    again = pdp.read_synthesis(tmp_path / "synthesis.json")
    pd.testing.assert_frame_equal(again.sample(200, seed=1), synthesis.sample(200, seed=1))
    means = [each.table(["work"], values="wage")["mean"].tolist() for each in (synthesis, again)]
    assert means[0] == means[1]


def test_a_published_folder_answers_by_measured_bins(tmp_path: Path) -> None:
    frame = protected(rows=500)
    stored = pdp.publish_tables(tmp_path / "store", {"model": lambda: frame.dp.synthesize(bins="measured", rho=1)})
    assert stored.table(["work", "wage"])["count"].sum() == pytest.approx(500, abs=60)


def test_what_names_bins_that_are_measured_is_refused_before_paying() -> None:
    frame = protected(rows=100)
    with refused(errors.UnsupportedArgument, "zeros of them"):
        frame.dp.synthesize(bins="measured", structural_zeros=[{"wage": "[0.0, 31250.0)", "work": "none"}], rho=0.1)
    edges = usual_edges(Interval(Fraction(0), Fraction(110), "integer"))
    counts = pd.Series(1.0, index=pd.IntervalIndex.from_breaks(edges, closed="left", name="age"))
    with refused(errors.UnsupportedArgument, "a public table of them"):
        frame.dp.synthesize(["age", "work"], bins="measured", public_tables=[counts], rho=0.1)
    with refused(errors.UnsupportedType, "a column without a range"):
        frame.dp.synthesize(bins={"work": "measured"}, rho=0.1)
