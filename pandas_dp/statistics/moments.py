"""From noisy sums of codes to sums in the column's own unit."""

from __future__ import annotations

from ..evidence import MomentSums, Noise
from ..neighbours import Setting
from ..tally import Blurred, Cells, Moments, Variable


def moments(variable: Variable, cells: Cells, setting: Setting) -> Moments:
    """The tally behind mean, var and std; it counts the rows wherever their number is private."""
    return Moments(variable, cells, counted=not setting.counts_public(cells, [variable]))


def in_units(tally: Moments, answer: Blurred, setting: Setting) -> MomentSums:
    """Codes times what a code is worth."""
    grid, step = tally.variable.grid, float(tally.variable.grid.code_step)
    square = step**2 * 2 ** tally.shifts[2]
    table, laws = answer.table.astype(float), answer.laws
    count, count_noise = None, None
    if tally.counted:
        count, count_noise = table[:, 0], Noise(laws[0])
    return MomentSums(
        centre=float(grid.centre),
        half=step * grid.half,
        total=table[:, -2] * step,
        squares=table[:, -1] * square,
        total_noise=Noise(laws[-2], step),
        squares_noise=Noise(laws[-1], square),
        size=setting.size if count is None else None,
        count=count,
        count_noise=count_noise,
    )
