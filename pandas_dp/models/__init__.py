"""What is promised to the hidden person, and so how the reach of a tally is found."""

from __future__ import annotations

from ..errors import UnknownModel, shown
from .bootstrap import Bootstrap
from .differential import Differential
from .individual import Individual
from .model import Asked, JointModel, Model, Options, PrivateModel, PublicModel, Surroundings

PUBLIC: dict[str, PublicModel] = {model.name: model for model in (Differential(),)}
PRIVATE: dict[str, PrivateModel] = {model.name: model for model in (Individual(), Bootstrap())}
MODELS: dict[str, Model] = {**PUBLIC, **PRIVATE}


def model_named(name: object) -> PublicModel | PrivateModel:
    """The promise of that name.

    Examples
    --------
    >>> model_named("dp").name
    'dp'
    """
    if isinstance(name, str) and name in PUBLIC:
        return PUBLIC[name]
    if isinstance(name, str) and name in PRIVATE:
        return PRIVATE[name]
    offered = ", ".join(repr(model) for model in MODELS)
    raise UnknownModel(f"model {shown(name)} is not offered; this version offers {offered}.", model=name)


__all__ = [
    "MODELS",
    "PRIVATE",
    "PUBLIC",
    "Asked",
    "Differential",
    "JointModel",
    "Model",
    "Options",
    "PrivateModel",
    "PublicModel",
    "Surroundings",
    "model_named",
]
