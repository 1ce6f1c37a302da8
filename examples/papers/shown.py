"""How the scripts of this folder show what they find: small tables of the paper's number, ours, and the erratum where the
two disagree (docs/errata.md). No script tells of its progress, and none draws but into the folder of `--pictures`."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd


def heading(text: str, *columns: str) -> None:
    """Of a table, with the names of its columns of numbers."""
    print(f"\n{text}\n{'-' * len(text)}")
    if columns:
        line("", *columns)


def line(what: str, *numbers: object, note: str = "") -> None:
    def text(value: object) -> str:
        if not isinstance(value, float):
            return str(value)
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"

    print(f"{what:<62}{''.join(f'{text(each):>14}' for each in numbers)}   {note}".rstrip())


def table(frame: pd.DataFrame, decimals: int = 4) -> None:
    with pd.option_context("display.width", 130):
        print(frame.round(decimals).to_string(na_rep="–"))


def options(script: str | None, **numbers: tuple[int, str]) -> argparse.Namespace:
    """What was asked on the command line: `--pictures`, and numbers with their defaults and what they are of."""
    reading = argparse.ArgumentParser(description=(script or "").split("\n\n")[0])
    reading.add_argument("--pictures", type=Path, help="folder to draw the figures into; without it none is drawn")
    for name, (default, help) in numbers.items():
        reading.add_argument(f"--{name}", type=int, default=default, help=f"{help} ({default})")
    asked = reading.parse_args()
    if asked.pictures is not None:
        import matplotlib as mpl

        mpl.use("Agg")
        asked.pictures.mkdir(parents=True, exist_ok=True)
    return asked


def draw(folder: Path | None, name: str, panels: int, fill: Callable[..., None], **how: Any) -> None:
    """A figure of so many panels side by side, which `fill` draws; none where no folder was asked for."""
    if folder is None:
        return
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, panels, **{"figsize": (5.5 * panels, 4), "layout": "constrained", "squeeze": False, **how}
    )
    fill(*axes[0])
    figure.savefig(folder / f"{name}.png", dpi=120)
    plt.close(figure)
