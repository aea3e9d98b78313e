"""Prefetch pass of compiled hooks: loads that a block of choices will need are issued before the first choice runs.

Whether a hook looks up an edge depends on random words, so the CPU mispredicts the branch and starts the loads of the
next choice only after those of this one. Addresses that can be computed in advance are therefore prefetched in a
separate pass, so that all loads of a block are in flight together. An address may depend on the walk's past and on an
element of an array. The pass also stores the position of each neighbour that it computes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from . import hasedge, tree
from .layout import ARRAYS, NO_VERTEX
from .machine import LONG, VOID, WORD, Choice, constant
from .reads import USER_WORDS, Reads

if TYPE_CHECKING:
    from .emit import Emitter

__all__ = ["PART", "Prefetcher"]

PART = 256  # choices that are prefetched together
MOST_PARTS = 24  # nodes of an expression that is computed in both passes
_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4}
_TABLES = {"weight": ("Weights", 8), "label": ("Labels", 4), "time": ("Times", 8)}
_COMPUTED = ("word", "chance", "below", "degree", "root", "count", "previous")


class Prefetcher:
    """Prefetches the reads of a hook whose addresses are known in advance; false if there is nothing worth a pass.

    Args:
        along: whether edges are consecutive, so that tables by edge need no prefetching, and other arrays no pass.
    """

    def __init__(self, choice: Choice, emitter: Emitter, *, along: bool) -> None:
        self.choice, self.emitter, self.reads, self.along = choice, emitter, Reads(choice), along
        self.settled = settled(emitter.function)
        self.calls: list[tuple[tree.Call, tuple[tree.Expression, ...]]] = []
        self.elements: list[tuple[tree.Array, tree.Expression]] = []
        seen = set()
        for x in tree.expressions(emitter.function.body):
            if repr(x) not in seen or (isinstance(x, tree.Call) and x.name == "neighbor"):
                seen.add(repr(x))
                self._consider(x, along)
        self.drawn: list[int] = []  # random words that are computed in advance
        if self:
            if not along:
                self.drawn = sorted({int(i.value) % USER_WORDS for _, told in self.calls for i in _numbers(told)})
            for word in self.drawn:
                choice.words[word] = choice.entry.alloca(LONG, PART)
            for call, _ in self.calls:
                if call.name == "neighbor":
                    emitter.places_of[id(call)] = choice.entry.alloca(LONG, PART)

    def __bool__(self) -> bool:
        random = bool(self.elements) and not self.along
        return random or any(call.name in ("has_edge", "neighbor") for call, _ in self.calls)

    def _consider(self, x: tree.Expression, along: bool) -> None:
        if isinstance(x, tree.Call):
            by_edge = x.name in _TABLES and not along
            arguments = tuple(self._known(a) for a in x.arguments)
            if (x.name in ("has_edge", "neighbor") or by_edge) and None not in arguments:
                self.calls.append((x, arguments))  # type: ignore[arg-type]
        elif isinstance(x, tree.Element) and x.index.type == "int":
            index = self._known(x.index)
            if index is not None and not isinstance(index, tree.Constant):
                self.elements.append((x.array, index))

    def _known(self, x: tree.Expression) -> tree.Expression | None:
        """The expression with locals resolved, if it is cheap to compute in advance."""
        told = self._inlined(x)
        if told is None or told.nodes > MOST_PARTS:
            return None
        return told

    def _inlined(self, x: tree.Expression) -> tree.Expression | None:
        if isinstance(x, (tree.Constant, tree.Field, tree.Parameter)):
            return x
        if isinstance(x, tree.Local):
            if x.name in self.emitter.given:
                return x
            return self._inlined(self.settled[x.name]) if x.name in self.settled else None
        if isinstance(x, tree.Call) and x.name not in _COMPUTED:
            return None
        if not isinstance(x, (tree.Call, tree.Element, tree.Unary, tree.Binary, tree.Cast)):
            return None
        values = [self._replaced(getattr(x, name)) for name in x.fields]
        return None if None in values else type(x)(*values)

    def _replaced(self, value: Any) -> Any:
        if isinstance(value, tree.Expression):
            return self._inlined(value)
        if isinstance(value, tuple):
            parts = tuple(self._inlined(part) for part in value)
            return None if None in parts else parts
        return value

    def ask(self, arguments: Mapping[str, Any]) -> None:
        """Emits the prefetches of the current choice."""
        c = self.choice
        for name, value in arguments.items():
            c.b.store(value, self.emitter.places[name])
        with c.quietly():
            for call, parts in self.calls:
                values = [self.emitter.value(part) for part in parts]
                if call.name == "has_edge":
                    self._ask_edge(*values)
                elif call.name == "neighbor":
                    self._ask_neighbor(call, *values)
                else:
                    table, size = _TABLES[call.name]
                    self._ask(c.of_run(table), values[0], size)
            for array, index in self.elements:
                at = c.of_run_at(ARRAYS + 16 * array.place)
                self._ask(at, self.emitter.value(index), _BYTES.get(array.dtype, 8))

    def _ask(self, base: Any, index: Any, size: int) -> None:
        b = self.choice.b
        prefetch(b, b.add(base, b.mul(index, constant(size))))

    def draw(self, word: int, begun: Any, size: Any) -> None:
        """Computes a random word for all choices of a part, in a loop that LLVM can vectorize."""
        c, b = self.choice, self.choice.b
        with c.loop(size) as within:
            c.index = b.add(begun, within)
            b.store(self.reads.drawn(constant(word)), b.gep(c.words[word], [within]))

    def ask_row(self, v: Any) -> None:
        """Prefetches the bounds of the chosen vertex's row, which the next step reads; of vertex 0 if there is none."""
        b = self.choice.b
        wide = b.select(b.icmp_unsigned("==", v, ir.Constant(WORD, NO_VERTEX)), constant(0), b.zext(v, LONG))
        for place in (wide, b.add(wide, constant(1))):
            self._ask(self.choice.of_run("Indptr"), place, 8)

    def _ask_neighbor(self, call: tree.Call, v: Any, i: Any) -> None:
        """Stores the neighbour's position; -1 if the hook must report a fault."""
        c, b = self.choice, self.choice.b
        place = b.select(c.wrong(), constant(-1), self.reads.place(v, i))
        b.store(place, b.gep(self.emitter.places_of[id(call)], [c.within]))
        self._ask(c.of_run("Indices"), place, 4)

    def _ask_edge(self, u: Any, v: Any) -> None:
        told = [self.choice.of_run(name) for name in hasedge.TABLES]
        signature = ir.FunctionType(VOID, hasedge.SIGNATURE.args)
        self.choice.b.call(self.choice.helper("ask_edge", signature, _ask_edge), [*told, u, v])

    def passes(
        self, count: Any, arguments: Callable[[Any], Mapping[str, Any]], then: Callable[[Any, Mapping[str, Any]], None]
    ) -> None:
        """Runs then(i, its arguments) for i = 0 .. count - 1, with their reads prefetched part by part."""
        c, b = self.choice, self.choice.b
        if not self:
            with c.loop(count) as i:
                then(i, arguments(i))
            return
        bits = constant(PART.bit_length() - 1)
        with c.loop(b.lshr(b.add(count, constant(PART - 1)), bits)) as part:
            begun = b.shl(part, bits)
            left = b.sub(count, begun)
            size = b.select(b.icmp_signed("<", left, constant(PART)), left, constant(PART))
            for word in self.drawn:
                self.draw(word, begun, size)
            with c.loop(size) as c.within:
                self.ask(arguments(b.add(begun, c.within)))
            with c.loop(size) as c.within:
                i = b.add(begun, c.within)
                then(i, arguments(i))


def settled(function: tree.Function) -> dict[str, tree.Expression]:
    """The locals that are assigned once on every path, and their expressions."""
    found: dict[str, tree.Expression] = {}
    often = set(function.arguments)
    for s in function.body:
        names = tree.assigned((s,))
        often |= names & found.keys() if isinstance(s, tree.Set) else names
        if isinstance(s, tree.Set):
            found[s.name] = s.value
    return {name: x for name, x in found.items() if name not in often}


def _numbers(told: tuple[tree.Expression, ...]) -> list[tree.Constant]:
    """The numbers of the random words that expressions read, if they are literals."""
    calls = [x for x in tree.expressions(told) if isinstance(x, tree.Call)]
    numbers = [x.arguments[0] for x in calls if x.name in ("word", "chance", "below")]
    return [x for x in numbers if isinstance(x, tree.Constant)]


def prefetch(b: ir.IRBuilder, address: Any) -> None:
    """Prefetches the cache line at an address, which may be invalid."""
    pointer = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(VOID, [pointer, WORD, WORD, WORD])
    ask = b.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
    b.call(ask, [b.inttoptr(address, pointer), *(ir.Constant(WORD, x) for x in (0, 2, 1))])  # to read, locality 2


def _ask_edge(f: ir.Function) -> None:
    f.attributes.add("alwaysinline")
    _, _, slots, buckets, bits, shift, mirrored, u, v = f.args
    b = ir.IRBuilder(f.append_basic_block("entry"))
    with b.if_then(b.icmp_unsigned("!=", slots, constant(0)), likely=True):
        prefetch(b, hasedge.bucket(b, hasedge.scrambled(b, u, v, bits, mirrored), 0, slots, buckets, shift))
    b.ret_void()
