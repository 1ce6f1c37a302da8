"""Tables 1 to 3 and figures 1 to 4 of Rinott, O'Keefe, Shlomo & Skinner (2018), "Confidentiality and differential
privacy in the dissemination of frequency tables", Statistical Science 33(3): the paper's value, ours, and where the two
disagree and why.

    python examples/papers/frequency_tables.py [--pictures FOLDER] [--runs 1000]

The paper's neighbours are tables with one row more or less, so its noise of scale 1/epsilon is right there. Its figures
come from simulations that cannot be repeated draw by draw; ours show the same quantities.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from shown import draw, heading, line, options

import pandas_dp as pdp
from pandas_dp.core.noise.bounded import TruncatedGaussian, TruncatedLaplaceLaw
from pandas_dp.tables.tests.conclude_likelihood import independence_tests
from pandas_dp.tables.tests.conclude_posterior import Binomial, Masses

Floats = np.ndarray[Any, Any]
EPSILONS = [0.1, 0.5, 1.0, 1.5, 2.0, 3.0]
NORMAL_M = dict(zip(EPSILONS, [8, 10, 12, 12, 13, 14], strict=True))  # section 5.6.2: about Laplace's delta at m = 7


def laplace(epsilon: float, m: int = 7) -> TruncatedLaplaceLaw:
    """(5.2) of the paper."""
    return TruncatedLaplaceLaw(1 / Fraction(str(epsilon)), m)


def normal(epsilon: float, m: int | None = None) -> TruncatedGaussian:
    """(5.3) as printed. TAB-4: 2m − 1, as the library has it, in place of 2m + 1 has the same epsilon and a tenth less
    variance."""
    m = NORMAL_M[epsilon] if m is None else m
    return TruncatedGaussian(Fraction(2 * m + 1) / (2 * Fraction(str(epsilon))), m)


def delta(law: TruncatedLaplaceLaw | TruncatedGaussian) -> float:
    """The probability of the largest noise: what cutting off costs, for one cell."""
    return float(law.most_at_the_end)


# -- table 1


def table_1() -> None:
    heading("Table 1: age by occupation", "paper", "ours")
    census = pdp.datasets.load_uk_census()
    counts = census.to_numpy()
    line("rows × columns", "12 × 11", f"{counts.shape[0]} × {counts.shape[1]}")
    line("cells of zero", 9, int((counts == 0).sum()))
    line("Pearson's X²", "–", float(stats.chi2_contingency(counts, correction=False).statistic))
    for name, law in (("Laplace, epsilon 0.5, m 7", laplace(0.5)), ("normal, epsilon 0.5, m 10", normal(0.5))):
        k = np.arange(-law.m, law.m + 1)
        masses = law.pmf(k)
        raised = np.maximum(counts[..., np.newaxis] + k, 0) - counts[..., np.newaxis]
        line(f"expected sum of |error|, {name}", "–", float((np.abs(k) * masses).sum() * counts.size))
        line(
            "  negative numbers raised to zero: bias of the total", "0 ?", float((raised * masses).sum()), note="TAB-16"
        )


# -- table 2

PRINTED_2 = {
    ("Laplace", 1.5, 7): [[0.82, 0.96, 0.99, 1, 1], [0.64, 0.96, 0.99, 1, 1], [0.64, 0.92, 0.99, 1, 1],
                          [0.64, 0.92, 0.98, 1, 1], [0.64, 0.92, 0.98, 1, 1], [0.64, 0.92, 0.98, 1, 1]],
    ("Laplace", 0.5, 7): [[0.63, 0.78, 0.87, 0.93, 0.96], [0.25, 0.78, 0.87, 0.93, 0.96], [0.25, 0.55, 0.87, 0.93, 0.96],
                          [0.25, 0.55, 0.74, 0.93, 0.96], [0.25, 0.55, 0.74, 0.85, 0.96], [0.25, 0.55, 0.74, 0.85, 0.92]],
    ("normal", 1.5, 12): [[0.57, 0.70, 0.81, 0.89, 0.94], [0.14, 0.70, 0.81, 0.89, 0.94], [0.14, 0.40, 0.81, 0.89, 0.94],
                          [0.14, 0.40, 0.62, 0.89, 0.94], [0.14, 0.40, 0.62, 0.78, 0.94], [0.14, 0.40, 0.62, 0.78, 0.88]],
    ("normal", 0.5, 10): [[0.54, 0.63, 0.71, 0.78, 0.84], [0.09, 0.63, 0.71, 0.78, 0.84], [0.09, 0.26, 0.71, 0.78, 0.84],
                          [0.09, 0.26, 0.42, 0.78, 0.84], [0.09, 0.26, 0.42, 0.57, 0.84], [0.09, 0.26, 0.42, 0.57, 0.69]],
}  # fmt: skip


def within(law: TruncatedLaplaceLaw | TruncatedGaussian, count: int) -> Floats:
    """P(|max(count + noise, 0) − count| <= r) for r = 0 … 4."""
    k = np.arange(-law.m, law.m + 1)
    moved = np.abs(np.maximum(count + k, 0) - count)
    return np.array([law.pmf(k[moved <= r]).sum() for r in range(5)])


def table_2() -> None:
    heading("Table 2: probability to be within ±0 … ±4, negative numbers raised to zero", "paper", "ours")
    for (name, epsilon, m), printed in PRINTED_2.items():
        law = laplace(epsilon, m) if name == "Laplace" else normal(epsilon, m)
        found = np.array([within(law, count) for count in range(6)])
        agree = int((np.round(found, 2) == np.round(printed, 2)).sum())
        line(f"{name}, epsilon {epsilon}, m {m}: cells that agree to 2 decimals", 30, agree)
        for count, row in enumerate(found):
            line(
                f"  a count of {'5 or more' if count == 5 else count}, ours within ±0 … ±4",
                note="  ".join(f"{p:.4f}" for p in row),
            )
        line(
            "  delta", {1.5: 0.00002, 0.5: 0.008}[epsilon], delta(law), note="the two deltas agree to a factor (TAB-13)"
        )
    line("all Laplace noise within ±3, epsilon 1.5", 1.0, float(within(laplace(1.5), 9)[3]), note="the text; not quite")


# -- table 3

PRINTED_3 = {  # (epsilon, m): share of p <= 0.05 in per cent and mean statistic; independent, then dependent
    (0.1, 10): {"original": (5.0, 81.6, 79.3, 118.8), "naive": (86.7, 124.5, 99.6, 162.1), "LR": (3.0, 78.6, 51.0, 103.6)},
    (0.1, 7): {"original": (6.0, 81.7, 87.3, 124.8), "naive": (53.3, 105.1, 98.3, 149.2), "LR": (4.0, 80.1, 73.3, 114.5)},
    (0.5, 10): {"original": (5.8, 81.7, 82.1, 118.3), "naive": (25.4, 92.9, 91.3, 129.3), "LR": (6.9, 82.5, 76.3, 114.8)},
    (0.5, 7): {"original": (4.7, 81.4, 81.3, 119.6), "naive": (18.7, 90.8, 91.0, 128.6), "LR": (5.3, 82.0, 76.9, 116.2)},
}  # fmt: skip


def means(rng: np.random.Generator, several: int, coefficient: float) -> Floats:
    """TAB-10: the model is for log mu; the printed coefficient 0.7 gives a power of 100 %, 0.3 what is printed. The
    effects of rows and columns are drawn for each table; gamma once for all tables of a block, as printed means tell,
    which differ between blocks by ten of their standard errors."""
    rows, columns = rng.uniform(-0.5, 0.5, (several, 10, 1)), rng.uniform(-0.5, 0.5, (several, 1, 10))
    return np.exp(4 + rows + columns + coefficient * rng.uniform(-0.5, 0.5, (10, 10)))


def table_3(several: int, rng: np.random.Generator) -> None:
    heading(
        f"Table 3: tests of independence, {several} tables of 10 × 10 in each block",
        "paper %",
        "ours %",
        "paper mean",
        "ours mean",
    )
    for (epsilon, m), printed in PRINTED_3.items():
        law = laplace(epsilon, m)
        line(f"epsilon {epsilon}, m {m}, delta {delta(law):.4f}")
        for kind, coefficient, place in (("independent", 0.0, 0), ("dependent", 0.3, 2)):
            counts = rng.poisson(means(rng, several, coefficient)).astype(float)
            noisy = counts + Masses(law).draw(rng, counts.shape)
            found = {
                "original": independence_tests(counts, law, likelihood="naive"),
                "naive": independence_tests(noisy, law, likelihood="naive"),
                "LR": independence_tests(noisy, law, bootstrap=False),
            }
            for name, test in found.items():
                share, mean = 100 * float((test.pvalue <= 0.05).mean()), float(test.statistic.mean())
                theirs, their_mean = printed[name][place : place + 2]
                note = "TAB-10: the paper's 0.7 read as 0.3" if kind == "dependent" and name == "original" else ""
                line(f"  {kind}, {name}", theirs, round(share, 1), their_mean, round(mean, 1), note=note)
    spread = [
        independence_tests(rng.poisson(means(rng, several // 4, 0.3)).astype(float), law, likelihood="naive").statistic
        for _ in range(12)
    ]
    apart = float(np.std([each.mean() for each in spread], ddof=1))
    line(
        "means of dependent blocks, their standard deviation",
        "",
        "",
        3.0,
        apart,
        note="TAB-10: gamma is drawn once in a block",
    )
    counts = rng.poisson(means(rng, several, 0.7)).astype(float)
    test = independence_tests(counts, laplace(0.5), likelihood="naive")
    share, mean = 100 * float((test.pvalue <= 0.05).mean()), float(test.statistic.mean())
    line("coefficient 0.7 as printed, original test", 79.3, share, 118.8, mean, note="TAB-10")


# -- figures


def figures_1_to_3(folder: Path | None, rng: np.random.Generator) -> None:
    heading("Figures 1 to 3: risk and utility", "paper", "ours")
    rows, columns = rng.dirichlet(np.full(10, 5.0)), rng.dirichlet(np.full(10, 5.0))
    small = rng.multinomial(10_000, np.outer(rows, columns).ravel()).reshape(10, 10)
    rows, columns = rng.dirichlet(np.full(40, 5.0)), rng.dirichlet(np.full(25, 5.0))
    large = rng.multinomial(10_000, np.outer(rows, columns).ravel()).reshape(40, 25)
    for number, table, measures in (
        (1, pdp.datasets.load_uk_census(), ["cramers_v", "l1", "l2", "l3"]),
        (2, small, ["pvalue", "cramers_v", "l1", "l2", "l3"]),
        (3, large, ["pvalue", "cramers_v", "l1", "l2", "l3"]),
    ):
        curves = pdp.custodian.risk_utility(
            table,
            epsilons=EPSILONS,
            mechanisms={"Laplace, m = 7": laplace, "normal": normal},
            nonnegative=True,
            seed=number,
        )
        if folder is not None:
            curves.plot(measures).savefig(folder / f"frequency-tables-figure-{number}.png", dpi=120)
        medians = curves.table.xs("median", axis=1, level=1)
        better = (medians.loc["Laplace, m = 7"] < medians.loc["normal"])[["l1", "l2", "l3"]].all(axis=None)
        line(f"figure {number}: Laplace loses less than normal, at every epsilon", "yes", "yes" if better else "no")
        if number > 1:
            reject = curves.draws.assign(reject=curves.draws["pvalue"] <= 0.05)
            shares = reject.groupby(["mechanism", "epsilon"], sort=False)["reject"].mean()
            for name in ("Laplace, m = 7", "normal"):
                said = ", ".join(f"{e:g}: {shares[name, e]:.0%}" for e in EPSILONS)
                line(f"  {name}: naive test rejects at epsilon", note=said)


def figure_4(folder: Path | None, rng: np.random.Generator) -> None:
    heading("Figure 4 and section 6.2: a binomial of 80 with p = 0.5, behind noise of epsilon 0.5", "paper", "ours")
    counts, chance = np.arange(81), stats.binom.pmf(np.arange(81), 80, 0.5)
    drawn: dict[float, Floats] = {}
    for m, critical, power in ((5, 3.36, 0.95), (10, 3.82, 0.92)):
        law = laplace(0.5, m)
        x = np.arange(-m, 81 + m)
        masses = np.array([(chance * law.pmf(each - counts)).sum() for each in x])
        statistics = {p: np.array([Binomial(80, p, law).statistic(each) for each in x]) for p in (0.5, 0.7)}
        atom = statistics[0.5][np.argmin(np.abs(statistics[0.5] - critical))]
        line(f"m {m}: critical value", critical, float(atom), note="the attainable value nearest to it (TAB-11)")
        line("  size of exceeding it", 0.05, float(masses[statistics[0.5] > atom + 1e-6].sum()), note="exact (TAB-11)")
        line(
            "  power against p = 0.7", power, float(masses[statistics[0.7] > atom + 1e-6].sum()), note="exact (TAB-11)"
        )
        if m == 5:
            places = rng.choice(len(x), 500, p=masses / masses.sum())
            drawn = {p: each[places] for p, each in statistics.items()}

    def fill(*panels: Any) -> None:
        for panel, (p, each) in zip(panels, drawn.items(), strict=True):
            panel.hist(np.minimum(each, 50), bins=25, color="#2f6690", alpha=0.6)
            panel.axvline(
                stats.chi2.ppf(0.95, 1), color="#2b2b2b", linestyle="--", linewidth=1, label="0.95 of chi-square"
            )
            panel.set(title=f"$H_0$: $p$ = {p}", xlabel="2 log likelihood ratio", ylabel="of 500 counts")
        panels[0].legend()

    draw(folder, "frequency-tables-figure-4", 2, fill)


def main() -> None:
    asked = options(__doc__, runs=(1000, "tables simulated for each row of table 3"))
    rng = np.random.default_rng(2018)
    table_1()
    table_2()
    table_3(asked.runs, rng)
    figures_1_to_3(asked.pictures, rng)
    figure_4(asked.pictures, rng)


if __name__ == "__main__":
    main()
