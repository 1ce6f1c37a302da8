"""Means, variances, covariances from released sums: next to sums done by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta, norm, t

from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.errors import NotConcluded
from pandas_dp.models.moments.evidence import Covariances, GramSums, Run
from pandas_dp.models.moments.solve import MatrixColumn
from pandas_dp.numeric.evidence_means import Means
from pandas_dp.numeric.evidence_moments import MomentSums, variance_range
from pandas_dp.numeric.evidence_spreads import Spreads

Z = norm.ppf(0.975)
NOTHING = Noise(DiscreteGaussian(Fraction(1, 10**6)))


def whole(y: np.ndarray, sd: float = 0.001, half: float = 50.0, law: type[Law] = DiscreteGaussian) -> MomentSums:
    """The sums of y in centred units as if released under this noise, around a centre of 50."""
    noise = DiscreteGaussian(Fraction(10**6)) if law is DiscreteGaussian else DiscreteLaplace(Fraction(1000))
    return MomentSums(
        centre=50.0,
        half=half,
        total=np.array([y.sum()]),
        squares=np.array([(y**2).sum()]),
        total_noise=Noise(noise, sd / noise.sd),
        squares_noise=Noise(noise, sd / noise.sd),
        size=len(y),
    )


def counted(y: np.ndarray, n: float, sd: float, count_sd: float, half: float = 50.0) -> MomentSums:
    wide = DiscreteGaussian(Fraction(10**6))
    return MomentSums(
        centre=50.0,
        half=half,
        total=np.array([y.sum()]),
        squares=np.array([n * half**2 - (y**2).sum()]),
        total_noise=Noise(wide, sd / wide.sd),
        squares_noise=Noise(wide, sd / wide.sd),
        count=np.array([n]),
        count_noise=Noise(wide, count_sd / wide.sd),
    )


@pytest.fixture
def y() -> np.ndarray:
    return np.random.default_rng(5).uniform(-40, 45, 200)


def test_without_noise_a_mean_and_its_standard_error_are_the_usual_ones(y: np.ndarray) -> None:
    means = Means(whole(y))
    assert means.estimate.item() == pytest.approx(50 + y.mean())
    assert means.std_error("population").item() == pytest.approx(y.std(ddof=1) / np.sqrt(200), rel=1e-6)


def test_the_standard_error_adds_the_variance_of_the_noise(y: np.ndarray) -> None:
    sd = 300.0
    means = Means(whole(y, sd))
    s2 = ((y**2).sum() - y.sum() ** 2 / 200 + sd**2 / 200) / 199
    assert means.std_error("population").item() == pytest.approx(np.sqrt(s2 / 200 + sd**2 / 200**2))
    assert means.std_error("sample").item() == pytest.approx(sd / 200)


def test_the_interval_for_the_population_is_students(y: np.ndarray) -> None:
    low, high = Means(whole(y)).interval(0.95, "population")
    half = t.ppf(0.975, 199) * y.std(ddof=1) / np.sqrt(200)
    assert ((high - low) / 2).item() == pytest.approx(half, rel=1e-4)
    assert ((high + low) / 2).item() == pytest.approx(50 + y.mean())


def test_the_interval_for_the_rows_at_hand_is_the_noises_own(y: np.ndarray) -> None:
    sums = whole(y, 300.0, law=DiscreteLaplace)
    low, high = Means(sums).interval(0.95, "sample")
    assert ((high - low) / 2).item() == pytest.approx(sums.total_noise.half_width(0.95) / 200)


def test_noise_of_the_squares_lowers_the_degrees_of_freedom(y: np.ndarray) -> None:
    clean, noisy = whole(y), whole(y, 60_000.0)
    noisy = replace(clean, squares_noise=noisy.squares_noise)
    widths = [np.diff(Means(s).interval(0.95, "population"), axis=0).item() for s in (clean, noisy)]
    assert widths[1] > widths[0] * 1.1


def test_the_interval_is_cut_off_at_the_declared_range(y: np.ndarray) -> None:
    low, high = Means(whole(y, 1e9)).interval(0.95, "population")
    assert (low.item(), high.item()) == (0, 100)


@pytest.mark.parametrize("n", [0, 1])
def test_of_no_row_or_one_there_is_no_mean_and_the_interval_is_the_whole_range(n: int) -> None:
    means = Means(whole(np.full(n, 3.0)))
    for target in ("population", "sample"):
        low, high = means.interval(0.95, target)
        assert (low.item(), high.item()) == (0, 100)
    assert np.isnan(means.estimate.item())


@pytest.mark.parametrize("n", [-5.0, 0.0, 0.7, 1.0])
def test_where_a_noisy_count_is_one_or_less_there_is_no_mean_and_the_whole_range(n: float) -> None:
    means = Means(counted(np.array([3.0]), n, 1.0, 2.0))
    assert np.isnan(means.estimate.item())
    assert np.isnan(means.std_error("population").item())
    for target in ("population", "sample"):
        low, high = means.interval(0.95, target)
        assert (low.item(), high.item()) == (0, 100)


def test_a_count_that_may_well_be_zero_gives_the_whole_range() -> None:
    low, high = Means(counted(np.full(4, 3.0), 4.0, 1.0, 3.0)).interval(0.95, "sample")  # 4 < 1.96 * 3
    assert (low.item(), high.item()) == (0, 100)


@pytest.mark.parametrize("target", ["sample", "population"])
def test_the_ends_for_a_private_size_solve_fiellers_equation(target: str, y: np.ndarray) -> None:
    sums = counted(y, 203.0, 300.0, 6.0)
    means = Means(sums)
    sampling = sums.variance.item() / 203 if target == "population" else 0.0
    k = Z * (t.ppf(0.975, means.freedom().item()) / Z if target == "population" else 1.0)
    for end in means.interval(0.95, target):
        m = end.item() - 50
        left = (y.sum() - m * 203) ** 2
        right = k**2 * (300.0**2 + m**2 * 6.0**2 + 203.0**2 * sampling)
        assert left == pytest.approx(right, rel=1e-6 if target == "population" else 2e-3)  # with the margin for steps


def test_a_ratio_is_cut_off_at_the_declared_range_in_which_the_mean_lies() -> None:
    means = Means(counted(np.full(10, 49.0), 5.0, 1.0, 1.0))
    assert means.estimate.item() == 100


def test_without_noise_a_private_size_gives_the_usual_mean_and_error(y: np.ndarray) -> None:
    means = Means(counted(y, 200.0, 1e-6, 1e-6))
    assert means.estimate.item() == pytest.approx(50 + y.mean())
    assert means.std_error("population").item() == pytest.approx(y.std(ddof=1) / np.sqrt(200), rel=1e-6)


def test_cells_are_concluded_one_by_one(y: np.ndarray) -> None:
    one, two = counted(y, 200.0, 30.0, 3.0), counted(y[:50], 50.0, 30.0, 3.0)
    names = ("total", "squares", "count")
    both = replace(one, **{name: np.append(getattr(one, name), getattr(two, name)) for name in names})
    for target in ("sample", "population"):
        together = np.array(Means(both).interval(0.9, target))
        apart = np.hstack([np.array(Means(s).interval(0.9, target)) for s in (one, two)])
        np.testing.assert_allclose(together, apart)


def test_the_variance_for_a_private_size_takes_out_what_the_noise_adds(y: np.ndarray) -> None:
    sums = counted(y, 200.0, 300.0, 6.0)
    mean = y.mean()
    noise = (300.0**2 + mean**2 * 6.0**2) / 200  # what E(total/count)² exceeds the mean's square by, times the count
    expected = (200 * (50.0**2 - mean**2) - sums.squares.item() + noise) / 199
    assert sums.variance.item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("root", [False, True])
def test_without_noise_a_spread_is_that_of_numpy(root: bool, ddof: int, y: np.ndarray) -> None:
    spreads = Spreads(whole(y), root, ddof)
    expected = y.std(ddof=ddof) if root else y.var(ddof=ddof)
    assert spreads.estimate.item() == pytest.approx(expected, rel=1e-6)


def test_a_variance_holds_little_noise_as_the_delta_method_says(y: np.ndarray) -> None:
    sd = 2.0
    low, high = Spreads(whole(y, sd), root=False).interval(0.95, "sample")
    error = np.sqrt(sd**2 + 4 * y.mean() ** 2 * sd**2) / 199
    assert ((high - low) / 2).item() == pytest.approx(Z * error, rel=2e-3)
    assert ((high + low) / 2).item() == pytest.approx(y.var(ddof=1), rel=1e-4)


@pytest.mark.parametrize("sd", [20.0, 300.0, 1_000.0])
@pytest.mark.parametrize("counted_too", [False, True])
def test_a_variance_may_be_whatever_sums_within_reach_give(counted_too: bool, sd: float, y: np.ndarray) -> None:
    """A million random points of the ellipsoid: none gives a variance outside, some come close to either end."""
    sums = counted(y, 200.0, sd, 5.0) if counted_too else whole(y, sd)
    at = np.random.default_rng(1).normal(size=(3, 1_000_000))
    at[2] *= counted_too
    at *= Z / np.sqrt((at**2).sum(axis=0))
    total, squares = sums.total + at[0] * sums.total_noise.sd, sums.squares + at[1] * sums.squares_noise.sd
    n = 200 + at[2] * 5.0
    if counted_too:
        squares = n * 50.0**2 - squares
    reachable = (squares - total**2 / n) / (n - 1)
    low, high = (end.item() for end in variance_range(sums, 0.95))
    slack = 2e-3 * (high - low)
    assert reachable.min() == pytest.approx(low, abs=slack)
    assert reachable.max() == pytest.approx(high, abs=slack)


def test_the_interval_of_a_std_is_the_root_of_that_of_the_variance(y: np.ndarray) -> None:
    sums = whole(y, 2_000.0)
    for root_end, end in zip(
        Spreads(sums, True).interval(0.95, "sample"), Spreads(sums, False).interval(0.95, "sample"), strict=True
    ):
        assert root_end.item() ** 2 == pytest.approx(end.item())


def test_a_variance_for_the_population_allows_for_the_fourth_moment(y: np.ndarray) -> None:
    spreads = Spreads(whole(y), root=False)
    s2, n = y.var(ddof=1), 200
    farthest = (50 + abs(y.mean())) ** 2
    low, high = spreads.interval(0.95, "population")
    share = s2 / farthest
    ends = beta.ppf(0.025, n * share, n - n * share + 1), beta.ppf(0.975, n * share + 1, n - n * share)
    assert (low.item() / farthest, high.item() / farthest) == pytest.approx(ends, rel=1e-3)
    assert (high - low).item() == pytest.approx(2 * Z * np.sqrt((s2 * farthest - s2**2) / n), rel=0.1)


@pytest.mark.parametrize("ddof", [0, 1])
def test_the_greatest_variance_of_two_rows_lies_in_its_interval(ddof: int) -> None:
    ends = np.array([-50.0, 50.0])
    spreads = Spreads(whole(ends), root=False, ddof=ddof)
    low, high = spreads.interval(0.95, "sample")
    assert spreads.estimate.item() == pytest.approx(ends.var(ddof=ddof))
    assert low.item() <= ends.var(ddof=ddof) <= high.item() * (1 + 1e-12)


def test_no_variance_lies_below_zero() -> None:
    sums = replace(whole(np.zeros(20), 5.0), squares=np.array([-8.0]))
    spreads = Spreads(sums, root=True)
    low, high = spreads.interval(0.95, "sample")
    assert low.item() == spreads.estimate.item() == 0
    assert high.item() > 0


@pytest.mark.parametrize("private", [False, True])
def test_a_mean_that_noise_has_moved_out_of_the_range_is_not_known_any_better(private: bool) -> None:
    y = np.full(200, -60.0)  # as noise might leave the sums of rows at the end of the range, -50
    sums = counted(y, 200.0, 800.0, 1.0) if private else whole(y, 800.0)
    _, near = Means(sums).ends(0.95, "sample")
    low, high = Means(sums).interval(0.95, "sample")
    assert low.item() == 0
    assert high.item() == pytest.approx(near.item() + 60)
    inside = replace(sums, total=np.array([-200 * 49.0]))
    assert Means(inside).interval(0.95, "sample")[1].item() >= 0.8 * high.item()


def test_a_variance_below_zero_is_not_known_any_better() -> None:
    sums = whole(np.zeros(50), 30.0)
    wide = [Spreads(replace(sums, squares=np.array([q])), False).interval(0.95, "sample")[1].item() for q in (-90, 0.0)]
    assert wide[0] >= 0.6 * wide[1] > 0


def test_of_too_few_rows_a_spread_has_every_value_it_could_have() -> None:
    low, high = Spreads(counted(np.array([3.0]), 0.5, 1.0, 1.0), root=False).interval(0.95, "sample")
    assert (low.item(), high.item()) == (0, 2 * 50**2)


HALF = 50.0


def pairs(data: np.ndarray, correlation: bool, sd: float = 1e-3, size: int | None = None) -> Covariances:
    """Sums in half-ranges, as if released under noise that has this standard deviation on a sum in own units."""
    k = data.shape[1]
    sums = [data[:, at].sum() / HALF for at in range(k)]
    crossed = [(data[:, i] * data[:, j]).sum() / HALF**2 for i in range(k) for j in range(i + 1, k)]
    squares = [(data[:, i] ** 2).sum() / HALF**2 for i in range(k)]
    runs = (Run(noise_of(sd / HALF), k), Run(noise_of(sd / HALF**2), len(crossed) + k))
    columns = (
        MatrixColumn("Intercept", None, sort="constant"),
        *(MatrixColumn(f"c{at}", f"c{at}", half=HALF) for at in range(k)),
    )
    released = np.array([[*sums, *crossed, *squares]])
    gram = GramSums(columns, released, runs, False, False, len(data) if size is None else size)
    return Covariances(correlation, tuple(range(1, k + 1)), gram)


def noise_of(sd: float) -> Noise:
    wide = DiscreteGaussian(Fraction(10**6))
    return Noise(wide, sd / wide.sd)


def moved(released: Covariances, place: int, by: float) -> Covariances:
    """With one released number another, by so much in half-ranges."""
    numbers = released.gram.released.copy()
    numbers[0, place] += by
    return replace(released, gram=replace(released.gram, released=numbers))


@pytest.fixture
def rows() -> np.ndarray:
    r = np.random.default_rng(3)
    x = r.uniform(-40, 40, 300)
    return np.column_stack([x, x / 2 + r.uniform(-20, 20, 300), r.uniform(-5, 30, 300)])


def test_without_noise_covariances_and_correlations_are_those_of_numpy(rows: np.ndarray) -> None:
    np.testing.assert_allclose(pairs(rows, False).estimate.reshape(3, 3), np.cov(rows.T), rtol=1e-6)
    np.testing.assert_allclose(pairs(rows, True).estimate.reshape(3, 3), np.corrcoef(rows.T), rtol=1e-6)


def counted_pairs(data: np.ndarray, sd: float) -> Covariances:
    """Where the size is private squares are told by what they lack."""
    plain, (n, k) = pairs(data, False, sd), data.shape
    numbers = plain.gram.released[0].copy()
    numbers[-k:] = n - numbers[-k:]
    released, runs = np.array([[n, *numbers]]), (Run(noise_of(sd), 1), *plain.gram.runs)
    return replace(
        plain, gram=replace(plain.gram, released=released, runs=runs, counted=True, complements=True, size=None)
    )


def test_without_noise_a_private_size_changes_nothing(rows: np.ndarray) -> None:
    np.testing.assert_allclose(counted_pairs(rows, 1e-3).estimate.reshape(3, 3), np.cov(rows.T), rtol=1e-6)


def test_a_covariance_holds_the_noise_of_every_released_number_to_first_order(rows: np.ndarray) -> None:
    """The slope in each number, by nudging it."""
    released, nudge = counted_pairs(rows, 1e-3), 1e-6
    noises = np.repeat([run.noise.sd for run in released.gram.runs], [run.many for run in released.gram.runs])
    assert len(noises) == 10
    slopes = [(moved(released, at, nudge).estimate - released.estimate) / nudge * sd for at, sd in enumerate(noises)]
    expected = np.sqrt((np.array(slopes) ** 2).sum(axis=0))
    np.testing.assert_allclose(released.std_error("sample"), expected, rtol=0.02)


def test_a_covariance_holds_its_noise_to_first_order(rows: np.ndarray) -> None:
    sd = 5_000.0
    low, high = pairs(rows, False, sd).interval(0.95, "sample")
    mean = rows.mean(axis=0)
    error = np.sqrt(sd**2 + sd**2 * (mean[0] ** 2 + mean[1] ** 2)) / 299
    assert ((high - low) / 2).reshape(3, 3)[0, 1] == pytest.approx(Z * error, rel=1e-6)
    error = np.sqrt(sd**2 + 4 * sd**2 * mean[0] ** 2) / 299
    assert ((high - low) / 2).reshape(3, 3)[0, 0] == pytest.approx(Z * error, rel=1e-6)


def test_a_column_correlates_with_itself_exactly(rows: np.ndarray) -> None:
    noisy = pairs(rows, True, 5_000.0)
    low, high = (end.reshape(3, 3) for end in noisy.interval(0.95, "sample"))
    assert np.diag(low).tolist() == np.diag(high).tolist() == [1, 1, 1]
    assert (low >= -1).all()
    assert (high <= 1).all()


def test_a_correlation_with_a_column_whose_variance_is_lost_in_noise_may_be_anything() -> None:
    flat = pairs(np.column_stack([np.zeros(30), np.arange(30.0)]), True, 1e-3)
    flat = moved(flat, 3, -9 / HALF**2)
    low, high = (end.reshape(2, 2) for end in flat.interval(0.95, "sample"))
    assert (low[0, 1], high[0, 1]) == (-1, 1)
    assert flat.estimate.reshape(2, 2)[0, 1] == 0


def test_covariances_of_no_rows_have_the_widest_interval() -> None:
    nobody = pairs(np.zeros((0, 2)), False)
    low, high = nobody.interval(0.95, "sample")
    assert (low == -5000).all()
    assert (high == 5000).all()


@pytest.mark.parametrize("correlation", [False, True])
def test_pairs_of_a_population_are_refused(correlation: bool, rows: np.ndarray) -> None:
    with pytest.raises(NotConcluded, match="needs fourth moments"):
        pairs(rows, correlation).interval(0.95, "population")
