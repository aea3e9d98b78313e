"""Whether an inferred bound pays: an estimate of the work of proposals from a few edges of the graph.

The estimate runs edge_bias and its bound in Python for probes: edges at equal distances among all edges of the graph.
It depends on the app and the graph only. Its arithmetic is exact or correctly rounded, so all machines agree.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import rng
from .._core import running
from .._core.costs import costs
from . import tree
from .graphfacts import GraphFacts
from .tree import Expression

__all__ = ["PROBES", "PROPOSAL", "acceptance"]

PROBES = 128
PROPOSAL = 2.0  # the cost of a proposal, in edges of a row that is read in order
MASK = (1 << 64) - 1


class UnknownError(Exception):
    """The value of an expression that a probe does not have."""


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
            run = _Run(probe, number, facts)
            most = run.value(bound)
            bias = run.function(edge_bias)
            accepted += float(bias) / float(most) if most > 0 else 1.0
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


class _Left(Exception):
    """A return statement."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class _Run:
    """Runs a hook for a probe. The hook has no fault, so operators have no special cases."""

    def __init__(self, probe: Mapping[str, Any], number: int, facts: GraphFacts) -> None:
        self.probe, self.facts, self.locals = probe, facts, dict[str, Any]()
        self.key = rng.key(rng.stream(0, rng.CHOICES), number)
        second = facts.last_step > 0 and not facts.pool
        self.fields = {
            "step": 1 if second else 0, "transit": probe["transit"], "prev": probe["prev"] if second else -1,
            "num_vertices": facts.vertices, "num_edges": facts.edges, "size": 1 if second else 0, "slot": 0,
            "sample": number,
        }  # fmt: skip

    def function(self, function: tree.Function) -> Any:
        """The result of edge_bias."""
        edge, dst = function.arguments
        self.locals = {edge: "edge", dst: self.probe["dst"]}
        try:
            self.run(function.body)
        except _Left as left:
            return left.value
        raise AssertionError("a hook returns")

    def run(self, body: tuple[tree.Statement, ...]) -> None:
        """Runs statements."""
        for s in body:
            if isinstance(s, tree.Set):
                self.locals[s.name] = self.value(s.value)
            elif isinstance(s, tree.If):
                self.run(s.body if self.value(s.test) else s.otherwise)
            elif isinstance(s, tree.Return):
                raise _Left(self.value(s.value))
            else:
                raise UnknownError

    def value(self, x: Expression) -> Any:
        """The value of an expression."""
        method: Callable[[Any], Any] | None = getattr(self, "_" + type(x).__name__, None)
        found = self._Constant(x) if isinstance(x, tree.Constant) else method(x) if method else None
        if found is None:
            raise UnknownError
        if x.type == "int" and not -(2**63) <= found < 2**63:
            return (found + 2**63 & MASK) - 2**63
        return found

    def _Constant(self, x: tree.Constant) -> Any:
        return x.value

    def _Local(self, x: tree.Local) -> Any:
        return self.locals[x.name]

    def _Field(self, x: tree.Field) -> Any:
        return self.fields.get(x.name)

    def _Parameter(self, x: tree.Parameter) -> Any:
        return self.facts.params[x.place]

    def _Element(self, x: tree.Element) -> Any:
        index = self.value(x.index)
        at = self.probe["edge_id"] if index == "edge" else index
        found = self.facts.arrays[x.array.place][at].item()
        return int(found) if x.type == "int" else found

    def _Unary(self, x: tree.Unary) -> Any:
        if x.operator == "len":
            assert isinstance(x.operand, tree.Constant)
            return len(self.facts.arrays[int(x.operand.value)])
        a = self.value(x.operand)
        return _SIGNS[x.operator](a)

    def _Binary(self, x: tree.Binary) -> Any:
        a, b = self.value(x.left), self.value(x.right)
        return _OPERATORS[x.operator](a, b)

    def _Compare(self, x: tree.Compare) -> bool:
        values = [self.value(operand) for operand in x.operands]
        return all(
            self._pair(*pair) for pair in zip(x.operators, x.operands, values, x.operands[1:], values[1:], strict=False)
        )

    def _pair(self, operator: str, left: Expression, a: Any, right: Expression, b: Any) -> bool:
        if "float" in (left.type, right.type):
            a, b = float(a), float(b)
        return bool(_COMPARISONS[operator](a, b))

    def _Logic(self, x: tree.Logic) -> bool:
        parts = (self.value(operand) for operand in x.operands)
        return all(parts) if x.operator == "and" else any(parts)

    def _Choose(self, x: tree.Choose) -> Any:
        return self.value(x.left if self.value(x.test) else x.right)

    def _Cast(self, x: tree.Cast) -> Any:
        convert: Callable[[Any], Any] = {"int": int, "float": float, "bool": bool}[x.type]
        return convert(self.value(x.operand))

    def _Call(self, x: tree.Call) -> Any:
        a = [self.value(argument) for argument in x.arguments]
        probe = self.probe
        # A previous vertex has an edge, but that of a probe may be a sink.
        degrees = {
            probe["dst"]: probe["dst_degree"], probe["prev"]: max(probe["prev_degree"], 1),
            probe["transit"]: probe["transit_degree"],
        }  # fmt: skip
        if x.name == "has_edge":
            return probe["near"] if a == [probe["prev"], probe["dst"]] else None
        if x.name == "max_weight":
            return probe["largest"] if a[0] == probe["transit"] else None
        if x.name in ("word", "chance", "below"):
            word = rng.word(self.key, a[0] & 31)
            return {"word": word, "chance": word >> 32, "below": word * (a[-1] & MASK) >> 64}[x.name]
        return degrees.get(a[0]) if x.name == "degree" else probe.get(x.name) if a == ["edge"] else None


_SIGNS: dict[str, Callable[[Any], Any]] = {
    "-": lambda a: -a, "~": lambda a: ~a, "not": lambda a: not a, "abs": lambda a: abs(a),
}  # fmt: skip
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b, "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63), "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "min": lambda a, b: b if b < a else a, "max": lambda a, b: b if b > a else a,
}  # fmt: skip
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip
