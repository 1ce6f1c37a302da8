"""The pages of members name every class that a user meets behind `.dp`."""

from pathlib import Path
from types import ModuleType

import pytest

import pandas_dp as pdp
from pandas_dp.core.evidence.evidence import Evidence, every_kind
from pandas_dp.core.lazy_import import named

PAGES = "\n".join(path.read_text("utf-8") for path in (Path(__file__).parents[2] / "docs" / "api").glob("*.md"))


OF_KINDS = {kind.concluded_by({"by": by}) for kind in every_kind().values() for by in (None, "runs")} - {
    Evidence.accessor
}


@pytest.mark.parametrize("accessor", [named(word) for word in sorted(OF_KINDS - {Evidence.accessor})])
def test_every_kind_of_release_has_its_members_on_a_page(accessor):
    assert f"autoclass:: {accessor.__module__}.{accessor.__name__}\n" in PAGES


@pytest.mark.parametrize("name", sorted(set(pdp.__all__) - {"PrivacyError"}))
def test_every_public_name_is_on_a_page(name):
    module = getattr(pdp, name)
    where = module.__name__ if isinstance(module, ModuleType) else f"pandas_dp.{name}"
    assert f":: {where}\n" in PAGES
