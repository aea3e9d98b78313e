"""An app's kernels: each hook inside a loop over the choices of a block, a C function void(const Block*)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from llvmlite import ir

from . import tree
from .emit import Emitter
from .hooks import HOOKS, KERNELS
from .layout import NO_VERTEX, Kind
from .machine import DOUBLE, LONG, VOID, WORD, Choice, constant
from .prefetch import Prefetcher

__all__ = ["kernels_of", "module"]

MOST_PICKS = 1 << 20


def kernels_of(functions: Mapping[str, tree.Function]) -> list[str]:
    """The names of the kernels that hooks make."""
    return [kernel for kernel, hook in KERNELS.items() if hook in functions]


def module(functions: Mapping[str, tree.Function], *, strict: bool, only: tuple[int, int] | None = None) -> str:
    """The LLVM IR of the kernels of an app's hooks. With a step and a kind of fault they record only such faults, and
    the hook and line instead of the row."""
    made = ir.Module("hooks")
    for kernel in kernels_of(functions):
        hook = KERNELS[kernel]
        f = ir.Function(made, ir.FunctionType(VOID, [LONG]), kernel)
        f.attributes.add("nounwind")
        choice = Choice(made, f)
        choice.only = None if only is None else (*only, list(HOOKS).index(hook))
        vertices = hook in ("edge_bias", "vertex_bias")  # arguments are valid vertices and edges
        run = Result(choice, Emitter(choice, functions[hook], vertices), hook, strict)
        (_rows if kernel == "row_bias" else _column)(choice, run, functions[hook])
        choice.b.ret_void()
    return str(made).replace(" nounwind", ' nounwind "no-builtins"')


def _column(choice: Choice, run: Result, function: tree.Function) -> None:
    """One choice per entry of the columns."""
    b = choice.b
    given = ("Edge", "Dst") if len(function.arguments) == 2 else ("Dst",)

    def arguments(i: Any) -> dict[str, Any]:
        choice.index = i
        columns = {"Edge": lambda: choice.column("Edge"), "Dst": lambda: choice.vertex(choice.column("Dst", WORD))}
        return {name: columns[what]() for name, what in zip(function.arguments, given, strict=False)}

    def weigh(i: Any, arguments: Mapping[str, Any]) -> None:
        value = run.of(arguments)
        b.store(value, b.gep(b.inttoptr(choice.of_block("Out"), WORD.as_pointer()), [i]))
        if run.hook == "next":
            ahead.ask_row(value)

    ahead = Prefetcher(choice, run.emitter, along=False)
    ahead.passes(choice.of_block("N"), arguments, weigh)


def _rows(choice: Choice, run: Result, function: tree.Function) -> None:
    """Whole rows, one per entry of the columns; the biases of the rows are concatenated."""
    b = choice.b
    out = choice.local(LONG)
    choice.entry.store(choice.of_block("Out"), out)
    ahead = Prefetcher(choice, run.emitter, along=True)
    with choice.loop(choice.of_block("N")) as choice.index:
        first, count, to = choice.column("Edge"), choice.column("Dst", WORD), b.load(out)

        def arguments(j: Any) -> dict[str, Any]:
            return dict(zip(function.arguments, _candidate(choice, b.add(first, j)), strict=True))

        def weigh(j: Any, arguments: Mapping[str, Any]) -> None:
            b.store(run.of(arguments), b.gep(b.inttoptr(to, WORD.as_pointer()), [j]))

        ahead.passes(count, arguments, weigh)
        b.store(b.add(to, b.shl(count, constant(2))), out)


def _candidate(choice: Choice, edge: Any) -> tuple[Any, Any]:
    """An edge and its end point."""
    return edge, choice.b.zext(choice.load(choice.b, choice.of_run("Indices"), edge, WORD), LONG)


class Result:
    """What a hook returns, as the core reads it: 32 bits."""

    def __init__(self, choice: Choice, emitter: Emitter, hook: str, strict: bool) -> None:
        self.choice, self.emitter, self.hook, self.strict = choice, emitter, hook, strict

    def of(self, arguments: Mapping[str, Any]) -> Any:
        """The result of the hook with these arguments."""
        value, kind = self.emitter.run(arguments), self.emitter.function.returns
        convert: Callable[[tree.Type, Any], Any] = getattr(self, "_" + HOOKS[self.hook].result)
        return self.choice.b.trunc(convert(kind, value), WORD)

    def _flag(self, kind: tree.Type, value: Any) -> Any:
        return self.choice.b.zext(self.emitter.cast("bool", kind, value), LONG)

    def _count(self, kind: tree.Type, value: Any) -> Any:
        b = self.choice.b
        few = b.icmp_unsigned("<=", value, constant(MOST_PICKS))
        return self.choice.guarded(few, Kind.BAD_FANOUT, lambda: value)

    def _bias(self, kind: tree.Type, value: Any) -> Any:
        """Ints as they are, floats in units of 2^-16, rounded down; a positive one never becomes 0."""
        b, choice = self.choice.b, self.choice
        if kind != "float":
            value = self.emitter.cast("int", kind, value)
            negative = b.icmp_signed("<", value, constant(0))
            fits = b.icmp_unsigned("<", value, constant(1 << 32))
            kinds = b.select(negative, constant(Kind.NEGATIVE), constant(Kind.TOO_LARGE))
            return choice.guarded(fits, kinds, lambda: value)
        nothing = ir.Constant(DOUBLE, 0.0)
        scaled = b.fmul(value, ir.Constant(DOUBLE, 65536.0))
        below = b.fcmp_ordered("<", scaled, ir.Constant(DOUBLE, 2.0**32))
        fits = b.and_(b.fcmp_ordered(">=", value, nothing), below)
        finite = b.select(b.fcmp_unordered("uno", value, value), constant(Kind.NOT_FINITE), constant(Kind.TOO_LARGE))
        kinds = b.select(b.fcmp_ordered("<", value, nothing), constant(Kind.NEGATIVE), finite)

        def whole() -> Any:
            units = b.fptosi(scaled, LONG)
            least = b.zext(b.fcmp_ordered(">", value, nothing), LONG)
            return b.select(b.icmp_signed("==", units, constant(0)), least, units)

        return choice.guarded(fits, kinds, whole)

    def _vertex(self, kind: tree.Type, value: Any) -> Any:
        b, choice = self.choice.b, self.choice
        none, reads = constant(NO_VERTEX), self.emitter.reads
        absent = b.icmp_signed("==", value, constant(-1))

        def present() -> Any:
            return choice.guarded(reads.is_vertex(value), Kind.NOT_A_VERTEX, reached, none)

        def reached() -> Any:
            if not self.strict:
                return value
            transit = reads.field("transit")

            def leads() -> Any:
                return reads.leads(transit, value)

            near = choice.chosen(reads.is_vertex(transit), leads, lambda: ir.Constant(absent.type, 1))
            return choice.guarded(near, Kind.NOT_A_NEIGHBOR, lambda: value, none)

        return choice.chosen(absent, lambda: none, present)
