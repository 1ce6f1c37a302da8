"""The pages of members name every class that a user meets behind `.dp`."""

from pathlib import Path
from types import ModuleType

import pytest

import pandas_dp as pdp
from pandas_dp.core.door.faces import FACES

PAGES = "\n".join(path.read_text("utf-8") for path in (Path(__file__).parents[2] / "docs" / "api").glob("*.md"))


@pytest.mark.parametrize("face", sorted(set(FACES.values()), key=lambda face: face.__name__))
def test_every_kind_of_release_has_its_members_on_a_page(face):
    assert f"autoclass:: {face.__module__}.{face.__name__}\n" in PAGES


@pytest.mark.parametrize("name", sorted(set(pdp.__all__) - {"PrivacyError"}))
def test_every_public_name_is_on_a_page(name):
    module = getattr(pdp, name)
    where = module.__name__ if isinstance(module, ModuleType) else f"pandas_dp.{name}"
    assert f":: {where}\n" in PAGES
