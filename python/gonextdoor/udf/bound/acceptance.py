"""Whether a bound pays: an estimate of the work of proposals from a few edges of the graph.

The estimate runs edge_bias and its bound in the domain of numbers, for probes: edges at equal distances among all edges
of the graph. It depends on the app and the graph only. Its arithmetic is exact or correctly rounded, so all machines
agree.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from ... import rng
from ..._core import running
from ..._core.costs import costs
from .. import tree
from ..tree import Expression
from .graphfacts import GraphFacts
from .interpreter import Interpreter, State
from .outcome import NoBoundError
from .ranges import NUMBERS

__all__ = ["PROBES", "PROPOSAL", "acceptance", "share_of"]

PROBES = 128
PROPOSAL = 2.0  # the cost of a proposal, in edges of a row that is read in order
MOST_ROUNDS = 64  # iterations of the loops of a probe
MASK = (1 << 64) - 1


class UnknownError(Exception):
    """The value of an expression that a probe does not have."""


def share_of(edge_bias: tree.Function, bound: Expression, facts: GraphFacts, shown: str) -> float | None:
    """The share of proposals under a bound, shown as text, that are accepted; None: it is unknown.

    Raises:
        NoBoundError: the bound does not pay.
    """
    estimated = acceptance(edge_bias, bound, facts)
    if estimated is None:
        return None
    if not estimated[1]:
        raise NoBoundError(f"of proposals under {shown} about {estimated[0]:.2g} would be accepted, which is too few")
    return estimated[0]


def acceptance(edge_bias: tree.Function, bound: Expression, facts: GraphFacts) -> tuple[float, bool] | None:
    """The share of proposals that are accepted, and whether they cost less than whole rows. None: the hook reads more
    than the probes have, or may have an error for one that no walk reaches."""
    text = running.call(
        "GraphProbes", facts.graph._held.number, PROBES, seconds=costs().first_call_edge * facts.edges, label="probes"
    )
    probes = json.loads(text)
    accepted = 0.0
    try:
        for number, probe in enumerate(probes):
            run = Probe(edge_bias, probe, number, facts)
            most = run.value(bound, State({}))
            bias = run.result()
            accepted += min(max(float(bias), 0.0) / float(most), 1.0) if most > 0 else 1.0  # an error has no bias
    except (UnknownError, ArithmeticError, IndexError, ValueError):  # no walk makes the choice of a probe
        return None
    share = min(accepted / len(probes), 1.0)
    return share, PROPOSAL == 0.0 or _work([probe["transit_degree"] for probe in probes], share) <= 0.0


def _work(degrees: Sequence[int], share: float) -> float:
    """The work of proposals that are accepted with a probability, less that of whole rows."""
    total = 0.0
    for d in degrees:
        rejected, tried = 1.0, 0.0
        for _ in range(min(128, 4 + d // 16)):
            tried += rejected
            rejected *= 1.0 - share
        total += PROPOSAL * tried + rejected * d - d
    return total


class Probe(Interpreter[Any]):
    """Runs edge_bias for a probe: a value is a number, or "edge". The hook has no fault, so operators have no special
    cases."""

    def __init__(self, function: tree.Function, probe: Mapping[str, Any], number: int, facts: GraphFacts) -> None:
        super().__init__(function)
        self.probe, self.facts, self.rounds = probe, facts, 0
        self.key = rng.key(rng.stream(0, rng.CHOICES), number)
        second = facts.last_step > 0 and not facts.pool
        self.fields = {
            "step": 1 if second else 0, "transit": probe["transit"], "prev": probe["prev"] if second else -1,
            "num_vertices": facts.vertices, "num_edges": facts.edges, "size": 1 if second else 0, "slot": 0,
            "sample": number,
        }  # fmt: skip
        self.degrees = {  # a previous vertex has an edge, but that of a probe may be a sink
            probe["dst"]: probe["dst_degree"], probe["prev"]: max(probe["prev_degree"], 1),
            probe["transit"]: probe["transit_degree"],
        }  # fmt: skip

    def result(self) -> Any:
        """What the hook returns."""
        edge, dst = self.function.arguments
        returned, _ = self.run(self.function.body, State({edge: "edge", dst: self.probe["dst"]}))
        return returned

    def fail(self) -> NoReturn:
        raise UnknownError

    def loop(self, s: tree.For, state: State[Any]) -> tuple[Any, State[Any] | None]:
        now: State[Any] | None = state
        for i in range(self.value(s.first, state), self.value(s.end, state)):
            self.rounds += 1
            if self.rounds > MOST_ROUNDS:
                raise UnknownError
            assert now is not None
            returned, now, broken = self.iteration(s.body, now.having(s.name, i))
            if returned is not None or broken is not None:
                return returned, broken
        return None, now

    def branches(self, x: Expression, test: Any, state: State[Any]) -> tuple[State[Any] | None, State[Any] | None]:
        return (state, None) if test else (None, state)

    def holding(self, x: Expression, test: Any, truth: bool, state: State[Any]) -> State[Any] | None:
        return state if test == truth else None

    def all(self, parts: list[Any], every: bool) -> bool:
        return all(parts) if every else any(parts)

    def constant(self, x: tree.Constant) -> Any:
        return x.value

    def field(self, x: tree.Field) -> Any:
        return _known(self.fields.get(x.name))

    def parameter(self, x: tree.Parameter) -> Any:
        return self.facts.params[x.place]

    def element(self, x: tree.Element, index: Any) -> Any:
        at = self.probe["edge_id"] if index == "edge" else index
        found = self.facts.arrays[x.array.place][at].item()
        return int(found) if x.type == "int" else found

    def length(self, x: tree.Unary) -> int:
        return len(self.facts.array(x))

    def unary(self, x: tree.Unary, a: Any) -> Any:
        return _wrapped(x.type, _SIGNS[x.operator](a))

    def binary(self, x: tree.Binary, a: Any, b: Any) -> Any:
        return _wrapped(x.type, _OPERATORS[x.operator](a, b))

    def cast(self, to: tree.Type, a: Any) -> Any:
        return _wrapped(to, _CASTS[to](a)) if to in _CASTS else a

    def compared(self, operator: str, a: Any, b: Any) -> bool:
        return _COMPARISONS[operator](a, b)

    def call(self, x: tree.Call, *arguments: Any) -> Any:
        probe, a = self.probe, list(arguments)
        if x.name == "has_edge":
            return _known(probe["near"] if a == [probe["prev"], probe["dst"]] else None)
        if x.name == "max_weight":
            return _known(probe["largest"] if a[0] == probe["transit"] else None)
        if x.name in ("word", "chance", "below"):
            word = rng.word(self.key, a[0] & 31)
            found = {"word": word, "chance": word >> 32, "below": word * (a[-1] & MASK) >> 64}[x.name]
            return _wrapped("int", found)
        if x.name == "degree":
            return _known(self.degrees.get(a[0]))
        if x.name in ("count", "previous", "root"):
            return _known(self._past(x.name, a))
        return _known(probe.get(x.name) if a == ["edge"] else None)

    def _past(self, name: str, a: list[Any]) -> int | None:
        """What a walk from the previous vertex by the transit has, or None."""
        if self.fields["step"] == 0:
            return None
        walk = [self.probe["prev"], self.probe["transit"]]
        if name == "root":
            return walk[0] if a == [0] else None
        there = 1 <= a[0] <= 2
        if name == "count":
            return int(there)
        return walk[-a[0]] if there and a[1] == 0 else None


def _known(value: Any) -> Any:
    """A value that the probe has."""
    if value is None:
        raise UnknownError
    return value


def _wrapped(kind: tree.Type, value: Any) -> Any:
    """A result as the compiled code has it."""
    if kind == "int" and not -(2**63) <= value < 2**63:
        return (value + 2**63 & MASK) - 2**63
    return value


_CASTS: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "bool": bool}
_SIGNS: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "~": operator.inv,
    "not": operator.not_,
    "abs": abs,
    "sqrt": math.sqrt,
}
_OPERATORS = NUMBERS | {
    "%": operator.mod, "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63), "&": operator.and_,
    "|": operator.or_, "^": operator.xor,
}  # fmt: skip
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
