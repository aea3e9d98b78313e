"""The tree of a checked hook: expressions of four types, and statements. Its repr is part of the cache key.

The types are "bool", "int" (64 bits, wrapping), "float" (64 bits) and "edge". Conversions are written out, so every
node has one meaning.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

__all__ = [
    "Array", "Binary", "Break", "Call", "Cast", "Choose", "Compare", "Constant", "Continue", "Element", "Expression",
    "Fail", "Field", "For", "Function", "If", "Local", "Logic", "Parameter", "Return", "Set", "Statement", "Type",
    "Unary", "assigned", "assignments", "expressions", "statements",
]  # fmt: skip

Type = Literal["bool", "int", "float", "edge"]


class Node:
    """A part of a hook. Its fields are its annotations, those of its bases first, in that order: data
    classes would slow down every import of the package."""

    fields: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = ()  # the fields that are expressions, or tuples of them
    line = 0  # its line in the user's file, if known; not a field, since it does not affect the meaning

    def __init_subclass__(cls) -> None:
        own: dict[str, str] = inspect.get_annotations(cls)
        cls.fields = (*cls.fields, *own)
        cls.parts = (*cls.parts, *(name for name, kind in own.items() if "Expression" in kind))

    def __init__(self, *values: Any) -> None:
        for name, value in zip(self.fields, values, strict=True):
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(repr(getattr(self, name)) for name in self.fields)})"


class Expression(Node):
    """An expression and its type."""

    type: Type

    @functools.cached_property
    def below(self) -> tuple[Expression, ...]:
        """The expressions directly below."""
        parts = (getattr(self, name) for name in self.parts)
        return tuple(x for part in parts for x in (part if isinstance(part, tuple) else (part,)))

    @functools.cached_property
    def nodes(self) -> int:
        """The number of expressions, this one and those below."""
        return 1 + sum(x.nodes for x in self.below)


class Constant(Expression):
    value: bool | int | float


class Local(Expression):
    """A local variable or an argument."""

    name: str


class Field(Expression):
    """A number or an edge that ctx holds, such as ctx.step."""

    name: str


class Parameter(Expression):
    """The user's parameter with that number."""

    place: int


class Array(Node):
    """The user's array with that number, and numpy's name of its element type."""

    place: int
    dtype: str


class Element(Expression):
    """An element of an array; an index that is an edge stands for the edge's id."""

    array: Array
    index: Expression


class Unary(Expression):
    """ "-", "~", "not", "abs", "sqrt", or "len" of the array with that number."""

    operator: str
    operand: Expression


class Binary(Expression):
    """An operation on two operands of its own type."""

    operator: str
    left: Expression
    right: Expression


class Compare(Expression):
    """A comparison, possibly chained; each pair is compared in a common type."""

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


class Logic(Expression):
    """ "and" or "or" of conditions; evaluated from left to right until the result is known."""

    operator: str
    operands: tuple[Expression, ...]


class Choose(Expression):
    """left if test else right."""

    test: Expression
    left: Expression
    right: Expression


class Cast(Expression):
    """A conversion: to float from an int, to int from a bool or a float (checked), to bool from a number."""

    operand: Expression


class Call(Expression):
    """A method of ctx."""

    name: str
    arguments: tuple[Expression, ...]


class Statement(Node):
    """A statement."""


class Set(Statement):
    name: str
    value: Expression


class If(Statement):
    test: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


class For(Statement):
    """name runs from first up to below end."""

    name: str
    first: Expression
    end: Expression
    body: tuple[Statement, ...]


class Break(Statement):
    pass


class Continue(Statement):
    pass


class Return(Statement):
    value: Expression


class Fail(Statement):
    """ctx.fail()"""


class Function(Node):
    """A checked hook: its arguments after ctx, the types of its locals, and its result type."""

    arguments: tuple[str, ...]
    locals: tuple[tuple[str, Type], ...]
    returns: Type
    body: tuple[Statement, ...]


def expressions(node: object) -> Iterator[Expression]:
    """All expressions below a node, itself first if it is one."""
    if isinstance(node, Expression):
        yield node
    if isinstance(node, tuple):
        for part in node:
            yield from expressions(part)
    elif isinstance(node, Node):
        for name in node.fields:
            yield from expressions(getattr(node, name))


def statements(body: Sequence[Statement]) -> Iterator[Statement]:
    """All statements, each one before those inside it."""
    for s in body:
        yield s
        for name in s.fields:
            part = getattr(s, name)
            if isinstance(part, tuple):
                yield from statements(part)


def assignments(body: Sequence[Statement]) -> Iterator[tuple[str, Expression]]:
    """The names that statements assign, and expressions on which their values depend."""
    for s in statements(body):
        if isinstance(s, Set):
            yield s.name, s.value
        if isinstance(s, For):
            yield s.name, s.first
            yield s.name, s.end


def assigned(body: Sequence[Statement]) -> set[str]:
    """The names that statements assign."""
    return {name for name, _ in assignments(body)}
