"""How a sample grows from its roots: small immutable descriptions, checked when they are made.

An app holds parameters and nothing else; the same one serves any number of graphs. The paper stands with each.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import operator
from collections.abc import Iterable
from typing import Any, Literal, SupportsIndex

from . import _native

__all__ = ["PPR", "App", "DeepWalk", "KHop", "Node2Vec", "Weighted"]

Weighted = bool | Literal["auto"]

MAX_LENGTH = 1 << 24  # steps of a sample, as in the core
MAX_WIDTH = 1 << 28  # vertices of a sample


class App:
    """What all apps have in common; make one of the classes below."""

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as they cross to the core."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        """The shape of each step's vertices in one sample with so many roots; () is one vertex.

        Raises:
            ValueError: the app's samples differ in length, so it has none.
        """
        raise ValueError(f"{self!r}: samples differ in length")

    def width(self, roots: int = 1) -> int | None:
        """The vertices of a whole sample, roots included; None where samples differ in length."""
        return None

    def steps_expected(self) -> float:
        """The number of choices that a sample of one root takes, about."""
        return float((self.width() or 1) - 1)

    def _held(self) -> _native.Held:
        """The app in the core, made at its first use and kept with the app."""
        held: _native.Held | None = self.__dict__.get("_core")
        if held is None:
            held = _native.HeldText("NewApp", "DropApp", type(self).__name__, json.dumps(self.parameters()))
            held = self.__dict__.setdefault("_core", held)  # another thread's, if that came first: ours goes unused
        return held

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}


class Walk(App):
    """An app whose samples are walks of ``length`` steps."""

    length: int

    def width(self, roots: int = 1) -> int:
        return roots + self.length

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        return [()] * self.length


@dataclasses.dataclass(frozen=True)
class DeepWalk(Walk):
    """Walks of ``length`` steps, each along an edge of the present vertex (DeepWalk: Perozzi et al., KDD'14).

    Args:
        length: steps of a walk, from 0; a sample has length + 1 vertices.
        weighted: whether an edge is taken in proportion to its weight; "auto": where the graph has weights.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    length: int
    weighted: Weighted = "auto"

    def __post_init__(self) -> None:
        _set(self, length=_count("length", self.length, 0, MAX_LENGTH), weighted=_weighted(self.weighted))


@dataclasses.dataclass(frozen=True)
class PPR(App):
    """Walks that stop with probability ``stop`` after each step: the visits of many such walks from one root are its
    personalised PageRank (Page et al. 1999; Fogaras et al. 2005).

    Args:
        stop: probability of stopping after each step, above 0 and at most 1.
        max_length: no walk takes more steps; None: no limit. A walk also ends where no edge leads on.
        weighted: whether an edge is taken in proportion to its weight; "auto": where the graph has weights.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    stop: float
    max_length: int | None = None
    weighted: Weighted = "auto"

    def __post_init__(self) -> None:
        stop = _number("stop", self.stop)
        if not 0 < stop <= 1:
            raise ValueError(f"stop = {self.stop!r}: expected a probability above 0 and at most 1")
        most = None if self.max_length is None else _count("max_length", self.max_length, 1, MAX_LENGTH)
        _set(self, stop=stop, max_length=most, weighted=_weighted(self.weighted))

    def parameters(self) -> dict[str, Any]:
        return {"stop": self.stop, "max_length": self.max_length or 0, "weighted": self.weighted}

    def steps_expected(self) -> float:
        return min(1 / self.stop, float(self.max_length or math.inf))


@dataclasses.dataclass(frozen=True)
class Node2Vec(Walk):
    """Walks of ``length`` steps; behind the first, an edge's weight is multiplied by 1/p if it leads back to the vertex
    before, by 1 if it leads to a neighbour of that vertex, by 1/q otherwise (node2vec: Grover & Leskovec, KDD'16).

    Args:
        p: return parameter, positive.
        q: in-out parameter, positive. 1/p, 1 and 1/q must lie within a factor of 2^32 of each other.
        length: steps of a walk, from 0; a sample has length + 1 vertices.
        weighted: whether the edges' weights count; "auto": where the graph has some.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    p: float
    q: float
    length: int
    weighted: Weighted = "auto"

    def __post_init__(self) -> None:
        p, q = _number("p", self.p), _number("q", self.q)
        for name, value in (("p", p), ("q", q)):
            if not 0 < value < math.inf:
                raise ValueError(f"{name} = {value!r}: expected a positive number")
        if max(1 / p, 1.0, 1 / q) > min(1 / p, 1.0, 1 / q) * 2.0**32:
            raise ValueError(f"p = {p!r}, q = {q!r}: expected 1/p, 1 and 1/q within a factor of 2^32 of each other")
        length = _count("length", self.length, 0, MAX_LENGTH)
        _set(self, p=p, q=q, length=length, weighted=_weighted(self.weighted))


@dataclasses.dataclass(frozen=True)
class KHop(App):
    """Trees: at step i every vertex takes ``fanouts[i]`` of its edges, and their end points take theirs at the next
    step (GraphSAGE: Hamilton et al., NIPS'17; k-hop neighbourhoods of NextDoor, EuroSys'21).

    Args:
        fanouts: edges taken by each vertex of a step, at least 1 each.
        replace: whether a vertex may take one edge several times. Without, one with too few edges leaves places empty.
        weighted: whether edges are taken in proportion to their weights; "auto": where the graph has some.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    fanouts: tuple[int, ...]
    replace: bool = False
    weighted: Weighted = False

    def __post_init__(self) -> None:
        fanouts = _fanouts(self.fanouts, all_edges=False)
        if 1 + sum(itertools.accumulate(fanouts, operator.mul)) > MAX_WIDTH:
            raise ValueError(f"fanouts = {list(fanouts)}: expected at most 2^28 vertices a root")
        _set(self, fanouts=fanouts, replace=_flag("replace", self.replace), weighted=_weighted(self.weighted))

    def width(self, roots: int = 1) -> int:
        return roots * (1 + sum(math.prod(shape) for shape in self.slots()))

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        many = () if roots == 1 else (roots,)
        return [(*many, *self.fanouts[: i + 1]) for i in range(len(self.fanouts))]


def _set(app: App, **values: Any) -> None:
    """Puts checked values in place: a frozen dataclass refuses plain assignment."""
    for name, value in values.items():
        object.__setattr__(app, name, value)


def _count(name: str, value: SupportsIndex, least: int, most: int) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{name} = {value!r}: expected an int, from {least} to {most}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: expected an int, from {least} to {most}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} = {number}: expected from {least} to {most}")
    return number


def _number(name: str, value: Any) -> float:
    if isinstance(value, (bool, str, bytes)):
        raise TypeError(f"{name} = {value!r}: expected a number")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {value!r}: expected a number") from None


def _flag(name: str, value: Any) -> bool:
    if value is True or value is False:
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(f"{name} = {value!r}: expected True or False")


def _weighted(value: Any) -> Weighted:
    if isinstance(value, str) and value == "auto":
        return "auto"
    try:
        return _flag("weighted", value)
    except TypeError:
        raise TypeError(f'weighted = {value!r}: expected "auto", True or False') from None


def _fanouts(values: Iterable[SupportsIndex], *, all_edges: bool) -> tuple[int, ...]:
    """Fan-outs as integers; -1, all edges, where that is allowed."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"fanouts = {values!r}: expected a sequence of ints, one a hop")
    expected = "at least 1, or -1 for all" if all_edges else "at least 1"
    fanouts = []
    for i, value in enumerate(values):
        name = f"fanouts[{i}]"
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} = {value!r}: expected an int, {expected}")
        number = operator.index(value)
        if not (1 <= number <= MAX_WIDTH or (all_edges and number == -1)):
            raise ValueError(f"{name} = {number}: expected {expected}")
        fanouts.append(number)
    return tuple(fanouts)
