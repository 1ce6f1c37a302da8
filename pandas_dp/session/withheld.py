"""What reads rows before anything is paid: whatever it raises could quote one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..errors import NotProtected, PrivacyError
from .answering import Answering

Made = TypeVar("Made")


def withheld(desk: Answering, work: Callable[[], Made], refusal: str) -> Made:
    """What the work gives; where it fails, the refusal, whose cause a custodian alone sees."""
    cause: Exception | None = None
    try:
        return work()
    except PrivacyError:
        raise
    except Exception as error:  # noqa: BLE001 - its words could be a row's
        if desk.opening.custodian:
            cause = error
    raise NotProtected(refusal) from cause
