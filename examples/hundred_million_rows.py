"""Ask a table larger than memory five questions, by files and by Dask, and kill a worker on the way.

python examples/hundred_million_rows.py [--rows 100000000]

Writes Parquet files into a temporary folder (11 bytes a row), asks, and shows how long each question took, how much
memory, and what the ledger holds. The part about Dask needs the extra `dask`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import logging
import os
import resource
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
import pyarrow.parquet as parquet

import pandas_dp as pdp

FILE = 2_000_000  # rows
REGIONS = [f"region {number}" for number in range(20)]
GOODS = [f"good {number}" for number in range(50)]


class Sales(pandera.DataFrameModel):
    """What anyone may know of a sale, each of another customer."""

    shop: int = pandera.Field(isin=list(range(1000)))
    region: str = pandera.Field(isin=REGIONS)
    good: str = pandera.Field(isin=GOODS)
    price: float = pandera.Field(ge=0, le=100)


QUESTIONS: dict[str, Callable[[Any], pd.DataFrame]] = {
    "mean price": lambda sales: sales["price"].dp.mean(epsilon=0.1),
    "turnover of each shop": lambda sales: sales.dp.groupby("shop")["price"].sum(epsilon=0.1),
    "goods by region": lambda sales: sales.dp.crosstab("region", "good", epsilon=0.1),
    "median price": lambda sales: sales["price"].dp.median(epsilon=0.1),
    "prices in 100 bins": lambda sales: sales["price"].dp.histogram(100, epsilon=0.1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        size = write(Path(folder), rows)
        print(f"{rows:,} rows in {len(os.listdir(folder))} files, {size / 1e6:,.0f} MB\n")
        ledger = Path(folder) / "sales.ledger"
        with pdp.Session(epsilon=2, schema=Sales, ledger=ledger, name="sales") as session:
            ask("by scan", session.scan(f"{folder}/*.parquet"))
            if importlib.util.find_spec("distributed") is None:
                print("Dask is not here: pip install 'pandas-dp[dask]'\n")
            else:
                by_dask(session, folder)
            print(session.ledger[["statistic", "columns", "by", "epsilon"]].to_string())
            print(f"\n{session.share_used:.0%} of {session.cap} is spent. {session.promise}")


def write(folder: Path, rows: int) -> int:
    """So many made-up sales; how many bytes they take."""
    for number in range(-(-rows // FILE)):
        r, many = np.random.default_rng(number), min(FILE, rows - number * FILE)
        columns = {
            "shop": r.integers(0, 1000, many).astype(np.int32),
            "region": named(REGIONS, r, many),
            "good": named(GOODS, r, many),
            "price": np.minimum(r.gamma(2, 12, many), 100),
        }
        parquet.write_table(pa.table(columns), folder / f"sales{number:03}.parquet", row_group_size=2**20)
    return sum(file.stat().st_size for file in folder.iterdir())


def named(labels: list[str], r: np.random.Generator, many: int) -> pa.DictionaryArray:
    places = r.integers(0, len(labels), many).astype(np.int32)
    return pa.DictionaryArray.from_arrays(places, labels)


def ask(how: str, sales: Any, around: Callable[[str], Any] = lambda name: contextlib.nullcontext()) -> None:
    print(f"{how:<12} {'question':<22} {'seconds':>8} {'CPU here':>9} {'peak MB':>8}   first number")
    for name, question in QUESTIONS.items():
        with around(name):
            started, used = time.perf_counter(), time.process_time()
            release = question(sales)
            wall, cpu = time.perf_counter() - started, time.process_time() - used
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{'':<12} {name:<22} {wall:8.2f} {cpu:9.2f} {peak:8,.0f}   {float(release.iloc[0, 0]):,.2f}")
    print()


def by_dask(session: pdp.Session, folder: str) -> None:
    """The same questions on two processes of this machine; one is killed while it adds up what shops turned over."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # which tells at length of a worker that was killed
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        sales = session.scan(dd.read_parquet(f"{folder}/*.parquet", dtype_backend="pyarrow"))

        @contextlib.contextmanager
        def around(name: str) -> Iterator[None]:
            if name != "turnover of each shop":
                yield
                return
            victim = next(iter(client.run(os.getpid).values()))
            timer = threading.Timer(0.2, os.kill, (victim, signal.SIGKILL))
            timer.start()
            yield
            timer.join()
            print(f"{'':<12} (kill -9 of process {victim} on the way: one charge, one draw of noise, the same sums)")

        ask("by Dask", sales, around)


if __name__ == "__main__":
    main()
