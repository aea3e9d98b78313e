"""Recognises an edge_bias whose walks are those of TemporalWalk.

That app finds its candidates by a search in rows that are ordered by time. Proposals would be rejected too often at the
end of a walk, where few edges are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from ..apps.app import SameWalks
from ..apps.temporal import TemporalWalk
from . import tree
from .bound.acceptance import Probe, UnknownError
from .bound.graphfacts import GraphFacts
from .bound.interpreter import MOST_DEPTH, Interpreter, State, depth

__all__ = ["temporal_walk"]

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
