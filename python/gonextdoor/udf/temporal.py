"""Recognises an edge_bias that is 0 for edges on one side of the previous edge's time.

The candidates of such a walk are a part of a row that is ordered by time. Among all edges of the row, proposals would
be rejected too often at the end of a walk, where few edges are left. If all other biases are equal, the walks are those
of TemporalWalk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ..apps.app import SameWalks
from ..apps.temporal import TemporalWalk
from . import tree
from .bound.acceptance import Probe, UnknownError
from .bound.graphfacts import GraphFacts
from .bound.hookranges import HookRanges
from .bound.interpreter import MOST_DEPTH, Interpreter, State, depth
from .bound.outcome import NoBoundError
from .bound.ranges import Edges, Range, known, truth

__all__ = ["followed", "temporal_walk"]

# Whether an edge before, at and after the time of the previous one is a candidate; direction and strictness.
_ORDERS = {
    (False, False, True): ("forward", True), (False, True, True): ("forward", False),
    (True, False, False): ("backward", True), (True, True, False): ("backward", False),
}  # fmt: skip


def temporal_walk(function: tree.Function, facts: GraphFacts) -> SameWalks | None:
    """The TemporalWalk that is the same as the walk by a hook edge_bias; None: there is none.

    After the first step, the hook must have one positive bias for edges on one side of the previous edge's time, and 0
    for the others. At the first step it must have a positive bias. It may read nothing else.
    """
    if facts.last_step == 65535 or depth(function.body) > MOST_DEPTH or not _decided(function):
        return None
    try:
        first = _Case(function, facts, 0, 0).result()
        before, at, after = (_Case(function, facts, 1, sign).result() for sign in (-1, 0, 1))
    except (UnknownError, ArithmeticError, ValueError):
        return None
    later = before, at, after
    order = _ORDERS.get((before > 0, at > 0, after > 0))
    limit = 65536.0 if function.returns == "float" else 2**32
    if order is None or not 0 < first < limit or not all(b in (0, max(later)) for b in later) or max(later) >= limit:
        return None
    walk = TemporalWalk(facts.last_step + 1, direction=order[0], strict=order[1])  # type: ignore[arg-type]
    return SameWalks(walk)


def followed(function: tree.Function, facts: GraphFacts) -> dict[str, bool] | None:
    """The order in time such that, after the first step, a hook edge_bias is 0 for edges that may not follow the last
    one; None: there is none.
    """
    if not 0 < facts.last_step < 65535 or not facts.edges or depth(function.body) > MOST_DEPTH:
        return None
    overflows = facts.times.high - facts.times.low >= 2**63
    if overflows or function.arguments[0] in tree.assigned(function.body):
        return None
    try:
        positive = tuple(_Gap(function, facts, sign).positive() for sign in (-1, 0, 1))
    except NoBoundError:
        return None
    order = _ORDERS.get(positive)  # type: ignore[arg-type]
    return None if order is None else {"backward": order[0] == "backward", "strict": order[1]}


def _decided(function: tree.Function) -> bool:
    """Whether a hook reads only comparisons of the edge's time with the previous edge's, and of the step with 0."""
    edge, dst = function.arguments
    if {edge, dst} & tree.assigned(function.body):
        return False
    allowed = {id(part) for x in tree.expressions(function.body) for part in _compared(x, edge)}
    return all(
        id(x) in allowed or (not isinstance(x, (tree.Call, tree.Field, tree.Element)) and x.type != "edge")
        for x in tree.expressions(function.body)
    ) and not any(isinstance(x, tree.Local) and x.name == dst for x in tree.expressions(function.body))


def _compared(x: tree.Expression, edge: str) -> Iterator[tree.Expression]:
    """The parts of a comparison whose result follows from the order of the two times, or from whether the step is 0."""
    if not isinstance(x, tree.Compare) or len(x.operators) != 1:
        return
    times = (tree.Local("edge", edge), tree.Field("edge", "prev_edge"))
    texts = {repr(tree.Call("int", "time", (part,))) for part in times}
    reads = [part for part in x.operands if not isinstance(part, tree.Constant)]
    first = {"Field('int', 'step')": 0, "Field('int', 'prev')": -1}
    numbers = [part.value for part in x.operands if isinstance(part, tree.Constant)]
    if {repr(part) for part in x.operands} == texts or (len(reads) == 1 and numbers == [first.get(repr(reads[0]))]):
        for part in x.operands:
            yield from tree.expressions(part)


class _Case(Probe):
    """Runs edge_bias for an edge before, at or after the time of the previous one."""

    def __init__(self, function: tree.Function, facts: GraphFacts, step: int, sign: int) -> None:
        Interpreter.__init__(self, function)
        self.facts, self.rounds, self.sign = facts, 0, sign
        self.fields = {"step": step, "prev": 0 if step else -1, "prev_edge": "previous" if step else None}

    def result(self) -> Any:
        """What the hook returns."""
        edge, dst = self.function.arguments
        returned, _ = self.run(self.function.body, State({edge: "edge", dst: None}))
        if returned is None:
            raise UnknownError
        return returned

    def call(self, x: tree.Call, *arguments: Any) -> int:
        return self.sign if arguments == ("edge",) else 0

    def element(self, x: tree.Element, index: Any) -> NoReturn:
        raise UnknownError


class _Gap(HookRanges):
    """Runs edge_bias on ranges, for edges before, at or after the time of the previous one, after the first step."""

    def __init__(self, function: tree.Function, facts: GraphFacts, sign: int) -> None:
        super().__init__(function, facts)
        span = max(1, facts.times.high - facts.times.low)
        self.gap = min(sign, sign * span), max(sign, sign * span)  # the least and the greatest difference
        names = tree.Local("edge", function.arguments[0]), tree.Field("edge", "prev_edge")
        self.times = tuple(tree.Call("int", "time", (name,)) for name in names)

    def positive(self) -> bool:
        """Whether the bias may be another number than 0."""
        found = self.result()
        return found is None or not found.low == found.high == 0

    def field(self, x: tree.Field) -> Range:
        least = {"step": 1, "prev": 0}.get(x.name)
        found = super().field(x)
        return found if least is None else Range("int", least, found.high, x, x)

    def _Field(self, x: tree.Field, state: State[Any]) -> Any:
        return Edges(None) if x.name == "prev_edge" else super()._Field(x, state)

    def _call_time(self, x: tree.Call, edge: Edges) -> Range:
        found = self.facts.times
        read = next((time for time in self.times if repr(time) == repr(x)), None)
        return found if read is None else Range("int", found.low, found.high, read, read)

    def side(self, a: Range, b: Range) -> int:
        """1 for the edge's time and the previous one's, -1 for the reverse, 0 for others."""
        pair = repr(a.least), repr(b.least)
        edge, previous = map(repr, self.times)
        return {(edge, previous): 1, (previous, edge): -1}.get(pair, 0) if a.exact and b.exact else 0

    def binary(self, x: tree.Binary, a: Range, b: Range) -> Range:
        side = self.side(a, b) if x.operator == "-" else 0
        if side == 0:
            return super().binary(x, a, b)
        return known("int", *(self.gap if side > 0 else (-self.gap[1], -self.gap[0])))

    def compared(self, operator: str, a: Range, b: Range) -> Range:
        side = self.side(a, b)
        return truth(_COMPARED[operator](side * self.gap[0])) if side else super().compared(operator, a, b)


# A comparison of two times by their difference, of which only the sign counts.
_COMPARED: dict[str, Callable[[int], bool]] = {
    "<": lambda d: d < 0, "<=": lambda d: d <= 0, ">": lambda d: d > 0, ">=": lambda d: d >= 0, "==": lambda d: d == 0,
    "!=": lambda d: d != 0,
}  # fmt: skip
