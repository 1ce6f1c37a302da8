"""Rows and tables from a model of what was released."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused
from tests.synthetic.people import People, apart, people, protected, shares

TABLES = [["sex", "work"], ["work", "member"], ["age", "work"], ["kids"]]
BINS = {"age": [0, 18, 30, 45, 66, 100]}


def released(rho: float = 1e6, **named: object) -> pdp.Release:
    return protected(10 * rho).dp.marginals(TABLES, rho=rho, bins=BINS, **named)


def test_without_noise_rows_have_the_tables_that_were_measured() -> None:
    rows = released().dp.synthesize(People).sample(3_000, seed=1)
    for keys in (["sex", "work"], ["work", "member"], ["kids"]):
        assert apart(shares(rows, keys), shares(people(), keys)) < 0.002


def test_rows_meet_the_schema_in_its_order_and_dtypes() -> None:
    rows = released(rho=0.5).dp.synthesize(People).sample(seed=1)
    assert People.validate(rows).columns.tolist() == ["age", "sex", "work", "kids", "member"]
    assert rows.dtypes.equals(people().dtypes)
    assert 2_800 < len(rows) <= 3_000


def test_numbers_in_bins_become_numbers_of_the_declared_grid() -> None:
    rows = released().dp.synthesize(People).sample(3_000, seed=1)
    assert set(rows["age"]) <= set(range(100))
    bins = [pd.cut(table["age"], BINS["age"], right=False).value_counts(normalize=True) for table in (rows, people())]
    assert apart(*bins) < 0.002
    assert rows.loc[rows["age"] >= 66, "age"].nunique() > 30


def test_without_a_schema_rows_have_the_labels_of_the_tables() -> None:
    rows = released().dp.synthesize().sample(100, seed=1)
    assert rows["age"].iloc[0].startswith("[")
    assert rows["member"].dtype == bool
    assert rows["kids"].dtype == np.int64


def test_a_seed_gives_the_same_rows() -> None:
    synthesis = released(rho=0.5).dp.synthesize(People)
    assert synthesis.sample(seed=3).equals(synthesis.sample(seed=3))
    assert not synthesis.sample(seed=3).equals(synthesis.sample(seed=4))


def test_where_draws_rows_of_these_categories_alone() -> None:
    rows = released().dp.synthesize(People).sample(500, where={"sex": "f", "work": ["full", "part"]}, seed=1)
    truth = people().query("sex == 'f' and work != 'none'")
    assert set(rows["sex"]) == {"f"}
    assert apart(shares(rows, ["work"]), shares(truth, ["work"])) < 0.01
    assert len(rows) == 500


def test_a_slice_is_a_run_of_categories() -> None:
    synthesis = released().dp.synthesize(People)
    ages = synthesis.table(["age"]).index.tolist()
    table = synthesis.table(["age"], where={"age": slice(ages[1], ages[3])})
    assert table.index.tolist() == ages[1:4]
    rows = synthesis.sample(100, where={"age": slice(None, ages[0])}, seed=1)
    assert rows["age"].max() < 18
    with refused(errors.UnsupportedArgument, "a slice backwards"):
        synthesis.sample(1, where={"age": slice(ages[1], ages[0])})


def test_a_measured_table_has_the_released_numbers_and_their_intervals() -> None:
    release = released(rho=0.1)
    synthesis = release.dp.synthesize()
    table = synthesis.table(["work", "sex"])
    outer = release.dp.margin(["work", "sex"])
    np.testing.assert_allclose(table.drop(columns="source"), outer)
    assert set(table["source"]) == {"measured"}
    assert table.index.equals(outer.index)
    pd.testing.assert_frame_equal(pd.DataFrame(table.dp.confint(0.9)), pd.DataFrame(outer.dp.confint(0.9)))


def test_a_table_that_was_not_measured_has_no_interval() -> None:
    table = released(rho=0.1).dp.synthesize().table(["sex", "kids"])
    assert set(table["source"]) == {"fitted"}
    assert table[["std_error", "lower", "upper"]].isna().all().all()
    assert table["count"].sum() == pytest.approx(3_000, abs=150)
    with refused(errors.NotConcluded):
        table.dp.confint()


def test_a_part_of_a_measured_table_is_measured() -> None:
    release = released(rho=0.1)
    table = release.dp.synthesize().table(["work"], where={"sex": "f"})
    np.testing.assert_allclose(table["count"], release.dp.margin(["work"], where={"sex": "f"})["count"])


def test_means_of_a_column_are_those_of_the_model() -> None:
    synthesis = released().dp.synthesize()
    found = synthesis.table(["work"], values="kids")
    requested = people().groupby("work")["kids"].mean().reindex(["full", "part", "none"])
    assert found["mean"].between(requested.min() - 0.3, requested.max() + 0.3).all()
    total = synthesis.table([], values="kids", aggfunc="sum")
    assert total["sum"].item() == pytest.approx(people()["kids"].sum(), rel=0.01)
    assert set(found["source"]) == {"fitted"}


def test_a_rectangle_says_its_source_in_the_label() -> None:
    synthesis = released(rho=0.1).dp.synthesize()
    assert synthesis.crosstab("sex", "kids").attrs["dp"]["source"] == "fitted"
    assert synthesis.crosstab("sex", "work").attrs["dp"]["source"] == "measured"
    assert synthesis.crosstab("sex", "work").shape == (2, 3)
    assert "\nFitted: what a model makes of other tables" in repr(synthesis.crosstab("sex", "kids"))
    assert "\nMeasured: released numbers." in repr(synthesis.crosstab("sex", "work"))


@pytest.mark.parametrize("kind", ["crosstab", "margins", "planned", "value_counts", "groupby", "loose", "effects"])
def test_every_released_table_of_counts_has_rows(kind: str) -> None:
    frame = protected()
    release = {
        "crosstab": lambda: frame.dp.crosstab("sex", ["work", "member"], rho=1e6),
        "margins": lambda: frame.dp.crosstab("sex", ["work", "member"], margins=True, rho=1e6),
        "planned": lambda: frame.dp.crosstab("sex", ["work", "member"], margins="planned", rho=1e6),
        "value_counts": lambda: frame["work"].dp.value_counts(rho=1e6),
        "groupby": lambda: frame.dp.groupby(["sex", "work"]).size(rho=1e6),
        "loose": lambda: frame.dp.marginals(TABLES[:2], consistent=False, rho=1e6),
        "effects": lambda: frame.dp.marginals(TABLES[:2], measure="effects", rho=1e6),
    }[kind]()
    synthesis = release.dp.synthesize(People)
    rows = synthesis.sample(3_000, seed=1)
    assert apart(shares(rows, list(rows.columns)), shares(people(), list(rows.columns))) < 0.07
    assert apart(shares(rows, ["work"]), shares(people(), ["work"])) < 0.002
    assert set(synthesis.table(["work"])["source"]) == {"measured"}
    assert synthesis.table(["work"])["count"].sum() == pytest.approx(3_000, abs=5)


def test_cells_that_cannot_be_are_in_no_row() -> None:
    zeros = [{"age": "[0.0, 18.0)", "work": ["full", "part"]}, {"age": "[0.0, 18.0)", "kids": [1, 2, 3]}]
    frame = protected(10)
    release = frame.dp.marginals(
        [["age", "work"], ["age", "kids"], ["sex", "kids"]],
        bins={"age": [0, 18, 100]},
        structural_zeros=[{**zero, "age": _first(frame)} for zero in zeros],
        rho=0.005,
    )
    for seed in range(5):
        rows = release.dp.synthesize(People).sample(4_000, seed=seed)
        young = rows[rows["age"] < 18]
        assert set(young["work"]) <= {"none"}
        assert set(young["kids"]) <= {0}


def _first(frame: pd.DataFrame) -> object:
    return pd.Interval(0.0, 18.0, closed="left")


def test_levels_of_a_key_agree_with_its_categories_in_every_row() -> None:
    parted = {"full": "in work", "part": "in work", "none": "out"}
    frame = protected()
    release = frame.dp.marginals([["work"], ["busy", "sex"]], hierarchies={"work": {"busy": parted}}, rho=1e6)
    synthesis = release.dp.synthesize(People)
    rows = synthesis.sample(3_000, seed=1)
    assert list(rows.columns) == ["sex", "work"]
    busy = rows["work"].map(parted)
    truth = people().assign(busy=people()["work"].map(parted))
    assert (
        apart(rows.assign(busy=busy).value_counts(["busy", "sex"], normalize=True), shares(truth, ["busy", "sex"]))
        < 0.002
    )
    table = synthesis.table(["busy", "work"])
    assert table.loc[("out", "full"), "count"] == pytest.approx(0, abs=1e-6)
    assert synthesis.table(["work"], where={"busy": "in work"})["count"].sum() == pytest.approx(
        (people()["work"] != "none").sum(), abs=5
    )


def test_estimates_of_measured_tables_have_intervals_and_others_none() -> None:
    synthesis = released(rho=0.5).dp.synthesize()
    found = synthesis.estimate(lambda t: t["f", "full"] / t["f"].sum(), of=[["sex", "work"]], replicates=10)
    assert found.lower < 0.4 * 0.48 + 0.02
    assert found.lower < found.estimate < found.upper
    other = synthesis.estimate(lambda t: t["f", 0], of=[["sex", "kids"]])
    assert np.isnan(other.lower)
    assert np.isnan(other.upper)
    assert "not measured" in other.procedure
    same = synthesis.estimate(lambda t: t["f", "full"] / t["f"].sum(), of=[["sex", "work"]], replicates=10)
    assert same == found


@pytest.mark.parametrize("kind", ["zeros", "levels", "effects", "loose", "crosstab", "all keys"])
def test_the_process_can_be_run_again(kind: str) -> None:
    """What simulated rows tell has the variance that the noise and the sample give it."""
    frame, parted = protected(10), {"full": "in work", "part": "in work", "none": "out"}
    pairs = [["sex", "work"], ["work", "member"], ["sex", "member"]]
    release = {
        "zeros": lambda: frame.dp.marginals(pairs, structural_zeros={"work": "none", "member": True}, rho=0.05),
        "levels": lambda: frame.dp.marginals(
            [["work"], ["busy", "sex"]], hierarchies={"work": {"busy": parted}}, rho=1
        ),
        "effects": lambda: frame.dp.marginals(pairs, measure="effects", rho=0.05),
        "loose": lambda: frame.dp.marginals(pairs, consistent=False, rho=0.05),
        "crosstab": lambda: frame.dp.crosstab("sex", "work", rho=0.05),
        "all keys": lambda: frame.dp.marginals(pairs, rho=0.05),
    }[kind]()
    synthesis = release.dp.synthesize()
    found = synthesis.estimate(lambda t: t["f"] / t.sum(), of=[["sex"]], replicates=40, seed=1)
    sd = (found.upper - found.lower) / 2 / 2.02
    noise = float(release.dp.synthesize().table(["sex"])["std_error"].iloc[0])
    requested = np.hypot(0.5 / np.sqrt(3_000), noise / 3_000 / np.sqrt(2))
    assert 0.5 * requested < sd < 1.7 * requested


def test_samples_differ_by_more_than_chance() -> None:
    frames = released(rho=0.02).dp.synthesize(People).samples(3, seed=1)
    assert len({round(float((frame["sex"] == "f").mean()), 6) for frame in frames}) == 3


def test_the_label_of_rows_is_plain_json_and_says_what_must_not_be_done(tmp_path: object) -> None:
    rows = released(rho=0.5).dp.synthesize(People).sample(50, seed=1)
    label = json.loads(json.dumps(rows.attrs["dp"]))
    assert label["kind"] == "synthetic"
    assert label["drawn"] == "even"
    assert label["rho"] == 0.5
    assert "Do not compute" in label["says"]
    assert type(rows) is pd.DataFrame
    rows.to_parquet(f"{tmp_path}/rows.parquet")
    assert pd.read_parquet(f"{tmp_path}/rows.parquet").attrs["dp"]["kind"] == "synthetic"


@pytest.mark.parametrize("question", ["mean", "confint", "metadata", "marginals", "synthesize"])
def test_synthetic_rows_answer_nothing(question: str) -> None:
    rows = released(rho=0.5).dp.synthesize(People).sample(50, seed=1)
    for data in (rows, rows["age"], rows[rows["age"] > 20]):
        with refused(errors.SyntheticRows, "of rows"):
            getattr(data.dp, question)
    assert issubclass(errors.SyntheticRows, (errors.PrivacyError, TypeError))
    assert dir(rows.dp) == []


def test_synthetic_rows_are_not_protected() -> None:
    rows = released(rho=0.5).dp.synthesize(People).sample(50, seed=1)
    with refused(errors.SyntheticRows), pdp.Session(epsilon=1) as session:
        session.protect(rows)


def test_what_is_no_table_of_counts_has_no_rows() -> None:
    with refused(errors.NotConcluded, "means"):
        protected()["age"].dp.mean(rho=1.0).dp.synthesize()
    adjusted = protected()["work"].dp.value_counts(rho=0.1).dp.nonnegative()
    with refused(errors.NotConcluded, "adjusted"):
        adjusted.dp.synthesize()
    with refused(errors.NotConcluded, "several statistics"):
        protected().dp.marginals([["sex"]], values="age", aggfunc=["sum", "count"], rho=1.0).dp.synthesize()


def test_keys_and_categories_that_are_not_there_are_refused() -> None:
    synthesis = released(rho=0.5).dp.synthesize()
    with refused(errors.BadArgument, "no key"):
        synthesis.table(["income"])
    with refused(errors.UnsupportedArgument, "no key in where"):
        synthesis.sample(where={"income": 1})
    with refused(errors.UnsupportedArgument, "no category"):
        synthesis.sample(where={"sex": "x"})
    with refused(errors.BadArgument, "no number"):
        synthesis.table(["sex"], values="work")
    with refused(errors.UnsupportedArgument, "no aggfunc"):
        synthesis.table(["sex"], aggfunc="mean")
    with refused(errors.BadArgument, "no tables"):
        synthesis.estimate(lambda t: 1.0, of=["sex"])
    with refused(errors.NotConcluded, "no number of f"):
        synthesis.estimate(lambda t: t, of=[["sex"]])


def test_it_prints_what_was_measured_and_what_it_is_not_for() -> None:
    text = repr(released(rho=0.5).dp.synthesize())
    assert "work × age" in text
    assert "Do not compute standard errors" in text


@pytest.mark.parametrize("kind", ["marginals", "crosstab", "levels", "bins"])
def test_a_stored_synthesis_reads_back_as_it_was(kind: str, tmp_path: object) -> None:
    frame = protected(10)
    parted = {"full": "in work", "part": "in work", "none": "out"}
    release = {
        "marginals": lambda: frame.dp.marginals(
            TABLES, bins=BINS, rho=0.5, structural_zeros={"sex": "m", "work": "part"}
        ),
        "crosstab": lambda: frame.dp.crosstab("sex", ["work", "member"], margins="planned", rho=0.5),
        "levels": lambda: frame.dp.marginals(
            [["work"], ["busy", "sex"]], hierarchies={"work": {"busy": parted}}, rho=1
        ),
        "bins": lambda: frame["age"].dp.histogram([0, 18, 66, 100], rho=0.5),
    }[kind]()
    synthesis = release.dp.synthesize(People)
    synthesis.write(f"{tmp_path}/{kind}.json")
    again = pdp.read_synthesis(f"{tmp_path}/{kind}.json", People)
    pd.testing.assert_frame_equal(again.sample(200, seed=1), synthesis.sample(200, seed=1))
    names = list(synthesis.sample(1).columns)
    pd.testing.assert_frame_equal(pd.DataFrame(again.table(names)), pd.DataFrame(synthesis.table(names)))
    assert again.measured[0].dp.metadata == synthesis.measured[0].dp.metadata
    assert again.samples(2, seed=1)[1].equals(synthesis.samples(2, seed=1)[1])


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "synthesis.json"
    released(rho=0.5).dp.synthesize().write(path)
    path.write_text(path.read_text().replace('"approximate": false', '"approximate": true'))
    with refused(errors.TablesDamaged, "a changed file"):
        pdp.read_synthesis(path)
    path.write_text("[]")
    with pytest.raises(errors.TablesDamaged):
        pdp.read_synthesis(path)
    with refused(errors.BadArgument, "no path"):
        pdp.read_synthesis("")


@pytest.mark.slow
def test_intervals_of_measured_shares_hold() -> None:
    """Of 40 tables at nominal .9; fewer than 26 hits are bad luck in one of 100,000 runs."""
    hits = 0
    for seed in range(40):
        r = np.random.default_rng(seed)
        rows = pd.DataFrame({"a": r.choice(["x", "y"], 600, p=[0.3, 0.7])})
        rows["b"] = np.where(r.random(600) < np.where(rows["a"] == "x", 0.6, 0.2), 1, 0)
        rows["c"] = np.where(r.random(600) < np.where(rows["b"] == 1, 0.7, 0.4), 1, 0)
        declared = {"a": ["x", "y"], "b": [0, 1], "c": [0, 1]}
        frame = pdp.Session(rho=1).protect(rows)
        synthesis = frame.dp.marginals([["a", "b"], ["b", "c"]], categories=declared, rho=0.02).dp.synthesize()
        found = synthesis.estimate(
            lambda t: t["x", 1] / t["x"].sum(), of=[["a", "b"]], replicates=30, confidence=0.9, seed=seed
        )
        hits += found.lower <= 0.6 <= found.upper
    assert hits >= 26
