"""What is promised to the hidden person, and so how the reach of a tally is found."""

from __future__ import annotations

from ..errors import UnknownModel, shown
from .differential import Differential
from .model import Model

MODELS: dict[str, Model] = {model.name: model for model in (Differential(),)}
PLANNED = {"idp": "individual DP", "bdp": "bootstrap DP"}


def model_named(name: object) -> Model:
    """The promise of that name.

    Examples
    --------
    >>> model_named("dp").name
    'dp'
    """
    if isinstance(name, str) and name in MODELS:
        return MODELS[name]
    offered = ", ".join(repr(model) for model in MODELS)
    planned = f" ({PLANNED[name]} is not part of this version)" if isinstance(name, str) and name in PLANNED else ""
    raise UnknownModel(f"model {shown(name)} is not offered{planned}; this version offers {offered}.", model=name)


__all__ = ["MODELS", "Model", "model_named"]
