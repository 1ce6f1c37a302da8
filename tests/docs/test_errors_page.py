"""The page of errors has every error, and quotes sentences that are said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pandas_dp import errors
from tests.refusals import SENTENCES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "errors.md").read_text("utf-8")
QUOTED = re.findall(r"^> (.*)$", PAGE, re.M)
SAID = "\n".join(SENTENCES.values())
NAMES = [name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)]


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"PrivacyError"}))
def test_every_error_has_a_heading(name: str) -> None:
    assert re.search(rf"^### .*`{name}`", PAGE, re.M)


@pytest.mark.parametrize("sentence", QUOTED)
def test_every_sentence_is_one_that_is_said(sentence: str) -> None:
    assert sentence in SAID
