"""Scanned Parquet beside reading it, and beside DuckDB: python benchmarks/scan.py [rows] [--rival PYTHON] [--keep DIR]

CPU of a process with its threads and children, its peak memory beyond what it had before the question and, after a
slash, from its start; the best of three runs, each in a process of its own. `--rival` is a Python that has duckdb,
where this one has not: DuckDB answers the same questions exactly, without privacy. The files are made in a temporary
folder, or once in DIR.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

ROWS = 10_000_000
FILE = 2_000_000  # rows, in groups of:
GROUP = 2**20
A, B = [f"a{number:02}" for number in range(20)], [f"b{number:02}" for number in range(50)]
COLUMNS = {
    "mean": ["x"],
    "counts by a key of 50": ["b"],
    "sum by 1,000 cells": ["cell", "x"],
    "crosstab 20 × 50": ["a", "b"],
    "crosstab of plain texts": ["s", "t"],
    "median": ["x"],
    "histogram of 100": ["x"],
    "describe": ["x"],
}
BARS = {"mean": 0.5, "counts by a key of 50": 1.0, "sum by 1,000 cells": 1.5, "crosstab 20 × 50": 0.9, "median": 0.45}
BARS |= {"histogram of 100": 0.8, "describe": 0.4}
OF_SCAN = {"mean": 0.65, "sum by 1,000 cells": 0.5, "crosstab 20 × 50": 0.65, "median": 0.38, "histogram of 100": 0.35}
SQL = {
    "mean": "SELECT avg(x), stddev(x) FROM {}",
    "counts by a key of 50": "SELECT b, count(*) FROM {} GROUP BY b",
    "sum by 1,000 cells": "SELECT cell, sum(x), count(*) FROM {} GROUP BY cell",
    "crosstab 20 × 50": "SELECT a, b, count(*) FROM {} GROUP BY a, b",
    "crosstab of plain texts": "SELECT s, t, count(*) FROM {} GROUP BY s, t",
    "median": "SELECT median(x) FROM {}",
    "histogram of 100": "SELECT floor(least(greatest(x, 0), 99.99)) AS bin, count(*) FROM {} GROUP BY bin",
    "describe": "SELECT count(x), avg(x), stddev(x), min(x), quantile_cont(x, [.25, .5, .75]), max(x) FROM {}",
}


def write(folder: Path, rows: int) -> None:
    """Files of a normal column, an integer key, two dictionary columns, and the same as plain texts."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as parquet

    for number in range(-(-rows // FILE)):
        r, many = np.random.default_rng(number), min(FILE, rows - number * FILE)

        def named(labels: list[str], r: np.random.Generator = r, many: int = many) -> pa.DictionaryArray:
            places = pa.array(r.integers(0, len(labels), many).astype(np.int32))
            return pa.DictionaryArray.from_arrays(places, pa.array(labels))

        a, b = named(A), named(B)
        cells = r.integers(0, 1000, many).astype(np.int32)
        table = {"x": r.normal(50, 15, many), "cell": cells, "a": a, "b": b, "s": a.cast("str"), "t": b.cast("str")}
        parquet.write_table(pa.table(table), folder / f"part{number:03}.parquet", row_group_size=GROUP)


def in_dask(folder: str, question: str) -> Callable[[], object]:
    """The same by Dask's own threads."""
    return ours(folder, question, in_dask=True)


def ours(folder: str, question: str, in_dask: bool = False) -> Callable[[], object]:
    import pandera.pandas as pa

    import pandas_dp as pdp

    listed = {"a": A, "b": B, "s": A, "t": B} if question != "crosstab of plain texts" else {"a": A, "b": B}
    columns = {name: pa.Column(str, pa.Check.isin(labels)) for name, labels in listed.items()}
    columns |= {"x": pa.Column(float, pa.Check.in_range(0, 100)), "cell": pa.Column(int, pa.Check.isin([*range(1000)]))}
    session = pdp.Session(epsilon=10**6, schema=pa.DataFrameSchema(columns))
    if in_dask:
        import dask.dataframe as dd

        table = session.scan(dd.read_parquet(f"{folder}/*.parquet", dtype_backend="pyarrow"))
    else:
        table = session.scan(f"{folder}/*.parquet")
    return {
        "mean": lambda: table["x"].dp.mean(epsilon=1),
        "counts by a key of 50": lambda: table.dp.groupby("b").size(epsilon=1),
        "sum by 1,000 cells": lambda: table.dp.groupby("cell")["x"].sum(epsilon=1),
        "crosstab 20 × 50": lambda: table.dp.crosstab("a", "b", epsilon=1),
        "crosstab of plain texts": lambda: table.dp.crosstab("s", "t", categories={"s": A, "t": B}, epsilon=1),
        "median": lambda: table["x"].dp.median(epsilon=1),
        "histogram of 100": lambda: table["x"].dp.histogram(100, epsilon=1),
        "describe": lambda: table["x"].dp.describe(epsilon=1),
    }[question]


def plain(folder: str, question: str) -> Callable[[], object]:
    """The same columns read by as many threads, and thrown away."""
    from concurrent.futures import ThreadPoolExecutor

    from pandas_dp.engines.scan.sources import opened

    few = [] if question == "crosstab of plain texts" else ["a", "b", "s", "t"]
    source = opened(f"{folder}/*.parquet", few)

    def read() -> int:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            counted = pool.map(lambda piece: sum(len(batch) for batch in piece()), source.pieces(COLUMNS[question]))
            return sum(counted)

    return read


def duckdb(folder: str, question: str) -> Callable[[], object]:
    import duckdb as rival  # where it is installed

    connection = rival.connect()
    return lambda: connection.execute(SQL[question].format(f"'{folder}/*.parquet'")).fetchall()


WHO: dict[str, Callable[[str, str], Callable[[], object]]] = {
    "ours": ours,
    "dask": in_dask,
    "scan": plain,
    "duckdb": duckdb,
}


def measure(who: str, folder: str, question: str) -> None:
    """In a process of its own: CPU seconds and megabytes, as JSON."""
    work = WHO[who](folder, question)
    work()  # what is imported late, and files in the cache
    before, peak, ended = seconds(), [megabytes()], threading.Event()
    watch = threading.Thread(target=lambda: [peak.append(megabytes()) for _ in iter(lambda: ended.wait(0.05), True)])
    watch.start()
    work()
    used = seconds() - before
    ended.set()
    watch.join()
    print(json.dumps([used, max(peak) - peak[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def megabytes() -> float:
    """What the process holds at this moment (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def run(python: str, who: str, folder: Path, question: str, times: int = 3) -> tuple[float, str]:
    command = [python, __file__, "--measure", who, "--folder", str(folder), "--question", question]
    found = [json.loads(subprocess.check_output(command)) for _ in range(times)]
    return min(each[0] for each in found), " / ".join(f"{max(each[at] for each in found):.0f}" for at in (1, 2))


def report(rows: int, folder: Path, rival: str | None) -> None:
    print(f"{rows:,} rows; CPU seconds (MB beyond the question's start / of all)\n")
    print("| question | scan | ours | DuckDB | ours ÷ DuckDB | bar | scan ÷ ours | bar | in Dask ÷ ours (1.3) |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|")
    for question in COLUMNS:
        scanned, _ = run(sys.executable, "scan", folder, question)
        used, peak = run(sys.executable, "ours", folder, question)
        in_parts, _ = run(sys.executable, "dask", folder, question)
        theirs, more = run(rival, "duckdb", folder, question) if rival else (float("nan"), "")
        costs = f"{scanned:.2f} | {used:.2f} ({peak}) | {theirs:.2f} ({more})"
        print(
            f"| {question} | {costs} | {used / theirs:.2f} | "
            f"{BARS.get(question, '')} | {scanned / used:.2f} | {OF_SCAN.get(question, '')} | "
            f"{in_parts / used:.2f} |",
            flush=True,
        )


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("rows", type=int, nargs="?", default=ROWS)
    for name in ("--rival", "--keep", "--measure", "--folder", "--question"):
        read.add_argument(name)
    given = read.parse_args()
    if given.measure:
        measure(given.measure, given.folder, given.question)
        return
    rival = given.rival or (sys.executable if importlib.util.find_spec("duckdb") else None)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(given.keep or made)
        folder.mkdir(exist_ok=True)
        if not any(folder.iterdir()):
            write(folder, given.rows)
        report(given.rows, folder, rival)


if __name__ == "__main__":
    main()
