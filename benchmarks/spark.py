"""Questions about a table of a warm Spark of this machine, over the same file scanned: seconds, and processor time of
all processes, each the middle of three. `python benchmarks/spark.py 10000000`, with the extra `spark` and Java."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet

if pd.__version__.startswith("2."):
    pd.set_option("mode.copy_on_write", True)

import pandas_dp as pdp

SIZES = {"bounds": (0, 8), "epsilon": 1}
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda t: t["size"].dp.mean(**SIZES),
    "median": lambda t: t["size"].dp.median(**SIZES),
    "mean where a text is": lambda t: t[t["crop"].str.upper() == "RICE"]["size"].dp.mean(**SIZES),
    "counts by a key of 50": lambda t: t.dp.value_counts("key", categories=[*range(50)], epsilon=1),
    "means by three texts": lambda t: t.dp.groupby("crop", categories=["rice", "rye", "oats"])["size"].mean(**SIZES),
}


def written(rows: int, folder: str) -> str:
    r = np.random.default_rng(0)
    columns = {"size": r.integers(0, 1000, rows) / 128, "key": r.integers(0, 50, rows)}
    columns |= {"crop": r.choice(["rice", "rye", "oats"], rows), "who": r.integers(0, rows // 5, rows)}
    path = f"{folder}/rows.parquet"
    parquet.write_table(pa.table(columns), path, row_group_size=2**20)
    return path


def processor() -> float:
    """Seconds that this process and all that it began have used."""
    told: dict[int, list[str]] = {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            told[int(each.parent.name)] = each.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
    family = {os.getpid()}
    while more := {pid for pid, said in told.items() if int(said[1]) in family} - family:
        family |= more
    return sum(int(told[pid][11]) + int(told[pid][12]) for pid in family if pid in told) / os.sysconf("SC_CLK_TCK")


def costs(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds, and seconds of processors."""
    took = []
    for _ in range(3):
        start, used = time.perf_counter(), processor()
        work()
        took.append((time.perf_counter() - start, processor() - used))
    return sorted(each[0] for each in took)[1], sorted(each[1] for each in took)[1]


def counted(batches: Any) -> Any:
    """What the way from Spark to Python costs by itself."""
    yield pa.RecordBatch.from_pydict({"rows": [sum(len(batch) for batch in batches)]})


def main(rows: int = 10_000_000) -> None:
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "OPENBLAS_NUM_THREADS": "1"}
    builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "4g")
    spark = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "16").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        path = written(rows, folder)
        frame, session = spark.read.parquet(path), pdp.Session(epsilon=10**9)
        there, here = session.scan(frame), session.scan(path)
        for ask in [*QUESTIONS.values()] * 3:  # until Java has made its code
            ask(there)
        print(f"{rows:,} rows\n\n| question | Spark, s | scan, s | ratio | of processor time |\n|:--|--:|--:|--:|--:|")
        for name, ask in QUESTIONS.items():
            (far, far_used), (near, near_used) = (costs(lambda: ask(each)) for each in (there, here))  # noqa: B023
            print(f"| {name} | {far:.2f} | {near:.2f} | {far / near:.1f} | {far_used / near_used:.1f} |", flush=True)
        for name in ("size", "crop"):
            way, used = costs(lambda: frame.select(name).mapInArrow(counted, "rows long").collect())  # noqa: B023
            print(f"| the way to Python alone, of {name} | {way:.2f} | | | {used:.1f} s |")
        people = pdp.Session(epsilon=10**9, unit="who")
        of_people = people.scan(frame)
        took, used = costs(lambda: of_people["size"].dp.sum(max_rows=3, **SIZES))
        print(f"| sum of people | {took:.2f} | | | {used:.1f} s |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
