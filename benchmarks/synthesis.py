"""Rows of nobody of a census: how far their tables are from the data's, and what they cost in time and memory.

The table is UCI Adult (Becker, Kohavi 1996, CC BY 4.0), 48,842 rows, 13 columns in classes, as whole numbers: read from
`ADULT13` (a CSV of codes) where that is set, else made of the same shape by a stated process, whose figures are not
those of the bars. Run: `ADULT13=adult13_codes.csv python benchmarks/synthesis.py [seeds] [epsilon ...]`.

Bars, mean of the seeds, rows added or removed, delta = 10^-9, the better of two ways: total variation of pairs of the
model .065 / .019 / .010 at epsilon .1 / 1 / 10; of the rows .070 / .021 / .012, of triples of the rows .125 / .046 /
.031; processor 1 / 10 / 25 s; 300 MB beyond the start. Under `"replace"` the same rho buys half the precision.

Three stages, eight seeds, rows added or removed: .0646 / .0186 / .0093 of the model; .0649 / .0192 / .0102 and .119 /
.0454 / .0312 of the rows; 1.0 / 8.1 / 10.6 s; 13 / 19 / 23 MB. Under `"replace"`: .0780 / .0224 / .0097; .0784 /
.0228 / .0105 and .138 / .0512 / .0315; .9 / 6.5 / 11 s. Adaptive stages, six seeds, rows added or removed:
.0692 / .0187 / .0080; .0694 / .0192 / .0090 and .124 / .0452 / .0276; 1.8 / 10.9 / 18.7 s on a machine with other
work; 16 / 57 / 155 MB. Under `"replace"`, three seeds, two at 10: .0879 / .0230 / .0091; .0882 / .0234 / .0099 and
.151 / .0515 / .0292.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

SIZES = (17, 9, 16, 7, 15, 6, 5, 2, 10, 10, 20, 42, 2)
ROWS = 48_842
BARS = {0.1: (0.065, 0.070, 0.125, 1), 1.0: (0.019, 0.021, 0.046, 10), 10.0: (0.010, 0.012, 0.031, 25)}


def adult() -> pd.DataFrame:
    """The codes, or rows of the same shape: each column depends on the one before and on the first."""
    path = os.environ.get("ADULT13")
    if path:
        return pd.read_csv(Path(path))
    r = np.random.default_rng(13)
    columns = [r.choice(SIZES[0], ROWS, p=r.dirichlet(np.ones(SIZES[0])))]
    for size in SIZES[1:]:
        table = r.dirichlet(np.full(size, 0.5), (int(columns[-1].max()) + 1) * SIZES[0])
        row = table[columns[-1] * SIZES[0] + columns[0]].cumsum(axis=1)
        columns.append((r.random((ROWS, 1)) > row).sum(axis=1).clip(0, size - 1))
    return pd.DataFrame({f"c{at}": column for at, column in enumerate(columns)})


def variation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


def counts(codes: np.ndarray, places: tuple[int, ...]) -> np.ndarray:
    at = np.zeros(len(codes), dtype=np.intp)
    for place in places:
        at = at * SIZES[place] + codes[:, place]
    return np.bincount(at, minlength=int(np.prod([SIZES[place] for place in places]))).astype(float)


def of_rows(data: np.ndarray, rows: np.ndarray, many: int) -> float:
    tables = combinations(range(len(SIZES)), many)
    return float(np.mean([variation(counts(data, each), counts(rows, each)) for each in tables]))


def run(epsilon: float, stages: str, relation: str) -> None:
    """One synthesis, in a process of its own."""
    frame = adult()
    declared = {name: pa.Column(int, pa.Check.isin(range(size))) for name, size in zip(frame, SIZES, strict=True)}
    session = pdp.Session(epsilon=100, delta=1e-3, schema=pa.DataFrameSchema(declared), neighbours=relation)
    people = session.protect(frame)
    people.dp.marginals([[frame.columns[-1]]], rho=1e-6).dp.synthesize()  # what is imported late
    memory, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    found = people.dp.synthesize(epsilon=epsilon, delta=1e-9, stages=3 if stages == "3" else "adaptive")
    spent = time.process_time() - start
    beyond = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
    start = time.process_time()
    rows, data = found.sample(seed=1).to_numpy(), frame.to_numpy()
    drawn = time.process_time() - start
    pairs = list(combinations(range(len(SIZES)), 2))
    model = found._described.model
    of_model = np.mean([variation(counts(data, pair), model.table(pair).ravel()) for pair in pairs])
    each = (*(of_rows(data, rows, many) for many in (1, 2, 3)), of_model, spent, drawn, beyond)
    print(*(f"{number:.6g}" for number in each), len(found.measured[0].attrs["dp"]["stages"]))


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] == "run":
        run(float(sys.argv[2]), sys.argv[3], sys.argv[4])
        return
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    requested = [float(each) for each in sys.argv[2:]] or list(BARS)
    print("epsilon looks     relation    rows: 1     2     3   model 2    CPU s  draw s   MB   looks")
    for relation in ("add_remove", "replace"):
        for epsilon in requested:
            for stages in ("3", "adaptive"):
                command = [sys.executable, __file__, "run", str(epsilon), stages, relation]
                lines = [subprocess.check_output(command, text=True).split() for _ in range(seeds)]
                mean = np.array(lines, dtype=float).mean(axis=0)
                one, two, three, model, cpu, draw, memory, many = mean
                print(
                    f"{epsilon:<7g} {stages:<9} {relation:<11} {one:.4f} {two:.4f} {three:.4f}  {model:.4f}  "
                    f"{cpu:7.1f} {draw:6.2f} {memory:6.0f} {many:5.0f}",
                    flush=True,
                )
    print("bars (add_remove, the better way):", BARS)


if __name__ == "__main__":
    main()
