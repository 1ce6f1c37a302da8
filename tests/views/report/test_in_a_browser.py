"""The page in a real browser, as wide as a desk and as wide as a phone, and printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .test_report import opened

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
NEEDED = bool(os.environ.get("PANDAS_DP_NEEDS_BROWSER"))
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
GAPS = """<!DOCTYPE html><html><body><iframe id="page" style="border: 0; width: {wide}px; height: 900px"></iframe>
<pre id="seen"></pre><script>
const frame = document.getElementById("page");
frame.onload = () => {{
  const page = frame.contentDocument, root = page.documentElement;
  const boxes = [...page.querySelectorAll(".wide")];
  document.getElementById("seen").textContent = JSON.stringify({{
    wide: root.clientWidth, needed: root.scrollWidth,
    pictures: [...page.images].map(each => each.naturalWidth),
    drawn: [...page.images].map(each => each.getBoundingClientRect().width),
    outside: boxes.filter(each => each.getBoundingClientRect().right > root.clientWidth + 1).length,
    small: [...page.querySelectorAll("p, td, th, dd, li")]
      .filter(each => parseFloat(getComputedStyle(each).fontSize) < 11).length,
    title: page.title,
  }});
}};
frame.srcdoc = {page};
</script></body></html>"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None and not NEEDED, reason="no Chromium is installed"),
]


def browse(folder: Path, *arguments: str) -> str:
    command = [str(BROWSER), *FLAGS, f"--user-data-dir={folder / 'profile'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Releases of many shapes: wide, long, with two levels of keys, of dates."""
    session, people = opened()
    keys = {"age": list(range(40))}
    people["age"].dp.mean(epsilon=1, note="of everybody; " + "a long word: " + "x" * 120)
    people.dp.crosstab("sex", "age", epsilon=1, categories=keys)
    people.dp.groupby(["sex", "age"], categories=keys)["age"].agg(["mean", "sum"], epsilon=1)
    people["born"].dp.histogram(bins="YS", epsilon=1)
    people["age"].dp.cdf(epsilon=1)
    return session.report(tmp_path_factory.mktemp("report") / "report.html")


@pytest.mark.parametrize("wide", [1280, 390])
def test_nothing_sticks_out_and_every_picture_is_drawn(page: Path, tmp_path: Path, wide: int) -> None:
    harness = tmp_path / "look.html"
    quoted = json.dumps(page.read_text("utf-8")).replace("</", "<\\/")
    harness.write_text(GAPS.format(wide=wide, page=quoted), "utf-8")
    shown = browse(tmp_path, "--virtual-time-budget=20000", "--dump-dom", harness.as_uri())
    seen: dict[str, Any] = json.loads(re.findall(r'<pre id="seen">(.*?)</pre>', shown, re.DOTALL)[0])
    assert seen["wide"] == wide
    assert seen["needed"] <= wide
    assert seen["outside"] == 0
    assert seen["pictures"]
    assert min(seen["pictures"]) > 100
    assert max(seen["drawn"]) <= wide
    assert seen["small"] == 0
    assert seen["title"] == "What was released: people"


def test_it_prints(page: Path, tmp_path: Path) -> None:
    paper = tmp_path / "report.pdf"
    browse(tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={paper}", page.as_uri())
    pages = re.findall(rb"/Type\s*/Page\b", paper.read_bytes())
    assert 3 < len(pages) < 60
