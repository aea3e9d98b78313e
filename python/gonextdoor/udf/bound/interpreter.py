"""Runs a hook on the values of a domain.

The order of evaluation is that of the language: operands first, branches, short circuits, returns. What values are, and
what operators make of them, is the domain's, which is a subclass.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from .. import tree
from ..expressions import joined as common
from ..tree import Expression

__all__ = ["MOST_DEPTH", "Interpreter", "State", "depth"]

MOST_DEPTH = 100  # of a hook: nested statements and expressions, and one more for each if before a statement
V = TypeVar("V")


@dataclasses.dataclass
class State(Generic[V]):
    """The facts at one place of a hook.

    Attributes:
        locals: the values of local variables.
        limits: constants between which an expression is, by its repr; None: no limit.
        below: pairs of expressions, by their repr, of which the first is less.
    """

    locals: dict[str, V]
    limits: dict[str, tuple[tree.Constant | None, tree.Constant | None]] = dataclasses.field(default_factory=dict)
    below: frozenset[tuple[str, str]] = frozenset()

    def having(self, name: str, value: V) -> State[V]:
        """The state after an assignment, without the limits of expressions that contain the variable."""
        if not (self.limits or self.below):
            return State(self.locals | {name: value})
        mark = f", {name!r})"

        def kept(text: str) -> bool:
            return mark not in text

        return State(
            self.locals | {name: value},
            {key: limit for key, limit in self.limits.items() if kept(key)},
            frozenset(pair for pair in self.below if kept(pair[0]) and kept(pair[1])),
        )

    def within(self, key: str, low: tree.Constant | None, high: tree.Constant | None) -> State[V]:
        """The state if an expression is also between two constants."""
        before_low, before_high = self.limits.get(key, (None, None))
        if low is None or (before_low is not None and before_low.value >= low.value):
            low = before_low
        if high is None or (before_high is not None and before_high.value <= high.value):
            high = before_high
        return dataclasses.replace(self, limits=self.limits | {key: (low, high)})

    def joined(self, other: State[V], merged: Callable[[V, V], V]) -> State[V]:
        """The facts that hold in this state and in another one."""
        limits = {}
        for key in self.limits.keys() & other.limits.keys():
            (low, high), (low2, high2) = self.limits[key], other.limits[key]
            limits[key] = (
                None if low is None or low2 is None else min(low, low2, key=lambda x: x.value),
                None if high is None or high2 is None else max(high, high2, key=lambda x: x.value),
            )
        found = {name: merged(value, other.locals[name]) for name, value in self.locals.items() if name in other.locals}
        return State(found, limits, self.below & other.below)


class Interpreter(Generic[V]):
    """Runs one hook. A domain defines the methods of the last section.

    Attributes:
        line: the line in the user's file of the part that is evaluated.
    """

    methods: ClassVar[dict[type, Callable[..., Any]]]  # of expressions that choose the order of their operands
    operators: ClassVar[dict[type, Callable[..., Any]]]  # of the others

    def __init_subclass__(cls) -> None:
        kinds = tree.Expression.__subclasses__()
        cls.methods = {kind: getattr(cls, f"_{kind.__name__}") for kind in kinds if hasattr(cls, f"_{kind.__name__}")}
        others = [(kind, kind.__name__.lower()) for kind in kinds if kind not in cls.methods]
        cls.operators = {kind: getattr(cls, name) for kind, name in others if hasattr(cls, name)}

    def __init__(self, function: tree.Function) -> None:
        self.function, self.line = function, 0
        self.left: list[tuple[list[State[V]], list[State[V]]]] = []  # per loop: the states at continue and at break

    # ---- statements

    def run(self, body: Sequence[tree.Statement], state: State[V]) -> tuple[V | None, State[V] | None]:
        """Runs statements: the value of what they return, if they may return, and the state after them, if they may
        end otherwise."""
        returned: V | None = None
        for at, s in enumerate(body):
            self.line = s.line or self.line
            if isinstance(s, tree.Return):
                return self.either(returned, self.cast(self.function.returns, self.value(s.value, state))), None
            if isinstance(s, (tree.Break, tree.Continue)):
                self.left[-1][isinstance(s, tree.Break)].append(state)
                return returned, None
            if isinstance(s, tree.Fail):
                self.fail()
                return returned, None
            if isinstance(s, tree.Set):
                state = state.having(s.name, self.value(s.value, state))
            elif isinstance(s, tree.For):
                value, after = self.loop(s, state)
                returned = self.either(returned, value)
                if after is None:
                    return returned, None
                state = after
            elif isinstance(s, tree.If):
                value, after, ended = self._if(s, body[at + 1 :], state)
                returned = self.either(returned, value)
                if ended or after is None:
                    return returned, after
                state = after
        return returned, state

    def _if(
        self, s: tree.If, rest: Sequence[tree.Statement], state: State[V]
    ) -> tuple[V | None, State[V] | None, bool]:
        """Runs both branches: also tells whether it has run the statements after the If. If one branch leaves, these
        belong to the other one, so the result depends on the condition only if that is known."""
        test = self.value(s.test, state)
        yes, no = self.branches(s.test, test, state)
        if yes is None or no is None:
            return *(self.run(s.otherwise, no) if no is not None else self.run(s.body, yes or state)), False
        (left, after_left), (right, after_right) = self.run(s.body, yes), self.run(s.otherwise, no)
        if after_left is not None and after_right is not None:
            after: State[V] | None = after_left.joined(after_right, lambda a, b: self.chosen(test, a, b))
            return self.either(left, right), after, False
        after = None
        if after_left is not None:
            more, after = self.run(rest, after_left)
            left = self.either(left, more)
        if after_right is not None:
            more, after = self.run(rest, after_right)
            right = self.either(right, more)
        if left is None or right is None or after is not None:
            return self.either(left, right), after, True
        return self.chosen(test, left, right), None, True

    def iteration(
        self, body: Sequence[tree.Statement], state: State[V]
    ) -> tuple[V | None, State[V] | None, State[V] | None]:
        """Runs one iteration of a loop: the value of what it returns, if it may return, the state at its end, and that
        at its breaks."""
        self.left.append(([], []))
        returned, after = self.run(body, state)
        continued, broken = self.left.pop()
        return returned, self.either_state(after, *continued), self.either_state(*broken)

    def either_state(self, *states: State[V] | None) -> State[V] | None:
        """The facts that hold in all of some states; None if there is none."""
        found = [state for state in states if state is not None]
        return functools.reduce(lambda a, b: a.joined(b, self.joined), found) if found else None

    def either(self, a: V | None, b: V | None) -> V | None:
        """A value of a or of b, of those that exist."""
        if a is None or b is None:
            return b if a is None else a
        return self.joined(a, b)

    # ---- expressions

    def value(self, x: Expression, state: State[V]) -> V:
        """The value of an expression."""
        kind = type(x)
        if kind in self.methods:
            found: V = self.methods[kind](self, x, state)
        elif x.below:
            found = self.operators[kind](self, x, *self.operands(x, state))
        else:
            found = self.operators[kind](self, x)
        return found

    def operands(self, x: Expression, state: State[V]) -> list[V]:
        """The values of an expression's operands."""
        return [self.value(part, state) for part in x.below]

    def _Local(self, x: tree.Local, state: State[V]) -> V:
        return state.locals[x.name]

    def _Unary(self, x: tree.Unary, state: State[V]) -> V:
        return self.length(x) if x.operator == "len" else self.unary(x, *self.operands(x, state))

    def _Cast(self, x: tree.Cast, state: State[V]) -> V:
        return self.cast(x.type, *self.operands(x, state))

    def _Compare(self, x: tree.Compare, state: State[V]) -> V:
        values, pairs = self.operands(x, state), []
        for i, operator in enumerate(x.operators):
            kind = common(x.operands[i].type, x.operands[i + 1].type)
            assert kind is not None
            pairs.append(self.compared(operator, self.cast(kind, values[i]), self.cast(kind, values[i + 1])))
        return self.all(pairs, True)

    def _Logic(self, x: tree.Logic, state: State[V]) -> V:
        every, parts = x.operator == "and", list[V]()
        for operand in x.operands:
            parts.append(self.value(operand, state))
            then = self.holding(operand, parts[-1], every, state)
            if then is None:  # the operands after this one are not reached
                parts.append(self.constant(tree.Constant("bool", not every)))
                break
            state = then
        return self.all(parts, every)

    def _Choose(self, x: tree.Choose, state: State[V]) -> V:
        test = self.value(x.test, state)
        yes, no = self.branches(x.test, test, state)
        if yes is None or no is None:
            return self.value(x.right, no) if no is not None else self.value(x.left, yes or state)
        return self.chosen(test, self.value(x.left, yes), self.value(x.right, no))

    def branches(self, x: Expression, test: V, state: State[V]) -> tuple[State[V] | None, State[V] | None]:
        """The states in which a condition, whose value is test, is true and false; None if it cannot be."""
        return self.holding(x, test, True, state), self.holding(x, test, False, state)

    # ---- the domain, besides an operator's method: binary(x, a, b) has the value of a Binary x with these operands

    def fail(self) -> None:
        """The hook calls ctx.fail()."""
        raise NotImplementedError

    def loop(self, s: tree.For, state: State[V]) -> tuple[V | None, State[V] | None]:
        """Runs a loop: the value of what it returns, if it may return, and the state after it, if it may end
        otherwise."""
        raise NotImplementedError

    def holding(self, x: Expression, test: V, truth: bool, state: State[V]) -> State[V] | None:
        """The state in which a condition, whose value is test, is true, or is not; None if it cannot be."""
        raise NotImplementedError

    def joined(self, a: V, b: V) -> V:
        """A value of a or of b."""
        raise NotImplementedError

    def chosen(self, test: V, a: V, b: V) -> V:
        """a if test else b."""
        raise NotImplementedError

    def all(self, parts: list[V], every: bool) -> V:
        """The conjunction of conditions, or the disjunction."""
        raise NotImplementedError

    def constant(self, x: tree.Constant) -> V:
        """A constant."""
        raise NotImplementedError

    def length(self, x: tree.Unary) -> V:
        """The length of an array."""
        raise NotImplementedError

    def unary(self, x: tree.Unary, a: V) -> V:
        """Another operator of one operand."""
        raise NotImplementedError

    def cast(self, to: tree.Type, a: V) -> V:
        """A converted value."""
        raise NotImplementedError

    def compared(self, operator: str, a: V, b: V) -> V:
        """A comparison of two values of one type."""
        raise NotImplementedError


def depth(body: tuple[tree.Statement, ...]) -> int:
    """How deep a run of statements recurses. A fixed limit makes the result independent of Python's stack."""
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
