"""What the code of a function names, and whether it can be seen to keep something from one call to the next."""

from __future__ import annotations

import decimal
import dis
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType

from ..errors import NotFollowed
from .callers import library_at

Chains = Mapping[str, set[tuple[str, ...]]]
"""Names, and what is named behind each: of `np.linalg.norm` np, with linalg and norm."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STATELESS = _words(
    "ast base64 binascii bisect builtins calendar cmath collections collections.abc colorsys copy datetime dateutil "
    "dateutil.parser dateutil.relativedelta decimal difflib email.utils enum fnmatch fractions functools "
    "genericpath hashlib heapq hmac html ipaddress itertools json keyword math ntpath numbers operator os.path "
    "pandas_dp.pandas pathlib posixpath re shlex statistics string struct textwrap typing unicodedata urllib.parse "
    "uuid zlib zoneinfo"
)
"""Modules whose functions keep nothing that another call of them shows; numpy and pandas, but for random numbers."""
HIDDEN = _words(
    "__annotate__ __annotations__ __builtins__ __closure__ __code__ __defaults__ __delattr__ __dict__ __getattribute__ "
    "__globals__ __kwdefaults__ __loader__ __self__ __setattr__ __setstate__ __spec__ __subclasses__ __wrapped__ "
    "_getframe ag_frame cr_frame f_back f_builtins f_globals f_locals gi_frame setflags tb_frame"
)
"""Names that lead from one thing to others, beside those that were frozen."""
SETTING = _words(
    "getcontext setcontext localcontext seterr seterrcall setbufsize set_printoptions set_option reset_option "
    "option_context setfirstweekday register_dataframe_accessor register_series_accessor register_index_accessor"
)
"""Names behind which libraries keep what a program sets."""
UNLOCKING = _words("KeyboardInterrupt __import__ breakpoint compile delattr eval exec globals input open setattr vars")
"""What Python has for everybody, and what reaches, changes or ends everything."""
CHANGING = (list, dict, set, bytearray, decimal.Context)
OF_MODULE = _words("LOAD_GLOBAL LOAD_NAME LOAD_FROM_DICT_OR_GLOBALS")
OF_CELL = _words("LOAD_DEREF LOAD_CLASSDEREF LOAD_FROM_DICT_OR_DEREF")
ATTRIBUTE = _words("LOAD_ATTR LOAD_METHOD LOAD_SUPER_ATTR")
STORING = _words("STORE_GLOBAL DELETE_GLOBAL STORE_ATTR DELETE_ATTR")


def keeps_state(name: str) -> NotFollowed:
    return NotFollowed(
        f"this function keeps state: {name}; let it keep nothing from row to row, or session.vouch(frame, because=...)."
    )


def is_stateless(module: object) -> bool:
    """Whether a module is one whose functions may run as they are: Python's or a library's own, not one of its name."""
    if type(module) is not str:
        return False
    name = module.lstrip("_")
    if name.partition(".")[0] in ("numpy", "pandas"):
        return not name.startswith("numpy.random")
    file = getattr(sys.modules.get(module), "__file__", None)
    return name in STATELESS and (file is None or library_at(file) is not None)


@dataclass(frozen=True)
class Names:
    """What code names, here and in functions that it makes: of its module, of functions around it, and of its own
    call."""

    of_module: Chains
    of_cells: Chains
    of_call: Chains

    @classmethod
    def of(cls, code: CodeType) -> Names:
        found: dict[str, dict[str, set[tuple[str, ...]]]] = {"module": {}, "cell": {}, "call": {}}
        for inner in _with_inner(code):
            for place, name, chain in _chains(inner):
                if place != "call" or inner is code:
                    found[place].setdefault(name, set()).add(chain)
        return cls(*found.values())

    def behind(self, argument: str) -> set[tuple[str, ...]]:
        """What it names behind an argument."""
        return self.of_call.get(argument, set()) | self.of_cells.get(argument, set()) or {()}


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _with_inner(each)


def _chains(code: CodeType) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Where each name that it loads is from, and what it names behind it."""
    root: tuple[str, str] | None = None
    chain: tuple[str, ...] = ()
    for each in dis.get_instructions(code):
        if root is not None and each.opname in ATTRIBUTE:
            chain = (*chain, each.argval)
            continue
        if root is not None:
            yield *root, chain
        place = _place(each.opname)
        names = each.argval if isinstance(each.argval, tuple) else (each.argval,)  # some load two
        if place is not None:
            yield from ((place, name, ()) for name in names[:-1])
        root, chain = (None if place is None else (place, names[-1])), ()


def _place(opname: str) -> str | None:
    if opname in OF_MODULE:
        return "module"
    return "cell" if opname in OF_CELL else "call" if "LOAD_FAST" in opname else None


def refuse_changing(module: str, named: Iterable[str]) -> None:
    """Refused lists and the like that a module keeps for everybody, which could be written into."""
    for each in named:
        if type(getattr(sys.modules.get(module), each, None)) in CHANGING:
            raise keeps_state(each)


def refuse_state(code: CodeType, captured: frozenset[str]) -> None:
    """Refused where it writes to what it did not make itself, or asks for what is hidden."""
    for each in dis.get_instructions(code):
        does, name = each.opname, each.argval
        if does in STORING or (does in ("STORE_DEREF", "DELETE_DEREF") and name in captured):
            raise keeps_state(name)
        if does in ATTRIBUTE | OF_MODULE and name in HIDDEN | SETTING:
            raise keeps_state(name)
        if does == "LOAD_BUILD_CLASS":  # whose operators are handed what stands beside
            raise keeps_state("a class that it makes")
        if does == "IMPORT_NAME" and (name == "builtins" or not is_stateless(name)):
            raise keeps_state(name)
        if does == "IMPORT_FROM" and name in HIDDEN | SETTING | UNLOCKING:
            raise keeps_state(name)
        if does == "IMPORT_NAME":
            refuse_changing(name, code.co_names)
        if does == "IMPORT_NAME" and name == "numpy" and "random" in code.co_names:
            raise keeps_state("np.random")
    for each in code.co_consts:
        if type(each) is str and each in HIDDEN:
            raise keeps_state(each)
        if isinstance(each, CodeType):
            refuse_state(each, captured & frozenset(each.co_freevars))
