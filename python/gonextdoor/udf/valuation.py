"""The ranges of a hook's expressions, from the facts of the graph and the app, and the conditions of the path.

An expression that may have a fault has no range. Then the hook has no bound, and every candidate is weighed, so that
its fault is found.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NoReturn

from . import tree
from .expressions import joined as common
from .graphfacts import GraphFacts
from .ranges import Range, anything, binary, cast, chosen, compared, joined, limited, most_of, negated, truth
from .tree import Expression

__all__ = ["Edges", "NoBoundError", "State", "Valuation"]

WORDS = 2**32 - 1
MOST_WORK = 20_000  # expressions that are analysed, the same one several times
TRANSIT = tree.Field("int", "transit")


class NoBoundError(Exception):
    """The hook has no bound; the text says why, and line is the line in the user's file."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


@dataclasses.dataclass(frozen=True)
class Edges:
    """An edge of a row, or of any row if it is None; row is an expression whose value is a vertex."""

    row: Expression | None


Value = Range | Edges


@dataclasses.dataclass(frozen=True)
class State:
    """The facts at one place of the hook.

    Attributes:
        locals: the ranges of local variables.
        limits: constants between which an expression is, by its repr; None: no limit.
        below: pairs of expressions, by their repr, of which the first is less.
    """

    locals: dict[str, Value]
    limits: dict[str, tuple[tree.Constant | None, tree.Constant | None]]
    below: frozenset[tuple[str, str]]

    def having(self, name: str, value: Value) -> State:
        """The state after an assignment, without the limits of expressions that contain the variable."""
        mark = f", {name!r})"

        def kept(text: str) -> bool:
            return mark not in text

        return State(
            self.locals | {name: value},
            {key: limit for key, limit in self.limits.items() if kept(key)},
            frozenset(pair for pair in self.below if kept(pair[0]) and kept(pair[1])),
        )

    def within(self, key: str, low: tree.Constant | None, high: tree.Constant | None) -> State:
        """The state if an expression is also between two constants."""
        before_low, before_high = self.limits.get(key, (None, None))
        if low is None or (before_low is not None and before_low.value >= low.value):
            low = before_low
        if high is None or (before_high is not None and before_high.value <= high.value):
            high = before_high
        return dataclasses.replace(self, limits=self.limits | {key: (low, high)})

    def joined(self, test: Range, other: State) -> State:
        """The facts that hold if this state is that of a condition's left branch, and other that of the right one."""
        both = self.locals.keys() & other.locals.keys()
        merged = {name: merge(test, self.locals[name], other.locals[name]) for name in self.locals if name in both}
        limits = {}
        for key in self.limits.keys() & other.limits.keys():
            (low, high), (low2, high2) = self.limits[key], other.limits[key]
            limits[key] = (
                None if low is None or low2 is None else min(low, low2, key=lambda x: x.value),
                None if high is None or high2 is None else max(high, high2, key=lambda x: x.value),
            )
        return State(merged, limits, self.below & other.below)


def merge(test: Range, a: Value, b: Value) -> Value:
    """a if test else b."""
    if isinstance(a, Range) and isinstance(b, Range):
        return chosen(test, a, b)
    if isinstance(a, Edges) and isinstance(b, Edges) and repr(a.row) == repr(b.row):
        return a
    return Edges(None)


class Valuation:
    """Finds ranges of expressions. Subclasses add what conditions imply: see assume."""

    def __init__(self, facts: GraphFacts) -> None:
        self.facts, self.line, self.work = facts, 0, 0

    def refuse(self, text: str) -> NoReturn:
        """Ends the analysis at the current line."""
        raise NoBoundError(text, self.line)

    def assume(self, x: Expression, truth: bool, state: State) -> State | None:
        """The state in which a condition has a value; None if it cannot have it."""
        raise NotImplementedError

    def value(self, x: Expression, state: State) -> Range:
        """The range of an expression that is a number."""
        found = self.any(x, state)
        if isinstance(found, Edges):
            self.refuse("an edge is used as a number")
        return found

    def any(self, x: Expression, state: State) -> Value:
        """The range of an expression, or its edges."""
        before, self.line = self.line, x.line or self.line
        self.work += 1
        if self.work > MOST_WORK:
            self.refuse("it is too long to analyse")
        method: Callable[[Expression, State], Value] | None = getattr(self, "_" + type(x).__name__, None)
        if method is None:
            self.refuse(f"{type(x).__name__} has no known range")
        found = method(x, state)
        self.line = before
        if isinstance(found, Range) and found.type in ("int", "float") and state.limits:
            return limited(found, *state.limits.get(repr(x), (None, None))) or found
        return found

    # ---- leaves

    def _Constant(self, x: tree.Constant, state: State) -> Range:
        if x.type == "float" and not abs(x.value) < float("inf"):
            return anything("float")
        return Range(x.type, x.value, x.value, x, x)

    def _Local(self, x: tree.Local, state: State) -> Value:
        return state.locals[x.name]

    def _Field(self, x: tree.Field, state: State) -> Range:
        f = self.facts
        ranges = {
            "step": (0, f.last_step), "transit": (0, f.vertices - 1), "prev": (-1, f.vertices - 1),
            "num_vertices": (f.vertices, f.vertices), "num_edges": (f.edges, f.edges),
        }  # fmt: skip
        if x.name in ranges:
            return Range("int", *ranges[x.name], x, x)
        if x.name in ("size", "slot"):
            return _small()
        return anything("int") if x.name == "sample" else self.refuse(f"ctx.{x.name} has no known range")

    def _Parameter(self, x: tree.Parameter, state: State) -> Range:
        return self.facts.parameter(x)

    def _Element(self, x: tree.Element, state: State) -> Range:
        index = self.any(x.index, state)
        exact = isinstance(index, Range) and index.exact
        if isinstance(index, Edges):
            index = self.facts.edge_ids
        if index.low < 0 or index.high >= len(self.facts.arrays[x.array.place]):
            self.refuse("an array index may be out of range")
        found = self.facts.elements(x.array, index.low, index.high)
        if not (exact and found.bounded):
            return found
        read = tree.Element(x.type, x.array, index.least)
        return Range(x.type, found.low, found.high, read, read)

    # ---- operators

    def _Unary(self, x: tree.Unary, state: State) -> Range:
        if x.operator == "len":
            assert isinstance(x.operand, tree.Constant)
            length = len(self.facts.arrays[int(x.operand.value)])
            return Range("int", length, length, x, x)
        a = self.value(x.operand, state)
        if x.operator != "not":
            return negated(a, x.operator)
        exact = tree.Unary("bool", "not", a.least) if a.exact else None
        return truth(not a.low if a.low == a.high else None, exact)

    def _Binary(self, x: tree.Binary, state: State) -> Range:
        a, b = self.value(x.left, state), self.value(x.right, state)
        if x.operator in ("/", "//", "%") and b.low <= 0 <= b.high:
            self.refuse("a divisor may be 0")
        return binary(x.type, x.operator, a, b)

    def _Cast(self, x: tree.Cast, state: State) -> Range:
        a = self.value(x.operand, state)
        if x.type == "int" and a.type == "float" and not -(2.0**63) <= a.low <= a.high < 2.0**63:
            self.refuse("a conversion to int may be out of range")
        return cast(x.type, a)

    def _Compare(self, x: tree.Compare, state: State) -> Range:
        if any(operand.type == "edge" for operand in x.operands):
            return truth(None)
        values = [self.value(operand, state) for operand in x.operands]
        pairs = []
        for operator, a, b in zip(x.operators, values, values[1:], strict=False):
            kind = common(a.type, b.type)
            assert kind is not None
            pairs.append(compared(operator, cast(kind, a), cast(kind, b)))
        return self._all(pairs)

    def _all(self, parts: list[Range], every: bool = True) -> Range:
        """The conjunction of conditions, or the disjunction."""
        if any(p.low == p.high == (not every) for p in parts):
            return truth(not every)
        open = [p for p in parts if p.low != p.high]
        if len(open) < 2:
            return open[0] if open else truth(every)
        operands = tuple(p.least for p in open)
        exact = tree.Logic("bool", "and" if every else "or", operands) if all(p.exact for p in open) else None
        return truth(None, exact)

    def _Logic(self, x: tree.Logic, state: State) -> Range:
        every, parts = x.operator == "and", []
        for operand in x.operands:
            parts.append(self.value(operand, state))
            then = self.assume(operand, every, state)
            if then is None:  # the operands after this one are not reached
                parts.append(truth(not every))
                break
            state = then
        return self._all(parts, every)

    def _Choose(self, x: tree.Choose, state: State) -> Value:
        test = self.value(x.test, state)
        yes, no = self.branches(x.test, test, state)
        if yes is None or no is None:
            return self.any(x.right, no) if no is not None else self.any(x.left, yes or state)
        return merge(test, self.any(x.left, yes), self.any(x.right, no))

    def branches(self, x: Expression, test: Range, state: State) -> tuple[State | None, State | None]:
        """The states in which a condition is true and false; None if it cannot be."""
        yes = self.assume(x, True, state) if test.high else None
        no = self.assume(x, False, state) if not test.low else None
        return yes, no

    # ---- methods of ctx

    def _Call(self, x: tree.Call, state: State) -> Value:
        method: Callable[[tree.Call, State], Value] | None = getattr(self, f"_call_{x.name}", None)
        if method is None:
            self.refuse(f"ctx.{x.name}() has no known range")
        return method(x, state)

    def _vertex(self, x: Expression, state: State) -> Range:
        """The range of an argument that is certainly a vertex."""
        v = self.value(x, state)
        if v.low < 0 or v.high >= self.facts.vertices:
            self.refuse("a vertex may be out of range")
        return v

    def _edge_of(self, x: Expression, state: State) -> Edges:
        found = self.any(x, state)
        assert isinstance(found, Edges)
        return found

    def _call_weight(self, x: tree.Call, state: State) -> Range:
        edge, all = self._edge_of(x.arguments[0], state), self.facts.weights
        if not self.facts.weighted or edge.row is None:
            return all
        largest: Expression = tree.Call("float", "max_weight", (edge.row,))
        if edge.row is not TRANSIT and all.low > 0:
            largest = most_of("float", largest, all.least)  # a row that is not reached may be empty
        return Range("float", all.low, all.high, all.least, largest)

    def _call_label(self, x: tree.Call, state: State) -> Range:
        self._edge_of(x.arguments[0], state)
        return self.facts.labels

    def _call_time(self, x: tree.Call, state: State) -> Range:
        self._edge_of(x.arguments[0], state)
        return self.facts.times

    def _call_edge_id(self, x: tree.Call, state: State) -> Range:
        self._edge_of(x.arguments[0], state)
        return self.facts.edge_ids

    def _call_degree(self, x: tree.Call, state: State) -> Range:
        v, given = self._vertex(x.arguments[0], state), x.arguments[0]
        if not v.exact:
            return self.facts.end_degrees if v is self.facts.end_points else self.facts.degrees
        read = tree.Call("int", "degree", (v.least,))
        least = 1 if repr(v.least) == repr(TRANSIT) else 0  # without candidates there is no choice, and no bound
        found = Range("int", least, self.facts.degrees.high, read, read)
        if isinstance(given, tree.Field) and given.name == "prev":  # it had an edge, if there is one
            return limited(found, tree.Constant("int", 1), None) or found
        return found

    def _inside(self, x: tree.Call, state: State) -> Range:
        """The vertex of a row, for an index that is certainly in it."""
        v, i = self._vertex(x.arguments[0], state), self.value(x.arguments[1], state)
        degree = tree.Call("int", "degree", (x.arguments[0],))
        below = i.high < self._call_degree(degree, state).low or (repr(x.arguments[1]), repr(degree)) in state.below
        if i.low < 0 or not below:
            self.refuse("an edge may be out of range")
        return v

    def _call_edge(self, x: tree.Call, state: State) -> Edges:
        v = self._inside(x, state)
        return Edges(v.least if v.exact else None)

    def _call_neighbor(self, x: tree.Call, state: State) -> Range:
        self._inside(x, state)
        return self.facts.end_points

    def _call_has_edge(self, x: tree.Call, state: State) -> Range:
        for v in x.arguments:
            self._vertex(v, state)
        return truth(None)

    def _call_max_weight(self, x: tree.Call, state: State) -> Range:
        v, all = self._vertex(x.arguments[0], state), self.facts.weights
        if not self.facts.weighted:
            return all
        if not v.exact:
            return joined(all, Range("float", 0.0, 0.0, *[tree.Constant("float", 0.0)] * 2))
        read = tree.Call("float", "max_weight", (v.least,))
        return Range("float", 0.0, all.high, read, read)

    def _call_word(self, x: tree.Call, state: State) -> Range:
        self.value(x.arguments[0], state)
        return anything("int")

    def _call_chance(self, x: tree.Call, state: State) -> Range:
        self.value(x.arguments[0], state)
        return _small()

    def _call_below(self, x: tree.Call, state: State) -> Range:
        self.value(x.arguments[0], state)
        n, one = self.value(x.arguments[1], state), tree.Constant("int", 1)
        if n.low < 1:
            return anything("int")
        last = binary("int", "-", n, Range("int", 1, 1, one, one))
        return Range("int", 0, n.high - 1, tree.Constant("int", 0), last.most)


def _small() -> Range:
    """Any int of 32 bits without a sign."""
    return Range("int", 0, WORDS, tree.Constant("int", 0), tree.Constant("int", WORDS))
