"""Measures a bound: the largest bias of each row, which is computed once for a graph.

It is for hooks without an inferred bound. Their biases may depend on the transit and its edges, but on the walk only
through conditions, such as ``ctx.has_edge(ctx.prev, dst)``. Each of these is replaced by a bit of a parameter. The hook
is then run for every edge of the graph and for all values of the bits. The largest result of a row is its bound. No
bias of the row is above it, whatever the walk. Edges with an error have no bias.

The largest biases are an array of the app and the bound is a hook that reads it, so engines need no code for them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..._core import memory, running
from ..._core.costs import costs
from ...apps.app import SamplingApp
from .. import tree
from ..layout import MAX_ARRAYS, MAX_PARAMETERS
from ..tree import Expression
from ..unparse import text
from .acceptance import share_of
from .errors import has_none
from .graphfacts import GraphFacts
from .interpreter import MOST_DEPTH, depth
from .outcome import Bound, NoBoundError
from .rewrite import simplified

__all__ = ["WithBias", "check_loops", "measured", "separated"]

MOST_ROUNDS = 64  # of loops, since the hook is run for every edge
MOST_CONDITIONS = 4  # that depend on the walk: the hook is run for each of their 2^n values
_WALK_FIELDS = {"prev", "prev_edge", "sample", "size", "slot", "step"}
_WALK_CALLS = {"below", "chance", "count", "previous", "root", "word"}

WithBias = Callable[[tree.Function], SamplingApp]  # the app with another edge_bias, which reads one more parameter


def measured(
    function: tree.Function, facts: GraphFacts, with_bias: WithBias, reason: str, most_conditions: int = MOST_CONDITIONS
) -> Bound:
    """The largest bias of each row of a graph, as a bound of the hook edge_bias, which is not inferred for a reason.

    Args:
        with_bias: the app with another edge_bias.
        most_conditions: the number of its conditions that may depend on the walk.

    Raises:
        NoBoundError: biases depend on the walk, or the bound is too loose.
        ImportError: the hook is not compiled yet, and llvmlite is missing.
    """
    place = len(facts.arrays)
    if place == MAX_ARRAYS or len(facts.params) == MAX_PARAMETERS:
        raise NoBoundError("the app has no room for another array and parameter")
    if depth(function.body) > MOST_DEPTH:
        raise NoBoundError("it is too deep to analyse")
    check_loops(function.body, facts)
    hook, conditions, error = separated(function, len(facts.params), most_conditions)
    array, valid = _largest(hook, facts, 2 ** len(conditions), with_bias)
    error = error if valid else ("an edge has an error", 0)
    if error is not None:  # then each choice evaluates a candidate, so that an error of all is found
        array = np.maximum(array, np.uint32(1))
    element: Expression = tree.Element("int", tree.Array(place, "uint32"), tree.Field("int", "transit"))
    if function.returns == "float":  # biases are in units of 2^-16: the product is exact
        element = tree.Binary("float", "*", tree.Cast("float", element), tree.Constant("float", 2.0**-16))
    known = copy.copy(facts)
    known.arrays = [*facts.arrays, array]
    accepted = share_of(function, element, known, "the largest bias of each row")
    values = f", for all values of {', '.join(text(x, *facts.names) for x in conditions)}" if conditions else ""
    shown = f"measured: the largest edge_bias of each row{values}; not inferred, since {reason}"
    made = tree.Function((), (), element.type, (tree.Return(element),))
    return Bound(shown, made, arrays=(array,), error=error, accepted=accepted)


def _largest(
    hook: tree.Function, facts: GraphFacts, cases: int, with_bias: WithBias
) -> tuple[np.ndarray[Any, Any], bool]:
    """The largest result of a hook in each row, for all values from 0 of a parameter after those of the app, and
    whether there is no error."""
    app = with_bias(hook)  # it owns the hook's code and the arrays
    try:
        held = app._held()
    except ImportError as error:
        raise ImportError(f"the bound of edge_bias is measured: {error}, or pass bound=None") from error
    out = np.zeros(facts.vertices, np.uint32)
    valid = running.call(
        "RowMaxima", facts.graph._held.number, held.number, len(facts.params), cases, memory.address(out), len(out),
        seconds=costs().first_call_edge * facts.edges * cases, total=facts.vertices * cases, label="bound",
    )  # fmt: skip
    return out, bool(valid)


def check_loops(body: tuple[tree.Statement, ...], facts: GraphFacts, outside: int = 1) -> None:
    """Refuses loops that may take many rounds."""
    for s in body:
        if isinstance(s, tree.If):
            check_loops(s.body, facts, outside)
            check_loops(s.otherwise, facts, outside)
        elif isinstance(s, tree.For):
            ends = [simplified(x, facts.params) for x in (s.first, s.end)]
            first, end = (x.value if isinstance(x, tree.Constant) else None for x in ends)
            if first is None or end is None or max(1, end - first) * outside > MOST_ROUNDS:
                raise NoBoundError(f"a loop may take more than {MOST_ROUNDS} rounds", s.line)
            check_loops(s.body, facts, int(max(1, end - first)) * outside)


def separated(
    function: tree.Function, place: int, most_conditions: int
) -> tuple[tree.Function, list[Expression], tuple[str, int] | None]:
    """A hook that reads bits of a parameter instead of the conditions that depend on the walk, the conditions, and an
    error that they may have, with its line.

    Raises:
        NoBoundError: a bias depends on the walk otherwise.
    """
    parts = _Parts(function, place, most_conditions)
    body = parts.statements(function.body, looped=False)
    made = tree.Function(function.arguments, function.locals, function.returns, body)
    return made, parts.conditions, parts.error


class _Parts:
    """Replaces the conditions of a hook that depend on the walk."""

    def __init__(self, function: tree.Function, place: int, most_conditions: int) -> None:
        self.place, self.conditions, self.most_conditions = place, list[Expression](), most_conditions
        self.bits: dict[str, int] = {}
        self.assigned = tree.assigned(function.body)
        self.line, self.varying = 0, set[str]()
        self.error: tuple[str, int] | None = None
        while True:  # the locals that depend on the walk
            more = {name for name, x in tree.assignments(function.body) if self.varies(self.cut(x, looped=None))}
            if more <= self.varying:
                break
            self.varying |= more

    def refuse(self, reason: str) -> NoReturn:
        raise NoBoundError(reason, self.line)

    def check(self, x: Expression, what: str) -> None:
        """Keeps the first error that an expression which is left out may have."""
        if self.error is None and not has_none(x):
            self.error = f"{what} depends on the walk, and may have an error", self.line

    def varies(self, node: object) -> bool:
        """Whether a part depends on the walk."""
        return any(
            (isinstance(x, tree.Field) and x.name in _WALK_FIELDS)
            or (isinstance(x, tree.Call) and x.name in _WALK_CALLS)
            or (isinstance(x, tree.Local) and x.name in self.varying)
            for x in tree.expressions(node)
        )

    # ---- statements

    def statements(self, body: tuple[tree.Statement, ...], *, looped: bool) -> tuple[tree.Statement, ...]:
        """The statements without these conditions. Assignments of locals that only conditions read are left out."""
        made = []
        for s in body:
            self.line = s.line or self.line
            if isinstance(s, tree.Set) and s.name in self.varying:
                self.check(s.value, s.name)
                continue
            inside = looped or isinstance(s, tree.For)
            new = type(s)(*(self.part(getattr(s, name), looped, inside) for name in s.fields))
            new.line = s.line
            made.append(new)
        return tuple(made)

    def part(self, x: Any, looped: bool, inside: bool) -> Any:
        """A field of a statement; inside: whether the statements in it are those of a loop."""
        if isinstance(x, Expression):
            return self.known(x, looped)
        return self.statements(x, looped=inside) if isinstance(x, tuple) else x

    def known(self, x: Expression, looped: bool) -> Expression:
        """An expression that does not depend on the walk any more."""
        found: Expression = self.cut(x, looped=looped)
        if self.varies(found):
            self.refuse("a bias depends on the walk, not only by conditions")
        return found

    # ---- expressions

    def cut(self, x: Any, *, looped: bool | None) -> Any:
        """The expression with bits for its smallest conditions that depend on the walk; looped is None to find out
        whether the rest depends on it."""
        if isinstance(x, tuple):
            return tuple(self.cut(part, looped=looped) for part in x)
        if not isinstance(x, Expression) or not self.varies(x):
            return x
        made = type(x)(*(self.cut(getattr(x, name), looped=looped) for name in x.fields))
        made.line = x.line
        if x.type != "bool" or not self.varies(made):
            return made
        return tree.Constant("bool", True) if looped is None else self.bit(x, looped)

    def bit(self, x: Expression, looped: bool) -> Expression:
        """The bit of the parameter that stands for a condition."""
        if looped:
            self.refuse("a condition in a loop depends on the walk")
        self.check(x, "a condition")
        changes = any(isinstance(part, tree.Local) and part.name in self.assigned for part in tree.expressions(x))
        key = f"{len(self.conditions)}" if changes else repr(x)  # a local may have another value at another place
        if key not in self.bits:
            self.bits[key] = len(self.conditions)
            self.conditions.append(x)
            if len(self.conditions) > self.most_conditions:
                self.refuse(f"more than {self.most_conditions} conditions depend on the walk")
        mask = tree.Constant("int", 1 << self.bits[key])
        taken = tree.Binary("int", "&", tree.Parameter("int", self.place), mask)
        return tree.Compare("bool", ("!=",), (taken, tree.Constant("int", 0)))
