"""Estimates and errors of a small survey, as R's svymean, svytotal and svyby give them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from tests.conftest import COMPLETE

BOUNDS = {"y": (0, 100), "x": (0, 10), "w": (0, 10)}
STRATA = ["n", "s", "w"]
SCHEMA = pa.DataFrameSchema({"y": pa.Column(int, pa.Check.in_range(0, 100), metadata=COMPLETE)})
COST = 1e15
Ask = Any


@pytest.fixture
def people(sample: pd.DataFrame) -> Iterator[pd.DataFrame]:
    with pdp.Session(rho=1e20) as session:
        yield session.protect(sample)


def protected(sample: pd.DataFrame, **design: Any) -> pd.DataFrame:
    return pdp.Session(rho=1e20, schema=SCHEMA).protect(sample, design=pdp.Design(**design))


def bounds(*columns: str) -> dict[str, tuple[int, int]]:
    return {name: BOUNDS[name] for name in columns}


def test_a_weighted_mean_has_the_error_of_its_design(people: pd.DataFrame, golden: Any) -> None:
    release = people["y"].dp.mean(weights="w", bounds=bounds("y", "w"), rho=COST)
    sums = release.dp.metadata["evidence"][0]["sums"]
    found = [sums["total"][0], sums["swing"][0], *np.ravel(sums["products"])]
    requested = [golden[f"hajek.all.{name}"] for name in ("T", "S", "p1", "p2", "p3")]
    assert found == pytest.approx(requested, abs=1e-5)
    assert release["std_error"].item() ** 2 == pytest.approx(golden["hajek.all.variance"], rel=1e-5)


def test_the_design_effect_is_in_the_metadata(people: pd.DataFrame) -> None:
    release = people["y"].dp.mean(weights="w", bounds=bounds("y", "w"), rho=COST)
    w = people["w"].to_numpy(dtype=float)
    deff = len(w) * (w**2).sum() / w.sum() ** 2
    assert deff == pytest.approx(1.2924, abs=1e-4)
    assert release.dp.metadata["evidence"][0]["deff"] == pytest.approx([deff], rel=1e-5)
    assert release.dp.metadata["weights"]["column"] == "w"


def test_a_filter_is_a_domain_in_which_the_size_of_the_design_stays(people: pd.DataFrame, golden: Any) -> None:
    inside = people[people["domain"] == 1]
    release = inside["y"].dp.mean(weights="w", bounds=bounds("y", "w"), rho=COST)
    assert release["std_error"].item() ** 2 == pytest.approx(golden["hajek.domain.variance"], rel=1e-5)
    by_domain = people.dp.groupby("domain", categories=[0, 1])["y"].mean(weights="w", bounds=bounds("y", "w"), rho=COST)
    assert by_domain.loc[1, "std_error"] == pytest.approx(release["std_error"].item(), rel=1e-4)


@pytest.mark.parametrize("strata", ["stratum", {"stratum": dict.fromkeys(STRATA, 4)}], ids=["measured", "public"])
def test_strata_give_the_error_of_a_stratified_sample(sample: pd.DataFrame, golden: Any, strata: Any) -> None:
    people = protected(sample, weights="w", strata=strata)
    categories = {"stratum": STRATA} if isinstance(strata, str) else None
    release = people["y"].dp.mean(bounds=bounds("y", "w"), categories=categories, rho=COST)
    assert release["std_error"].item() ** 2 == pytest.approx(golden["hajek.strata.variance"], rel=1e-5)


def test_where_a_stratum_may_have_more_people_than_are_counted_its_error_is_no_smaller(sample: pd.DataFrame) -> None:
    people = protected(sample, weights="w", strata="stratum")
    inside = people[people["domain"] == 1]
    release = inside["y"].dp.mean(bounds=bounds("y", "w"), categories={"stratum": STRATA}, rho=COST)
    part = sample[sample["domain"] == 1]
    e = part["w"] * (part["y"] - np.average(part["y"], weights=part["w"])) / part["w"].sum()
    for size in (4, 5, 8, 100):  # whatever the strata had
        sums = [e[part["stratum"] == name].sum() for name in STRATA]
        squares = [(e[part["stratum"] == name] ** 2).sum() for name in STRATA]
        var = sum(size / (size - 1) * (q - s**2 / size) for q, s in zip(squares, sums, strict=True))
        assert release["std_error"].item() ** 2 >= var * (1 - 1e-4)


def test_finite_populations_leave_less_to_chance(sample: pd.DataFrame, golden: Any) -> None:
    sizes = {"stratum": dict.fromkeys(STRATA, 4)}
    half = protected(sample, weights="w", strata=sizes, fpc=dict.fromkeys(STRATA, 8))
    release = half["y"].dp.mean(bounds=bounds("y", "w"), rho=COST)
    assert release["std_error"].item() ** 2 == pytest.approx(golden["hajek.strata.variance"] / 2, rel=1e-5)
    whole = protected(sample, weights="w", fpc=48)
    release = whole["y"].dp.mean(bounds=bounds("y", "w"), rho=COST)
    assert release["std_error"].item() ** 2 == pytest.approx(golden["hajek.all.variance"] * 0.75, rel=1e-5)


def test_a_total_has_the_error_of_svytotal(people: pd.DataFrame, sample: pd.DataFrame) -> None:
    release = people["y"].dp.sum(weights="w", bounds=bounds("y", "w"), rho=COST)
    z = (sample["w"] * sample["y"]).to_numpy(dtype=float)
    assert release["sum"].item() == pytest.approx(z.sum(), rel=1e-5)
    assert release["std_error"].item() ** 2 == pytest.approx(len(z) * z.var(ddof=1), rel=1e-5)


def test_a_total_with_public_weights_has_the_error_of_a_calibrated_one(sample: pd.DataFrame, golden: Any) -> None:
    people = protected(sample, weights="w", total_weight=62)
    release = people["y"].dp.sum(bounds=bounds("y", "w"), rho=COST)
    assert release["sum"].item() == pytest.approx(2540, rel=1e-5)
    assert release["std_error"].item() ** 2 == pytest.approx(62**2 * golden["hajek.all.variance"], rel=1e-5)


def test_weighted_counts_and_shares_have_their_errors(people: pd.DataFrame, sample: pd.DataFrame) -> None:
    counts = people["stratum"].dp.value_counts(weights="w", categories=STRATA, bounds=bounds("w"), rho=COST)
    shares = people["stratum"].dp.value_counts(True, weights="w", categories=STRATA, bounds=bounds("w"), rho=COST)
    w, n = sample["w"].to_numpy(dtype=float), len(sample)
    for name in STRATA:
        inside = (sample["stratum"] == name).to_numpy(dtype=float)
        share = (w * inside).sum() / w.sum()
        assert counts.loc[name, "count"] == pytest.approx((w * inside).sum(), rel=1e-5)
        assert shares.loc[name, "proportion"] == pytest.approx(share, rel=1e-5)
        low, high = shares.dp.confint(0.5).loc[name]
        error = np.sqrt(n / (n - 1) * ((w * (inside - share)) ** 2).sum()) / w.sum()
        assert low < share < high
        assert (high - low) / 2 == pytest.approx(0.6745 * error, rel=0.05)  # Fieller's is not quite symmetric


def test_a_ratio_has_the_error_of_svyratio(people: pd.DataFrame, golden: Any) -> None:
    release = people.dp.ratio("y", "x", weights="w", bounds=BOUNDS, rho=COST)
    assert release["ratio"].item() == pytest.approx(8.46667, abs=1e-5)
    assert release["std_error"].item() ** 2 == pytest.approx(golden["ratio.variance"], rel=1e-4)


def test_a_ratio_in_groups_is_that_of_each_domain(people: pd.DataFrame) -> None:
    grouped = people.dp.groupby("stratum", categories=STRATA).ratio("y", "x", weights="w", bounds=BOUNDS, rho=COST)
    inside = people[people["stratum"] == "s"]
    release = inside.dp.ratio("y", "x", weights="w", bounds=BOUNDS, rho=COST)
    assert grouped.loc["s"].to_numpy() == pytest.approx(release.iloc[0].to_numpy(), rel=1e-4)


def test_other_weights_of_a_question_win(sample: pd.DataFrame) -> None:
    people = protected(sample, weights="w")
    changed = people.assign(w=1, v=people["w"].clip(2, 6))

    def mean(frame: pd.DataFrame, **keywords: Any) -> float:
        return float(frame["y"].dp.mean(rho=COST, **keywords)["mean"].item())

    by_design = np.average(sample["y"], weights=sample["w"])
    assert mean(people, bounds=bounds("y", "w")) == pytest.approx(by_design, rel=1e-4)
    assert mean(changed, bounds=bounds("y", "w")) == pytest.approx(by_design, rel=1e-4)  # as they were protected
    assert mean(changed, bounds=(0, 100), weights=None) == pytest.approx(sample["y"].mean(), rel=1e-4)
    trimmed = np.average(sample["y"], weights=sample["w"].clip(2, 6))
    limits = {"y": (0, 100), "v": (2, 6)}
    assert mean(changed, bounds=limits, weights=changed["v"]) == pytest.approx(trimmed, rel=1e-4)
    clamped = {"y": (0, 100), "w": (2, 6)}
    assert mean(people, bounds=clamped) == pytest.approx(trimmed, rel=1e-4)


@pytest.mark.parametrize("strata", ["stratum", {"stratum": {"n": 4, "s": 4}}], ids=["measured", "public"])
def test_who_is_in_no_declared_stratum_counts_fully_in_the_estimate(sample: pd.DataFrame, strata: Any) -> None:
    data = sample if isinstance(strata, str) else sample.assign(stratum=sample["stratum"].replace("w", None))
    with pdp.Session(rho=1e20, schema=SCHEMA, neighbours="add_remove") as session:
        people = session.protect(data, design=pdp.Design(weights="w", strata=strata))
        categories = {"stratum": ["n", "s"]} if isinstance(strata, str) else None
        mean, total = (
            getattr(people["y"].dp, name)(bounds=bounds("y", "w"), categories=categories, rho=COST)
            for name in ("mean", "sum")
        )
    requested = (sample["w"] * sample["y"]).sum()
    assert total["sum"].item() == pytest.approx(requested, rel=1e-6)
    assert mean["mean"].item() == pytest.approx(requested / sample["w"].sum(), rel=1e-6)
