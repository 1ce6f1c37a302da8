"""Whether released counts agree with given probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from ...comparisons.evidence_groups import between
from ...core.arguments import check_target, is_number, is_whole, one_of
from ...core.arrays import Floats
from ...core.conclude.numbers import Numbers
from ...core.conclude.results import LEAST, TestResult
from ...core.door.hints import with_arguments_named
from ...core.evidence.evidence import Evidence
from ...core.label.layout import Released
from ...errors import BadArgument, NotConcluded, shown, wrong_value
from ...numeric.evidence_means import Means
from ...surveys.evidence import Surveyed
from ...views.titles import TESTS, WORDS, guaranteed
from .conclude_counted import Concluding, CountedCells, Seed, counted, read_pvalue, read_replicates
from .conclude_likelihood import (
    REPLICATES,
    Likelihood,
    Margins,
    ModelTests,
    freedom,
    freedom_within,
    independence,
    model_tests,
)
from .conclude_posterior import Binomial

Expected = float | Mapping[Any, float] | Sequence[float] | pd.Series
ONE = 1e-8  # probabilities may miss 1 by this much
MOST_ROWS = 10**8
SIDES = {"two-sided": ("", 0), "greater": ("at most ", 1), "less": ("at least ", -1)}


def _one_count(table: CountedCells, expected: Expected, total: int | None, alternative: str, pvalue: str) -> TestResult:
    rows = table.label.size if total is None else total
    if pvalue != "auto":
        raise BadArgument("a single count is tested exactly; leave pvalue= out.")
    if not table.law.log_concave:
        raise NotConcluded(
            "a single count is tested under noise whose loss grows evenly or ever faster with the error, and that of "
            "this release does not; take its interval."
        )
    if rows is None or not is_whole(rows) or not 1 <= rows <= MOST_ROWS:
        raise BadArgument(
            "total must be the public number of rows that were counted over, "
            f"from 1 to {MOST_ROWS:,}, not {shown(rows)}."
        )
    probability = float(expected) if is_number(expected) else -1.0  # type: ignore[arg-type]
    if not 0 < probability < 1:
        raise BadArgument(f"the probability of a single count lies between 0 and 1, not {shown(expected)}.")
    count = float(table.counts.item())
    if count > rows + table.law.half_width(1 - 1e-12) + 1:
        raise NotConcluded("the released count is larger than total rows and this noise can make it.")
    test = Binomial(int(rows), probability, table.law)
    than, side = SIDES[alternative]
    what = "likelihood ratio of" if not side else "the size of"
    return TestResult(
        test.statistic(count) if not side else count,
        test.pvalue(count) if not side else test.beyond(count, side),
        None,
        f"the probability of a row to be counted is {than}{probability:g}",
        f"{what} a binomial count behind noise; exact p value",
        table.noise,
        table.as_table(np.array([rows * probability])),
    )


def _shares(table: CountedCells, expected: Expected) -> Floats:
    """Probabilities cell by cell, whatever they were given as."""
    cells = table.rows if len(table.columns) == 1 else None
    if isinstance(expected, Mapping | pd.Series):
        if cells is None:
            raise BadArgument("give the probabilities of a two-way table as rows of numbers.")
        given = pd.Series(dict(expected) if isinstance(expected, Mapping) else expected)
        if not given.index.is_unique or set(given.index) != set(cells):
            raise BadArgument("the probabilities must name each cell of the table once.")
        expected = given.reindex(cells).tolist()
    try:
        shares = np.asarray(expected, dtype=np.float64)
    except (TypeError, ValueError):
        shares = None
    each = f"give a probability for each of the {table.counts.size} cells"
    if shares is None or not shares.ndim:
        raise BadArgument(f"{each}, as a list of numbers or by name.")
    if shares.size != table.counts.size:
        raise BadArgument(f"{each}; those given are {'more' if shares.size > table.counts.size else 'fewer'}.")
    shares = shares.reshape(table.counts.shape)
    possible = np.ones(shares.shape, dtype=bool) if table.possible is None else table.possible
    if not np.all(shares[possible] > 0) or abs(shares.sum() - 1) > ONE:
        raise BadArgument("the probabilities must be positive and add up to 1.")
    if np.any(shares[~possible]):
        raise BadArgument("the probabilities of structural zeros must be 0.")
    return shares


HALVINGS = 50


def _name(statistic: str) -> str:
    return f"estimate of the {WORDS[statistic]}" if statistic in TESTS else WORDS.get(statistic, statistic)


def _limits(limits: Any) -> tuple[float, float]:
    pair = list(limits) if isinstance(limits, tuple | list) else []
    if len(pair) != 2 or not all(is_number(each) and np.isfinite(float(each)) for each in pair) or pair[0] >= pair[1]:
        raise BadArgument("limits are two finite numbers, the smaller first, e.g. (-1, 1).")
    return float(pair[0]), float(pair[1])


def _one_number(numbers: Numbers) -> tuple[Evidence, int]:
    if len(numbers.all) != 1:
        raise NotConcluded(
            "one number is tested against limits, and this release has several; take one row of it first, "
            "release.loc[[row]], or compare both ends of confint(1 - 2 * alpha) with the limits."
        )
    (place,) = numbers.all
    if numbers.kind(place) in ("datetime", "timedelta"):
        raise NotConcluded("limits of times are not tested; compare both ends of confint(1 - 2 * alpha) with them.")
    return numbers.evidence[place[0]], place[1]


def _beyond(evidence: Evidence, at: int, limit: float, side: int, target: str) -> float:
    """The p value of the number being on the wrong side of a limit, by where the end of an interval crosses it."""
    estimate = float(np.asarray(evidence.estimate, dtype=float)[at])
    if np.isnan(estimate):
        return 1.0
    inside = side * (estimate - limit) > 0
    end = (0 if side == 1 else 1) if inside else (1 if side == 1 else 0)
    low, high = np.log(LEAST), np.log(0.5)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        reached = float(evidence.interval(1 - 2 * float(np.exp(middle)), target)[end][at])
        clear = side * (reached - limit) > 0 if inside else side * (reached - limit) < 0
        low, high = (low, middle) if clear else (middle, high)
    return float(np.exp(high)) if inside else 1 - float(np.exp(high))


@with_arguments_named
class TableTests(Concluding):
    """What can be tested of a released table of counts."""

    @guaranteed
    def independence_test(
        self,
        likelihood: str = "noisy",
        pvalue: str = "auto",
        *,
        replicates: int = REPLICATES,
        seed: int | np.random.Generator | None = None,
    ) -> TestResult:
        """Whether the keys of a table of counts are independent, the noise taken into account.

        Parameters
        ----------
        likelihood : "noisy" or "naive"
            The likelihood ratio of Poisson counts behind noise; or that of the numbers taken as exact, for comparison:
            it rejects far too often.
        pvalue : "auto", "bootstrap" or "asymptotic"
            From tables simulated under the hypothesis with the noise of the label, or from the chi-square law, which
            is wrong where the noise is not small beside the chance in the counts. "auto" simulates unless the table is
            large and its noise small.
        replicates : int
            How many tables are simulated.
        seed : int or Generator, optional
            By default the simulation depends on the released table alone, so that the p value can be repeated.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=10)
        >>> people = session.protect(pd.DataFrame({"a": ["x", "x", "y", "y"] * 100, "b": ["u", "v", "u", "v"] * 100}))
        >>> table = people.dp.crosstab("a", "b", categories={"a": ["x", "y"], "b": ["u", "v"]}, epsilon=5)
        >>> table.dp.independence_test().df
        1
        """
        table = counted(self._released)
        _needs_two_keys(table)
        hypothesis = " and ".join(table.keys) + " are independent"
        if table.possible is not None:
            hypothesis += " where both can be"
            if not degrees(table, independence(len(table.keys))):
                raise NotConcluded("so few cells can be that independence of the keys fits every table.")
        return _tested(table, independence(len(table.keys)), hypothesis, likelihood, pvalue, replicates, seed)

    @guaranteed
    def log_linear_test(
        self,
        margins: Sequence[str | Sequence[str]],
        pvalue: str = "auto",
        *,
        replicates: int = REPLICATES,
        seed: int | np.random.Generator | None = None,
    ) -> TestResult:
        """Whether a table needs no interaction but those within these margins, `[("a", "b"), ("b", "c")]`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"a": ["x", "x", "y", "y"] * 100, "b": ["u", "v", "u", "v"] * 100})
        >>> people = pdp.Session(epsilon=10).protect(rows)
        >>> table = people.dp.value_counts(categories={"a": ["x", "y"], "b": ["u", "v"]}, epsilon=5)
        >>> table.dp.log_linear_test([["a"], ["b"]]).df
        1
        """
        table = counted(self._released)
        _needs_two_keys(table)
        read = _read_margins(table, margins)
        if not degrees(table, read):
            raise NotConcluded("these margins leave nothing to test: the model fits every table.")
        hypothesis = "log-linear model " + ", ".join("×".join(table.keys[axis] for axis in margin) for margin in read)
        return _tested(table, read, hypothesis, "noisy", pvalue, replicates, seed)

    @guaranteed
    def goodness_of_fit(
        self,
        expected: float | Mapping[Any, float] | Sequence[float] | pd.Series,
        *,
        total: int | None = None,
        alternative: str = "two-sided",
        pvalue: str = "auto",
        replicates: int = REPLICATES,
        seed: int | np.random.Generator | None = None,
    ) -> TestResult:
        """Whether the cells have these probabilities, the noise taken into account.

        A single count is taken as a binomial of `total` rows, by default the public number of rows, and tested exactly;
        with `alternative="greater"` or "less" in one direction, by P(binomial + noise >= count), or <=.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> counts = people["sex"].dp.value_counts(categories=["f", "m"], epsilon=5)
        >>> counts.dp.goodness_of_fit([0.9, 0.1]).pvalue < 0.01
        True
        """
        table = counted(self._released)
        bootstrap = read_pvalue(pvalue)
        read_replicates(replicates)
        one_of("alternative", alternative, tuple(SIDES))
        if table.counts.size == 1:
            return _one_count(table, expected, total, alternative, pvalue)
        if alternative != "two-sided":
            raise BadArgument(
                "alternative= is for a single count; several cells are off in many directions; leave it out."
            )
        if total is not None:
            raise BadArgument("total= is for a single count; the total of several cells is estimated.")
        shares = _shares(table, expected)
        found = model_tests(
            table.counts[np.newaxis],
            table.law,
            ((),),
            seed=shares,
            bootstrap=bootstrap,
            replicates=replicates,
            rng=table.rng(seed),
            possible=table.possible,
        )
        calibration = f"a parametric bootstrap of {replicates} tables" if found.bootstrapped else "the chi-square law"
        return TestResult(
            float(found.statistic[0]),
            float(found.pvalue[0]),
            found.df,
            "the cells have the given probabilities",
            f"likelihood ratio of Poisson counts behind noise; p value from {calibration}",
            table.noise,
            table.as_table(found.expected[0]),
            least=_least(found, replicates),
        )


@with_arguments_named
class MeanTests(Concluding):
    """What can be tested of released means, or of a number."""

    @guaranteed
    def anova_test(self) -> TestResult:
        """Whether the groups of a `groupby(key)[column].mean` have one mean, the noise taken into account.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> rows = pd.DataFrame({"age": [31, 54, 47] * 400, "k": ["a", "b", "c"] * 400})
        >>> people = pdp.Session(epsilon=100).protect(rows)
        >>> means = people.dp.groupby("k", categories=["a", "b", "c"])["age"].mean(bounds=(0, 100), epsilon=50)
        >>> result = means.dp.anova_test()
        >>> result.df, result.pvalue < 0.001
        (2, True)
        """
        released = Released.of(self._released)
        evidence = released.evidence[0] if len(released.evidence) == 1 else None
        if isinstance(evidence, Surveyed) and evidence.statistic == "mean" and len(evidence.estimate) > 1:
            raise NotConcluded(
                "weighted means of groups are not tested together; compare two of them, .dp.contrast('a', 'b'), or ask "
                "for the means of the rows as they are, weights=None."
            )
        if not isinstance(evidence, Means) or evidence.rows is not None or len(evidence.sums.total) < 2:
            raise NotConcluded("this needs the means of several groups of one column; ask groupby(key)[column].mean.")
        if released.label.is_reworked:
            raise NotConcluded("this release was rounded or adjusted; test the release that it was made from.")
        if evidence.bootstrap is not None:
            raise NotConcluded("means with replicates are not compared in this way; contrast them two by two.")
        found = between(evidence.sums)
        gaussian = all(noise.gaussian for noise in evidence.sums.noises)
        law = "the F law" if gaussian else "draws of normal error beside Laplace noise"
        return TestResult(
            found.statistic,
            found.p_value,
            found.freedom,
            f"the {len(evidence.sums.total)} groups have one mean",
            f"quadratic form of the groups' sums, whose spread is taken to be equal; p value from {law}",
            f"{evidence.sums.total_noise.law.distribution} on both sums of each group, taken into account",
        )

    @guaranteed
    def equivalence_test(self, limits: tuple[float, float], *, target: str | None = None) -> TestResult:
        """Whether a released number lies within limits: two one-sided tests (TOST).

        The p value is the least error at which the interval for twice that error lies inside. It takes a release of one
        number, or one row of a larger one.

        Parameters
        ----------
        limits : (lower, upper)
            In the unit of the release.
        target : "population" or "sample", optional
            As in `confint`.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> people = pdp.Session(epsilon=100).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
        >>> mean = people["age"].dp.mean(bounds=(0, 100), epsilon=10)
        >>> mean.dp.equivalence_test((35, 40)).pvalue < 0.01, mean.dp.equivalence_test((38, 40)).pvalue < 0.01
        (True, False)
        """
        low, high = _limits(limits)
        check_target(target)
        evidence, at = _one_number(Numbers.of(self._released))
        target = target or evidence.default_target
        p = max(_beyond(evidence, at, low, 1, target), _beyond(evidence, at, high, -1, target))
        estimate = float(np.asarray(evidence.estimate, dtype=float)[at])
        return TestResult(
            estimate,
            max(p, LEAST),
            None,
            f"the {_name(evidence.statistic)} lies outside {low:g} to {high:g}",
            "two one-sided tests; a small p value says that it lies inside",
            "in the interval, taken into account",
        )


def degrees(table: CountedCells, margins: Margins) -> int:
    """The degrees of freedom, with regard to impossible cells."""
    if table.possible is None:
        return freedom(table.counts.shape, margins)
    return freedom_within(table.possible, margins)


def _tested(
    table: CountedCells, margins: Margins, hypothesis: str, likelihood: str, pvalue: str, replicates: int, seed: Seed
) -> TestResult:
    one_of("likelihood", likelihood, ("noisy", "naive"))
    bootstrap = read_pvalue(pvalue)
    read_replicates(replicates)
    found = model_tests(
        table.counts[np.newaxis],
        table.law,
        margins,
        likelihood=cast(Likelihood, likelihood),
        bootstrap=bootstrap,
        replicates=replicates,
        rng=table.rng(seed),
        possible=table.possible,
    )
    law = f"a parametric bootstrap of {replicates} tables" if found.bootstrapped else "the chi-square law"
    return TestResult(
        float(found.statistic[0]),
        float(found.pvalue[0]),
        found.df,
        hypothesis,
        f"{_NAMES[likelihood]}; p value from {law}",
        _noise(table, likelihood, found),
        table.as_table(found.expected[0]),
        least=_least(found, replicates),
    )


def _least(found: ModelTests, replicates: int) -> float:
    """The smallest p value that so many tables show, as the table itself is one of them."""
    return 1 / (replicates + 1) if found.bootstrapped else LEAST


_NAMES = {"noisy": "likelihood ratio of Poisson counts behind noise", "naive": "likelihood ratio as if without noise"}


def _noise(table: CountedCells, likelihood: str, found: ModelTests) -> str:
    if likelihood == "noisy":
        return table.noise
    return f"ignored by the statistic, {table.noise} by the p value" if found.bootstrapped else "IGNORED"


def _needs_two_keys(table: CountedCells) -> None:
    if len(table.keys) < 2:
        raise NotConcluded(
            "a test of independence needs a table of two keys or more, each with two categories or more; "
            "ask for crosstab(index, columns), or test one key with goodness_of_fit."
        )


def _read_margins(table: CountedCells, margins: Sequence[str | Sequence[str]]) -> Margins:
    if isinstance(margins, str) or not isinstance(margins, Sequence) or not margins:
        raise wrong_value("margins", "be a list of keys or of pairs of keys", margins)
    named = [list(margin) if isinstance(margin, list | tuple) else [margin] for margin in margins]
    if not all(names and all(name in table.keys for name in names) for names in named):
        keys = ", ".join(map(repr, table.keys))
        raise BadArgument(f"margins name what is no key of this table; its keys are: {keys}.")
    return tuple(tuple(sorted({table.keys.index(name) for name in names})) for names in named)
