"""Memory that a block's choices will read, asked for before the first is weighed.

A hook that asks whether an edge exists goes one way or the other at random: the processor guesses wrong, and begins the
next choice's reads only when this one's have come. What can be told beforehand, from the columns alone, is therefore
asked for in a pass of its own: all of a block's reads are then under way at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llvmlite import ir

from . import hasedge, tree
from .layout import ARRAYS
from .machine import VOID, WORD, Choice, constant
from .reads import Reads

__all__ = ["Ahead"]

_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4}
_TABLES = {"weight": ("Weights", 8), "label": ("Labels", 4)}


class Ahead:
    """What a hook reads at places known beforehand; false if there is nothing worth the pass.

    Args:
        function: the hook. sure: its arguments that are never assigned. along: whether edges come one behind the other,
            so that what lies by edge needs no asking.
    """

    def __init__(self, choice: Choice, function: tree.Function, sure: set[str], *, along: bool) -> None:
        self.choice, self.reads, self.sure, self.along = choice, Reads(choice), sure, along
        found = {repr(x): x for x in tree.expressions(function.body) if self._known(x)}
        self.calls = [x for x in found.values() if isinstance(x, tree.Call)]
        self.elements = [x for x in found.values() if isinstance(x, tree.Element)]

    def __bool__(self) -> bool:
        return any(x.name == "has_edge" for x in self.calls)

    def _known(self, x: tree.Expression) -> bool:
        if isinstance(x, tree.Call):
            by_edge = x.name in _TABLES and not self.along
            return (x.name == "has_edge" or by_edge) and all(self._given(a) for a in x.arguments)
        return isinstance(x, tree.Element) and x.index.type == "int" and self._given(x.index)

    def _given(self, x: tree.Expression) -> bool:
        column = isinstance(x, tree.Field) and x.name in ("transit", "prev")
        return column or (isinstance(x, tree.Local) and x.name in self.sure)

    def ask(self, arguments: Mapping[str, Any]) -> None:
        """Writes the requests of the present choice."""
        for call in self.calls:
            values = [self._value(a, arguments) for a in call.arguments]
            if call.name == "has_edge":
                self._ask_edge(*values)
            else:
                table, size = _TABLES[call.name]
                self._ask(self.choice.of_run(table), values[0], size)
        for element in self.elements:
            index = self._value(element.index, arguments)
            base = self.choice.of_run_at(ARRAYS + 16 * element.array.place)
            self._ask(base, index, _BYTES.get(element.array.dtype, 8))

    def _value(self, x: tree.Expression, arguments: Mapping[str, Any]) -> Any:
        if isinstance(x, tree.Field):
            return self.reads.field(x.name)
        assert isinstance(x, tree.Local)
        return arguments[x.name]

    def _ask(self, base: Any, index: Any, size: int) -> None:
        b = self.choice.b
        prefetch(b, b.add(base, b.mul(index, constant(size))))

    def _ask_edge(self, u: Any, v: Any) -> None:
        told = [self.choice.of_run(name) for name in hasedge.TABLES]
        signature = ir.FunctionType(VOID, hasedge.SIGNATURE.args)
        self.choice.b.call(self.choice.helper("ask_edge", signature, _ask_edge), [*told, u, v])


def prefetch(b: ir.IRBuilder, address: Any) -> None:
    """Asks for the line of memory at an address, which need not exist."""
    pointer = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(VOID, [pointer, WORD, WORD, WORD])
    ask = b.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
    b.call(ask, [b.inttoptr(address, pointer), *(ir.Constant(WORD, x) for x in (0, 3, 1))])  # to read, and keep


def _ask_edge(f: ir.Function) -> None:
    f.attributes.add("alwaysinline")
    _, _, slots, buckets, bits, shift, mirrored, u, v = f.args
    b = ir.IRBuilder(f.append_basic_block("entry"))
    with b.if_then(b.icmp_unsigned("!=", slots, constant(0)), likely=True):
        prefetch(b, hasedge.bucket(b, hasedge.scrambled(b, u, v, bits, mirrored), 0, slots, buckets, shift))
    b.ret_void()
