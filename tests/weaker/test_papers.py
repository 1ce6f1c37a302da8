"""The scripts that print the papers' tables run, and find what they should."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pandas_dp.datasets import load_rice_farms

PAPERS = Path(__file__).parents[2] / "examples" / "papers"


@pytest.fixture(autouse=True)
def beside_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PAPERS))


def script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, PAPERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_printed_value_of_the_farms_is_a_misprint() -> None:
    found = script("bootstrap_dp").differences(load_rice_farms())
    assert found.to_dict("records") == [{"cell": "mixed/high", "value": "max", "paper": 900, "ours": 9000}]


def test_what_the_printed_scales_cost() -> None:
    found = script("bootstrap_dp").sensitivities(load_rice_farms())
    assert found["true epsilon"].tolist() == pytest.approx([1.83307, 0.40213, 1.0, 3.61917, 1.0], abs=1e-4)
    assert found.loc["(i), one scale", "widest, ours"] == 32_130


def test_the_tables_of_noise() -> None:
    individual = script("individual_dp")
    first = individual.table_1()
    assert first["ours"].tolist() == pytest.approx([2.995732, 101.649638, 34.217865], rel=1e-5)
    second: pd.DataFrame = individual.table_2()
    assert second["dp, ours"].tolist() == pytest.approx([9.98335, 1.33333, 0.85092, 0.27572, 0.013477], rel=1e-4)
    assert second["delta of idp"].tolist() == pytest.approx([0.475021, 1 / 3, 0.268941, 0.119203, 0.0066929], rel=1e-4)


def test_the_closed_forms_of_noise_are_the_golden_ones() -> None:
    golden = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
    found = script("bootstrap_dp").spreads(load_rice_farms())
    for name, key in (("(i)", "method_i_corrected"), ("(iv), auto", "method_iv_2M")):
        assert sorted(found[name]) == pytest.approx(sorted(golden[f"000.noise_sd.{key}"].values()))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bootstrap_dp", "individual_dp"])
@pytest.mark.parametrize("drawn", [False, True])
def test_the_scripts_run_and_draw_where_they_are_asked_to(
    name: str, drawn: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if drawn:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    runs = ["--runs", "20"] if name == "bootstrap_dp" else []
    monkeypatch.setattr("sys.argv", [name, *runs, *(["--pictures", "here"] if drawn else [])])
    script(name).main()
    pictures = [path.parent.name for path in tmp_path.rglob("*.png")]
    assert pictures == ["here"] * drawn * {"bootstrap_dp": 3, "individual_dp": 2}[name]
