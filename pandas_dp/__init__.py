"""Differentially private statistics where analysts already work: a `.dp` accessor on pandas."""

from __future__ import annotations

from . import custodian, datasets, errors, mechanisms
from .accessor import FrameFace, GroupedFace, ReleasedFace, SeriesFace
from .errors import PrivacyError
from .inference import combine
from .release import Release
from .session import Session
from .version import VERSION

__version__ = VERSION

__all__ = [
    "FrameFace",
    "GroupedFace",
    "PrivacyError",
    "Release",
    "ReleasedFace",
    "SeriesFace",
    "Session",
    "combine",
    "custodian",
    "datasets",
    "errors",
    "mechanisms",
]
