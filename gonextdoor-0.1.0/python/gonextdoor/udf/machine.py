"""LLVM types and helpers for the code of hooks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir

from . import layout

__all__ = ["DOUBLE", "FLAG", "HOOK_SHIFT", "LONG", "VOID", "WORD", "Choice", "constant", "zero"]

FLAG, WORD, LONG, DOUBLE, VOID = ir.IntType(1), ir.IntType(32), ir.IntType(64), ir.DoubleType(), ir.VoidType()
HOOK_SHIFT = 24  # lines of a file are below 2^24
TYPES: dict[str, ir.Type] = {"bool": FLAG, "int": LONG, "edge": LONG, "float": DOUBLE}


def constant(value: int) -> ir.Constant:
    """A 64-bit integer."""
    return ir.Constant(LONG, value)


def zero(kind: ir.Type) -> ir.Constant:
    """The value after a fault."""
    return ir.Constant(kind, 0.0 if kind is DOUBLE else 0)


class Choice:
    """The state of the code generator for one choice of a block: a builder, and the choice's values.

    Values that are the same for all choices of a call are loaded once, in the kernel's entry.
    """

    def __init__(self, module: ir.Module, kernel: ir.Function) -> None:
        self.module, self.kernel = module, kernel
        self.entry = ir.IRBuilder(kernel.append_basic_block("entry"))
        self.start = kernel.append_basic_block("start")
        self.entry.branch(self.start)
        self.entry.position_before(self.entry.block.terminator)
        self.b = ir.IRBuilder(self.start)
        self.index: Any = constant(0)
        self.within: Any = constant(0)  # the choice's position in its part, see Prefetcher
        self.line: Any = 0  # of the user's file, for faults
        self.only: tuple[int, int, int] | None = None  # step and kind of the fault to locate, and the hook
        self._quiet: Any = None  # whether a fault occurred while faults are not recorded
        self._invariant = module.add_metadata([])
        self.words: dict[int, Any] = {}  # random words of the part that are already computed, by number
        self._once: dict[tuple[str, str], Any] = {}

    def local(self, kind: ir.Type) -> Any:
        """A stack slot for one value, which LLVM promotes to a register."""
        return self.entry.alloca(kind)

    def load(self, b: ir.IRBuilder, base: Any, index: Any, kind: ir.Type) -> Any:
        """Element index of an array at an address. Nothing that hooks read changes while they run."""
        value = b.load(b.gep(b.inttoptr(base, kind.as_pointer()), [index]), align=_size(kind))
        value.set_metadata("invariant.load", self._invariant)
        return value

    def of_block(self, name: str) -> Any:
        """A field of Block."""
        return self._field("block", self.kernel.args[0], name, layout.BLOCK)

    def of_run(self, name: str) -> Any:
        """A field of Run."""
        return self._field("run", self.of_block("Run"), name, layout.RUN)

    def of_run_at(self, place: int, kind: ir.Type = LONG) -> Any:
        """A value at an offset of Run."""
        key = ("run", f"{place} {kind}")
        if key not in self._once:
            base = self.of_block("Run")
            self._once[key] = self.load(self.entry, self.entry.add(base, constant(place)), constant(0), kind)
        return self._once[key]

    def _field(self, struct: str, base: Any, name: str, places: dict[str, int]) -> Any:
        key = (struct, name)
        if key not in self._once:
            self._once[key] = self.load(self.entry, self.entry.add(base, constant(places[name])), constant(0), LONG)
        return self._once[key]

    def column(self, name: str, kind: ir.Type = LONG) -> Any:
        """This choice's element of a column, widened to 64 bits."""
        value = self.load(self.b, self.of_block(name), self.index, kind)
        return value if kind is LONG else self.b.zext(value, LONG)

    def vertex(self, value: Any) -> Any:
        """A vertex of 32 bits, widened; no vertex is -1."""
        b = self.b
        return b.select(b.icmp_unsigned("==", value, constant(layout.NO_VERTEX)), constant(-1), value)

    @contextlib.contextmanager
    def quietly(self) -> Iterator[None]:
        """Faults of the code inside are not recorded; wrong() tells whether there was one."""
        self._quiet = self.local(FLAG)
        self.b.store(ir.Constant(FLAG, 0), self._quiet)
        yield
        self._quiet = None

    def wrong(self) -> Any:
        """Whether a fault occurred since quietly() began."""
        return self.b.load(self._quiet)

    def fault(self, kind: Any) -> None:
        """Records a fault of this choice. Out of line, so that a check costs one branch that is never taken."""
        b = self.b
        if self._quiet is not None:
            b.store(ir.Constant(FLAG, 1), self._quiet)
            return
        kind = constant(kind) if isinstance(kind, int) else kind
        step = b.shl(b.and_(self.of_block("Step"), constant(0xFFFF)), constant(8))
        record = self.helper("fault", ir.FunctionType(VOID, [LONG, LONG]), _fault)
        if self.only is None:
            code = b.or_(b.or_(b.shl(self.column("Row"), constant(24)), step), kind)
            b.call(record, [self.of_run("Fault"), code])
            return
        at, wanted, hook = self.only
        line = constant(self.line) if isinstance(self.line, int) else self.line
        place = b.shl(b.or_(constant(hook << HOOK_SHIFT), line), constant(24))
        with b.if_then(b.icmp_unsigned("==", b.or_(step, kind), constant(at << 8 | wanted))):
            b.call(record, [self.of_run("Fault"), b.or_(place, b.or_(step, kind))])

    def guarded(self, ok: Any, kind: Any, value: Callable[[], Any], otherwise: Any = None) -> Any:
        """value() if ok, else a fault and zero."""
        b = self.b
        with b.if_else(ok, likely=True) as (right, wrong):
            with right:
                found = value()
                right_end = b.block
            with wrong:
                self.fault(kind)
                wrong_end = b.block
        merged = b.phi(found.type)
        merged.add_incoming(found, right_end)
        merged.add_incoming(zero(found.type) if otherwise is None else otherwise, wrong_end)
        return merged

    def chosen(self, test: Any, left: Callable[[], Any], right: Callable[[], Any]) -> Any:
        """left() if test else right()."""
        b = self.b
        with b.if_else(test) as (then, otherwise):
            with then:
                a = left()
                then_end = b.block
            with otherwise:
                c = right()
                otherwise_end = b.block
        merged = b.phi(a.type)
        merged.add_incoming(a, then_end)
        merged.add_incoming(c, otherwise_end)
        return merged

    def helper(self, name: str, kind: ir.FunctionType, write: Callable[[ir.Function], None]) -> ir.Function:
        """A function of the module, written at its first use."""
        found = self.module.globals.get(name)
        if found is None:
            found = ir.Function(self.module, kind, name)
            found.linkage = "internal"
            found.attributes.add("nounwind")
            write(found)
        return found

    @contextlib.contextmanager
    def loop(self, end: Any) -> Iterator[Any]:
        """A loop over i = 0 .. end - 1 around the code inside; yields i."""
        b = self.b
        before, head = b.block, self.kernel.append_basic_block("head")
        body, done = self.kernel.append_basic_block("body"), self.kernel.append_basic_block("done")
        b.branch(head)
        b.position_at_end(head)
        i = b.phi(LONG)
        i.add_incoming(constant(0), before)
        b.cbranch(b.icmp_signed("<", i, end), body, done)
        b.position_at_end(body)
        yield i
        i.add_incoming(b.add(i, constant(1)), b.block)
        b.branch(head)
        b.position_at_end(done)


def _fault(f: ir.Function) -> None:
    for attribute in ("noinline", "cold"):
        f.attributes.add(attribute)
    b = ir.IRBuilder(f.append_basic_block("entry"))
    b.atomic_rmw("umin", b.inttoptr(f.args[0], LONG.as_pointer()), f.args[1], "monotonic")
    b.ret_void()


def _size(kind: ir.Type) -> int:
    return 8 if kind is DOUBLE else 4 if isinstance(kind, ir.FloatType) else max(1, getattr(kind, "width", 8) // 8)
