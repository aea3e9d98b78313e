"""The ranges of what a hook reads of ctx: its fields, and what its methods return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .. import tree
from ..tree import Expression
from ..vocabulary import TABLES
from . import operators, ranges
from .graphfacts import GraphFacts
from .interpreter import Interpreter, State
from .outcome import NoBoundError
from .ranges import Edges, Range, anything, constant, limited, truth

__all__ = ["TRANSIT", "ContextRanges"]

WORDS = 2**32 - 1
TRANSIT, STEP = tree.Field("int", "transit"), tree.Field("int", "step")


class ContextRanges(Interpreter[Any]):
    """The ranges of ctx for a graph and an app: a value is a Range, or Edges.

    Attributes:
        error: the first error that the hook may have, and its line; None: it has none.
    """

    def __init__(self, function: tree.Function, facts: GraphFacts) -> None:
        super().__init__(function)
        self.facts = facts
        self.error: tuple[str, int] | None = None

    def refuse(self, text: str) -> NoReturn:
        """Ends the analysis at the current line."""
        raise NoBoundError(text, self.line)

    def note(self, error: str) -> None:
        """Keeps an error that the hook may have at the current line."""
        self.error = self.error or (error, self.line)

    def field(self, x: tree.Field) -> Range:
        f = self.facts
        ends = {
            "step": (0, f.last_step), "transit": (0, f.vertices - 1), "prev": (-1, f.vertices - 1),
            "num_vertices": (f.vertices, f.vertices), "num_edges": (f.edges, f.edges),
        }  # fmt: skip
        if x.name in ends:
            return Range("int", *ends[x.name], x, x)
        if x.name in ("size", "slot"):
            return _small()
        assert x.name == "sample"
        return anything("int")

    def _Field(self, x: tree.Field, state: State[Any]) -> Any:
        if x.name != "prev_edge":
            return self.field(x)
        low, _ = state.limits.get(repr(STEP), (None, None))
        moves = self.facts.pool or self.facts.jumps  # then a transit may have been reached by no edge
        return Edges(None, certain=not moves and low is not None and low.value > 0)

    def _Call(self, x: tree.Call, state: State[Any]) -> Any:
        method: Callable[..., Any] | None = getattr(self, f"_call_{x.name}", None)
        if method is None:
            self.refuse(f"ctx.{x.name}() has no known range")
        return method(x, *self.operands(x, state))

    def _call_weight(self, x: tree.Call, edge: Edges) -> Range:
        all = self.facts.weights
        if not self.facts.weighted or edge.row is None:
            return all
        largest: Expression = tree.Call("float", "max_weight", (edge.row,))
        if edge.row is not TRANSIT and all.low > 0:
            largest = ranges.most_of("float", largest, all.least)  # a row that is not reached may be empty
        return Range("float", all.low, all.high, all.least, largest)

    def _call_label(self, x: tree.Call, edge: Edges) -> Range:
        found: Range = getattr(self.facts, TABLES[x.name])
        return found

    _call_time = _call_edge_id = _call_label

    def degree_of(self, vertex: Expression, state: State[Any]) -> Range:
        """The range of the degree of an expression's vertices."""
        return self._call_degree(tree.Call("int", "degree", (vertex,)), self.value(vertex, state))

    def _call_degree(self, x: tree.Call, v: Range) -> Range:
        if not v.exact:
            return self.facts.end_degrees if v is self.facts.end_points else self.facts.degrees
        given, read = x.arguments[0], tree.Call("int", "degree", (v.least,))
        least = 1 if repr(v.least) == repr(TRANSIT) else 0  # without candidates there is no choice, and no bound
        found = Range("int", least, self.facts.degrees.high, read, read)
        if isinstance(given, tree.Field) and given.name == "prev":  # it had an edge, if there is one
            return limited(found, tree.Constant("int", 1), None) or found
        return found

    def _call_edge(self, x: tree.Call, v: Range, i: Range) -> Edges:
        return Edges(v.least if v.exact else None)

    def _call_neighbor(self, x: tree.Call, v: Range, i: Range) -> Range:
        return self.facts.end_points

    def _call_has_edge(self, x: tree.Call, u: Range, v: Range) -> Range:
        return truth(None)

    def _call_max_weight(self, x: tree.Call, v: Range) -> Range:
        all = self.facts.weights
        if not self.facts.weighted:
            return all
        if not v.exact:
            return ranges.joined(all, Range("float", 0.0, 0.0, *[tree.Constant("float", 0.0)] * 2))
        read = tree.Call("float", "max_weight", (v.least,))
        return Range("float", 0.0, all.high, read, read)

    def _call_root(self, x: tree.Call, i: Range) -> Range:
        return self._vertex_of_sample("root", i) if i.low == i.high == 0 else self.facts.end_points

    def _vertex_of_sample(self, name: str, i: Range) -> Range:
        read = tree.Call("int", name, (i.least,))
        return Range("int", 0, self.facts.vertices - 1, read, read)

    def _call_count(self, x: tree.Call, i: Range) -> Range:
        if not i.exact:
            return _small()
        read = tree.Call("int", "count", (i.least,))
        return Range("int", 0, WORDS, read, read)

    def _call_previous(self, x: tree.Call, i: Range, place: Range) -> Range:
        return ranges.known("int", -1, self.facts.vertices - 1)

    def _call_prefix_weight(self, x: tree.Call, v: Range, i: Range) -> Range:
        return self.facts.prefix_sums

    def _call_word(self, x: tree.Call, i: Range) -> Range:
        return anything("int")

    def _call_chance(self, x: tree.Call, i: Range) -> Range:
        return _small()

    def _call_below(self, x: tree.Call, i: Range, n: Range) -> Range:
        if n.low < 1:
            return anything("int")
        last = operators.binary("int", "-", n, constant("int", 1))
        return Range("int", 0, n.high - 1, tree.Constant("int", 0), last.most)


def _small() -> Range:
    """Any int of 32 bits without a sign."""
    return Range("int", 0, WORDS, tree.Constant("int", 0), tree.Constant("int", WORDS))
