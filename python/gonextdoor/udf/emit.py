"""Emits LLVM IR for a checked hook: its statements and expressions, inside the loop that calls it.

Every operator has one exact meaning. Integers wrap; shifts take their count's low six bits; // and % round down, and
by 0 are faults; floats are neither fused nor reordered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llvmlite import ir

from . import tree
from .expressions import joined
from .layout import PARAMETERS, Kind
from .loops import MOST_ROUNDS, counted
from .machine import DOUBLE, FLAG, LONG, TYPES, Choice, constant, zero
from .reads import Reads

__all__ = ["Emitter"]

_INT = {"+": "add", "-": "sub", "*": "mul", "&": "and_", "|": "or_", "^": "xor"}
_FLOAT = {"+": "fadd", "-": "fsub", "*": "fmul"}


class Emitter:
    """Writes a hook's code for the current choice."""

    def __init__(self, choice: Choice, function: tree.Function, trusted: bool) -> None:
        self.choice, self.b, self.function = choice, choice.b, function
        self.reads = Reads(choice)
        self.places = {name: choice.local(TYPES[kind]) for name, kind in function.locals}
        self.places_of: dict[int, Any] = {}  # positions that Prefetcher stores, by calls of neighbor
        self.result = choice.local(TYPES[function.returns])
        self.returned = choice.local(LONG)  # the line of the return, if requested
        self.trips = choice.local(LONG) if counted(function) else None
        self.given = set(function.arguments) - tree.assigned(function.body)  # arguments that are never assigned
        self.trusted = trusted  # whether those are valid vertices and edges

    def run(self, arguments: Mapping[str, Any]) -> Any:
        """Emits the hook with these arguments, and returns its result."""
        self.loops: list[tuple[ir.Block, ir.Block]] = []
        self.done = self.b.append_basic_block("returned")
        if self.trips is not None:
            self.b.store(constant(0), self.trips)
        for name, value in arguments.items():
            self.b.store(value, self.places[name])
        self.block(self.function.body)
        self.b.position_at_end(self.done)
        if self.choice.only is not None:
            self.choice.line = self.b.load(self.returned)
        return self.b.load(self.result)

    # ---- statements

    def block(self, body: tuple[tree.Statement, ...]) -> None:
        """Statements; the checker has left out what is not reached."""
        for statement in body:
            self.choice.line = statement.line
            getattr(self, "_" + type(statement).__name__)(statement)

    def _Set(self, s: tree.Set) -> None:
        self.b.store(self.value(s.value), self.places[s.name])

    def _If(self, s: tree.If) -> None:
        b = self.b
        then, otherwise, after = (b.append_basic_block(name) for name in ("then", "otherwise", "after"))
        b.cbranch(self.value(s.test), then, otherwise)
        reached = False
        for start, body in ((then, s.body), (otherwise, s.otherwise)):
            b.position_at_end(start)
            self.block(body)
            if not b.block.is_terminated:
                b.branch(after)
                reached = True
        b.position_at_end(after)
        if not reached:
            b.unreachable()

    def _For(self, s: tree.For) -> None:
        b = self.b
        first, end = self.value(s.first), self.value(s.end)
        before = b.block
        head, body, on, after = (b.append_basic_block(name) for name in ("head", "round", "on", "after"))
        b.branch(head)
        b.position_at_end(head)
        i = b.phi(LONG)
        i.add_incoming(first, before)
        b.cbranch(b.icmp_signed("<", i, end), body, after)
        b.position_at_end(body)
        self._count_round()
        b.store(i, self.places[s.name])
        self.loops.append((on, after))
        self.block(s.body)
        self.loops.pop()
        if not b.block.is_terminated:
            b.branch(on)
        b.position_at_end(on)
        i.add_incoming(b.add(i, constant(1)), on)
        b.branch(head)
        b.position_at_end(after)

    def _count_round(self) -> None:
        if self.trips is None:
            return
        b = self.b
        taken = b.add(b.load(self.trips), constant(1))
        b.store(taken, self.trips)
        with b.if_then(b.icmp_unsigned(">", taken, constant(MOST_ROUNDS)), likely=False):
            self.choice.fault(Kind.ENDLESS)
            b.store(zero(TYPES[self.function.returns]), self.result)
            b.store(constant(self.choice.line), self.returned)
            go = b.append_basic_block("go")
            b.cbranch(ir.Constant(FLAG, 1), self.done, go)
            b.position_at_end(go)

    def _Break(self, _: tree.Break) -> None:
        self.b.branch(self.loops[-1][1])

    def _Continue(self, _: tree.Continue) -> None:
        self.b.branch(self.loops[-1][0])

    def _Return(self, s: tree.Return) -> None:
        value = self.cast(self.function.returns, s.value.type, self.value(s.value))
        self.b.store(value, self.result)
        if self.choice.only is not None:
            self.b.store(constant(s.line), self.returned)
        self.b.branch(self.done)

    def _Fail(self, _: tree.Fail) -> None:
        self.choice.fault(Kind.FAILED)

    # ---- expressions

    def value(self, x: tree.Expression) -> Any:
        """An expression's value."""
        before, self.choice.line = self.choice.line, x.line or self.choice.line
        found = getattr(self, "_" + type(x).__name__)(x)
        self.choice.line = before
        return found

    def _Constant(self, x: tree.Constant) -> Any:
        return ir.Constant(TYPES[x.type], x.value if x.type == "float" else int(x.value))

    def _Local(self, x: tree.Local) -> Any:
        return self.b.load(self.places[x.name])

    def _Field(self, x: tree.Field) -> Any:
        return self.reads.field(x.name)

    def _Parameter(self, x: tree.Parameter) -> Any:
        return self.choice.of_run_at(PARAMETERS + 8 * x.place, TYPES[x.type])

    def _Element(self, x: tree.Element) -> Any:
        index = self.value(x.index)
        if x.index.type == "edge":
            index = self.reads.call(tree.Call("int", "edge_id", (x.index,)), [index], [self._sure(x.index)])
        return self.reads.element(x.array, index)

    def _Call(self, x: tree.Call) -> Any:
        remembered = self.places_of.get(id(x))
        if remembered is None:
            return self._called(x)
        b, c = self.b, self.choice
        place = b.load(b.gep(remembered, [c.within]))
        known = b.icmp_signed(">=", place, constant(0))
        return c.chosen(known, lambda: self.reads.end_point(place), lambda: self._called(x))

    def _called(self, x: tree.Call) -> Any:
        return self.reads.call(x, [self.value(a) for a in x.arguments], [self._sure(a) for a in x.arguments])

    def _sure(self, x: tree.Expression) -> bool:
        """Whether an expression is an argument from the core, and so a valid vertex or edge."""
        return self.trusted and isinstance(x, tree.Local) and x.name in self.given

    def _Cast(self, x: tree.Cast) -> Any:
        return self.cast(x.type, x.operand.type, self.value(x.operand))

    def cast(self, to: tree.Type, kind: tree.Type, value: Any) -> Any:
        """A value of one type as another."""
        b = self.b
        if kind == to:
            return value
        if to == "bool":
            zeros = zero(value.type)
            return b.fcmp_unordered("!=", value, zeros) if kind == "float" else b.icmp_signed("!=", value, zeros)
        if to == "float":
            return b.uitofp(value, DOUBLE) if kind == "bool" else b.sitofp(value, DOUBLE)
        if kind == "bool":
            return b.zext(value, LONG)
        low = b.fcmp_ordered(">=", value, ir.Constant(DOUBLE, -(2.0**63)))
        fits = b.and_(low, b.fcmp_ordered("<", value, ir.Constant(DOUBLE, 2.0**63)))
        return self.choice.guarded(fits, Kind.OVERFLOW, lambda: b.fptosi(value, LONG))

    def _Unary(self, x: tree.Unary) -> Any:
        b = self.b
        if x.operator == "len":
            assert isinstance(x.operand, tree.Constant)
            return self.reads.length(int(x.operand.value))
        v = self.value(x.operand)
        if x.operator == "not":
            return b.xor(v, ir.Constant(FLAG, 1))
        if x.operator == "~":
            return b.xor(v, constant(-1))
        if x.operator == "sqrt":
            root = b.module.declare_intrinsic("llvm.sqrt", [DOUBLE])
            valid = b.fcmp_unordered(">=", v, zero(DOUBLE))
            return self.choice.guarded(valid, Kind.NEGATIVE_ROOT, lambda: b.call(root, [v]))
        minus = b.fneg(v) if x.type == "float" else b.sub(constant(0), v)
        if x.operator == "-":
            return minus
        negative = b.fcmp_ordered("<", v, zero(DOUBLE)) if x.type == "float" else b.icmp_signed("<", v, constant(0))
        return b.select(negative, minus, v)

    def _Binary(self, x: tree.Binary) -> Any:
        b, left, right = self.b, self.value(x.left), self.value(x.right)
        if x.operator in ("min", "max"):
            sign = "<" if x.operator == "min" else ">"
            return b.select(self.compared(sign, x.type, right, left), right, left)
        if x.type == "float":
            if x.operator != "/":
                return getattr(b, _FLOAT[x.operator])(left, right)
            whole = b.fcmp_unordered("!=", right, zero(DOUBLE))
            return self.choice.guarded(whole, Kind.DIVIDED_BY_ZERO, lambda: b.fdiv(left, right))
        if x.operator in _INT:
            return getattr(b, _INT[x.operator])(left, right)
        if x.operator in ("<<", ">>"):
            count = b.and_(right, constant(63))
            return b.shl(left, count) if x.operator == "<<" else b.ashr(left, count)
        some = b.icmp_signed("!=", right, constant(0))
        return self.choice.guarded(some, Kind.DIVIDED_BY_ZERO, lambda: self._divided(x.operator, left, right))

    def _divided(self, operator: str, left: Any, right: Any) -> Any:
        """// and %, rounded down; by -1, where the CPU's instruction may overflow, separately."""
        b = self.b
        minus = b.icmp_signed("==", right, constant(-1))
        by = b.select(minus, constant(1), right)
        rest = b.srem(left, by)
        apart = b.and_(
            b.icmp_signed("!=", rest, constant(0)), b.icmp_signed("<", b.xor(rest, by), constant(0))
        )  # different signs: rounded towards zero
        if operator == "%":
            return b.select(minus, constant(0), b.select(apart, b.add(rest, by), rest))
        quotient = b.sdiv(left, by)
        down = b.select(apart, b.sub(quotient, constant(1)), quotient)
        return b.select(minus, b.sub(constant(0), left), down)

    def compared(self, sign: str, kind: tree.Type, left: Any, right: Any) -> Any:
        """A comparison of two values of one type; nothing is less than, equal to or above a NaN."""
        b = self.b
        if kind == "float":
            return b.fcmp_unordered(sign, left, right) if sign == "!=" else b.fcmp_ordered(sign, left, right)
        return b.icmp_unsigned(sign, left, right) if kind == "bool" else b.icmp_signed(sign, left, right)

    def _Compare(self, x: tree.Compare) -> Any:
        return self._chain(x, 0, self.value(x.operands[0]))

    def _chain(self, x: tree.Compare, at: int, left: Any) -> Any:
        a, c = x.operands[at].type, x.operands[at + 1].type
        kind = joined(a, c)
        assert kind is not None
        right = self.value(x.operands[at + 1])
        same = self.compared(x.operators[at], kind, self.cast(kind, a, left), self.cast(kind, c, right))
        if at + 1 == len(x.operators):
            return same
        return self.choice.chosen(same, lambda: self._chain(x, at + 1, right), lambda: ir.Constant(FLAG, 0))

    def _Logic(self, x: tree.Logic) -> Any:
        return self._logic(x.operator == "and", x.operands)

    def _logic(self, every: bool, operands: tuple[tree.Expression, ...]) -> Any:
        first = self.value(operands[0])
        if len(operands) == 1:
            return first
        known = ir.Constant(FLAG, 0 if every else 1)

        def rest() -> Any:
            return self._logic(every, operands[1:])

        def stop() -> Any:
            return known

        return self.choice.chosen(first, rest, stop) if every else self.choice.chosen(first, stop, rest)

    def _Choose(self, x: tree.Choose) -> Any:
        return self.choice.chosen(self.value(x.test), lambda: self.value(x.left), lambda: self.value(x.right))
