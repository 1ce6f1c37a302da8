"""What a table loses at each epsilon, mechanism by mechanism: for choosing both before anything is released."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import a_number, is_number, read_by_signature, whole_number
from ..core.arguments import shown as watched
from ..core.arrays import Floats
from ..core.budget.cost import Approximate, Concentrated, Cost, Pure
from ..core.neighbours import Relation
from ..core.noise.averaged import AveragedLaplace
from ..core.noise.gaussian import DiscreteGaussian
from ..core.noise.hellinger import HellingerLaw
from ..core.noise.laplace import DiscreteLaplace
from ..core.noise.mechanism import Law
from ..core.noise.mechanisms import COUNTING, perturbation_for
from ..core.noise.perturbation import Moved, Perturbation
from ..core.protect.session_lookup import owner_of
from ..errors import BadArgument, NotConcluded, UnsupportedArgument, shown
from ..tables.tests.conclude_likelihood import independence_tests
from ..tables.tests.conclude_posterior import Masses
from ..views.drawings import draw_curves
from .compare import NOT_A_RELEASE, consenting_core, for_the_custodian

Mechanism = str | Perturbation | Callable[[float], Law]

DEFAULT = ["laplace", "gaussian"]


def read_mechanisms(
    given: Any, epsilons: Sequence[float], moved: int, delta: float | None
) -> list[tuple[str, float, Law]]:
    """Each mechanism at each epsilon; one person moves so many counts by one."""
    if given is None:
        given = DEFAULT
    if isinstance(given, str | Perturbation):
        given = [given]
    if isinstance(given, list | tuple):
        given = {each if isinstance(each, str) else repr(each): each for each in given}
    if not isinstance(given, Mapping) or not given:
        raise BadArgument(
            "mechanisms must be names of mechanisms, or map names of your own to mechanisms or to functions of epsilon "
            "that give a law of noise."
        )
    for epsilon in epsilons:
        if not is_number(epsilon) or not 0 < epsilon < float("inf"):
            raise BadArgument("epsilons must be positive numbers, and one of those given is none.")
    if delta is not None:
        a_number("delta", delta, 0, 1)
    return [
        (str(name), float(epsilon), law_of(each, epsilon, moved, delta))
        for name, each in given.items()
        for epsilon in epsilons
    ]


def law_of(mechanism: Mechanism, epsilon: float, moved: int, delta: float | None) -> Law:
    """The noise on a count, as the library would add it for this cost."""
    exact = Fraction(str(epsilon))
    if mechanism == "laplace":
        return DiscreteLaplace(moved / exact)
    if mechanism == "gaussian":
        rho = exact**2 / 2 if delta is None else _rho(Approximate(exact, Fraction(str(delta))))
        return DiscreteGaussian(moved / (2 * rho))
    if mechanism == AveragedLaplace.name:
        return AveragedLaplace().law(Fraction(1), Fraction(moved), Pure(exact))
    perturbation = perturbation_for(mechanism)
    if perturbation is not None:
        named = isinstance(mechanism, str) and perturbation.additive  # one that was made has its range, and its price
        cost: Cost = Approximate(exact, Fraction(str(delta))) if named and delta is not None else Pure(exact)
        return perturbation.fit([Moved(moved, Fraction(1))], cost, True).laws[0]
    if callable(mechanism):
        return mechanism(epsilon)
    names = ", ".join(map(repr, [*DEFAULT, AveragedLaplace.name, *COUNTING]))
    raise BadArgument(
        f"mechanisms may be {names}, a mechanism, or a function of epsilon; one that was given is none of them."
    )


def _rho(cost: Approximate) -> Fraction:
    spent = cost.concentrated()
    assert isinstance(spent, Concentrated)
    return spent.rho


def released(counts: Floats, law: Law, repetitions: int, rng: np.random.Generator) -> Floats:
    """So many tables of these counts with noise."""
    many = np.broadcast_to(counts, (repetitions, *counts.shape))
    if isinstance(law, HellingerLaw):
        return law.simulated(many, rng)
    return many + Masses(law).draw(rng, many.shape)


EPSILONS = (0.1, 0.5, 1.0, 1.5, 2.0, 3.0)
LOSSES = ["l1", "l2", "l3"]
CONCLUSIONS = ["cramers_v", "pvalue"]
MOST_REPETITIONS = 10**6


@dataclass(frozen=True, repr=False)
class RiskUtility:
    """Losses and conclusions of simulated releases. `draws` has a row for each; `truth` what the table itself shows.

    l1 is the sum over cells of `|released - true|`, how many people are miscounted; l2 that of its squares, without a
    root, to which the few largest errors add most; l3 that of `|√released - √true|`, to which errors of small counts
    add more than those of large ones.
    Cramér's V and the p value are those of a reader who takes the released numbers for counts. Negative numbers are
    read as zero where a root is taken, and in V and p.

    Examples
    --------
    >>> import pandas_dp as pdp
    >>> curves = pdp.custodian.risk_utility(pdp.datasets.load_uk_census(), epsilons=[1], repetitions=20, seed=1)
    >>> curves.draws.shape, sorted(curves.truth)
    ((40, 8), ['cramers_v', 'pvalue'])
    """

    draws: pd.DataFrame
    truth: Mapping[str, float]
    notice: str | None = None

    @property
    def table(self) -> pd.DataFrame:
        """Quartiles of each measure, a row for each mechanism and epsilon.

        Examples
        --------
        >>> import pandas_dp as pdp
        >>> curves = pdp.custodian.risk_utility(pdp.datasets.load_uk_census(), epsilons=[1], repetitions=20, seed=1)
        >>> curves.table["l1"].columns.tolist()
        ['q25', 'median', 'q75']
        """
        measures = [name for name in (*LOSSES, *CONCLUSIONS) if name in self.draws]
        grouped = self.draws.groupby(["mechanism", "epsilon"], sort=False)[measures]
        shares = {"q25": 0.25, "median": 0.5, "q75": 0.75}
        found = pd.concat({name: grouped.quantile(share) for name, share in shares.items()}, axis=1)
        table = found.swaplevel(axis=1)[[(measure, name) for measure in measures for name in shares]]
        return for_the_custodian(table) if self.notice else table

    def plot(self, measures: str | Sequence[str] | None = None, *, title: str | None = None) -> Any:
        """Boxplots over epsilon, a panel for each measure, "l1" or a list of them; a matplotlib figure.

        Examples
        --------
        >>> import pandas_dp as pdp
        >>> curves = pdp.custodian.risk_utility(pdp.datasets.load_uk_census(), epsilons=[1], repetitions=20, seed=1)
        >>> len(curves.plot("l1").axes)
        1
        """
        known = [name for name in (*LOSSES, *CONCLUSIONS) if name in self.draws]
        if not isinstance(measures, str | list | tuple | None):
            raise BadArgument(f"measures must be a list of {', '.join(map(repr, known))}, not {shown(measures)}.")
        chosen = [measures] if isinstance(measures, str) else list(measures or known)
        if not all(name in known for name in chosen):
            raise BadArgument(f"measures may be {', '.join(map(repr, known))}, and one of those given is none of them.")
        return draw_curves(self.draws, self.truth, chosen, self.notice, title)

    def __repr__(self) -> str:
        notice = f"{self.notice}\n" if self.notice else ""
        return notice + str(self.table.to_string(float_format="{:.4g}".format))

    def _repr_html_(self) -> str:
        notice = f"<p><b>{self.notice}</b></p>" if self.notice else ""
        return notice + str(self.table.to_html(float_format="{:.4g}".format))


@read_by_signature
def risk_utility(
    table: pd.DataFrame | pd.Series | Floats,
    index: str | None = None,
    columns: str | None = None,
    *,
    epsilons: Sequence[float] = EPSILONS,
    mechanisms: Mapping[str, Mechanism] | Sequence[str | Perturbation] | None = None,
    delta: float | None = None,
    repetitions: int = 100,
    neighbours: str = "replace",
    nonnegative: bool = False,
    seed: int | None = None,
) -> RiskUtility:
    """Release a table many times over, at each epsilon by each mechanism, and see what is lost. Nothing is paid.

    A bar shows how far it is where it takes more than a second and tqdm is installed.

    Parameters
    ----------
    table : DataFrame or array
        Counts that are public or made up, without totals; or a protected frame, whose session must be opened with
        `custodian=True` and whose curves are for the custodian's eyes. (What pandas counts in a protected frame,
        `pd.crosstab(frame.a, frame.b)`, has lost its label and is taken for public. It is not: pass the frame.)
    index, columns : str
        The keys of the table, for a protected frame; their categories come from the schema.
    epsilons : sequence of float
    mechanisms : list, or mapping from name, of mechanisms, optional
        Each as `mechanism=` of a question takes it, "truncated-laplace" or `TruncatedLaplace(m=7)`, or a function of
        epsilon that gives the law of the noise of one cell (under "replace" a row moves two cells, so Laplace noise of
        scale 2 / epsilon). By default "laplace" and "gaussian"; "averaged-laplace" averages five draws.
    delta : float, optional
        For mechanisms by name that spend one; one that is made with a range costs what it costs. Without it Gaussian
        noise has rho = epsilon²/2.
    repetitions : int
        Releases for each mechanism and epsilon.
    neighbours : "replace" or "add_remove"
        For counts; a protected frame has its session's.
    nonnegative : bool
        Whether negative numbers are released as zero.
    seed : int, optional
        For the simulated noise, which protects nothing.

    Examples
    --------
    >>> import pandas_dp as pdp
    >>> curves = pdp.custodian.risk_utility(pdp.datasets.load_uk_census(), epsilons=[1], repetitions=20, seed=1)
    >>> curves.table.columns.get_level_values(0).unique().tolist()
    ['l1', 'l2', 'l3', 'cramers_v', 'pvalue']
    >>> named = pdp.custodian.risk_utility(
    ...     pdp.datasets.load_uk_census(), epsilons=[1], repetitions=20, seed=1,
    ...     mechanisms=["laplace", "truncated-laplace", "hellinger"], delta=0.001)
    >>> named.table["l1"]["median"].idxmax()[0]
    'hellinger'
    """
    counts, relation, notice = _counts(table, index, columns, neighbours)
    if not isinstance(epsilons, list | tuple | np.ndarray) or not len(epsilons):
        raise BadArgument(f"epsilons must be a list of numbers, e.g. [0.5, 1], not {shown(epsilons)}.")
    moved = 2 if relation is Relation.REPLACE else 1  # cells that one row changes, each by one
    laws = read_mechanisms(mechanisms, epsilons, moved, delta)
    repetitions = whole_number("repetitions", repetitions, 1, MOST_REPETITIONS)
    rng = np.random.default_rng(seed)
    parts = []
    for name, epsilon, law in watched(laws, len(laws), "risk and utility"):
        noisy = released(counts, law, repetitions, rng)
        measures = losses(counts, np.maximum(noisy, 0.0) if nonnegative else noisy)
        parts.append(
            pd.DataFrame({"mechanism": name, "epsilon": epsilon, "repetition": range(repetitions), **measures})
        )
    truth = {name: float(found[0]) for name, found in losses(counts, counts[np.newaxis]).items() if name in CONCLUSIONS}
    draws = pd.concat(parts, ignore_index=True)
    return RiskUtility(for_the_custodian(draws) if notice else draws, truth, notice)


def losses(counts: Floats, released: Floats) -> dict[str, Floats]:
    """Each measure of each released table; conclusions where the table has two keys with categories to compare."""
    cells = tuple(range(1, released.ndim))
    found = {
        "l1": np.abs(released - counts).sum(axis=cells),
        "l2": ((released - counts) ** 2).sum(axis=cells),
        "l3": np.abs(np.sqrt(np.maximum(released, 0.0)) - np.sqrt(counts)).sum(axis=cells),
    }
    if counts.ndim == 2 and min(counts.shape) > 1:
        found["cramers_v"] = cramers_v_as_counts(released)
        found["pvalue"] = independence_tests(released, DiscreteLaplace(Fraction(1)), likelihood="naive").pvalue
    return found


def cramers_v_as_counts(tables: Floats) -> Floats:
    """Cramér's V of tables of counts, negative numbers read as zero."""
    counts = np.maximum(tables, 0.0)
    total = counts.sum(axis=(1, 2))
    expected = counts.sum(axis=2, keepdims=True) * counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected /= total[:, np.newaxis, np.newaxis]
        squares = np.nan_to_num((counts - expected) ** 2 / expected).sum(axis=(1, 2))
        return np.asarray(np.nan_to_num(np.sqrt(squares / total / (min(counts.shape[1:]) - 1))))


def _counts(
    table: pd.DataFrame | pd.Series | Floats, index: str | None, columns: str | None, neighbours: str
) -> tuple[Floats, Relation, str | None]:
    if isinstance(table, pd.DataFrame | pd.Series) and owner_of(table) is not None:
        core = consenting_core(table)
        if core.tables.people is not None and core.subject(table).has_many_rows:
            raise UnsupportedArgument(
                "risk_utility moves one row, and a person may have several in this table; ask it of a table with one "
                "row a person."
            )
        if not isinstance(table, pd.DataFrame) or index is None or columns is None:
            raise BadArgument("name the keys of the table: risk_utility(frame, index, columns).")
        labels = [list(core.opening.domain.categories(key).values) for key in (index, columns)]
        plain = pd.DataFrame(
            {key: pd.Categorical(table[key], values) for key, values in zip((index, columns), labels, strict=True)}
        )
        seen = pd.crosstab(plain[index], plain[columns], dropna=False).reindex(
            index=labels[0], columns=labels[1], fill_value=0
        )
        return seen.to_numpy(dtype=np.float64), core.opening.relation, NOT_A_RELEASE
    if index is not None or columns is not None:
        raise BadArgument("index and columns are for protected frames; give public counts as they are.")
    if isinstance(table, pd.DataFrame | pd.Series) and any(map(_has_totals, table.axes)):
        raise NotConcluded(
            "the last row or column of this table reads 'All', and its totals would be taken for cells; leave them "
            "out, e.g. table.drop(index='All', columns='All')."
        )
    try:
        counts = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):  # its words would quote a value
        counts = np.zeros(0)
    if not counts.size or not np.all(counts >= 0) or np.any(counts != np.round(counts)):
        raise NotConcluded("risk_utility takes counts: whole numbers from 0, or a protected frame with its keys.")
    if neighbours not in [relation.value for relation in Relation]:
        raise BadArgument(f"neighbours must be 'replace' or 'add_remove', not {shown(neighbours)}.")
    return counts, Relation(neighbours), None


def _has_totals(labels: pd.Index) -> bool:
    last = labels[-1] if len(labels) else None
    return any(isinstance(each, str) and each == "All" for each in (last if isinstance(last, tuple) else (last,)))
