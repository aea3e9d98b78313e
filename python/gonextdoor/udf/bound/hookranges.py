"""The domain of ranges: what the values of a hook's expressions are between, for a graph and an app.

An expression that may have an error has the range of its values without one, and the first such error is kept.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

from .. import tree
from ..expressions import joined as common
from ..loops import MOST_ROUNDS
from ..tree import Expression
from . import operators, ranges
from .contextranges import TRANSIT, ContextRanges
from .errors import without_error
from .graphfacts import GraphFacts
from .interpreter import State
from .ranges import Edges, Known, Range, anything, constant, limited, truth

__all__ = ["HookRanges"]

MOST_WORK = 20_000  # expressions that are analysed, the same one several times
MOST_UNROLLED = 16  # iterations of nested loops that are analysed one by one
_NOT = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class HookRanges(ContextRanges):
    """Runs edge_bias on ranges."""

    def __init__(self, function: tree.Function, facts: GraphFacts) -> None:
        super().__init__(function, facts)
        self.types = dict(function.locals)
        self.rounds, self.nested = 0, 1  # iterations so far; those of the loops around the current statement
        self.work = 0

    def result(self) -> Range | None:
        """The range of what the hook returns; None if no path returns."""
        edge, dst = self.function.arguments
        returned: Range | None
        returned, _ = self.run(self.function.body, State({edge: Edges(TRANSIT), dst: self.facts.end_points}))
        return returned

    # ---- statements

    def fail(self) -> None:
        self.note("ctx.fail() may be called")

    def loop(self, s: tree.For, state: State[Any]) -> tuple[Range | None, State[Any] | None]:
        """Runs each iteration of a short loop; the body of a longer one once, with variables that it assigns at any
        value."""
        first, end = self.value(s.first, state), self.value(s.end, state)
        most = max(0, end.high - first.low)
        if most == 0:
            return None, state
        self.rounds += self.nested * most
        if self.rounds > MOST_ROUNDS:
            self.note(f"its loops may take more than {MOST_ROUNDS} rounds")
        if first.low == first.high and self.nested * most <= MOST_UNROLLED:
            return self._unrolled(s, first.low, end, state)
        inner = tree.assigned(s.body)
        for name in sorted(inner | {s.name}):
            state = state.having(name, Edges(None) if self.types[name] == "edge" else anything(self.types[name]))
        inside = _below_end(s, state.having(s.name, ranges.known("int", first.low, end.high - 1)))
        self.nested *= most
        returned, _, _ = self.iteration(s.body, inside)
        self.nested //= most
        return returned, state

    def _unrolled(
        self, s: tree.For, first: int, end: Range, state: State[Any]
    ) -> tuple[Range | None, State[Any] | None]:
        """Runs the iterations of a loop from first up to below any value of end."""
        returned: Range | None = None
        now: State[Any] | None = state
        after: list[State[Any] | None] = []
        most = end.high - first
        self.nested *= most
        for i in range(first, end.high):
            if now is None:
                break
            if i >= end.low:  # the loop may end before this iteration
                after.append(now)
            inside = _below_end(s, now.having(s.name, constant("int", i)))
            value, now, broken = self.iteration(s.body, inside)
            after.append(broken)
            returned = self.either(returned, value)
        self.nested //= most
        return returned, self.either_state(now, *after)

    # ---- expressions

    def value(self, x: Expression, state: State[Any]) -> Any:
        before, self.line = self.line, x.line or self.line
        self.work += 1
        if self.work > MOST_WORK:
            self.refuse("it is too long to analyse")
        found = super().value(x, state)
        self.line = before
        if isinstance(found, Range) and found.type in ("int", "float") and state.limits:
            return limited(found, *state.limits.get(repr(x), (None, None))) or found
        return found

    def operands(self, x: Expression, state: State[Any]) -> list[Any]:
        """The ranges of operands, without the values that cause an error."""
        found: list[Any] = []
        for part in x.below:
            found.append(self.value(part, state))
            error = without_error(x, found, state, self.facts, self.degree_of)
            if error is not None:
                self.note(error[0])
                if error[1] is None:
                    self.refuse(error[0])
                found[-1] = error[1]
        return found

    def joined(self, a: Any, b: Any) -> Any:
        if isinstance(a, Range) and isinstance(b, Range):
            return ranges.joined(a, b)
        return a if repr(a) == repr(b) else Edges(None, a.certain and b.certain)

    def chosen(self, test: Range, a: Any, b: Any) -> Any:
        if isinstance(a, Range) and isinstance(b, Range):
            return ranges.chosen(test, a, b)
        return self.joined(a, b)

    def all(self, parts: list[Range], every: bool) -> Range:
        if any(p.low == p.high == (not every) for p in parts):
            return truth(not every)
        open = [p for p in parts if p.low != p.high]
        if len(open) < 2:
            return open[0] if open else truth(every)
        operands = tuple(p.least for p in open)
        exact = tree.Logic("bool", "and" if every else "or", operands) if all(p.exact for p in open) else None
        return truth(None, exact)

    def constant(self, x: tree.Constant) -> Range:
        return constant(x.type, x.value)

    def parameter(self, x: tree.Parameter) -> Range:
        return self.facts.parameter(x)

    def element(self, x: tree.Element, index: Any) -> Range:
        places = self.facts.edge_ids if isinstance(index, Edges) else index
        last = len(self.facts.arrays[x.array.place]) - 1
        found = self.facts.elements(x.array, places.low, min(places.high, last))
        if isinstance(index, Edges) or not (index.exact and found.bounded):
            return found
        read = tree.Element(x.type, x.array, index.least)
        return Range(x.type, found.low, found.high, read, read)

    def length(self, x: tree.Unary) -> Range:
        length = len(self.facts.array(x))
        return Range("int", length, length, x, x)

    def unary(self, x: tree.Unary, a: Range) -> Range:
        if x.operator == "sqrt":
            return operators.square_root(a)
        if x.operator != "not":
            return operators.negated(a, x.operator)
        exact = tree.Unary("bool", "not", a.least) if a.exact else None
        return truth(not a.low if a.low == a.high else None, exact)

    def binary(self, x: tree.Binary, a: Range, b: Range) -> Range:
        if x.operator not in ("/", "//", "%") or not b.low <= 0 <= b.high:
            return operators.binary(x.type, x.operator, a, b)
        counted = isinstance(x.right, tree.Cast) and x.right.operand.type in ("int", "bool")
        least = 1 if x.type == "int" else 1.0 if counted else math.nextafter(0.0, 1.0)
        parts = (
            limited(b, None, tree.Constant(x.type, -least)), limited(b, tree.Constant(x.type, least), None),
        )  # fmt: skip
        results = [operators.binary(x.type, x.operator, a, part) for part in parts if part is not None]
        return functools.reduce(ranges.joined, results)

    def cast(self, to: tree.Type, a: Range) -> Range:
        return operators.cast(to, a)

    def _Compare(self, x: tree.Compare, state: State[Any]) -> Range:
        if any(operand.type == "edge" for operand in x.operands):
            return truth(None)
        found: Range = super()._Compare(x, state)
        return found

    def compared(self, operator: str, a: Range, b: Range) -> Range:
        return operators.compared(operator, a, b)

    # ---- conditions

    def branches(self, x: Expression, test: Range, state: State[Any]) -> tuple[State[Any] | None, State[Any] | None]:
        yes = self.assume(x, True, state) if test.high else None
        return yes, self.assume(x, False, state) if not test.low else None

    def holding(self, x: Expression, test: Range, truth: bool, state: State[Any]) -> State[Any] | None:
        return self.assume(x, truth, state)

    def assume(self, x: Expression, truth: bool, state: State[Any]) -> State[Any] | None:
        """The state in which a condition has a value; None if it cannot have it."""
        if isinstance(x, tree.Constant):
            return state if bool(x.value) == truth else None
        if isinstance(x, tree.Unary) and x.operator == "not":
            return self.assume(x.operand, not truth, state)
        if isinstance(x, tree.Logic) and (x.operator == "and") == truth:
            for operand in x.operands:
                then = self.assume(operand, truth, state)
                if then is None:
                    return None
                state = then
        if isinstance(x, tree.Cast) and x.operand.type in ("int", "float"):
            zero = tree.Constant(x.operand.type, 0.0 if x.operand.type == "float" else 0)
            return self._compare("!=" if truth else "==", x.operand, zero, state)
        if isinstance(x, tree.Compare) and (truth or len(x.operators) == 1):
            for operator, a, b in zip(x.operators, x.operands, x.operands[1:], strict=False):
                then = self._compare(operator if truth else _NOT[operator], a, b, state)
                if then is None:
                    return None
                state = then
        return state

    def _compare(self, operator: str, a: Expression, b: Expression, state: State[Any]) -> State[Any] | None:
        """The state in which two expressions compare so."""
        kind = common(a.type, b.type)
        if kind not in ("int", "float"):
            return state
        left, right = self.value(a, state), self.value(b, state)
        if not (left.bounded and right.bounded):
            return state
        then = self._limit(a, left, operator, operators.cast(kind, right), state)
        if then is None:
            return None
        if operator == "<":
            then = dataclasses.replace(then, below=then.below | {(repr(a), repr(b))})
        return self._limit(b, right, _TURNED[operator], operators.cast(kind, left), then)

    def _limit(self, x: Expression, before: Range, operator: str, other: Range, state: State[Any]) -> State[Any] | None:
        """The state in which an expression is limited by a comparison with another one of its type."""
        if x.type != other.type:
            return state
        low = high = None
        if operator in (">", ">=", "=="):
            low = _end(other.least, other.low, +1 if operator == ">" else 0)
        if operator in ("<", "<=", "=="):
            high = _end(other.most, other.high, -1 if operator == "<" else 0)
        if operator == "!=" and other.low == other.high:
            low = _end(other.least, other.low, +1) if before.low == other.low else None
            high = _end(other.most, other.high, -1) if before.high == other.high else None
        after = limited(before, low, high)
        if after is None:
            return None
        state = state.within(repr(x), low, high)
        if isinstance(x, tree.Field) and x.name == "step" and after.low > 0 and not self.facts.pool:
            prev = tree.Field("int", "prev")  # after the first step, a walk has a previous vertex
            state = state.within(repr(prev), tree.Constant("int", 0), None)
        return state


def _below_end(s: tree.For, state: State[Any]) -> State[Any]:
    """The state at the start of an iteration: the loop's variable is less than its end, if the body changes neither."""
    end, inner = repr(s.end), tree.assigned(s.body)
    if s.name in inner or any(f", {name!r})" in end for name in inner | {s.name}):
        return state
    pair = repr(tree.Local("int", s.name)), end
    return dataclasses.replace(state, below=state.below | {pair})


def _end(x: Expression, value: int | float, step: int) -> tree.Constant:
    """A number, or the next one up or down: a constant if the hook's text has it."""
    if step:
        value = value + step if isinstance(value, int) else math.nextafter(value, math.inf * step)
    kind: tree.Type = "float" if isinstance(value, float) else "int"
    return (tree.Constant if type(x) is tree.Constant else Known)(kind, value)
