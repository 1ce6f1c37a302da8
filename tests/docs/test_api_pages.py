"""The pages of members name every class that a user meets behind `.dp`."""

from pathlib import Path
from types import ModuleType

import pytest

import pandas_dp as pdp
from pandas_dp.core.door.accessors import ACCESSORS

PAGES = "\n".join(path.read_text("utf-8") for path in (Path(__file__).parents[2] / "docs" / "api").glob("*.md"))


@pytest.mark.parametrize("accessor", sorted(set(ACCESSORS.values()), key=lambda accessor: accessor.__name__))
def test_every_kind_of_release_has_its_members_on_a_page(accessor):
    assert f"autoclass:: {accessor.__module__}.{accessor.__name__}\n" in PAGES


@pytest.mark.parametrize("name", sorted(set(pdp.__all__) - {"PrivacyError"}))
def test_every_public_name_is_on_a_page(name):
    module = getattr(pdp, name)
    where = module.__name__ if isinstance(module, ModuleType) else f"pandas_dp.{name}"
    assert f":: {where}\n" in PAGES
