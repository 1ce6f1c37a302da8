"""NOT DIFFERENTIALLY PRIVATE: cell-key perturbation, a demonstration of two attacks on it, and of the same on `.dp`.

Table builders of statistical offices give every person a secret random key. The key of a cell is the sum of its
members' keys and seeds the cell's noise, so that the same participants always get the same noise. Section 2.2 of Rinott,
O'Keefe, Shlomo & Skinner (2018) shows how this fails, by *differencing*; and how the repair, to let the noise depend on
the description of the cell as well, fails by *averaging*. No part of the library offers this noise.

    python examples/papers/cell_key.py
"""

import hashlib

import numpy as np
import pandas as pd
import pandera.pandas as pa
from shown import heading, line

import pandas_dp as pdp

M, EPSILON = 7, 0.5  # Laplace noise from −7 to 7, delta 0.0076 for one table
SIZES = np.arange(-M, M + 1)
MASSES = np.exp(-EPSILON * np.abs(SIZES)) / np.exp(-EPSILON * np.abs(SIZES)).sum()
KEYS = 2**32


class NotDifferentiallyPrivateCellKeys:
    """Counts with noise that the members' keys determine; with `described`, their description as well."""

    def __init__(self, people: pd.DataFrame, rng: np.random.Generator, described: bool) -> None:
        self.people, self.described = people, described
        self.keys = rng.integers(0, KEYS, len(people))
        self.secret = rng.bytes(16)

    def count(self, query: str) -> int:
        members = self.people.eval(query).to_numpy()
        key = int(self.keys[members].sum()) % KEYS
        text = f"{key} {query if self.described else ''}".encode()
        seed = int.from_bytes(hashlib.blake2b(text, key=self.secret, digest_size=8).digest())
        return int(members.sum() + np.random.default_rng(seed).choice(SIZES, p=MASSES))


class Workers(pa.DataFrameModel):
    """What anyone may know of a worker."""

    salary: int = pa.Field(in_range={"min_value": 0, "max_value": 300_000})
    days: int = pa.Field(in_range={"min_value": 0, "max_value": 20_000})


def factory(rng: np.random.Generator, salary_of_bob: int) -> pd.DataFrame:
    """A hundred workers; Bob, the last, is the only one hired today."""
    salaries, days = rng.integers(20_000, 90_000, 100), rng.integers(2, 10_000, 100)
    salaries[-1], days[-1] = salary_of_bob, 1
    return pd.DataFrame({"salary": salaries, "days": days})


def differencing(trials: int, rng: np.random.Generator) -> None:
    """Ask for the workers above a salary, and for those of them who were here yesterday."""
    queries = ["salary > 60_000", "salary > 60_000 and days > 1"]
    heading("Differencing: two answers differ, per cent", "Bob has more", "Bob has less")
    for name, ask in (("cell keys, NOT dp", _by_cell_keys), ("pandas-dp, epsilon 0.5 for both", _by_pandas_dp)):
        shares = []
        for salary in (90_000, 30_000):
            asked = [ask(factory(rng, salary), queries, rng) for _ in range(trials)]
            shares.append(100 * float(np.mean([first != second for first, second in asked])))
        line(name, *shares)
    print("Under cell keys a difference proves that Bob earns more: without him it never occurs.")


def averaging(asked: int, rng: np.random.Generator) -> None:
    """Describe the same group in many ways, and average."""
    people = factory(rng, 90_000)
    queries = [f"salary > 60_000 and salary < {300_000 + k}" for k in range(asked)]
    truth = int((people["salary"] > 60_000).sum())
    heading(f"Averaging: {asked} descriptions of the same {truth} workers", "average", "its error")
    builder = NotDifferentiallyPrivateCellKeys(people, rng, described=True)
    for name, answers in (
        ("cell keys with description, NOT dp", [builder.count(query) for query in queries]),
        ("pandas-dp, epsilon 0.5 for all", _by_pandas_dp(people, queries, rng)),
    ):
        line(name, float(np.mean(answers)), float(np.mean(answers)) - truth)
    with pdp.Session(epsilon=EPSILON, schema=Workers) as session:
        frame = session.protect(people)
        frame[frame["salary"] > 60_000]["days"].dp.count(epsilon=EPSILON)
        try:
            frame[frame["salary"] > 60_000]["days"].dp.count(epsilon=EPSILON)
        except pdp.PrivacyError as refused:
            print(f"The same question again, at full price: {refused}")


def _by_cell_keys(people: pd.DataFrame, queries: list[str], rng: np.random.Generator) -> list[int]:
    builder = NotDifferentiallyPrivateCellKeys(people, rng, described=False)
    return [builder.count(query) for query in queries]


def _by_pandas_dp(people: pd.DataFrame, queries: list[str], rng: np.random.Generator) -> list[int]:
    with pdp.Session(epsilon=EPSILON, schema=Workers, neighbours="add_remove") as session:
        frame = session.protect(people)
        each = EPSILON / len(queries)
        return [frame.query(query)["days"].dp.count(epsilon=each)["count"].item() for query in queries]


def main() -> None:
    rng = np.random.default_rng(2005)
    print("A demonstration of noise that is NOT differentially private.")
    differencing(300, rng)
    averaging(100, rng)


if __name__ == "__main__":
    main()
