"""Infers a hook ``bound`` from the hook ``edge_bias``: an upper bound of the biases of a transit's candidates.

The analysis runs the hook on ranges instead of numbers. The result is a hook of one expression, which is compiled like
one that a user writes, so engines need no code for it. It depends on the app and the graph only. It is part of the
samples' definition, since proposals are accepted by bias / bound: a change here changes samples.

A bound is inferred only if the hook has no fault for any candidate of the graph. Otherwise every candidate is weighed,
as without a bound, and the run ends with the same error.
"""

from __future__ import annotations

import dataclasses
import math

from . import tree
from .acceptance import acceptance
from .expressions import joined as common
from .graphfacts import GraphFacts
from .loops import MOST_ROUNDS
from .ranges import Known, Range, anything, cast, chosen, joined, known, limited
from .rewrite import simplified, with_locals, with_parameters
from .tree import Expression
from .unparse import text
from .valuation import TRANSIT, Edges, NoBoundError, State, Valuation, Value

__all__ = ["MOST_DEPTH", "Bound", "NoBoundError", "bound_of", "depth"]

MOST_DEPTH = 100  # of a hook: nested statements and expressions, and one more for each if before a statement
_NOT = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclasses.dataclass(frozen=True)
class Bound:
    """An inferred bound: the hook, the values of its parameters after those of the app, and its text."""

    function: tree.Function
    parameters: tuple[int | float, ...]
    text: str


def bound_of(function: tree.Function, facts: GraphFacts, names: tuple[list[str], list[str]]) -> Bound:
    """The bound of a hook edge_bias on a graph. names are those of parameters and arrays.

    Raises:
        NoBoundError: the hook has no bound, may have a fault, or the bound is too loose.
    """
    analysis = _Analysis(function, facts)
    found = analysis.result()
    estimated = acceptance(function, simplified(found.most, facts.params), facts)
    if estimated is not None and not estimated[1]:
        shown = text(simplified(found.most, facts.params), *names)
        analysis.refuse(f"of proposals under {shown} about {estimated[0]:.2g} would be accepted, which is too few")
    most, values = with_parameters(found.most, len(facts.params))
    statements, most = with_locals(most)
    made = tuple((s.name, s.value.type) for s in statements)
    hook = tree.Function((), made, found.type, (*statements, tree.Return(most)))
    return Bound(hook, values, text(simplified(found.most, facts.params), *names))


class _Analysis(Valuation):
    """Runs a hook on ranges."""

    def __init__(self, function: tree.Function, facts: GraphFacts) -> None:
        super().__init__(facts)
        self.function, self.types = function, dict(function.locals)
        self.rounds, self.nested = 0, 1  # iterations so far; those of the loops around the current statement

    def result(self) -> Range:
        """The range of the biases, which are valid."""
        if not self.facts.edges:
            self.refuse("the graph has no edges")
        if depth(self.function.body) > MOST_DEPTH:
            self.refuse("it is too deep to analyse")
        edge, dst = self.function.arguments
        state = State({edge: Edges(TRANSIT), dst: self.facts.end_points}, {}, frozenset())
        found, _ = self.run(self.function.body, state)
        if found is None:
            self.refuse("no path returns")
        found = cast("int", found) if found.type == "bool" else found
        limit, unit = (2.0**32, 65536.0) if found.type == "float" else (2**32, 1)
        if not found.bounded:
            self.refuse("the biases have no finite bound")
        if found.low < 0:
            self.refuse(f"a bias may be negative, from {found.low:g} on")
        if found.high * unit >= limit:
            self.refuse(f"a bias may be too large, up to {found.high:g}")
        return found

    # ---- statements

    def run(self, body: tuple[tree.Statement, ...], state: State) -> tuple[Range | None, State | None]:
        """Runs statements: the range of what they return, if they may return, and the state after them, if they may
        end otherwise."""
        returned: Range | None = None
        for at, s in enumerate(body):
            self.line = s.line or self.line
            if isinstance(s, tree.Return):
                result = cast(self.function.returns, self.value(s.value, state))
                return _either(returned, result), None
            if isinstance(s, (tree.Break, tree.Continue)):
                return returned, None
            if isinstance(s, tree.Fail):
                self.refuse("ctx.fail() may be called")
            if isinstance(s, tree.Set):
                state = state.having(s.name, self.any(s.value, state))
            elif isinstance(s, tree.For):
                value, state = self._loop(s, state)
                returned = _either(returned, value)
            elif isinstance(s, tree.If):
                value, after, ended = self._if(s, body[at + 1 :], state)
                returned = _either(returned, value)
                if ended or after is None:
                    return returned, after
                state = after
        return returned, state

    def _if(
        self, s: tree.If, rest: tuple[tree.Statement, ...], state: State
    ) -> tuple[Range | None, State | None, bool]:
        """Runs both branches: also tells whether it has run the statements after the If. If one branch leaves, these
        belong to the other one, so the bound tests a condition that does not depend on the candidate."""
        test = self.value(s.test, state)
        yes, no = self.branches(s.test, test, state)
        if yes is None or no is None:
            return *(self.run(s.otherwise, no) if no is not None else self.run(s.body, yes or state)), False
        (left, after_left), (right, after_right) = self.run(s.body, yes), self.run(s.otherwise, no)
        if after_left is not None and after_right is not None:
            return _either(left, right), after_left.joined(test, after_right), False
        after = None
        if after_left is not None:
            more, after = self.run(rest, after_left)
            left = _either(left, more)
        if after_right is not None:
            more, after = self.run(rest, after_right)
            right = _either(right, more)
        if left is None or right is None or after is not None:
            return _either(left, right), after, True
        return chosen(test, left, right), None, True

    def _loop(self, s: tree.For, state: State) -> tuple[Range | None, State]:
        """Runs the body once, with variables that it assigns at any value."""
        first, end = self.value(s.first, state), self.value(s.end, state)
        most = max(0, end.high - first.low)
        if most == 0:
            return None, state
        self.rounds += self.nested * most
        if self.rounds > MOST_ROUNDS:
            self.refuse(f"its loops may take more than {MOST_ROUNDS} rounds")
        for name in sorted(tree.assigned(s.body) | {s.name}):
            state = state.having(name, self._anything(name))
        inside = state.having(s.name, known("int", first.low, end.high - 1))
        if s.name not in tree.assigned(s.body):
            pair = repr(tree.Local("int", s.name)), repr(s.end)
            changed = any(f", {name!r})" in pair[1] for name in tree.assigned(s.body) | {s.name})
            inside = inside if changed else dataclasses.replace(inside, below=inside.below | {pair})
        self.nested *= most
        returned, _ = self.run(s.body, inside)
        self.nested //= most
        return returned, state

    def _anything(self, name: str) -> Value:
        kind = self.types[name]
        return Edges(None) if kind == "edge" else anything(kind)

    # ---- conditions

    def assume(self, x: Expression, truth: bool, state: State) -> State | None:
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

    def _compare(self, operator: str, a: Expression, b: Expression, state: State) -> State | None:
        """The state in which two expressions compare so."""
        kind = common(a.type, b.type)
        if kind not in ("int", "float"):
            return state
        left, right = self.value(a, state), self.value(b, state)
        if not (left.bounded and right.bounded):
            return state
        then = self._limit(a, left, operator, cast(kind, right), state)
        if then is None:
            return None
        if operator == "<":
            then = dataclasses.replace(then, below=then.below | {(repr(a), repr(b))})
        return self._limit(b, right, _TURNED[operator], cast(kind, left), then)

    def _limit(self, x: Expression, before: Range, operator: str, other: Range, state: State) -> State | None:
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


def depth(body: tuple[tree.Statement, ...]) -> int:
    """How deep an analysis of statements recurses. A fixed limit makes the result independent of Python's stack."""
    deepest = 0
    left: list[tuple[object, int]] = [(body, 0)]
    while left:
        x, nested = left.pop()
        deepest = max(deepest, nested)
        if isinstance(x, tuple):
            for part in x:
                nested += isinstance(part, tree.If)
                left.append((part, nested))
        elif isinstance(x, (tree.Expression, tree.Statement)):
            left += [(getattr(x, name), nested + 1) for name in x.fields]
    return deepest


def _end(x: Expression, value: int | float, step: int) -> tree.Constant:
    """A number, or the next one up or down: a constant if the hook's text has it."""
    if step:
        value = value + step if isinstance(value, int) else math.nextafter(value, math.inf * step)
    kind: tree.Type = "float" if isinstance(value, float) else "int"
    return (tree.Constant if type(x) is tree.Constant else Known)(kind, value)


def _either(a: Range | None, b: Range | None) -> Range | None:
    return joined(a, b) if a is not None and b is not None else a or b
