"""Figures 2 to 9 of Brawner & Honaker (2018), "Bootstrap Inference and Differential Privacy: Standard Errors for Free":
the paper's numbers, ours, and where the two disagree and why.

    python examples/papers/bootstrap.py [--pictures FOLDER] [--runs 300]

The people are the package's own public sample of California's census, 1,000 adults; samples of 500 are drawn from it
with replacement. The paper's release, k noisy means of resamples at kΔ²/2ρ each, is simulated here and nowhere offered:
it is not rho-zCDP (BOOT-2). What is offered instead stands beside it.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
from scipy import stats
from shown import draw, heading, line, options

import pandas_dp as pdp
import pandas_dp.audit
from pandas_dp.core.noise.samplers.discrete import discrete_laplace

Floats = np.ndarray[Any, Any]
AGES = pdp.datasets.load_pums()["age"].to_numpy(float)
TRUTH, SD = AGES.mean(), AGES.std()
N, K, RHO, RANGE = 500, 50, 0.5, 100
NOISE = (RANGE / N) ** 2 / (2 * RHO)  # variance of the noise on one release of the mean, and on the mean of k
Z = stats.norm.ppf(0.975)
SCHEMA = pa.DataFrameSchema({"age": pa.Column(float, pa.Check.in_range(0, RANGE), metadata={"dp": {"complete": True}})})
VARIANTS = {"unbiased": "C3", "conservative": "C0", "most": "C2"}  # the paper's colours
WAYS: dict[str, dict[str, float]] = {
    "moments": {"rho": RHO},
    "half-sample": {"epsilon": 4.8866, "delta": 1e-6},  # what rho = 0.5 of one Gaussian release is worth
    "weights": {"rho": RHO},
    "multinomial": {"epsilon": 4.8866, "delta": 1e-6},
}


# -- figures 2 and 3: noise


def figure_2(folder: Path | None) -> None:
    heading("Figure 2: ln(1.25/δ), the variance of the Gaussian mechanism over that of the Laplace", "paper", "ours")
    deltas = np.logspace(-9, -4, 200)
    for delta in (1e-5, 1e-6, 1e-8, 1e-9):
        line(f"at δ = {delta:g}", "10 to 20", float(np.log(1.25 / delta)), note="BOOT-8: the exact Gaussian needs less")

    def fill(axis: Any) -> None:
        axis.semilogx(deltas, np.log(1.25 / deltas))
        axis.set(xlabel="δ", ylabel="ln(1.25/δ)", title="Figure 2", ylim=(0, 22))
        axis.invert_xaxis()

    draw(folder, "bootstrap-figure-2", 1, fill)


def anderson_darling(x: Floats) -> Floats:
    """Of each line, for a normal law of unknown mean and variance."""
    n = x.shape[1]
    z = np.sort((x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, ddof=1, keepdims=True), axis=1)
    logs = stats.norm.logcdf(z) + stats.norm.logsf(z)[:, ::-1]
    return (-n - ((2 * np.arange(1, n + 1) - 1) * logs).sum(axis=1) / n) * (1 + 0.75 / n + 2.25 / n**2)


def shapiro_wilk(x: Floats) -> Floats:
    """The statistics and the p values of all lines."""
    return np.array([tuple(stats.shapiro(each)) for each in x]).T


def laplace_draws(runs: int, k: int, each: int) -> Floats:
    """So many draws in each of `runs` lines, k times over; in steps of a thousandth of their scale."""
    return discrete_laplace(Fraction(1000), runs * each * k).reshape(k, runs, each).astype(float)


def figure_3(runs: int, r: np.random.Generator, folder: Path | None) -> None:
    heading("Figure 3: is the average of k Laplace draws normal? 100 draws each, per cent", "paper", "ours")
    many = 20 * runs  # 6,000 averages know a share to 0.4 %, which tells 90.8 from 92.7
    averages = laplace_draws(many, 20, 100).cumsum(axis=0)
    shapiro = [shapiro_wilk(lines) for lines in averages]
    normal = shapiro_wilk(r.normal(size=(many, 100)))
    passes_sw = [100 * float((found[1] > 0.05).mean()) for found in shapiro]
    passes_ad = [100 * float((anderson_darling(x) < 0.752).mean()) for x in averages]
    chosen = [100 * float((normal[0] > found[0]).mean()) for found in shapiro]
    swapped = "BOOT-9: the two are swapped in the paper"
    line("Anderson-Darling passes, k = 10", 90.8, passes_ad[9], note=swapped)
    line("Shapiro-Wilk passes, k = 10", 92.7, passes_sw[9], note=swapped)
    line("the normal data look more normal, k = 10", "< 55", chosen[9])
    longer = laplace_draws(runs, 10, 10_000).sum(axis=0)
    share = 100 * float((anderson_darling(longer) < 0.752).mean())
    line("Anderson-Darling passes, k = 10, 10,000 draws each", "–", share, note="BOOT-9: far from indistinguishable")

    def fill(above: Any, below: Any) -> None:
        k = np.arange(1, 21)
        above.plot(k, passes_ad, label="Anderson-Darling")
        above.plot(k, passes_sw, label="Shapiro-Wilk")
        above.axhline(95, color="grey", linestyle=":")
        for axis in (above, below):
            axis.set_xticks([1, 5, 10, 15, 20])
        above.set(xlabel="k", ylabel="tests that pass, %", title="Figure 3: the average of k Laplace draws")
        above.legend()
        below.plot(k, chosen)
        below.axhline(50, color="grey", linestyle=":")
        below.set(xlabel="k", ylabel="normal data are chosen, %", title="against normal data")

    draw(folder, "bootstrap-figure-3", 2, fill)


# -- figures 4 and 5: resampling


def figure_4(folder: Path | None) -> None:
    heading("Figure 4: how often a row of 1,000 is in a resample", "paper", "ours")
    copies = np.arange(9)
    shares = stats.binom.pmf(copies, 1000, 1 / 1000)
    line("not at all", "1/e", float(shares[0]))
    line("once", "a third", float(shares[1]))
    line("five times", 0.003, float(shares[5]))
    more = float(stats.binom.sf(5, 1000, 1 / 1000))
    line("more than five times, a given row", "very few", more)
    at_most_five = np.fft.rfft(stats.poisson.pmf(np.arange(6), 1), 8000) ** 1000  # counts are Poisson given their sum
    some_row = float(1 - np.fft.irfft(at_most_five)[1000] / stats.poisson.pmf(1000, 1000))
    line("more than five times, some row of the 1,000", "–", some_row, note="BOOT-11: a cap must be enforced")

    def fill(axis: Any) -> None:
        axis.bar(copies, shares)
        axis.set(xlabel="copies", ylabel="probability", title="Figure 4: copies of a row in a resample of 1,000")

    draw(folder, "bootstrap-figure-4", 1, fill)


def figure_5(r: np.random.Generator, folder: Path | None) -> None:
    heading("Figure 5: rows parted by how often they were drawn")
    counts = r.multinomial(40, np.full(40, 1 / 40))
    for copies, rows in enumerate(np.bincount(counts)):
        line(f"rows in X{copies}", int(rows))
    print("BOOT-1, BOOT-2: that no row can be told to be in X1 or X9 does not divide rho by the square of its chance.")

    def fill(axis: Any) -> None:
        colours = [f"C{count}" for count in counts]
        axis.scatter(np.arange(40), np.full(40, counts.max() + 1.5), c=colours, marker="s", s=60)
        axis.text(-1.5, counts.max() + 1.5, "Y", ha="right", va="center")
        for copies in range(counts.max() + 1):
            inside = np.flatnonzero(counts == copies)
            axis.scatter(inside, np.full(len(inside), copies), c=f"C{copies}", marker="s", s=60)
            axis.text(-1.5, copies, f"X{copies}", ha="right", va="center")
        axis.set(title="Figure 5: one draw of 40 rows", xlim=(-4, 40))
        axis.axis("off")

    draw(folder, "bootstrap-figure-5", 1, fill)


# -- figures 6 to 9: the paper's release


@dataclass(frozen=True)
class Replicated:
    """k noisy means of resamples of each of many samples, one line each, as the paper releases them."""

    values: Floats

    @property
    def estimate(self) -> Floats:
        return self.values.mean(axis=1)

    def std_error(self, variant: str) -> Floats:
        """Formula 35; 0 where it is the root of less."""
        k = self.values.shape[1]
        taken_off = {"unbiased": 1.0, "conservative": stats.chi2.ppf(0.05, k - 1) / (k - 1), "most": 0.0}[variant]
        return np.sqrt(np.maximum(self.values.var(axis=1, ddof=1) - taken_off * k * NOISE + NOISE, 0))

    def coverage(self, variant: str) -> float:
        return float((np.abs(self.estimate - TRUTH) <= Z * self.std_error(variant)).mean())


def papers_release(runs: int, k: int, r: np.random.Generator) -> Replicated:
    def once() -> Floats:
        sample = r.choice(AGES, N)
        return sample[r.integers(0, N, (k, N))].mean(axis=1) + r.normal(0, np.sqrt(k * NOISE), k)

    return Replicated(np.array([once() for _ in range(runs)]))


def figure_6(r: np.random.Generator, folder: Path | None) -> None:
    heading("Figure 6: fifty replicates of one sample", "paper", "ours")
    release = papers_release(1, K, r)
    estimate, half = release.estimate.item(), Z * release.std_error("unbiased").item()
    line("interval, truth at", "–", float(TRUTH), note=f"{estimate - half:.2f} to {estimate + half:.2f}")

    def fill(axis: Any) -> None:
        axis.hist(release.values[0], 15, color="lightgrey")
        axis.axvline(TRUTH, color="C0", label="population")
        axis.axvline(estimate, color="C3", label="average of replicates")
        axis.axvspan(estimate - half, estimate + half, color="C3", alpha=0.2, label="95 %, unbiased")
        axis.set(xlabel="noisy mean of a resample", ylabel="replicates", title="Figure 6")
        axis.legend()

    draw(folder, "bootstrap-figure-6", 1, fill)


def figure_7(runs: int, r: np.random.Generator, folder: Path | None) -> None:
    heading("Figure 7: coverage of 95 % intervals by the number of replicates, per cent", *VARIANTS)
    numbers = (10, 25, 50, 100, 200)
    releases = {k: papers_release(runs, k, r) for k in numbers}
    for k, release in releases.items():
        line(f"k = {k}", *(100 * release.coverage(name) for name in VARIANTS))
    print("BOOT-5: the conservative bound of level 5 % fails more often, so 95 % is missed at k = 10.")
    true = {k: float(np.sqrt(SD**2 / N * (1 + 1 / k) + NOISE)) for k in numbers}

    def fill(left: Any, right: Any) -> None:
        for name, colour in VARIANTS.items():
            errors = [releases[k].std_error(name) for k in numbers]
            left.plot(numbers, [e.mean() for e in errors], color=colour, label=name)
            for q in (0.05, 0.95):
                left.plot(numbers, [np.quantile(e, q) for e in errors], color=colour, linestyle=":")
            right.plot(numbers, [100 * releases[k].coverage(name) for k in numbers], color=colour, label=name)
        left.plot(numbers, [true[k] for k in numbers], color="black", linewidth=1, label="true")
        left.set(xlabel="replicates", ylabel="standard error", title="Figure 7a, dotted: 90 % of runs")
        left.legend()
        right.axhline(95, color="grey", linestyle=":")
        right.set(xlabel="replicates", ylabel="coverage of 95 % intervals", title="Figure 7b")

    draw(folder, "bootstrap-figure-7", 2, fill)


def figure_8(runs: int, r: np.random.Generator, folder: Path | None) -> None:
    heading(
        "Figure 8: one release at the whole price, and the average of fifty replicates, of one sample", "paper", "ours"
    )
    sample = r.choice(AGES, N)
    once = sample.mean() + r.normal(0, np.sqrt(NOISE), runs)
    average = np.array(
        [
            sample[r.integers(0, N, (K, N))].mean() + r.normal(0, np.sqrt(NOISE))  # the average of 50 such noises
            for _ in range(runs)
        ]
    )
    line("variance of one release", 0.04, float(once.var()))
    expected = NOISE + sample.var() / N / K
    line("variance of the average", 0.04, float(average.var()), note=f"BOOT-4: {expected:.4f}, resampling varies too")

    def fill(axis: Any) -> None:
        for values, name in ((once, "one release"), (average, "average of replicates")):
            grid = np.linspace(min(average.min(), once.min()), max(average.max(), once.max()), 300)
            axis.plot(grid, stats.gaussian_kde(values)(grid), label=name)
        axis.axvline(sample.mean(), color="grey", linestyle=":")
        axis.set(xlabel="released mean", title="Figure 8: not the same distribution (BOOT-4)")
        axis.legend()

    draw(folder, "bootstrap-figure-8", 1, fill)


def figure_9(runs: int, r: np.random.Generator, folder: Path | None) -> None:
    heading(
        "Figure 9: coverage of the paper's 95 % intervals, k = 50, rho = 0.5, 500 people of 1,000 adults",
        "paper",
        "ours",
    )
    release = papers_release(10 * runs, K, r)
    for (name, printed), note in zip(
        {"unbiased": 80.1, "conservative": 97.1, "most": 100.0}.items(),
        (
            "80.7 in many runs; BOOT-6: 86.6 for people of all ages",
            "97.4 in many runs; 96.9 for people of all ages",
            "99.97 in many runs; 99.8 for people of all ages",
        ),
        strict=True,
    ):
        line(f"{name}, per cent", printed, 100 * release.coverage(name), note=note)
    ratio = release.std_error("conservative").mean() / release.std_error("unbiased").mean()
    line("width, conservative over unbiased", "1.5", float(ratio), note="BOOT-6: 1.32 for people of all ages")
    line("standard errors of 0, per cent", "a mode", 100 * float((release.std_error("unbiased") == 0).mean()))
    own, shown = float(np.sqrt(SD**2 / N + NOISE)), float(np.sqrt(SD**2 / N * (1 + 1 / K) + NOISE))
    line("true standard error, by the paper's formula", own, shown, note="BOOT-4: with what resampling adds")
    print("What is printed fits adults, as in this sample, whose ages have a standard deviation of 17.7, not 22.1.")

    def fill(left: Any, right: Any) -> None:
        grid, scores = np.linspace(0, 2.5, 60), np.linspace(-4, 4, 81)
        for name, colour in VARIANTS.items():
            error = release.std_error(name)
            z = (release.estimate - TRUTH)[error > 0] / error[error > 0]
            left.hist(error, grid, histtype="step", density=True, color=colour, label=name)
            right.hist(z, scores, histtype="step", density=True, color=colour, label=name)
        left.axvline(shown, color="black", linestyle="--")
        left.set(xlabel="estimated standard error", title="Figure 9a, dashed: the true one")
        left.legend()
        right.plot(scores, stats.norm.pdf(scores), color="black", linewidth=1)
        right.set(xlabel="z-score of the truth", title="Figure 9b, black: normal")

    draw(folder, "bootstrap-figure-9", 2, fill)


# -- what is offered instead


def offered(runs: int, r: np.random.Generator, folder: Path | None) -> None:
    heading("What pandas-dp offers: 95 % intervals for the population", "coverage", "half width")
    known = float(Z * np.sqrt(SD**2 / N + NOISE))
    line(
        f"with a known variance, at rho = {RHO:g}",
        95.0,
        known,
        note=f"{runs} runs know a coverage to {100 * np.sqrt(0.05 * 0.95 / runs):.1f} %",
    )
    found = {resample: ask(resample, runs, r) for resample in WAYS}
    for resample, (ends, price, guarantee) in found.items():
        low, high = ends.T
        held = float(((low <= TRUTH) & (high >= TRUTH)).mean())
        line(f"{resample}, {price}", 100 * held, float((high - low).mean() / 2), note=guarantee)

    def fill(axis: Any) -> None:
        halves = [(ends[:, 1] - ends[:, 0]) / 2 for ends, _, _ in found.values()]
        axis.boxplot(halves, tick_labels=list(found), showfliers=False)
        axis.axhline(known, color="grey", linestyle=":")
        axis.set(ylabel="half width", title="Intervals offered, dotted: with a known variance")

    draw(folder, "bootstrap-offered", 1, fill)


def ask(resample: str, runs: int, r: np.random.Generator) -> tuple[Floats, str, str]:
    """The ends of the intervals, what each was asked at, and what that is worth."""
    ends = []
    for _ in range(runs):
        people = pd.DataFrame({"age": r.choice(AGES, N)})
        cap = {"rho": 1} if "rho" in WAYS[resample] else {"epsilon": 10, "delta": 1e-4}
        with pdp.Session(schema=SCHEMA, **cap) as session:
            mean = session.protect(people)["age"].dp.mean(bootstrap=K, resample=resample, **WAYS[resample])
        ends.append(mean[["lower", "upper"]].to_numpy()[0])
    price = ", ".join(f"{name}={value:g}" for name, value in WAYS[resample].items())
    return np.array(ends), price, "exactly rho-zCDP" if "rho" in WAYS[resample] else "epsilon with delta, never rho"


def main() -> None:
    asked = options(__doc__, runs=(300, "simulations of each kind"))
    folder, r = asked.pictures, np.random.default_rng(2018)
    with pdp.audit.seeded_noise(2018):  # the same picture for every reader; never so with people's data
        figure_2(folder)
        figure_3(asked.runs, r, folder)
        figure_4(folder)
        figure_5(r, folder)
        figure_6(r, folder)
        figure_7(asked.runs, r, folder)
        figure_8(10 * asked.runs, r, folder)
        figure_9(asked.runs, r, folder)
        offered(asked.runs, r, folder)


if __name__ == "__main__":
    main()
