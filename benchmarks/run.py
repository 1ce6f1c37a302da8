"""Questions through `.dp` against pandas and numpy on the same data, in one run: the table that the README quotes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pandera.pandas as pa
from noise import REFERENCE_DRAWS, microseconds, opendp_draws

import pandas_dp as pdp
from pandas_dp.core.noise.samplers.discrete import discrete_gaussian, discrete_laplace

ROWS = 10_000_000
CATEGORIES = {"a": [f"a{i:02}" for i in range(20)], "b": [f"b{i:02}" for i in range(50)]}
CELLS = list(range(1000))
NINE = [number / 10 for number in range(1, 10)]

Work = Callable[[], object]


def main(rows: int = ROWS) -> None:
    """All figures; about five minutes at full size."""
    warnings.simplefilter("ignore")
    data = table(rows)
    session = pdp.Session(epsilon=10**9, schema=SCHEMA)
    frame = session.protect(data)
    print(f"{rows:,} rows; median of paired runs\n")
    print("| question | against | ratio | aim |")
    print("|:--|:--|--:|--:|")
    for question, against, ours, theirs, aim in pairs(data, frame):
        print(f"| {question} | {against} | {ratio(ours, theirs):.3f} | {aim} |", flush=True)
    for line in (*replicate_lines(), *noise_lines(), *small_lines(), tests_line(), import_line(), *memory_lines(frame)):
        print(line, flush=True)


SCHEMA = pa.DataFrameSchema(
    {
        "x": pa.Column(float, pa.Check.in_range(0, 100)),
        "n": pa.Column("int64", pa.Check.in_range(0, 1000)),
        "a": pa.Column("category", pa.Check.isin(CATEGORIES["a"])),
        "b": pa.Column("category", pa.Check.isin(CATEGORIES["b"])),
        "s": pa.Column("str", pa.Check.isin(CATEGORIES["a"])),
        "t": pa.Column("str", pa.Check.isin(CATEGORIES["b"])),
        "cell": pa.Column("category", pa.Check.isin(CELLS)),
    }
)


def table(rows: int) -> pd.DataFrame:
    """One column of each kind."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 20, rows), rng.integers(0, 50, rows)
    return pd.DataFrame(
        {
            "x": rng.normal(50, 15, rows),
            "n": rng.integers(0, 1001, rows),
            "a": pd.Categorical.from_codes(a, categories=CATEGORIES["a"]),
            "b": pd.Categorical.from_codes(b, categories=CATEGORIES["b"]),
            "s": pd.Series(np.array(CATEGORIES["a"], dtype=object)[a], dtype="str"),
            "t": pd.Series(np.array(CATEGORIES["b"], dtype=object)[b], dtype="str"),
            "cell": pd.Categorical.from_codes(rng.integers(0, 1000, rows), categories=CELLS),
        }
    )


def pairs(data: pd.DataFrame, frame: pdp.Session) -> list[tuple[str, str, Work, Work, str]]:
    """What is asked, against what, and the aim."""
    x, n = data["x"], data["n"]
    px, pn = frame["x"], frame["n"]
    mean = lambda: px.dp.mean(epsilon=1)  # noqa: E731
    return [
        ("mean of float64, with its standard error", "Series.mean()", mean, x.mean, "≤ 2"),
        ("the same", "Series.mean() and std()", mean, lambda: (x.mean(), x.std()), "≤ 0.5"),
        ("sum of int64", "Series.sum()", lambda: pn.dp.sum(epsilon=1), n.sum, "≤ 3.5"),
        ("median of float64", "Series.median()", lambda: px.dp.median(epsilon=1), x.median, "≤ 0.6"),
        (
            "the same with smooth noise",
            "np.partition",
            lambda: px.dp.median(epsilon=1, mechanism="smooth"),
            lambda: np.partition(x.to_numpy(), len(x) // 2),
            "≤ 3",
        ),
        (
            "crosstab of two categoricals, 20 × 50",
            "pd.crosstab",
            lambda: frame.dp.crosstab("a", "b", epsilon=1),
            lambda: pd.crosstab(data["a"], data["b"]),
            "≤ 0.0125",
        ),
        (
            "crosstab of two string columns",
            "pd.crosstab",
            lambda: frame.dp.crosstab("s", "t", epsilon=1),
            lambda: pd.crosstab(data["s"], data["t"]),
            "≤ 0.1",
        ),
        (
            "sum by 1,000 declared cells",
            "groupby(observed=False).sum()",
            lambda: frame.dp.groupby("cell")["x"].sum(epsilon=1),
            lambda: data.groupby("cell", observed=False)["x"].sum(),
            "≤ 0.5",
        ),
        (
            "histogram of 100 bins",
            "np.histogram",
            lambda: px.dp.histogram(100, epsilon=1),
            lambda: np.histogram(x, bins=100, range=(0, 100)),
            "≤ 0.4",
        ),
        (
            "nine quantiles at one cost",
            "Series.quantile",
            lambda: px.dp.quantile(NINE, epsilon=1),
            lambda: x.quantile(NINE),
            "≤ 0.6",
        ),
        ("describe", "Series.describe()", lambda: px.dp.describe(epsilon=1), x.describe, "≤ 0.5"),
    ]


def ratio(ours: Work, theirs: Work, times: int = 7) -> float:
    """The median over runs side by side, after one to warm up."""
    ours(), theirs()
    return statistics.median(seconds(ours) / seconds(theirs) for _ in range(times))


def seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def noise_lines() -> list[str]:
    """A million exact draws against OpenDP's samplers, per draw, at a scale of 1,000."""
    theirs = {
        name: microseconds(lambda draw=draw: draw(1000.0), 3) / REFERENCE_DRAWS for name, draw in opendp_draws().items()
    }
    ours = {
        "laplace": microseconds(lambda: discrete_laplace(Fraction(1000), 10**6), 5) / 10**6,
        "gaussian": microseconds(lambda: discrete_gaussian(Fraction(10**6), 10**6), 5) / 10**6,
    }
    aims = {"laplace": "≤ 0.025", "gaussian": "≤ 0.04"}
    return [
        f"| a million draws, discrete {name} | OpenDP, per draw | {ours[name] / theirs[name]:.4f} | {aims[name]} |"
        for name in aims
    ]


def replicate_lines() -> list[str]:
    """50 replicates of a mean of a million rows, against an ordinary bootstrap's 50 in numpy."""
    rows, times = 10**6, 50
    data, rng = table(rows)[["x"]], np.random.default_rng(2)
    x = data["x"].to_numpy()
    column = pdp.Session(epsilon=10**9, delta=1e-3, schema=SCHEMA.select_columns(["x"])).protect(data, complete=["x"])[
        "x"
    ]

    def theirs() -> list[float]:
        return [float(x[rng.integers(0, rows, rows)].mean()) for _ in range(times)]

    def ours(resample: str) -> Work:
        return lambda: column.dp.mean(bootstrap=times, resample=resample, epsilon=1, delta=1e-6)

    return [
        f"| mean of a million, 50 replicates, {resample} | 50 × `x[rng.integers(0, n, n)].mean()` | "
        f"{ratio(ours(resample), theirs, times=3):.3f} | ≤ 5 |"
        for resample in ("half-sample", "weights", "multinomial")
    ]


def small_lines() -> list[str]:
    """A question on 1,000 rows, in memory and with a ledger file, beside the disk's own sync."""
    small = table(1000)
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for name, path, aim in (("in memory", None, "≤ 3 ms"), ("SQLite ledger", Path(folder) / "b.ledger", "≤ 5 ms")):
            with pdp.Session(epsilon=10**9, schema=SCHEMA, ledger=path) as session:
                frame = session.protect(small)
                slowest = max(milliseconds(work) for work in small_questions(frame))
            lines.append(f"| slowest of five questions on 1,000 rows, {name} | | {slowest:.2f} ms | {aim} |")
        lines.append(f"| for comparison: one write and fsync | | {sync_time(Path(folder)):.2f} ms | |")
    return lines


def small_questions(frame: pd.DataFrame) -> list[Work]:
    return [
        lambda: frame["x"].dp.mean(epsilon=1),
        lambda: frame["n"].dp.sum(epsilon=1),
        lambda: frame["x"].dp.median(epsilon=1),
        lambda: frame.dp.crosstab("a", "b", epsilon=1),
        lambda: frame["x"].dp.histogram(100, epsilon=1),
    ]


def milliseconds(work: Work, times: int = 31) -> float:
    work()
    return 1000 * statistics.median(seconds(work) for _ in range(times))


def sync_time(folder: Path) -> float:
    import os

    with open(folder / "sync", "wb") as file:

        def write() -> None:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())

        return milliseconds(write)


def tests_line() -> str:
    """A thousand released 10 × 10 tables tested for independence behind noise, beside a thousand of scipy's tests."""
    from scipy.stats import chi2_contingency

    from pandas_dp.core.noise.laplace import DiscreteLaplace
    from pandas_dp.tables.tests.conclude_likelihood import independence_tests

    rng = np.random.default_rng(1)
    counts = rng.poisson(60, (1000, 10, 10)) + 1
    noisy = (counts + rng.laplace(0, 2, counts.shape)).round()
    law = DiscreteLaplace(Fraction(2))
    ours = seconds(lambda: independence_tests(noisy, law, bootstrap=False))
    theirs = seconds(lambda: [chi2_contingency(table, lambda_="log-likelihood") for table in counts])
    question, ratio_and_time = "1,000 tables of 10 × 10 tested behind noise", f"{ours / theirs:.2f} ({ours:.2f} s)"
    return f"| {question} | scipy's test without noise | {ratio_and_time} | ≤ 3 s |"


def import_line() -> str:
    """What `import pandas_dp` adds to what its user has imported anyway."""
    code = (
        "import time, pandas, scipy.stats, pandera.pandas; t = time.perf_counter(); import pandas_dp; "
        "print(time.perf_counter() - t)"
    )
    cached = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [float(subprocess.check_output([sys.executable, "-c", code], env=cached)) for _ in range(6)][1:]
    return (
        f"| import pandas_dp | after pandas, scipy.stats, pandera.pandas | {statistics.median(runs):.3f} s | ≤ 0.15 s |"
    )


def memory_lines(frame: pd.DataFrame) -> list[str]:
    """The peak beyond the data, in units of 64 MB and of a column of codes."""
    lines = []
    for name, work in (
        ("mean", lambda: frame["x"].dp.mean(epsilon=1)),
        ("median", lambda: frame["x"].dp.median(epsilon=1)),
        ("crosstab", lambda: frame.dp.crosstab("a", "b", epsilon=1)),
        ("string crosstab", lambda: frame.dp.crosstab("s", "t", epsilon=1)),
    ):
        work()
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        allowed = 64 + 8 * len(frame) / 2**20
        lines.append(f"| memory beyond the data: {name} | | {peak:.0f} MB | ≤ {allowed:.0f} MB |")
    return lines


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
