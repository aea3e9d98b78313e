"""The text of a user's function: its location, and the numbers that it uses from outside."""

from __future__ import annotations

import ast
import inspect
import linecache
import math
import os
import textwrap
import types
from typing import Any, NoReturn

import numpy as np

__all__ = ["AppError", "Source", "number"]


class AppError(TypeError):
    """A function that cannot be a hook: the text names its file, line and name, and says what to write instead.

    Examples:
        >>> def bias(ctx, edge, dst):
        ...     return [dst]
        >>> try:
        ...     gnd.App(edge_bias=bias, steps=4)
        ... except gnd.AppError as error:
        ...     print(type(error).__name__)
        AppError
    """


def number(value: Any) -> bool | int | float | None:
    """The value as a plain number, or None if it is none."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    return None


class Source:
    """A function's text. Nothing else of the function is kept, and it can be pickled.

    Attributes:
        name: the function's name.
        file: the file that contains it.
        line: the number of the text's first line there.
        text: the text, decorators and all.
        numbers: the values of outside names, dotted ones too; filled at lookup.
        functions: the outside names that are functions of the language, and these; filled at lookup.
    """

    __slots__ = ("_around", "file", "functions", "line", "name", "numbers", "text")

    def __init__(self, function: Any) -> None:
        if not isinstance(function, types.FunctionType) or function.__name__ == "<lambda>":
            what = "a lambda" if isinstance(function, types.FunctionType) else repr(function)
            raise AppError(f"{what}: expected a function written with def")
        self.name = function.__name__
        if hasattr(function, "__wrapped__"):
            raise AppError(
                f"{self.name}: it is wrapped by a decorator, which would not run: pass {self.name}.__wrapped__"
            )
        self.numbers: dict[str, bool | int | float] = {}
        self.functions: dict[str, str] = {}
        self._around: dict[str, Any] | None = dict(function.__globals__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._around[name] = _contents(cell)
        self.file = function.__code__.co_filename
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise AppError(
                f"{self.name}: its source is not available: define it in a file or a notebook cell, not by exec or "
                "at a prompt"
            ) from None
        self.line, self.text = max(first, 1), textwrap.dedent("".join(lines))
        if not _stands(function.__code__, self.file, self.line):
            raise AppError(
                f"{self.where()}: in {self.name}: its file has changed since it was defined: define it again or "
                "restart Python"
            )

    def definition(self) -> ast.FunctionDef:
        """The function's syntax tree, its lines numbered as in the file."""
        try:
            body = ast.parse(self.text).body
        except SyntaxError:
            body = []
        if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
            raise AppError(f"{self.where()}: in {self.name}: expected a plain function written with def")
        ast.increment_lineno(body[0], self.line - 1)
        return body[0]

    def lookup(self, name: str) -> bool | int | float | None:
        """The current value of a name outside of the function; None if it is no number."""
        if name not in self.numbers:
            found = number(self._outside(name))
            if found is None:
                return None
            self.numbers[name] = found
        return self.numbers[name]

    def function(self, name: str) -> str | None:
        """The function of the language that a name outside of the function stands for: "sqrt", or None."""
        if name not in self.functions and self._outside(name) is math.sqrt:
            self.functions[name] = "sqrt"
        return self.functions.get(name)

    def _outside(self, name: str) -> Any:
        """The current value of a name outside of the function, or None."""
        first, *rest = name.split(".")
        value = (self._around or {}).get(first)
        for part in rest:
            value = getattr(value, part, None) if isinstance(value, types.ModuleType) else None
        return value

    def where(self, line: int | None = None) -> str:
        """The location as "file.py:12"."""
        return f"{os.path.basename(self.file)}:{line or self.line}"

    def refuse(self, node: ast.AST | int, text: str) -> NoReturn:
        """Raises an AppError at a node or line."""
        line = node if isinstance(node, int) else getattr(node, "lineno", self.line)
        raise AppError(f"{self.where(line)}: in {self.name}: {text}")

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "_around"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._around = None


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return None


def _stands(code: types.CodeType, file: str, line: int) -> bool:
    """Whether the code was compiled from the current text at that line: a file may have changed since, and other
    functions have moved there. The whole file is compiled, since code depends on its context."""
    try:
        module = compile("".join(linecache.getlines(file)), file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a notebook cell may contain more than Python
        return True
    inside, found = [module], []
    while inside:
        one = inside.pop()
        inside += [value for value in one.co_consts if isinstance(value, types.CodeType)]
        if one.co_firstlineno == line:
            found.append(_said(one))
    return _said(code) in found


def _said(code: types.CodeType) -> tuple[Any, ...]:
    """The code without its location."""
    values = [repr(value) for value in code.co_consts if not isinstance(value, types.CodeType)]
    return code.co_name, code.co_code, values, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount
