"""What reads rows before anything is paid: whatever it raises could quote one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..errors import NotProtected, PrivacyError
from .answering import Answering

Made = TypeVar("Made")


def withheld(desk: Answering, work: Callable[[], Made], refusal: str) -> Made:
    """What the work gives; where it fails, the refusal, whose cause a custodian alone sees."""
    cause: BaseException | None = None
    interrupted = False
    try:
        return work()
    except PrivacyError:
        raise
    except KeyboardInterrupt:
        interrupted = True
    except BaseException as error:  # noqa: BLE001 - its words could be a row's
        if desk.opening.custodian:
            cause = error
    if interrupted:
        raise KeyboardInterrupt  # a new one, without the words and the context of the other
    raise NotProtected(refusal) from cause
