"""One page of what was released: HTML that needs nothing else. It reads releases and ledgers; it cannot reach data."""

from .account import Account, Declaration
from .page import page

__all__ = ["Account", "Declaration", "page"]
