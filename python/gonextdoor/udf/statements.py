"""The checked language's statements: control flow; locals are set before they are read; every path returns."""

from __future__ import annotations

import ast

from . import tree
from .expressions import ARITHMETIC, NO_FUNCTIONS, NOUNS, WHY, Names, Reader, cast, joined
from .hooks import HOOKS, Hook
from .source import Source
from .tree import Statement, Type

__all__ = ["checked"]

NO_EXCEPTIONS = "a hook cannot raise: call ctx.fail()"
REASONS: dict[type[ast.AST], str] = {
    ast.While: "a while loop may never end: use for i in range(n)",
    ast.Raise: NO_EXCEPTIONS, ast.Assert: NO_EXCEPTIONS,
    ast.Try: "'try' is not supported in hooks: compare before, or call ctx.fail()",
    ast.FunctionDef: NO_FUNCTIONS, ast.ClassDef: NO_FUNCTIONS, ast.AnnAssign: "write the assignment without a type",
    ast.Global: "a hook keeps nothing from call to call", ast.Nonlocal: "a hook keeps nothing from call to call",
    ast.Delete: "locals need no deleting", ast.With: "'with' is not supported in hooks",
    ast.Import: "import outside of the hook", ast.ImportFrom: "import outside of the hook",
}  # fmt: skip
ASSIGNABLE = "only local variables can be assigned; arrays and ctx are read-only"


def checked(source: Source, hook: str, names: Names) -> tree.Function:
    """The hook as typed statements.

    Raises:
        AppError: it is not in the language; the text has file, line, name and advice.
    """
    try:
        return _Check(source, HOOKS[hook], hook, names).function()
    except RecursionError:
        source.refuse(source.line, "an expression of hundreds of parts: give some of them names")


class _Check(Reader):
    def __init__(self, source: Source, hook: Hook, name: str, names: Names) -> None:
        self.definition, self.hook, self.called = source.definition(), hook, name
        ctx, arguments = self._arguments(source)
        super().__init__(source, ctx, names)
        self.arguments = arguments
        stored = {n.id for n in ast.walk(self.definition) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.stored = frozenset(stored | set(arguments))
        self.returns: Type | None = None

    def _arguments(self, source: Source) -> tuple[str, tuple[str, ...]]:
        a = self.definition.args
        expected = 1 + len(self.hook.arguments)
        if a.vararg or a.kwarg or a.kwonlyargs or a.defaults or len(a.args) + len(a.posonlyargs) != expected:
            got = len(a.args) + len(a.posonlyargs)
            meaning = f"{self.called} is {self.hook.meaning}"
            source.refuse(self.definition, f"takes {got} arguments, expected {expected} without defaults: {meaning}")
        ctx, *arguments = (x.arg for x in [*a.posonlyargs, *a.args])
        return ctx, tuple(arguments)

    def function(self) -> tree.Function:
        kinds: tuple[Type, ...] = self.hook.arguments  # type: ignore[assignment]
        self.types.update(zip(self.arguments, kinds, strict=True))
        self.known = frozenset(self.arguments)
        body = self.definition.body
        if ast.get_docstring(self.definition, clean=False) is not None:
            body = body[1:]
        statements, ends = self.block(body)
        if ends:
            self.source.refuse(self.definition, "a path ends without return")
        assert self.returns is not None
        self._result(self.returns)
        inside = tuple((name, kind) for name, kind in self.types.items())
        return tree.Function(self.arguments, inside, self.returns, statements)

    def _result(self, kind: Type) -> None:
        """Refuses a result that cannot be converted to the hook's type."""
        wanted = {"bias": "a weight", "vertex": "a vertex or NULL", "flag": "a condition", "count": "an int"}
        wrong = kind == "edge" or (self.hook.result in ("vertex", "count") and kind != "int")
        if wrong:
            what = wanted[self.hook.result]
            self.source.refuse(self.definition, f"returns {NOUNS[kind]}, expected {what} ({self.called})")

    def block(self, body: list[ast.stmt]) -> tuple[tuple[Statement, ...], bool]:
        """The statements, and whether the code after them is reached; unreachable statements are left out."""
        statements: list[Statement] = []
        for node in body:
            read = getattr(self, "_" + type(node).__name__, None)
            if read is None or type(node) in REASONS:
                name = type(node).__name__
                self.source.refuse(node, REASONS.get(type(node), f"{name} is not part of the language of hooks"))
            found: Statement | None = read(node)
            if found is not None:
                found.line = node.lineno
                statements.append(found)
            if isinstance(found, (tree.Return, tree.Break, tree.Continue)) or self._left:
                self._left = False
                return tuple(statements), False
        return tuple(statements), True

    _left = False  # both branches of the last If leave

    def _Pass(self, node: ast.Pass) -> None:
        return None

    def _Return(self, node: ast.Return) -> Statement:
        if node.value is None:
            self.source.refuse(node, "return without a value")
        value = self.expression(node.value)
        before = self.returns
        kind = value.type if before is None else joined(before, value.type)
        if kind is None:
            self.source.refuse(node, f"returns {NOUNS[value.type]} here and {NOUNS[before or 'int']} elsewhere")
        self.returns = kind
        return tree.Return(value)

    def _Assign(self, node: ast.Assign) -> Statement:
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, ast.Name):
            self.source.refuse(node, f"{ASSIGNABLE}, one per line")
        return self._set(node, target.id, self.expression(node.value))

    def _AugAssign(self, node: ast.AugAssign) -> Statement:
        if not isinstance(node.target, ast.Name):
            self.source.refuse(node, ASSIGNABLE)
        operator = ARITHMETIC.get(type(node.op))
        if operator is None:
            self.source.refuse(node, WHY[type(node.op)])
        there = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        return self._set(node, node.target.id, self.binary(node, operator, there, node.value))

    def _set(self, node: ast.stmt, name: str, value: tree.Expression) -> Statement:
        if name == self.ctx:
            self.source.refuse(node, f"{name} cannot be assigned")
        kind = self.types.setdefault(name, value.type)
        if kind == "int" and value.type == "bool":
            value = cast("int", value)
        if kind != value.type:
            advice = " (write 1.0 for 1)" if {kind, value.type} == {"int", "float"} else ""
            what = f"{name} is {NOUNS[value.type]} here and {NOUNS[kind]} elsewhere"
            self.source.refuse(node, f"{what}: a local has one type{advice}")
        self.known |= {name}
        return tree.Set(name, value)

    def _If(self, node: ast.If) -> Statement:
        test, known = self.condition(node.test), self.known
        body, on = self.block(node.body)
        then, self.known = self.known, known
        otherwise, other = self.block(node.orelse)
        if on and other:
            self.known &= then
        elif on:
            self.known = then
        self._left = not on and not other
        return tree.If(test, body, otherwise)

    def _For(self, node: ast.For) -> Statement:
        call = node.iter
        ranged = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not ranged or not isinstance(call, ast.Call) or not isinstance(node.target, ast.Name) or node.orelse:
            self.source.refuse(node, "a loop is for i in range(...), without else")
        if not 1 <= len(call.args) <= 2 or call.keywords:
            self.source.refuse(node, "range takes one or two arguments here: range(n) or range(first, end)")
        *first, end = (self.integer(x, "range") for x in call.args)
        known, name = self.known, node.target.id
        self._set(node, name, tree.Constant("int", 0))
        body, _ = self.block(node.body)
        self.known = known
        return tree.For(name, first[0] if first else tree.Constant("int", 0), end, body)

    def _Break(self, node: ast.Break) -> Statement:
        return tree.Break()

    def _Continue(self, node: ast.Continue) -> Statement:
        return tree.Continue()

    def _Expr(self, node: ast.Expr) -> Statement:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "fail":
            if self._of_ctx(call.func) and not call.args and not call.keywords:
                return tree.Fail()
            self.source.refuse(node, f"expected {self.ctx}.fail()")
        self.expression(call)
        return self.source.refuse(node, "this line does nothing: assign it, or return it")
