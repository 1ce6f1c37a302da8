"""The house's dataclasses do what Python's do, but for when their methods are made."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from functools import cached_property
from pathlib import Path
from threading import Barrier, Thread
from typing import Any, ClassVar

import pytest

import pandas_dp.dataclass as house
from pandas_dp.dataclass import dataclass

PACKAGE = Path(house.__file__).parent


def family(make: Any) -> dict[str, type]:
    """The same classes, made by one decorator or the other."""

    @make(frozen=True)
    class Point:
        """A point."""

        x: int
        y: float = 2.0
        seen: list[int] = field(default_factory=list, compare=False)
        secret: str = field(default="no", repr=False)
        kind: ClassVar[str] = "point"

        @cached_property
        def total(self) -> float:
            return self.x + self.y

    @make(frozen=True)
    class Named(Point):
        name: str = "origin"
        checked: bool = field(init=False, default=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "checked", True)

        def __repr__(self) -> str:
            return f"<{self.name}>"

    @make(frozen=True, eq=False)
    class Alone:
        x: int

    @make(frozen=True, kw_only=True)
    class ByName:
        x: int = 1
        y: int

    @make(frozen=True)
    class Unhashed:
        x: dict[str, int] = field(default_factory=dict)
        y: int = field(default=0, hash=False)

    return {each.__name__: each for each in (Point, Named, Alone, ByName, Unhashed)}


BOTH = (family(dataclass), family(dataclasses.dataclass))


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Point", ((1,), {})),
        ("Point", ((1, 3.0, [4]), {"secret": "s"})),
        ("Named", ((1,), {"name": "n"})),
        ("Alone", ((1,), {})),
        ("ByName", ((), {"y": 2})),
        ("Unhashed", ((), {"y": 2})),
    ],
)
def test_objects_look_alike_and_compare_alike(name: str, made: tuple[Any, Any]) -> None:
    ours, theirs = (classes[name] for classes in BOTH)
    one, other = ours(*made[0], **made[1]), theirs(*made[0], **made[1])
    again, another = ours(*made[0], **made[1]), theirs(*made[0], **made[1])
    assert vars(one) == vars(other)
    assert (one == again) is (other == another)
    assert (one == other) is False
    assert one.__eq__(other) is NotImplemented
    if name != "Alone":  # whose repr is by fields and whose hash is its address
        assert one != dataclasses.replace(one, **{next(iter(vars(one))): 9})
    if name not in ("Alone", "Unhashed"):
        assert hash(one) == hash(other)
    assert repr(one).replace("<locals>.", "") == repr(other).replace("<locals>.", "")


def test_a_hash_leaves_out_what_it_is_told_to() -> None:
    for classes in BOTH:
        with pytest.raises(TypeError, match="unhashable"):
            hash(classes["Unhashed"]())


@pytest.mark.parametrize("name", list(BOTH[0]))
def test_signatures_and_fields_are_the_same(name: str) -> None:
    ours, theirs = (classes[name] for classes in BOTH)
    assert [(each.name, each.init, each.kw_only) for each in dataclasses.fields(ours)] == [
        (each.name, each.init, each.kw_only) for each in dataclasses.fields(theirs)
    ]
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
    assert ours.__match_args__ == theirs.__match_args__


@pytest.mark.parametrize("wrong", [((), {}), ((1, 2, [], "a", 5), {}), ((1,), {"z": 2})])
def test_wrong_arguments_are_refused_in_the_same_words(wrong: tuple[Any, Any]) -> None:
    said = []
    for classes in BOTH:
        with pytest.raises(TypeError) as refusal:
            classes["Point"](*wrong[0], **wrong[1])
        said.append(str(refusal.value).replace("family.<locals>.", ""))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["x", "other"])
def test_nothing_of_a_frozen_object_can_be_set_or_deleted(name: str) -> None:
    for classes in BOTH:
        point = classes["Point"](1)
        with pytest.raises(FrozenInstanceError, match="cannot assign to field"):
            setattr(point, name, 2)
        with pytest.raises(FrozenInstanceError, match="cannot delete field"):
            delattr(point, name)


def test_a_frozen_object_keeps_a_cached_property() -> None:
    point = BOTH[0]["Point"](1)
    assert vars(point).get("total") is None
    assert point.total == 3.0
    assert vars(point)["total"] == 3.0


def test_a_class_of_no_fields_of_its_own_may_keep_others() -> None:
    for classes in BOTH:
        under = type("Under", (classes["Point"],), {})(1)
        under.note = "kept"
        assert under.note == "kept"
        with pytest.raises(FrozenInstanceError):
            under.x = 2


@pytest.mark.parametrize("below", [dataclass, dataclasses.dataclass])
@pytest.mark.parametrize("above", [dataclass, dataclasses.dataclass])
def test_frozen_classes_inherit_each_other_and_no_others(above: Any, below: Any) -> None:
    class Root:
        x: int = 1

    root = above(frozen=True)(Root)
    leaf = below(frozen=True)(type("Leaf", (root,), {"__annotations__": {"y": "int"}, "y": 2}))
    assert vars(leaf(3)) == {"x": 3, "y": 2}
    assert leaf(3) == leaf(3) != leaf(4)
    with pytest.raises(FrozenInstanceError):
        leaf(3).x = 4
    assert root.__dataclass_params__.frozen
    for one, other in ((True, False), (False, True)):
        base = above(frozen=one)(type("Base", (), {"__annotations__": {"x": "int"}, "x": 1}))
        with pytest.raises(TypeError, match="cannot inherit"):
            below(frozen=other)(type("Under", (base,), {"__annotations__": {}}))


@dataclass(frozen=True)
class Kept:
    x: int
    y: list[int] = field(default_factory=list)


def test_an_object_is_pickled_copied_and_replaced() -> None:
    kept = Kept(1, [2])
    assert pickle.loads(pickle.dumps(kept)) == kept == copy.deepcopy(kept)
    assert dataclasses.replace(kept, x=3) == Kept(3, [2])
    assert dataclasses.asdict(kept) == {"x": 1, "y": [2]}
    assert Kept(1).y is not Kept(1).y


def test_an_object_that_holds_itself_is_shown() -> None:
    kept = Kept(1)
    kept.y.append(kept)  # type: ignore[arg-type]
    assert repr(kept) == "Kept(x=1, y=[...])"


def test_many_threads_may_make_the_first_object() -> None:
    for _ in range(50):
        made = family(dataclass)["Point"]
        barrier, found = Barrier(4), []

        def first(made: type = made, barrier: Barrier = barrier, found: list[Any] = found) -> None:
            barrier.wait()
            found.append(made(1))

        threads = [Thread(target=first) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert len(set(found)) == 1


def test_a_method_is_made_once_and_only_when_it_is_called() -> None:
    made = family(dataclass)["Point"]
    assert isinstance(vars(made)["__init__"], house.Late)
    made(1)
    assert inspect.isfunction(vars(made)["__init__"])
    assert isinstance(vars(made)["__hash__"], house.Late)


def test_no_module_takes_the_class_that_is_slow_to_import() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.name == "dataclass.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
                assert "dataclass" not in {each.name for each in node.names}, path
