"""The address of a ledger in a database. What shows it, shows it without its password."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ...errors import UnsupportedArgument, wrong_value

SCHEMES = ("postgresql+psycopg", "postgresql", "postgres")
FREE = (
    "host",
    "port",
    "user",
    "dbname",
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "passfile",
    "service",
    "options",
)
SPELLED = "postgresql+psycopg://user@host/database?ledger=survey"


def is_address(ledger: object) -> bool:
    """Whether it names a database rather than a file."""
    return isinstance(ledger, str) and "://" in ledger


@dataclass(frozen=True)
class Address:
    """Where the database is and which of its ledgers is meant.

    Examples
    --------
    >>> print(Address.read("postgresql+psycopg://ann:secret@db.example/stats?ledger=survey"))
    postgresql+psycopg://ann@db.example/stats?ledger=survey
    """

    where: tuple[tuple[str, str], ...]  # as libpq names the parts of an address
    name: str
    password: str | None = field(default=None, repr=False, compare=False)

    @classmethod
    def read(cls, text: str) -> Address:
        """The address of this text, every part of it known."""
        if not isinstance(text, str):
            raise wrong_value("address", f"be a text such as {SPELLED!r}", text)
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError:
            raise _misspelled() from None
        if parts.scheme not in SCHEMES:
            raise UnsupportedArgument(
                f"a ledger is kept in a file or in PostgreSQL, not in {parts.scheme or 'this'!r}, whose guarantees are "
                f"others; give a path or {SPELLED!r}.",
                argument="ledger",
            )
        said = dict(parse_qsl(parts.query))
        given = {
            "host": unquote(parts.hostname or ""),
            "port": "" if port is None else str(port),
            "user": unquote(parts.username or ""),
            "dbname": unquote(parts.path.removeprefix("/")),
        }
        name, password = said.pop("ledger", "default"), said.pop("password", unquote(parts.password or ""))
        if any(each not in FREE for each in said) or parts.fragment:
            raise _misspelled()
        where = {**{key: value for key, value in given.items() if value}, **said}
        return cls(tuple(sorted(where.items())), name, password or None)

    def __reduce__(self) -> tuple[type[Address], tuple[Any, ...]]:
        """A copy that leaves the process leaves its password behind."""
        return Address, (self.where, self.name)

    @property
    def parts(self) -> dict[str, Any]:
        """What libpq is given."""
        return dict(self.where) if self.password is None else {**dict(self.where), "password": self.password}

    def __str__(self) -> str:
        where = dict(self.where)
        user = f"{where.pop('user')}@" if "user" in where else ""
        host, port = where.pop("host", ""), where.pop("port", "")
        base = where.pop("dbname", "")
        shown = f"{'' if '/' in host else host}{':' if port else ''}{port}"
        rest = {"ledger": self.name, **({"host": host} if "/" in host else {}), **where}
        return f"{SCHEMES[0]}://{user}{shown}/{base}?{'&'.join(f'{key}={value}' for key, value in rest.items())}"


def _misspelled() -> UnsupportedArgument:
    """It may hold a password, so none of it is shown."""
    return UnsupportedArgument(
        f"the address of the ledger is not spelled as {SPELLED!r}; characters such as @ in a password are written %40, "
        f"and behind the question mark stand ledger=, {', '.join(f'{each}=' for each in FREE[:5])} and the like.",
        argument="ledger",
    )
