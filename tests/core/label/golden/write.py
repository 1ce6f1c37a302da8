"""Writes one release of each kind, a folder of stored tables and a ledger, as format 1 has them: once, for ever.

`python -m tests.core.label.golden.write FOLDER` writes into a new folder. What stands beside this file was written
before the first release, and its labels are never written again: `test_golden.py` reads them with whatever the library
has become. A kind that comes later gets a file of its own. Where intervals become better on purpose, `python -m
tests.core.label.golden.write` concludes anew from the labels that stand here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
from scipy.special import ndtr

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.core.budget.cost import Pure
from pandas_dp.core.noise.bounded_counts import AdditiveUtility, TruncatedNormal
from pandas_dp.core.noise.mechanisms import ADDITIVE

SEED = 20_240_601
NUMBERED = {"datetime64[ns]": "M8[ns]", "timedelta64[ns]": "m8[ns]"}


COMPLETE = {"dp": {"complete": True}}


class People(pa.DataFrameModel):
    sex: str = pa.Field(isin=["f", "m"], metadata=COMPLETE)
    region: str = pa.Field(isin=["north", "south", "west"])
    age: int = pa.Field(ge=0, le=100, metadata=COMPLETE)
    income: float = pa.Field(ge=0, le=500_000, metadata=COMPLETE)
    visits: pd.Int64Dtype = pa.Field(ge=0, le=50, nullable=True)
    born: pd.Timestamp = pa.Field(ge=pd.Timestamp("1900-01-01"), le=pd.Timestamp("2020-12-31"), metadata=COMPLETE)


def people(rows: int = 400) -> pd.DataFrame:
    r = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "sex": r.choice(["f", "m"], rows),
            "region": r.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
            "age": r.integers(18, 90, rows),
            "income": r.integers(0, 90_000, rows) * 1.0,
            "visits": pd.array(np.where(r.random(rows) < 0.1, None, r.integers(0, 51, rows)), dtype="Int64"),
            "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(r.integers(0, 20_000, rows), "D"),
        }
    )


def p_value_of(rows: pd.DataFrame) -> float:
    """That the ages of a block have a mean of 54 years, of which they are up to 20 off."""
    return float(2 * ndtr(-abs(rows["age"].mean() - 54) * len(rows) ** 0.5 / 20))


Ask = Callable[[Any], pdp.Release]
WHOLE = [["sex", "region"], ["sex"], []]
LEVELS = {"region": {"area": {"north": "up", "south": "down", "west": "down"}}}
ASKED: dict[str, Ask] = {
    "count": lambda p: p["age"].dp.count(epsilon=1),
    "counts": lambda p: p.dp.crosstab("sex", "region", epsilon=1),
    "counts-with-totals": lambda p: p.dp.crosstab("sex", "region", margins=True, rho=0.5),
    "histogram": lambda p: p["age"].dp.histogram([0, 30, 60, 90], other=True, epsilon=1),
    "cdf": lambda p: p["age"].dp.cdf([20, 40, 60], rho=0.5),
    "cdf-derived": lambda p: p[p["age"] > 30]["age"].dp.cdf([20, 40, 60], epsilon=1),
    "histogram-of-blocks": lambda p: p["age"].dp.histogram(40, ranges=True, epsilon=1),
    "marginals-of-blocks": lambda p: p.dp.marginals(
        [["age", "sex"]], bins={"age": 30}, ranges={"age": "prefix"}, epsilon=1
    ),
    "cdf-of-blocks": lambda p: p["age"].dp.cdf(64, epsilon=1),
    "sum": lambda p: p["income"].dp.sum(epsilon=1),
    "sum-staircase": lambda p: p["income"].dp.sum(epsilon=4),
    "sum-averaged": lambda p: p["income"].dp.sum(mechanism="averaged-laplace", draws=5, epsilon=1),
    "counts-truncated": lambda p: p["sex"].dp.value_counts(mechanism="truncated-laplace", epsilon=1, delta=1e-8),
    "counts-truncated-normal": lambda p: p["sex"].dp.value_counts(
        mechanism=TruncatedNormal(m=20), epsilon=2, delta=0.001
    ),
    "counts-made": lambda p: p["sex"].dp.value_counts(
        mechanism=AdditiveUtility(lambda k: k**1.5, m=12), epsilon=3, delta=0.03
    ),
    "counts-found": lambda p: p["age"].dp.value_counts(categories="unknown", other=True, epsilon=6, delta=0.05),
    "counts-hellinger": lambda p: p["sex"].dp.value_counts(mechanism="hellinger", epsilon=1),
    "mean": lambda p: p["income"].dp.mean(epsilon=1),
    "mean-gaussian": lambda p: p["income"].dp.mean(rho=0.1),
    "mean-derived": lambda p: p[p["age"] > 60]["income"].dp.mean(epsilon=1),
    "mean-of-gaps": lambda p: p["visits"].dp.mean(epsilon=1),
    "mean-of-times": lambda p: p["born"].dp.mean(epsilon=1),
    "means-by-group": lambda p: p.dp.groupby(["sex", "region"])["income"].mean(epsilon=1),
    "mean-bootstrap": lambda p: p["age"].dp.mean(bootstrap=20, variance="conservative", epsilon=1),
    "sum-bootstrap": lambda p: p["age"].dp.sum(bootstrap=20, epsilon=1),
    "replicates": lambda p: p["age"].dp.mean(bootstrap=20, resample="weights", epsilon=10),
    "share": lambda p: (p["age"] > 60).dp.share(epsilon=1),
    "sem": lambda p: p["age"].dp.sem(epsilon=1),
    "var": lambda p: p["age"].dp.var(ddof=0, epsilon=1),
    "std-derived": lambda p: p[p["age"] > 40]["age"].dp.std(epsilon=1),
    "std-bootstrap": lambda p: p["age"].dp.std(bootstrap=20, epsilon=1),
    "cov": lambda p: p[["age", "income"]].dp.cov(rho=1),
    "corr": lambda p: p[["age", "visits"]].dp.corr(rho=1),
    "skew": lambda p: p["age"].dp.skew(rho=1),
    "kurt": lambda p: p.dp.groupby("sex")["age"].kurt(epsilon=5),
    "pair": lambda p: p["age"].dp.corr(p["visits"], rho=1),
    "moments": lambda p: p.dp.moments(["age", "income", "sex"], terms=["age:income", "sex:age"], rho=1),
    "moments-by-group": lambda p: p.dp.groupby("sex").moments(["age", "visits"], splines={"age": [0, 50, 100]}, rho=1),
    "moments-pure": lambda p: p.dp.moments(["age", "income"], epsilon=5),
    "median": lambda p: p["age"].dp.median(epsilon=1),
    "quantiles": lambda p: p["income"].dp.quantile([0.1, 0.9], epsilon=1),
    "median-smooth": lambda p: p["age"].dp.median(mechanism="smooth", epsilon=1),
    "location": lambda p: p["income"].dp.location(rho=1),
    "trimmed-mean": lambda p: p["income"].dp.trimmed_mean(0.1, rho=1),
    "mean-within": lambda p: p["income"].dp.mean(bounds="private", rho=1),
    "logit": lambda p: p.assign(old=p["age"] > 60).dp.logit("old", ["visits", "sex"], rho=50, bounds={"old": (0, 1)}),
    "describe": lambda p: p["income"].dp.describe(epsilon=5),
    "agg": lambda p: p.dp.groupby("sex").agg({"age": ["mean", "median"], "income": "sum"}, epsilon=5),
    "individual": lambda p: p["age"].dp.mean(model="idp", epsilon=1),
    "bootstrap-promise": lambda p: p["age"].dp.sum(model="bdp", epsilon=1),
    "marginals": lambda p: p.dp.marginals(WHOLE, epsilon=2),
    "marginals-apart": lambda p: p.dp.marginals(WHOLE, consistent=False, epsilon=2),
    "marginals-of-means": lambda p: p.dp.marginals(WHOLE, "income", ["count", "sum", "mean"], rho=1),
    "marginals-by-effects": lambda p: p.dp.marginals(WHOLE, "income", ["count", "mean"], rho=1, measure="effects"),
    "marginals-of-runs": lambda p: p.dp.marginals(
        [["age", "sex"]], bins={"age": [0, 30, 60, 90, 120]}, ranges={"age": "all"}, rho=1
    ),
    "histogram-of-runs": lambda p: p["age"].dp.histogram([0, 30, 60, 90, 120], ranges=True, rho=1),
    "marginals-zeros": lambda p: p.dp.marginals(WHOLE, structural_zeros=[{"sex": "f", "region": "west"}], epsilon=2),
    "marginals-levels": lambda p: p.dp.marginals([["region", "sex"], ["area"]], hierarchies=LEVELS, epsilon=2),
    "ols": lambda p: p.dp.ols("income", ["age", "sex"], stages=1, rho=1),
    "ols-of-two-stages": lambda p: p.dp.ols("income", ["age", "sex"], cov_type="HC", rho=1),
    "ols-of-groups": lambda p: p.dp.groupby("sex").ols("income", ["age"], rho=1),
    "life": lambda p: p.assign(old=p["age"] > 60).dp.survival("visits", "old", by="sex", bins=[0, 9, 20, 50], rho=1),
    "life-counts": lambda p: p.assign(few=p["visits"] // 20).dp.crosstab(
        "sex", "few", categories={"few": [0, 1, 2]}, rho=1
    ),
    "crosstab-planned": lambda p: p.dp.crosstab("sex", "region", margins="planned", epsilon=2),
    "test-of-tests": lambda p: p.dp.blocks(20).test_of_tests(p_value_of, 0.2, isolate=False, epsilon=1),
    "synthesis-measured": lambda p: p.dp.marginals(WHOLE, rho=1).dp.synthesize().table(["sex"]),
    "synthesis-fitted": lambda p: p.dp.marginals([["sex"], ["region"]], rho=1).dp.synthesize().table(["sex", "region"]),
    "median-with-interval": lambda p: p["age"].dp.median(rho=0.1),
    "quantiles-with-intervals": lambda p: p["income"].dp.quantile([0.1, 0.5, 0.9], epsilon=1),
    "iqr": lambda p: p["income"].dp.iqr(rho=1),
    "choose": lambda p: p.dp.choose({"old": "age", "busy": "visits"}, bounds=(0, 100), epsilon=1),
}
for each in ADDITIVE.values():  # of those that came later
    if each.name not in ("laplace", "gaussian", "staircase", "averaged-laplace"):
        least: Any = {"epsilon": 1} if each.spends(Pure(Fraction(1))) else {"rho": 1}
        ASKED[f"sum-{each.name}"] = lambda p, each=each, least=least: p["income"].dp.sum(mechanism=each, **least)
MADE: dict[str, tuple[str, Callable[[pdp.Release], Any]]] = {  # of those, at no cost
    "rounded": ("means-by-group", lambda r: r.dp.round(0)),
    "table-fit": ("counts", lambda r: r.dp.logit("sex")),
    "table-fit-poisson": ("life-counts", lambda r: r.dp.poisson("few", cov_type="HC")),
    "whole": ("counts-with-totals", lambda r: r.dp.nonnegative(integer=True)),
    "to-base": ("counts", lambda r: r.dp.round_to(5, additive=True)),
    "withheld": ("counts", lambda r: r.dp.suppress(60)),
    "covariances": ("moments", lambda r: r.dp.cov()),
    "correlations-semidefinite": ("moments", lambda r: r.dp.corr().dp.semidefinite()),
    "shares": ("counts-with-totals", lambda r: r.dp.shares("index")),
    "margin": ("marginals", lambda r: r.dp.margin(["region"], where={"sex": ["f"]})),
    "margin-of-means": ("marginals-of-means", lambda r: r.dp.margin(["region"])),
}
OF_PEOPLE: dict[str, Ask] = {  # with several rows each: visits
    "mean-of-rows": lambda v: v["income"].dp.mean(max_rows=3, epsilon=4),
    "means-of-rows": lambda v: v.dp.groupby("region")["income"].mean(max_rows=3, rho=1),
    "counts-of-rows": lambda v: v.dp.crosstab("sex", "region", max_rows=3, epsilon=2),
    "counts-of-people": lambda v: v["region"].dp.value_counts(count="people", max_cells=2, rho=1),
    "sum-of-people": lambda v: v["income"].dp.sum(per_person=(0, 200_000), epsilon=1),
    "moments-of-rows": lambda v: v.dp.moments(["age", "income"], max_rows=3, rho=1),
    "ols-of-rows": lambda v: v.dp.ols("income", ["age", "sex"], max_rows=3, stages=1, rho=1),
    "ols-by-person": lambda v: v.dp.ols("income", ["age", "sex"], max_rows=3, stages=2, rho=1),
    "logit-by-person": lambda v: v.assign(old=v["age"] > 60).dp.logit(
        "old", ["visits", "sex"], max_rows=3, rho=50, bounds={"old": (0, 1)}
    ),
    "table-of-rows": lambda v: v.dp.crosstab("sex", "region", margins="planned", max_rows=3, rho=1),
}
OF_SURVEYS: dict[str, Ask] = {  # weighted by the visits, in strata
    "mean-of-strata": lambda p: p["income"].dp.mean(rho=1),
    "mean-weighted": lambda p: p[["income"]].dp.mean(weights=p["visits"], epsilon=4),
    "sums-weighted": lambda p: p.dp.groupby("sex")["income"].sum(rho=1),
    "share-weighted": lambda p: (p["age"] > 60).dp.share(rho=1),
    "counts-weighted": lambda p: p.dp.crosstab("sex", "region", epsilon=4),
    "margins-weighted": lambda p: p.dp.crosstab("sex", "region", margins=True, rho=1),
    "shares-weighted": lambda p: p["sex"].dp.value_counts(True, rho=1),
    "ratio": lambda p: p.dp.ratio("income", "age", rho=1),
    "calibrated": lambda p: p["sex"].dp.value_counts(rho=1).dp.calibrate({"sex": {"f": 5_000, "m": 4_800}}),
}

OF_CLUSTERS: dict[str, Ask] = {  # the same people, sampled by the year of their birth; or in strata of public sizes
    "sum-of-clusters": lambda p: p.dp.groupby("sex")["income"].sum(rho=1),
    "counts-of-clusters": lambda p: p["sex"].dp.value_counts(rho=1),
    "ratio-of-clusters": lambda p: p.dp.ratio("income", "age", rho=1),
    "calibrated-clusters": lambda p: p["sex"].dp.value_counts(rho=1).dp.calibrate({"sex": {"f": 5_000, "m": 4_800}}),
}
OF_SIZES: dict[str, Ask] = {
    "counts-of-strata": lambda p: p["sex"].dp.value_counts(True, rho=1),
}


OF_TESTS: dict[str, Ask] = {
    "t-test": lambda p: p.dp.t_test("income", by="sex", rho=1),
    "t-test-of-pairs": lambda p: p.dp.t_test(paired=("age", "income"), rho=1),
    "rank-test": lambda p: p.dp.rank_test("income", by="sex", epsilon=1),
    "rank-test-of-groups": lambda p: p.dp.rank_test("age", by="region", rho=1),
    "ks-test": lambda p: p.dp.ks_test("age", by="sex", epsilon=1),
    "ks-test-of-some": lambda p: p[p["visits"] > 1].dp.ks_test("age", by="sex", rho=1),
}


def synthetic() -> pd.DataFrame:
    """Rows of nobody, as a synthesis marks them."""
    rows = pd.DataFrame({"sex": ["f", "m"] * 50, "region": ["north", "south", "north", "west"] * 25})
    rows.attrs["dp"] = {"kind": "synthetic"}
    return rows


def bounded(synthesis: pdp.Synthesis, frame: Any) -> pdp.Release:
    """A table of a model, with how far it is at most from the people."""
    distance = frame.dp.distance(synthesis, [["sex", "region"]], rho=1)
    return synthesis.with_distance(distance).table(["sex", "region"])


OF_SYNTHESES: dict[str, Ask] = {
    "distance": lambda p: p.dp.distance(synthetic(), [["sex"], ["sex", "region"]], rho=1),
    "synthesize": lambda p: p.dp.synthesize(["sex", "region"], rho=0.01).measured[0],
    "synthesis-bounded": lambda p: bounded(p.dp.marginals([["sex"], ["region"]], rho=1).dp.synthesize(), p),
}

OF_LEARNING: dict[str, Ask] = {
    "naive-bayes": lambda p: p.dp.naive_bayes("sex", ["age", "region"], bins=3, rho=1),
    "clusters": lambda p: p.dp.kmeans(["age", "income"], 2, bins=4, rho=1),
    "gam-classifier": lambda p: p.assign(old=p["age"] > 60).dp.gam_classifier(
        "old", ["income", "region"], splines=3, bounds={"old": (0, 1)}, rho=1
    ),
    "components": lambda p: p.dp.moments(["age", "income"], rho=1).dp.pca(2),
}


def first_two(release: pd.DataFrame) -> tuple[Any, Any]:
    return (release.index[0], release.columns[0]), (release.index[-1], release.columns[-1])


CONCLUDED: dict[str, Callable[[Any], Any]] = {
    "guarantee": lambda r: r.dp.guarantee,
    "interval": lambda r: r.dp.confint(0.95),
    "interval for the rows": lambda r: r.dp.confint(0.9, "sample"),
    "joint intervals": lambda r: r.dp.confint(0.9, simultaneous=True),
    "difference of rows": lambda r: r.dp.contrast(r.index[0], r.index[-1], target="sample"),
    "ratio of cells": lambda r: r.dp.contrast(*first_two(r), kind="ratio", target="sample"),
    "test": lambda r: r.dp.test(40.0),
    "independence": lambda r: r.dp.independence_test(pvalue="asymptotic").statistic,
    "total": lambda r: r.dp.margin([]),
    "shares": lambda r: r.dp.shares().dp.confint(0.9),
}


def plain(found: Any) -> Any:
    """A conclusion as JSON, a refusal by its class: sentences may become better."""
    if isinstance(found, pd.DataFrame):
        return {"rows": len(found), "numbers": [[plain(v) for v in found[c].tolist()] for c in found.columns]}
    if isinstance(found, float):
        return found if np.isfinite(found) else str(found)
    return found if isinstance(found, int | str) else str(found)


def concluded(release: Any) -> dict[str, Any]:
    said = {}
    for name, conclude in CONCLUDED.items():
        try:
            said[name] = plain(conclude(release))
        except (pdp.PrivacyError, KeyError) as refusal:
            said[name] = {"refused": type(refusal).__name__}
    return said


def table_to_json(table: pd.DataFrame) -> dict[str, Any]:
    """Labels with their types, and numbers column by column."""

    def typed(index: pd.Index) -> dict[str, Any]:
        labels = [list(each) if isinstance(each, tuple) else [each] for each in index]
        return {"names": list(index.names), "labels": [[[type(v).__name__, str(v)] for v in each] for each in labels]}

    def numbers(column: Any) -> dict[str, Any]:
        if column.dtype.kind in "mM":
            return {"type": str(column.dtype), "values": column.astype("int64").tolist()}
        dtype = "object" if pd.api.types.is_string_dtype(column.dtype) else str(column.dtype)  # "str" from pandas 3 on
        return {"type": dtype, "values": [plain(value) for value in column.tolist()]}

    frame = pd.DataFrame(table)
    frame.attrs = {}
    columns = [numbers(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return {"index": typed(frame.index), "columns": typed(frame.columns), "numbers": columns}


def table_from_json(said: Mapping[str, Any]) -> pd.DataFrame:
    read = {"str": str, "int": int, "float": float, "bool": "True".__eq__, "NoneType": lambda _: None}
    read["Interval"] = lambda text: pd.Interval(*map(float, text[1:-1].split(", ")), closed="left")

    def labels(facts: Mapping[str, Any]) -> pd.Index:
        rows = [tuple(read[kind](text) for kind, text in each) for each in facts["labels"]]
        if len(facts["names"]) > 1:
            return pd.MultiIndex.from_tuples(rows, names=facts["names"])
        return pd.Index([row[0] for row in rows], name=facts["names"][0])

    def column(facts: Mapping[str, Any]) -> Any:
        if facts["type"][0] in "dt":
            return np.array(facts["values"], dtype="int64").astype(NUMBERED[facts["type"]])
        if facts["type"] == "object":
            return np.array(facts["values"], dtype=object)
        values = [float(v) if isinstance(v, str) else v for v in facts["values"]]
        return np.array(values, dtype=facts["type"])

    frame = pd.DataFrame({place: column(each) for place, each in enumerate(said["numbers"])})
    frame.index, frame.columns = labels(said["index"]), labels(said["columns"])
    return frame


def to_json(release: pd.DataFrame) -> dict[str, Any]:
    return {"label": release.attrs["dp"], "table": table_to_json(release), "concluded": concluded(release)}


def from_json(said: Mapping[str, Any]) -> pd.DataFrame:
    release = table_from_json(said["table"])
    release.attrs = {"dp": said["label"]}
    return release


def questions(frame: Any) -> dict[str, Callable[[], Any]]:
    """Of the stored folder, asked again by the test."""
    return {
        "work": lambda: frame.dp.marginals([["sex", "region"], ["region"]], epsilon=2),
        "money": lambda: frame.dp.marginals([["sex"]], "income", ["sum", "mean"], epsilon=2),
    }


READ: dict[str, Callable[[Any], Any]] = {
    "sexes": lambda t: t.table(["sex"]),
    "all": lambda t: t.table([]),
    "women by region": lambda t: t.table(["region"], where={"sex": "f"}),
    "both": lambda t: t.crosstab("sex", "region", margins=True),
    "means": lambda t: t.table(["sex"], values="income", aggfunc="mean"),
    "contents": lambda t: t.contents[["name", "table", "statistic", "cells", "cost"]],
}


def read_off(tables: Any) -> dict[str, Any]:
    found = {name: read(tables) for name, read in READ.items()}
    return {name: [plain(each), *([concluded(each)] if name != "contents" else [])] for name, each in found.items()}


def write(folder: Path) -> None:
    folder.mkdir()
    (folder / "releases").mkdir()
    with seeded_noise(SEED):
        session = pdp.Session(epsilon=10**4, delta=0.9, schema=People, models=["dp", "idp", "bdp"], name="golden")
        frame = session.protect(people())
        made = {name: ask(frame) for name, ask in (ASKED | OF_TESTS).items()}
        made |= {name: change(made[question]) for name, (question, change) in MADE.items()}
        made["combined"] = pdp.combine([ASKED["mean"](frame), made["mean"]])
        ledger = folder / "ledger.db"
        with pdp.Session(epsilon=10, schema=People, ledger=ledger, name="golden") as kept:
            stored = kept.protect(people())
            tables = pdp.publish_tables(folder / "tables", questions(stored))
            used = kept.share_used
        made |= of_people()
        made |= of_surveys() | of_clusters() | of_learning() | of_syntheses()
    for name, release in made.items():
        put(folder / "releases" / f"{name}.json", to_json(release))
    put(folder / "tables.json", {"read": read_off(tables), "used": used})


def of_people() -> dict[str, pdp.Release]:
    """Rows of 160 people, most of whom have two or three."""
    owner = np.random.default_rng(2).integers(0, 160, 400)
    with pdp.Session(epsilon=10**4, delta=0.9, schema=People, unit="who", name="golden") as session:
        visits = session.protect(people().assign(who=owner))
        return {name: ask(visits) for name, ask in OF_PEOPLE.items()}


def of_surveys() -> dict[str, pdp.Release]:
    """A sample in strata, with weights."""
    design = pdp.Design(weights="visits", strata="region")
    with pdp.Session(epsilon=10**4, delta=0.9, schema=People, name="golden") as session:
        sampled = session.protect(people(), design=design)
        return {name: ask(sampled) for name, ask in OF_SURVEYS.items()}


def of_clusters() -> dict[str, pdp.Release]:
    """Samples in clusters, and in strata whose sizes everybody knows."""
    units, data = list(range(10)), people().assign(unit=lambda p: p["born"].dt.year % 10)
    clusters = pdp.Design(weights="visits", clusters={"unit": {"even": units[::2], "odd": units[1::2]}})
    counts, of = data["region"].value_counts().to_dict(), {"north": 5_000, "south": 3_000, "west": 2_000}
    sizes = pdp.Design(weights="visits", strata={"region": counts}, fpc=of)
    made = {}
    for design, asked in ((clusters, OF_CLUSTERS), (sizes, OF_SIZES)):
        with pdp.Session(epsilon=10**4, delta=0.9, schema=People, name="golden") as session:
            sampled = session.protect(data, design=design)
            made |= {name: ask(sampled) for name, ask in asked.items()}
    return made


def of_learning() -> dict[str, pdp.Release]:
    """What classifiers, clusters and components are made of."""
    with pdp.Session(epsilon=10**4, delta=0.9, schema=People, name="golden") as session:
        frame = session.protect(people())
        return {name: ask(frame) for name, ask in OF_LEARNING.items()}


def of_syntheses() -> dict[str, pdp.Release]:
    """How far rows of nobody are from the people."""
    with pdp.Session(epsilon=10**4, delta=0.9, schema=People, name="golden") as session:
        frame = session.protect(people())
        return {name: ask(frame) for name, ask in OF_SYNTHESES.items()}


def put(path: Path, facts: Mapping[str, Any]) -> None:
    """A line for each fact."""
    lines = [f"{json.dumps(name)}: {json.dumps(fact, allow_nan=False)}" for name, fact in facts.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def conclude_again(folder: Path) -> None:
    """From the labels as they stand."""
    for path in sorted((folder / "releases").glob("*.json")):
        facts = json.loads(path.read_text("utf-8"))
        put(path, {**facts, "concluded": concluded(from_json(facts))})
    facts = json.loads((folder / "tables.json").read_text("utf-8"))
    put(folder / "tables.json", {**facts, "read": read_off(pdp.open_tables(folder / "tables"))})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]))
    else:
        conclude_again(Path(__file__).parent)
