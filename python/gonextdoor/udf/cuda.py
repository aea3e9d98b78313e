"""Translates checked hooks to C++ for the GPU. Every operator has the same meaning as in emit.

The names are those of kernels/app/ctx.cuh. The only effects of expressions are faults, of which the lowest
counts: the order of operands is free, and one may be written twice. Operands that are not reached are not computed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from . import tree
from .expressions import joined
from .hooks import HOOKS
from .loops import counted

__all__ = ["hooks"]

_TYPES = {"bool": "bool", "int": "i64", "edge": "i64", "float": "f64"}
_ELEMENTS = {
    "bool": "u8", "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32",
    "int64": "i64", "float32": "f32", "float64": "f64",
}  # fmt: skip
_FUNCTIONS = {
    "+": "plus", "-": "minus", "*": "times", "<<": "shifted_left", ">>": "shifted_right", "min": "least",
    "max": "greatest", "/": "c.divided", "//": "c.floor_divided", "%": "c.modulo",
}  # fmt: skip
_TRUSTING = ("degree", "edge_id", "label", "max_weight", "time", "weight")  # methods with an unchecked variant
_FIELDS = {
    "transit": "vertex_or_null(c.transit)", "prev": "vertex_or_null(c.prev)", "prev_edge": "(i64)c.prev_edge",
    "size": "c.size()", "step": "c.step",
    "slot": "(i64)c.slot", "sample": "(i64)c.sample", "num_vertices": "(i64)c.g.vertices",
    "num_edges": "(i64)c.g.edges",
}  # fmt: skip
_ARGUMENTS = {"edge": ("u64", "(i64){}"), "int": ("u32", "vertex_or_null({})")}  # as the kernel passes them


def hooks(functions: Mapping[str, tree.Function], *, strict: bool) -> str:
    """An app's hooks: a struct with the names of NoHooks."""
    texts = "".join(_hook(name, function, strict) for name, function in functions.items())
    return f"namespace nd {{\n\nstruct Hooks : NoHooks {{\n{texts}}};\n\n}}  // namespace nd\n"


def _hook(name: str, function: tree.Function, strict: bool) -> str:
    """A hook, and the function that the kernel calls, which returns 32 bits."""
    kinds = [_ARGUMENTS[kind] for kind in HOOKS[name].arguments]
    taken = "".join(f", {kind} x{i}" for i, (kind, _) in enumerate(kinds))
    given = "".join(f", {wide.format(f'x{i}')}" for i, (_, wide) in enumerate(kinds))
    writer = _Writer(name, function)
    near = ("class C, class Near", ", Near near", ", near") if name == "edge_bias" else ("class C", "", "")
    call, returns = f"its_{name}(c{given}{near[2]})", function.returns
    whole = call if returns == "int" else _cast("int", returns, call)
    kind, text = {
        "flag": ("bool", f"{call} != 0"),
        "bias": ("u32", f"c.as_bias({call})"),  # one overload per type
        "vertex": ("u32", f"c.template as_vertex<{'true' if strict else 'false'}>({whole})"),
        "count": ("u32", f"c.as_count({whole})"),
    }[HOOKS[name].result]
    return (
        f"  template <{near[0]}> {writer.text(near[1])}"
        f"  static constexpr bool has_{name} = true;\n"
        f"{'  static constexpr bool second = true;' * writer.second}\n"
        f"  template <{near[0]}> ND_FN static {kind} {name}(C& c{taken}{near[1]}) {{ return {text}; }}\n"
    )


def _cast(to: tree.Type, kind: tree.Type, text: str) -> str:
    if to == kind:
        return text
    if to == "bool":
        return f"({text} != 0)"
    if to == "int" and kind == "float":
        return f"c.whole({text})"
    return f"({_TYPES[to]}){text}"


def _constant(kind: tree.Type, value: bool | int | float) -> str:
    if kind == "bool":
        return "true" if value else "false"
    if kind == "float":  # by its bits, because of NaN and -0.0
        return f"float_of_bits({struct.unpack('<Q', struct.pack('<d', value))[0]:#x}ull)"
    return f"(i64){int(value)}ll" if -(2**31) < value < 2**31 else f"(i64){int(value) % 2**64:#x}ull"


class _Writer:
    """Writes one hook."""

    def __init__(self, name: str, function: tree.Function) -> None:
        self.name, self.function = name, function
        self.locals = {
            local: f"v{i}" for i, (local, _) in enumerate(function.locals)
        }  # Python's identifiers may have letters that C++ lacks
        self.counted = counted(function)
        trusted = name in ("edge_bias", "vertex_bias")  # whose arguments are valid vertices and edges
        self.sure = set(function.arguments) - tree.assigned(function.body) if trusted else set()
        self.second = False  # whether it tests for an edge from the previous vertex to the candidate
        self.depth = 2

    def text(self, near: str) -> str:
        """The hook as a function; near is its last parameter, if any."""
        f = self.function
        arguments = "".join(f", i64 {self.locals[name]}" for name in f.arguments)
        lines = [f"ND_FN static {_TYPES[f.returns]} its_{self.name}(C& c{arguments}{near}) {{"]
        for name, kind in f.locals:
            if name not in f.arguments:
                lines.append(f"    {_TYPES[kind]} {self.locals[name]} = 0;")
        if self.counted:
            lines.append("    u32 rounds = 0;")
        lines += self.block(f.body)
        return "\n".join([*lines, "    return 0;", "  }\n"])

    # ---- statements

    def block(self, body: tuple[tree.Statement, ...]) -> list[str]:
        """Statements, line by line."""
        lines = []
        for statement in body:
            found: str | list[str] = getattr(self, "_" + type(statement).__name__)(statement)
            lines += [f"{'  ' * self.depth}{found}"] if isinstance(found, str) else found
        return lines

    def _inside(self, head: str, *first: str, body: tuple[tree.Statement, ...]) -> list[str]:
        """Statements in braces, without the last one."""
        pad = "  " * self.depth
        self.depth += 1
        lines = [pad + head, *(f"{pad}  {line}" for line in first), *self.block(body)]
        self.depth -= 1
        return lines

    def _Set(self, s: tree.Set) -> str:
        return f"{self.locals[s.name]} = {self.value(s.value)};"

    def _If(self, s: tree.If) -> list[str]:
        pad = "  " * self.depth
        lines = self._inside(f"if ({self.value(s.test)}) {{", body=s.body)
        if s.otherwise:
            lines += self._inside("} else {", body=s.otherwise)
        return [*lines, pad + "}"]

    def _For(self, s: tree.For) -> list[str]:
        pad, i = "  " * self.depth, f"i{self.depth}"
        head = f"for (i64 {i} = {self.value(s.first)}, end{i} = {self.value(s.end)}; {i} < end{i}; {i}++) {{"
        first = [f"{self.locals[s.name]} = {i};"]
        if self.counted:
            first.insert(0, "if (c.endless(rounds)) return 0;")
        return [*self._inside(head, *first, body=s.body), pad + "}"]

    def _Break(self, _: tree.Break) -> str:
        return "break;"

    def _Continue(self, _: tree.Continue) -> str:
        return "continue;"

    def _Return(self, s: tree.Return) -> str:
        return f"return {_cast(self.function.returns, s.value.type, self.value(s.value))};"

    def _Fail(self, _: tree.Fail) -> str:
        return "c.fault(kind::Failed);"

    # ---- expressions

    def value(self, x: tree.Expression) -> str:
        """An expression, in parentheses if it needs them."""
        found: str = getattr(self, "_" + type(x).__name__)(x)
        return found

    def _Constant(self, x: tree.Constant) -> str:
        return _constant(x.type, x.value)

    def _Local(self, x: tree.Local) -> str:
        return self.locals[x.name]

    def _Field(self, x: tree.Field) -> str:
        return _FIELDS[x.name]

    def _Parameter(self, x: tree.Parameter) -> str:
        return f"c.{'real_parameter' if x.type == 'float' else 'parameter'}({x.place})"

    def _Element(self, x: tree.Element) -> str:
        index = self.value(x.index)
        if x.index.type == "edge":
            index = self._method("edge_id", (x.index,))
        return f"({_TYPES[x.type]})c.template element<{_ELEMENTS[x.array.dtype]}>({x.array.place}, {index})"

    def _Call(self, x: tree.Call) -> str:
        if x.name == "has_edge" and self._to_candidate(*x.arguments):
            self.second = True
            return "c.leads(near)"
        return self._method(x.name, x.arguments)

    def _to_candidate(self, u: tree.Expression, v: tree.Expression) -> bool:
        """Whether a test for an edge (u, v) is one from the previous vertex to the candidate."""
        if self.name != "edge_bias" or not isinstance(u, tree.Field) or not isinstance(v, tree.Local):
            return False
        return u.name == "prev" and v.name == self.function.arguments[1] and v.name in self.sure

    def _method(self, name: str, arguments: tuple[tree.Expression, ...]) -> str:
        first = arguments[0]
        sure = name in _TRUSTING and isinstance(first, tree.Local) and first.name in self.sure
        return f"c.{name}{'_of' if sure else ''}({', '.join(self.value(a) for a in arguments)})"

    def _Cast(self, x: tree.Cast) -> str:
        return _cast(x.type, x.operand.type, self.value(x.operand))

    def _Unary(self, x: tree.Unary) -> str:
        if x.operator == "len":
            assert isinstance(x.operand, tree.Constant)
            return f"c.length({x.operand.value})"
        v = self.value(x.operand)
        return {
            "not": f"!({v})",
            "~": f"~({v})",
            "-": f"negative({v})",
            "abs": f"magnitude({v})",
            "sqrt": f"c.root_of({v})",
        }[x.operator]

    def _Binary(self, x: tree.Binary) -> str:
        left, right = self.value(x.left), self.value(x.right)
        if x.operator in _FUNCTIONS:
            return f"{_FUNCTIONS[x.operator]}({left}, {right})"
        return f"({_TYPES[x.type]})({left} {x.operator} {right})"

    def _Compare(self, x: tree.Compare) -> str:
        pairs = []
        for operator, left, right in zip(x.operators, x.operands, x.operands[1:], strict=False):
            kind = joined(left.type, right.type)
            assert kind is not None
            a, b = (_cast(kind, side.type, self.value(side)) for side in (left, right))
            pairs.append(f"{a} {operator} {b}")
        return f"({' && '.join(pairs)})"

    def _Logic(self, x: tree.Logic) -> str:
        sign = " && " if x.operator == "and" else " || "
        return f"({sign.join(self.value(part) for part in x.operands)})"

    def _Choose(self, x: tree.Choose) -> str:
        return f"({self.value(x.test)} ? {self.value(x.left)} : {self.value(x.right)})"
