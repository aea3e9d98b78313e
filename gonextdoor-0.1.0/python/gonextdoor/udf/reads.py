"""Emits LLVM IR for the fields and methods of ctx."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from . import hasedge
from .layout import ARRAYS, Kind
from .machine import DOUBLE, LONG, WORD, Choice, constant
from .tree import Array, Call

__all__ = ["USER_WORDS", "Reads", "mix"]

GAMMA, MUL1, MUL2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
USER_WORDS = 32  # words that a hook has for each choice, a power of two

_ELEMENTS: dict[str, ir.Type] = {
    "bool": ir.IntType(8), "uint8": ir.IntType(8), "int8": ir.IntType(8), "uint16": ir.IntType(16),
    "int16": ir.IntType(16), "uint32": WORD, "int32": WORD, "int64": LONG, "float32": ir.FloatType(), "float64": DOUBLE,
}  # fmt: skip


def mix(b: ir.IRBuilder, x: Any) -> Any:
    """rng's Mix."""
    x = b.mul(b.xor(x, b.lshr(x, constant(30))), constant(MUL1))
    x = b.mul(b.xor(x, b.lshr(x, constant(27))), constant(MUL2))
    return b.xor(x, b.lshr(x, constant(31)))


class Reads:
    """Writes the code of one choice's reads."""

    def __init__(self, choice: Choice) -> None:
        self.choice, self.b = choice, choice.b

    def field(self, name: str) -> Any:
        """ctx.name"""
        c = self.choice
        if name == "step":
            return c.of_block("Step")
        if name == "sample":
            return self.b.add(c.of_run("First"), c.column("Row"))
        if name in ("transit", "prev"):
            return c.vertex(c.column(name.capitalize(), WORD))
        if name == "prev_edge":
            return c.column("PrevEdge")
        if name in ("num_vertices", "num_edges"):
            return c.of_run({"num_vertices": "Vertices", "num_edges": "Edges"}[name])
        return c.column(name.capitalize(), WORD)

    def call(self, call: Call, arguments: list[Any], trusted: list[bool]) -> Any:
        """ctx.name(...); trusted tells which arguments are valid vertices or edges."""
        method = getattr(self, f"_{call.name}", None)
        if method is not None:
            return method(*arguments)
        known: Any = getattr(self, f"_{call.name}_of")
        return known(*arguments, trusted)

    def element(self, array: Array, index: Any) -> Any:
        """An element of the user's array, widened; an index out of range is a fault."""
        c, b, at = self.choice, self.b, ARRAYS + 16 * array.place
        kind = _ELEMENTS[array.dtype]

        def read() -> Any:
            value = c.load(b, c.of_run_at(at), index, kind)
            if array.dtype == "float32":
                return b.fpext(value, DOUBLE)
            if kind in (DOUBLE, LONG):
                return value
            return b.sext(value, LONG) if array.dtype.startswith("int") else b.zext(value, LONG)

        inside = b.icmp_unsigned("<", index, c.of_run_at(at + 8))
        return c.guarded(inside, Kind.OUT_OF_ARRAY, read)

    def length(self, place: int) -> Any:
        """The length of the user's array with that number."""
        return self.choice.of_run_at(ARRAYS + 16 * place + 8)

    # ---- the random words

    def _word(self, i: Any) -> Any:
        words = self.choice.words.get(i.constant % USER_WORDS) if isinstance(i, ir.Constant) else None
        if words is not None:
            return self.b.load(self.b.gep(words, [self.choice.within]))
        return self.drawn(i)

    def drawn(self, i: Any) -> Any:
        """Word i of the choice."""
        c, b = self.choice, self.b
        slot = b.add(c.column("Words"), b.and_(i, constant(USER_WORDS - 1)))
        return mix(b, b.xor(c.column("Key"), b.mul(b.add(slot, constant(1)), constant(GAMMA))))

    def _chance(self, i: Any) -> Any:
        return self.b.lshr(self._word(i), constant(32))

    def _below(self, i: Any, n: Any) -> Any:
        b, wide = self.b, ir.IntType(128)
        product = b.mul(b.zext(self._word(i), wide), b.zext(n, wide))
        return b.trunc(b.lshr(product, ir.Constant(wide, 64)), LONG)

    # ---- the graph

    def is_vertex(self, v: Any) -> Any:
        """Whether v is a vertex."""
        return self.b.icmp_unsigned("<", v, self.choice.of_run("Vertices"))

    def row(self, v: Any) -> tuple[Any, Any]:
        """The bounds of a vertex's row."""
        c, b = self.choice, self.b
        starts = c.of_run("Indptr")
        return c.load(b, starts, v, LONG), c.load(b, starts, b.add(v, constant(1)), LONG)

    def _degree_of(self, v: Any, trusted: list[bool]) -> Any:
        def read() -> Any:
            first, end = self.row(v)
            return self.b.sub(end, first)

        return read() if trusted[0] else self.choice.guarded(self.is_vertex(v), Kind.NO_VERTEX, read)

    def _edge(self, v: Any, i: Any) -> Any:
        return self.place(v, i)

    def place(self, v: Any, i: Any) -> Any:
        """The position in the graph of edge i of v's row, or -1."""
        c, b = self.choice, self.b

        def position() -> Any:
            first, end = self.row(v)
            inside = b.icmp_unsigned("<", i, b.sub(end, first))
            return c.guarded(inside, Kind.NO_EDGE, lambda: b.add(first, i), constant(-1))

        return c.guarded(self.is_vertex(v), Kind.NO_VERTEX, position, constant(-1))

    def _neighbor(self, v: Any, i: Any) -> Any:
        place = self.place(v, i)
        there = self.b.icmp_signed("!=", place, constant(-1))
        return self.choice.chosen(there, lambda: self.end_point(place), lambda: constant(0))

    def end_point(self, place: Any) -> Any:
        """The end point of the edge at a position."""
        c, b = self.choice, self.b
        return b.zext(c.load(b, c.of_run("Indices"), place, WORD), LONG)

    def _at_edge(self, edge: Any, known: bool, table: str, kind: ir.Type, default: Any) -> Any:
        """An entry of a table by position; without the table the default."""
        c, b = self.choice, self.b

        def read() -> Any:
            base = c.of_run(table)
            there = b.icmp_unsigned("!=", base, constant(0))
            return c.chosen(there, lambda: c.load(b, base, edge, kind), lambda: default)

        return read() if known else c.guarded(self._is_edge(edge), Kind.NO_EDGE, read)

    def _is_edge(self, edge: Any) -> Any:
        return self.b.icmp_unsigned("<", edge, self.choice.of_run("Edges"))

    def _weight_of(self, edge: Any, trusted: list[bool]) -> Any:
        return self._at_edge(edge, trusted[0], "Weights", DOUBLE, ir.Constant(DOUBLE, 1.0))

    def _label_of(self, edge: Any, trusted: list[bool]) -> Any:
        return self.b.sext(self._at_edge(edge, trusted[0], "Labels", WORD, ir.Constant(WORD, 0)), LONG)

    def _time_of(self, edge: Any, trusted: list[bool]) -> Any:
        return self._at_edge(edge, trusted[0], "Times", LONG, constant(0))

    def _edge_id_of(self, edge: Any, trusted: list[bool]) -> Any:
        c, b = self.choice, self.b
        base = c.of_run("EdgeIDs")

        def wide() -> Any:
            return c.load(b, base, edge, LONG)

        def narrow() -> Any:
            return b.zext(c.load(b, base, edge, WORD), LONG)

        def read() -> Any:
            is_wide = b.icmp_unsigned("==", c.of_run("EdgeIDSize"), constant(8))
            there = b.icmp_unsigned("!=", base, constant(0))
            return c.chosen(there, lambda: c.chosen(is_wide, wide, narrow), lambda: edge)

        return read() if trusted[0] else c.guarded(self._is_edge(edge), Kind.NO_EDGE, read)

    def _max_weight_of(self, v: Any, trusted: list[bool]) -> Any:
        c, b = self.choice, self.b

        def read() -> Any:
            base = c.of_run("Largest")
            there = b.icmp_unsigned("!=", base, constant(0))
            one = ir.Constant(DOUBLE, 1.0)
            return c.chosen(there, lambda: c.load(b, base, v, DOUBLE), lambda: one)

        return read() if trusted[0] else c.guarded(self.is_vertex(v), Kind.NO_VERTEX, read)

    def _prefix_weight(self, v: Any, i: Any) -> Any:
        c, b = self.choice, self.b

        def of_row() -> Any:
            first, end = self.row(v)
            inside = b.icmp_unsigned("<=", i, b.sub(end, first))
            return c.guarded(inside, Kind.NO_EDGE, lambda: sums(b.sub(b.add(first, i), constant(1))))

        def sums(last: Any) -> Any:
            base = c.of_run("Prefix")
            there = b.icmp_unsigned("!=", base, constant(0))
            some = b.and_(there, b.icmp_signed("!=", i, constant(0)))
            return c.chosen(some, lambda: c.load(b, base, last, DOUBLE), lambda: plain(there))

        def plain(there: Any) -> Any:
            return b.select(there, ir.Constant(DOUBLE, 0.0), b.sitofp(i, DOUBLE))

        return c.guarded(self.is_vertex(v), Kind.NO_VERTEX, of_row)

    def _has_edge(self, u: Any, v: Any) -> Any:
        both = self.b.and_(self.is_vertex(u), self.is_vertex(v))
        return self.choice.guarded(both, Kind.NO_VERTEX, lambda: self.leads(u, v))

    def leads(self, u: Any, v: Any) -> Any:
        """Whether an edge leads from vertex u to vertex v."""
        c = self.choice
        told = [c.of_run(name) for name in hasedge.TABLES]
        return self.b.call(c.helper("has_edge", hasedge.SIGNATURE, hasedge.write), [*told, u, v])

    # ---- the sample

    def _root(self, i: Any) -> Any:
        c, b = self.choice, self.b
        inside = b.icmp_unsigned("<", i, c.column("Roots", WORD))
        return c.guarded(inside, Kind.OUT_OF_ARRAY, lambda: self._of_sample(i))

    def _of_sample(self, place: Any) -> Any:
        c, b = self.choice, self.b
        return c.vertex(b.zext(c.load(b, c.column("Sample"), place, WORD), LONG))

    def _count(self, i: Any) -> Any:
        first, end = self._level(i)
        return self.b.sub(end, first)

    def _previous(self, i: Any, place: Any) -> Any:
        c, b = self.choice, self.b
        first, end = self._level(i)
        inside = b.icmp_unsigned("<", place, b.sub(end, first))
        return c.guarded(inside, Kind.OUT_OF_ARRAY, lambda: self._of_sample(b.add(first, place)))

    def _level(self, i: Any) -> tuple[Any, Any]:
        """The bounds of the i-th last step in the sample; 0 and 0 if it does not exist."""
        c, b = self.choice, self.b
        step, roots = c.of_block("Step"), c.column("Roots", WORD)
        level = b.sub(b.add(step, constant(1)), i)
        there = b.icmp_unsigned("<=", level, step)  # i is from 1 to step + 1
        told = b.icmp_unsigned("!=", c.of_block("Ends"), constant(0))
        ends = c.chosen(told, lambda: c.column("Ends"), lambda: constant(0))
        even = b.icmp_unsigned("==", ends, constant(0))  # each step has one vertex

        def end(which: Any) -> Any:
            none = b.icmp_signed("<", which, constant(0))

            def by_ends() -> Any:
                return b.sext(c.load(b, ends, which, WORD), LONG)

            return c.chosen(
                b.or_(none, b.xor(there, ir.Constant(there.type, 1))),
                lambda: constant(0),
                lambda: c.chosen(even, lambda: b.add(roots, which), by_ends),
            )

        return end(b.sub(level, constant(1))), end(level)
