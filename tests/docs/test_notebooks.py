"""The notebooks are kept as they ran: every cell once, in order, with what it showed and no error."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_of(path: Path) -> list[dict]:
    return [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def test_there_is_one_for_each_kind_of_reader():
    assert [path.stem for path in NOTEBOOKS] == [
        "economist",
        "hospital",
        "pipeline",
        "product",
        "statistical_office",
        "teacher",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_ran_from_top_to_bottom(path):
    cells = code_of(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_releases_and_no_error_or_warning(path):
    shown = [output for cell in code_of(path) for output in cell["outputs"]]
    assert not [output for output in shown if output["output_type"] == "error" or output.get("name") == "stderr"]
    text = json.dumps(shown)
    assert "differentially private: " in text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_names_no_place_of_the_machine_it_ran_on(path):
    text = path.read_text("utf-8")
    assert not [place for place in ("/home/", "/work/", "/tmp/", "/root/", "site-packages") if place in text]


def test_numbers_that_are_the_same_in_each_run_say_that_they_protect_nobody():
    seeded = [path for path in NOTEBOOKS if "seeded_noise" in path.read_text("utf-8")]
    assert [path.stem for path in seeded] == ["teacher"]
    text = seeded[0].read_text("utf-8")
    assert "The numbers of this lesson are not private." in text
    assert "INSECURE: the noise was seeded for a test" in text
