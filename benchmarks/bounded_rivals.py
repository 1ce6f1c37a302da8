"""Questions over people with many rows, asked of pandas-dp, OpenDP and PipelineDP in one run: error and time.

`make rivals` runs it in an environment of its own, the extra `rivals`; all three install together on Python 3.11,
so one process asks all of them in turn. `python -m benchmarks.bounded_rivals [PEOPLE [REPETITIONS]]` otherwise.

Every question costs epsilon 1 of its own. One person is added or removed, with all rows. Public bounds are the same,
round numbers that are tuned to nobody, and so are the public wards; noise is each library's Laplace noise. Each is
asked as its own documentation asks. OpenDP's people in wards are bounded by `truncate_per_group` twice: with the
versions of docs/people.md `truncate_num_groups` raises for samples, and its `keep="first"` keeps a group too few.
"""

from __future__ import annotations

import gc
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import opendp.prelude as dp
import pandas as pd
import pipeline_dp
import polars as pl
from pipeline_dp import AggregateParams, Metrics, NoiseKind

import pandas_dp as pdp

EPSILON = 1
MAX_ROWS, COST = 40, 500  # rows of a person, and the cost of one
TOTAL = 4000  # all that a person costs
MAX_WARDS = 5
WARDS = list("abcdefghij")
ALL = "all"
QUESTIONS = {
    "total": f"total cost, a person's within 0 to {TOTAL}",
    "total of rows": f"total cost, {MAX_ROWS} rows within 0 to {COST}",
    "mean": f"mean cost of a row, {MAX_ROWS} rows within 0 to {COST}",
    "rows": f"rows in ten wards, {MAX_ROWS} rows",
    "people": f"people in ten wards, {MAX_WARDS} wards",
}

Answers = np.ndarray[Any, np.dtype[np.float64]]
Asked = dict[str, Callable[[], Answers]]


def table(people: int) -> pd.DataFrame:
    """Ten rows a person on average and many of a few; costs that hang together in a person; a ward of one's own."""
    rng = np.random.default_rng(0)
    rows = 1 + rng.negative_binomial(1.5, 1.5 / 10.5, people)
    owner = np.repeat(np.arange(people), rows)
    dearness, home = rng.normal(0, 0.5, people), rng.choice(10, people, p=np.arange(1, 11) / 55)
    elsewhere = rng.random(len(owner)) < 0.2
    ward = np.where(elsewhere, rng.integers(0, 10, len(owner)), home[owner])
    cost = np.rint(np.exp(rng.normal(4, 0.7, len(owner)) + dearness[owner])).astype(np.int64)
    data = pd.DataFrame({"person_id": owner * 7919 + 13, "cost": cost, "ward": np.array(WARDS)[ward]})
    return data.sample(frac=1, random_state=1, ignore_index=True)


def truth(data: pd.DataFrame) -> dict[str, Answers]:
    counts = data["ward"].value_counts()[WARDS]
    people = data.groupby("ward")["person_id"].nunique()[WARDS]
    total, mean = np.array([data["cost"].sum()], float), np.array([data["cost"].mean()])
    found = {"total": total, "total of rows": total, "mean": mean, "rows": counts, "people": people}
    return {name: np.asarray(values, float) for name, values in found.items()}


def bounded(data: pd.DataFrame) -> dict[str, Answers]:
    """What the bounds alone make of it, on average over whatever is drawn: nobody's noise."""
    each = data.groupby("person_id")
    weight = np.minimum(1, MAX_ROWS / each["cost"].transform("size"))
    cells = data[["person_id", "ward"]].drop_duplicates()
    share = np.minimum(1, MAX_WARDS / cells.groupby("person_id")["ward"].transform("size"))
    total = float((weight * data["cost"].clip(0, COST)).sum())
    return {
        "total": np.array([each["cost"].sum().clip(0, TOTAL).sum()], float),
        "total of rows": np.array([total]),
        "mean": np.array([total / weight.sum()]),
        "rows": weight.groupby(data["ward"]).sum()[WARDS].to_numpy(),
        "people": share.groupby(cells["ward"]).sum()[WARDS].to_numpy(),
    }


class PandasDP:
    name = "pandas-dp"
    mean = (MAX_ROWS * COST / 2 * (1 + 1 / 1.443), MAX_ROWS * (1 + 1.443), COST / 2)  # docs/proofs/people

    def prepared(self, data: pd.DataFrame) -> pd.DataFrame:
        self.session = pdp.Session(epsilon=EPSILON * 10**6, unit="person_id", neighbours="add_remove")
        return self.session.protect(data)

    def asked(self, visits: Any) -> Asked:
        def values(release: Any) -> Answers:
            return np.asarray(release.iloc[:, 0], float)

        cost, ward = visits["cost"].dp, visits["ward"].dp
        price: Any = {"epsilon": EPSILON}
        rows: Any = {"max_rows": MAX_ROWS, "bounds": (0, COST), **price}
        wards: Any = {"categories": WARDS, **price}
        return {
            "total": lambda: values(cost.sum(per_person=(0, TOTAL), **price)),
            "total of rows": lambda: values(cost.sum(**rows)),
            "mean": lambda: values(cost.mean(**rows)),
            "rows": lambda: values(ward.value_counts(max_rows=MAX_ROWS, **wards)),
            "people": lambda: values(ward.value_counts(count="people", max_cells=MAX_WARDS, **wards)),
        }


class OpenDP:
    name = "OpenDP"
    mean = (2 * MAX_ROWS * COST, 2 * MAX_ROWS, 0)  # as `query.summarize()` has it

    def prepared(self, data: pd.DataFrame) -> Any:
        dp.enable_features("contrib")
        return dp.Context.compositor(
            data=pl.from_pandas(data).lazy(),
            privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("person_id")),
            privacy_loss=dp.loss_of(epsilon=float(EPSILON * len(QUESTIONS))),
            split_evenly_over=len(QUESTIONS),
            margins=[dp.polars.MarginOf(max_length=10**7)],
        )

    def asked(self, context: Any) -> Asked:
        keys, cost = pl.LazyFrame({"ward": WARDS}), pl.col("cost").dp

        def counts(query: Any) -> Answers:
            cells = query.group_by("ward").agg(dp.len(signed=True)).with_keys(keys)
            return cells.release().collect().sort("ward")["len"].to_numpy().astype(float)

        def number(query: Any) -> Answers:
            return query.release().collect()["cost"].to_numpy().astype(float)

        def sums() -> Any:
            return context.query().group_by("person_id").agg(pl.col("cost").sum())

        def rows() -> Any:
            return context.query().truncate_per_group(MAX_ROWS)

        def cells() -> Any:
            return context.query().truncate_per_group(1, by=["ward"]).truncate_per_group(MAX_WARDS)

        return {
            "total": lambda: number(sums().select(cost.sum((0, TOTAL)))),
            "total of rows": lambda: number(rows().select(cost.sum((0, COST)))),
            "mean": lambda: number(rows().select(cost.mean((0, COST)))),
            "rows": lambda: counts(rows()),
            "people": lambda: counts(cells()),
        }


class PipelineDP:
    name = "PipelineDP"
    mean = (MAX_ROWS * COST, 2 * MAX_ROWS, COST / 2)  # half of epsilon for each; costs count from their middle

    def prepared(self, data: pd.DataFrame) -> list[tuple[int, str, int]]:
        return list(zip(data["person_id"].tolist(), data["ward"].tolist(), data["cost"].tolist(), strict=True))

    def asked(self, rows: list[tuple[int, str, int]]) -> Asked:
        def answered(metric: Any, by_ward: bool, **bounds: Any) -> Answers:
            accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=0)
            engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
            columns = pipeline_dp.DataExtractors(
                privacy_id_extractor=lambda row: row[0],
                partition_extractor=(lambda row: row[1]) if by_ward else (lambda row: ALL),
                value_extractor=lambda row: row[2],
            )
            cells = WARDS if by_ward else [ALL]
            params = AggregateParams(metrics=[metric], noise_kind=NoiseKind.LAPLACE, **bounds)
            found = engine.aggregate(rows, params, columns, public_partitions=cells)
            accountant.compute_budgets()
            released = dict(found)
            return np.array([released[cell][0] for cell in cells])

        costs: Any = {"max_contributions": MAX_ROWS, "min_value": 0, "max_value": COST}
        person: Any = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}  # the latter is not used
        person |= {"min_sum_per_partition": 0, "max_sum_per_partition": TOTAL}
        wards: Any = {"max_partitions_contributed": MAX_WARDS, "max_contributions_per_partition": 1}
        return {
            "total": lambda: answered(Metrics.SUM, False, **person),
            "total of rows": lambda: answered(Metrics.SUM, False, **costs),
            "mean": lambda: answered(Metrics.MEAN, False, **costs),
            "rows": lambda: answered(Metrics.COUNT, True, max_contributions=MAX_ROWS),
            "people": lambda: answered(Metrics.PRIVACY_ID_COUNT, True, **wards),
        }


LIBRARIES = (PandasDP(), OpenDP(), PipelineDP())


def measured(data: pd.DataFrame, times: int) -> tuple[dict[str, dict[str, Answers]], dict[str, dict[str, float]]]:
    """Answers, one row a repetition, and the least seconds, of each library to each question, in turn."""
    answers: Any = {name: {each.name: [] for each in LIBRARIES} for name in QUESTIONS}
    seconds: Any = {name: {each.name: np.inf for each in LIBRARIES} for name in ("prepared", *QUESTIONS)}
    for _ in range(times):
        for each in LIBRARIES:
            prepared, took = timed(lambda each=each: each.prepared(data))
            seconds["prepared"][each.name] = min(seconds["prepared"][each.name], took)
            for name, ask in each.asked(prepared).items():
                answer, took = timed(ask)
                answers[name][each.name].append(answer)
                seconds[name][each.name] = min(seconds[name][each.name], took)
    return {name: {key: np.array(all_) for key, all_ in of.items()} for name, of in answers.items()}, seconds


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    gc.collect()
    start = time.perf_counter()
    done = work()
    return done, time.perf_counter() - start


def told(limits: dict[str, Answers], true: dict[str, Answers]) -> dict[str, dict[str, float]]:
    """Standard deviations of the noise in percent, by the scales that the libraries tell; those of a mean are
    of a sum, of how many rows, and where the sum counts from, and the ratio is taken to the first order."""
    scales = {"total": TOTAL, "total of rows": MAX_ROWS * COST, "rows": MAX_ROWS, "people": MAX_WARDS}
    found = {name: dict.fromkeys((each.name for each in LIBRARIES), scale) for name, scale in scales.items()}
    counted, mean = limits["rows"].sum(), limits["mean"][0]
    found["mean"] = {
        each.name: float(np.hypot(each.mean[0], (mean - each.mean[2]) * each.mean[1]) / counted) for each in LIBRARIES
    }
    return {
        name: {key: 100 * 2**0.5 * scale / EPSILON / true[name].mean() for key, scale in of.items()}
        for name, of in found.items()
    }


def off(answers: Answers, true: Answers) -> float:
    """The root mean square error, over repetitions and wards, in percent of the mean of what is true."""
    return 100 * float(np.sqrt(np.mean((answers - true) ** 2)) / true.mean())


def row(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


def main(people: int = 10_000, times: int = 50) -> None:
    warnings.simplefilter("ignore")
    data = table(people)
    true, limits = truth(data), bounded(data)
    answers, seconds = measured(data, times)
    names = [each.name for each in LIBRARIES]
    packages = ("opendp", "polars", "pipeline-dp", "pandas")
    print(f"{len(data):,} rows of {people:,} people, {times} repetitions;", *(f"{p} {version(p)}" for p in packages))
    scales = told(limits, true)
    print("\nin % of the true value: what the bounds alone do, the noise by its scales, root mean square errors;")
    print("in brackets those around what the bounds make of it, which are the noise as measured\n")
    row("question", "bounds", *(f"noise: {name}" for name in names), *(f"error: {name}" for name in names))
    for name, words in QUESTIONS.items():
        errors = [f"{off(answers[name][n], true[name]):.3f} ({off(answers[name][n], limits[name]):.3f})" for n in names]
        row(words, f"{off(limits[name], true[name]):.3f}", *(f"{scales[name][n]:.3f}" for n in names), *errors)
    print("\nleast milliseconds\n")
    row("question", *names)
    for name, took in seconds.items():
        row(QUESTIONS.get(name, name), *(f"{1000 * took[each]:.1f}" for each in names))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
