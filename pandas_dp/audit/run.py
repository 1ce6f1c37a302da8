"""The library's own questions, for `audit` and `python -m pandas_dp audit`: one or more of every statistic."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pandas as pd
import pandera.pandas as pa

from ..core.arguments import a_number, whole_number
from ..core.budget.cost import Cost, parse
from ..core.door.session import Session
from ..core.measure.statistic import offered
from ..errors import BadArgument, type_of
from .chances import EventCounts, Promised, Visible, distinguished, least_of, seen
from .noise import seeded_noise
from .pairs import Pair, exact_loss, looking, made_up, read_pairs

Question = Callable[[Any], Any]
STAGES = 4  # at each table, to see what is the same in all of its answers
PILOT, LEAST = 40, 20  # runs by which pairs are compared where no law tells; fewer say nothing
FIRST = 1 / 3  # of the time, to compare them
WORST = 2  # pairs that are sampled
SLACK = 1e-9  # of floats in which exact laws are added up


@dataclass(frozen=True)
class Audit:
    """What was found. `exact` is the share of its price that a question uses at most by the laws of its noise, None
    where these are not known; `least` the least amount that samples allow.

    Examples
    --------
    >>> found = Audit("mean", Promised("epsilon", 1.0), (), 1.0, (), 0.999)
    >>> found.passed, found.least
    (True, 0.0)
    """

    name: str
    promised: Promised
    visible: tuple[str, ...]
    exact: float | None
    sampled: tuple[tuple[str, EventCounts], ...]
    confidence: float
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def least(self) -> float:
        """The least epsilon or rho with which what was sampled can be explained, at the level of confidence."""
        return max((found.least for _, found in self.sampled), default=0.0)

    @property
    def passed(self) -> bool:
        """Whether nothing was found. That is no proof: an audit finds what it looks for."""
        return not self.visible and (self.exact or 0.0) <= 1 + SLACK and self.least <= self.promised.amount

    @property
    def table(self) -> pd.DataFrame:
        """A row for each pair of tables that was sampled.

        Examples
        --------
        >>> Audit("mean", Promised("epsilon", 1.0), (), 1.0, (), 0.999).table.columns.tolist()
        ['tables', 'event', 'runs', 'one', 'other', 'least']
        """
        rows = [(pair, f.event, f.runs, f.one, f.other, f.least) for pair, f in self.sampled]
        return pd.DataFrame(rows, columns=["tables", "event", "runs", "one", "other", "least"])

    def check(self) -> None:
        """Fail with the report unless it passed.

        Examples
        --------
        >>> Audit("mean", Promised("epsilon", 1.0), (), 1.0, (), 0.999).check()
        """
        assert self.passed, f"\n{self}"

    def _lines(self) -> list[str]:
        words = "nothing found" if self.passed else "FAILED"
        lines = [f"{self.name}: {words}. Promised: {self.promised}."]
        lines += [f"visible: {each}" for each in self.visible] or ["visible: the same, whatever the rows hold."]
        if self.exact is None:
            lines.append("exact laws: not known in advance.")
        else:
            lines.append(f"exact laws: {self.exact:.0%} of the price is used at most.")
        lines += [self._line(pair, found) for pair, found in self.sampled]
        return [*lines, *self.notes]

    def _line(self, pair: str, found: EventCounts) -> str:
        often = f"{found.event} in {found.one:,} and {found.other:,} of {found.runs:,} runs"
        if not found.least:
            return f"sampled: {found.runs:,} runs do not tell two tables apart: {pair}."
        least = f"{self.promised.currency} is {found.least:.3g} or more, at {100 * self.confidence:.6g} %"
        return f"sampled: {least}: {often}; {pair}."

    def __repr__(self) -> str:
        return "\n  ".join(self._lines())

    def _repr_html_(self) -> str:
        first, *rest = (escape(line) for line in self._lines())
        return f"<p><b>{first}</b></p>" + "".join(f"<p><small>{line}</small></p>" for line in rest)


def audit(
    question: Question,
    schema: Any = None,
    *,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    neighbours: str = "replace",
    tables: Sequence[Any] | None = None,
    runs: int = 2000,
    seconds: float = 60.0,
    confidence: float = 0.999,
    name: str | None = None,
    **terms: Any,
) -> Audit:
    """Whether a question keeps what it promises: what is visible of it, exact laws, and samples of neighbours.

    Each run opens a session with this cap, protects a made-up table, and asks. What is visible beside numbers (errors,
    warnings, what is printed, shape, dtypes, labels, the charge) has to be the same for neighbours. Where laws are
    discrete and known, the loss between neighbours is added up exactly. And of many runs, half choose the event that
    tells two neighbours apart best and half count it, which bounds the epsilon or rho from below.

    What passes is not proved to be private; what fails is broken, but for the risk of 1 - `confidence`.

    Parameters
    ----------
    question : callable
        Takes a protected table and gives anything: a release, numbers, text.
    schema : as of `Session`
        From which tables are made up, unless given.
    epsilon, delta, rho
        The cap of the session, and what is promised where the question charges nothing.
    neighbours : "replace" or "add_remove"
    tables : list of pairs of DataFrames, optional
        Neighbours. Never use tables that hold people: the report tells of them.
    runs : int
        Of each table that is sampled, at least 20; 0 for none.
    seconds : float
        After which no further run is begun.
    confidence : float
    name : str, optional
    **terms
        Of `Session`.

    Examples
    --------
    >>> import pandera.pandas as pa
    >>> schema = pa.DataFrameSchema({"age": pa.Column(int, pa.Check.in_range(0, 90))})
    >>> fine = audit(lambda people: people["age"].dp.mean(epsilon=1), schema, epsilon=1, runs=60)
    >>> fine.passed, fine.exact
    (True, 1.0)
    >>> broken = audit(lambda people: int((people["age"] == 90).sum()), schema, epsilon=1, runs=100)
    >>> broken.passed, broken.least > 1
    (False, True)
    """
    if not callable(question):
        raise BadArgument(f"audit takes a function of a protected table, not {type_of(question)}.")
    cap = _cap(epsilon, delta, rho)
    given = {"epsilon": epsilon, "delta": delta, "rho": rho}
    terms = {**terms, **{key: each for key, each in given.items() if each is not None}}
    runner = SessionRunner(question, {"schema": schema, "neighbours": neighbours, **terms})
    pairs = made_up(schema, neighbours) if tables is None else read_pairs(tables)
    most, risk = whole_number("runs", runs, 0, 10**7), 1 - a_number("confidence", confidence, 0, 1)
    if 0 < most < LEAST:
        raise BadArgument(f"runs must be 0 or at least {LEAST}, not {most}.", argument="runs")
    until = time.monotonic() + a_number("seconds", seconds, 0, 10**6)
    begun = time.monotonic()
    visible, shares, prices, notes = _looked_at(runner, pairs)
    exact = max((share for share in shares if share is not None), default=None)
    promised = Promised.of(prices) or Promised.of([cap]) or Promised("epsilon", 0.0)
    sampled = () if visible or not most else _sampled(runner, pairs, shares, promised, most, until, risk)
    own = str(getattr(question, "__name__", "<lambda>"))
    called = name or ("question" if own == "<lambda>" else own)
    return Audit(called, promised, tuple(visible), exact, sampled, 1 - risk, tuple(notes), time.monotonic() - begun)


def _cap(epsilon: Any, delta: Any, rho: Any) -> Cost:
    cap = parse(epsilon=epsilon, delta=delta, rho=rho)
    if cap is None:
        raise BadArgument("audit needs what is promised: epsilon=, epsilon= with delta=, or rho=.")
    return cap


@dataclass(frozen=True, eq=False)
class SessionRunner:
    """A question, and the terms of the session in which it is asked anew each time."""

    question: Question
    terms: dict[str, Any]
    charged: list[list[Cost]] = field(default_factory=list)

    def run(self, table: pd.DataFrame) -> Visible:
        """What is visible of one answer, its charges included."""

        def asked() -> Any:
            with Session(**self.terms) as session:
                try:
                    return self.question(session.protect(table))
                finally:
                    self.charged.append([entry.price for entry in session._core.ledger.entries()])

        found = seen(asked)
        price = " and ".join(map(str, self.charged[-1])) or "nothing"
        return Visible((*found.outline, f"charged {price}"), found.numbers)


def _looked_at(
    runner: SessionRunner, pairs: Sequence[Pair]
) -> tuple[list[str], list[float | None], list[Cost], list[str]]:
    """What differs between neighbours for certain, the shares of the price by exact laws, the price, and notes."""
    visible: dict[str, None] = {}
    shares: list[float | None] = []
    notes: dict[str, None] = {}
    errors: set[str | None] = set()
    for pair in pairs:
        outlines, description = [], []
        for table in (pair.one, pair.other):
            replayed = []
            for seed in (1, 1):
                with seeded_noise(seed), looking() as plans:
                    replayed.append(runner.run(table))
            description.append(plans)
            if replayed[0] != replayed[1] and not _same_numbers(*replayed):
                notes["It draws random numbers that are not the library's."] = None
            outlines.append([runner.run(table) for _ in range(STAGES)])
        sets = [{each.outline for each in found} for found in outlines]
        if all(len(each) == 1 for each in sets) and sets[0] != sets[1]:
            visible[f"{outlines[0][0].unlike(outlines[1][0])} ({pair.name})"] = None
        errors |= {seen.error for found in outlines for seen in found}
        shares.append(exact_loss(*description))
    if None not in errors:
        visible = {f"It raised in every run, so nothing was tried: {min(map(str, errors))}": None}
    prices = max(runner.charged, key=lambda each: sum(float(price.as_rho.rho) for price in each), default=[])
    return list(visible), shares, prices, list(notes)


def _same_numbers(one: Visible, other: Visible) -> bool:
    return one.outline == other.outline and repr(one.numbers) == repr(other.numbers)


def _sampled(
    runner: SessionRunner,
    pairs: Sequence[Pair],
    shares: Sequence[float | None],
    promised: Promised,
    most: int,
    until: float,
    risk: float,
) -> tuple[tuple[str, EventCounts], ...]:
    """Samples of the pairs that are farthest apart: by exact laws, or else by what a few runs tell."""
    worst = _farthest(runner, pairs, shares, promised, min(PILOT, most), until)
    now = time.monotonic()
    found = []
    for place, at in enumerate(worst, start=1):
        answers = _answers(runner, pairs[at], most, now + (until - now) * place / len(worst))
        found.append((pairs[at].name, least_of(*answers, promised, risk / len(worst))))
    return tuple(found)


def _farthest(
    runner: SessionRunner,
    pairs: Sequence[Pair],
    shares: Sequence[float | None],
    promised: Promised,
    runs: int,
    until: float,
) -> list[int]:
    """Which pairs are sampled: the farthest by exact laws, or several that few runs tell apart best."""
    if None not in shares:
        return [max(range(len(pairs)), key=lambda at: shares[at] or 0.0)]
    if len(pairs) <= WORST:
        return list(range(len(pairs)))
    now = time.monotonic()
    leaks = []
    for place, pair in enumerate(pairs, start=1):
        end = now + FIRST * (until - now) * place / len(pairs)
        leaks.append(distinguished(*_answers(runner, pair, runs, end), promised))
    return sorted(range(len(pairs)), key=lambda at: -leaks[at])[:WORST]


def _answers(runner: SessionRunner, pair: Pair, runs: int, until: float) -> tuple[list[Visible], list[Visible]]:
    """Of both tables by turns, so that both have equally many; a few also where time is up."""
    answers: tuple[list[Visible], list[Visible]] = ([], [])
    for done in range(runs):
        if done >= LEAST and time.monotonic() > until:
            break
        for table, found in zip((pair.one, pair.other), answers, strict=True):
            found.append(runner.run(table))
    return answers


class Schema(pa.DataFrameModel):
    """A column of each kind, of few values: then laws are short, and audits fast."""

    x: int = pa.Field(ge=0, le=10)
    y: float = pa.Field(ge=-1, le=1, nullable=True, metadata={"dp": {"resolution": 0.25}})
    flag: bool
    k: str = pa.Field(isin=["a", "b"])


Ask = Callable[[Any], Any]
WITH_DELTA = "keys that are found"
OF_A_COLUMN: dict[str, Ask] = {
    "quantile": lambda t: t["x"].dp.quantile([0.2, 0.7], epsilon=1),
    "median, smooth": lambda t: t["x"].dp.median(mechanism="cauchy", epsilon=1),
    "histogram": lambda t: t["x"].dp.histogram(4, epsilon=1),
    "value_counts": lambda t: t["k"].dp.value_counts(epsilon=1),
    "between": lambda t: t["x"].dp.between(3, 7, epsilon=1),
    "cdf": lambda t: t["x"].dp.cdf(epsilon=1),
    "describe": lambda t: t["y"].dp.describe(epsilon=1),
    "location": lambda t: t["x"].dp.location(rho=0.5),
    "choose_bounds": lambda t: t["y"].dp.choose_bounds(among=(0.01, 10), epsilon=1),
    "mean of a filtered table": lambda t: t[t["k"] == "a"]["x"].dp.mean(epsilon=1),
    WITH_DELTA: lambda t: t["k"].dp.value_counts(categories="unknown", epsilon=1, delta=0.01),
}
OF_A_TABLE: dict[str, Ask] = {
    "crosstab": lambda t: t.dp.crosstab("k", "flag", epsilon=1),
    "marginals": lambda t: t.dp.marginals([["k"], ["flag"]], rho=0.5),
    "pivot_table": lambda t: t.dp.pivot_table("x", "k", "flag", epsilon=1),
    "gaps": lambda t: t.dp.gaps(epsilon=1),
    "ratio": lambda t: t.dp.ratio("x", "y", epsilon=1),
    "corr": lambda t: t[["x", "y"]].dp.corr(rho=0.5),
    "moments": lambda t: t.dp.moments(["x", "y", "k"], rho=0.5),
    "ols": lambda t: t.dp.ols("y", ["x", "k"], rho=0.5),
    "logit": lambda t: t.dp.logit("flag", ["x"], rho=0.5),
    "t_test": lambda t: t.dp.t_test("x", by="flag", rho=0.5),
    "rank_test": lambda t: t.dp.rank_test("x", by="flag", rho=0.5),
    "survival": lambda t: t.dp.survival("x", "flag", bins=3, epsilon=1),
    "choose": lambda t: t.dp.choose({"x": "x", "y": "y"}, bounds=(-1, 1), epsilon=1),
    "kmeans": lambda t: t.dp.kmeans(["x", "y"], 2, bins=3, rho=0.5),
    "two questions": lambda t: (t["x"].dp.sum(epsilon=0.5), t["k"].dp.value_counts(epsilon=0.5)),
}


def own_questions() -> dict[str, Ask]:
    """By name: what every column offers, of a column, in groups, and the rest.

    Examples
    --------
    >>> [name for name in own_questions() if name.startswith("mean")]
    ['mean', 'mean by group', 'mean of a filtered table']
    """
    found: dict[str, Ask] = {}
    for name in offered():
        if name != "size":
            column = "flag" if name == "share" else "x"
            found[name], found[f"{name} by group"] = _of_column(name, column), _in_groups(name, column)
    return {**found, **OF_A_COLUMN, **OF_A_TABLE}


def _of_column(name: str, column: str) -> Ask:
    return lambda t: getattr(t[column].dp, name)(epsilon=1)


def _in_groups(name: str, column: str) -> Ask:
    return lambda t: getattr(t.dp.groupby("k")[column], name)(epsilon=1)


OWN: dict[str, Ask] = own_questions()


def audit_own(
    names: Sequence[str] = (), *, runs: int = 300, seconds: float = 10.0, confidence: float = 0.999999
) -> Iterator[Audit]:
    """An audit of each of the library's own questions, or of those whose name holds one of these words.

    Examples
    --------
    >>> [found.passed for found in audit_own(["crosstab"], runs=40)]
    [True]
    """
    chosen = [name for name in OWN if not names or any(word in name for word in names)]
    if not chosen:
        raise BadArgument(f"there is no question of that name; there are {', '.join(OWN)}.")
    for name in chosen:
        cap: dict[str, Any] = {"epsilon": 10, "delta": 0.1} if name == WITH_DELTA else {"rho": 10}
        yield audit(OWN[name], Schema, **cap, runs=runs, seconds=seconds, confidence=confidence, name=name)
