"""What a checked hook is: expressions of four types, and statements. Its repr is its meaning, so it goes into the key.

The types are "bool", "int" (64 bits, wrapping), "float" (64 bits) and "edge". Conversions are written out, so every
node has one meaning.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Literal

__all__ = [
    "Array", "Binary", "Break", "Call", "Cast", "Choose", "Compare", "Constant", "Continue", "Element", "Expression",
    "Fail", "Field", "For", "Function", "If", "Local", "Logic", "Parameter", "Return", "Set", "Statement", "Type",
    "Unary", "expressions",
]  # fmt: skip

Type = Literal["bool", "int", "float", "edge"]


@dataclasses.dataclass(frozen=True)
class Expression:
    """An expression and its type."""

    type: Type


@dataclasses.dataclass(frozen=True)
class Constant(Expression):
    value: bool | int | float


@dataclasses.dataclass(frozen=True)
class Local(Expression):
    """A local variable or an argument."""

    name: str


@dataclasses.dataclass(frozen=True)
class Field(Expression):
    """A number that ctx holds, such as ctx.step."""

    name: str


@dataclasses.dataclass(frozen=True)
class Parameter(Expression):
    """The user's parameter of that place."""

    place: int


@dataclasses.dataclass(frozen=True)
class Array:
    """The user's array of that place, and the type of its elements, as numpy names it."""

    place: int
    dtype: str


@dataclasses.dataclass(frozen=True)
class Element(Expression):
    """An element of an array; an index that is an edge stands for the edge's id."""

    array: Array
    index: Expression


@dataclasses.dataclass(frozen=True)
class Unary(Expression):
    """ "-", "~", "not", "abs", or "len" of the array of that place."""

    operator: str
    operand: Expression


@dataclasses.dataclass(frozen=True)
class Binary(Expression):
    """An operation on two operands of its own type."""

    operator: str
    left: Expression
    right: Expression


@dataclasses.dataclass(frozen=True)
class Compare(Expression):
    """A comparison, chained perhaps; each pair is of one type where it is compared."""

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclasses.dataclass(frozen=True)
class Logic(Expression):
    """ "and" or "or" of conditions; the right ones are looked at only where the left ones leave it open."""

    operator: str
    operands: tuple[Expression, ...]


@dataclasses.dataclass(frozen=True)
class Choose(Expression):
    """left if test else right."""

    test: Expression
    left: Expression
    right: Expression


@dataclasses.dataclass(frozen=True)
class Cast(Expression):
    """A conversion: to float from an int, to int from a bool or a float (checked), to bool from a number."""

    operand: Expression


@dataclasses.dataclass(frozen=True)
class Call(Expression):
    """A method of ctx."""

    name: str
    arguments: tuple[Expression, ...]


@dataclasses.dataclass(frozen=True)
class Statement:
    pass


@dataclasses.dataclass(frozen=True)
class Set(Statement):
    name: str
    value: Expression


@dataclasses.dataclass(frozen=True)
class If(Statement):
    test: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclasses.dataclass(frozen=True)
class For(Statement):
    """name runs from first up to below end."""

    name: str
    first: Expression
    end: Expression
    body: tuple[Statement, ...]


@dataclasses.dataclass(frozen=True)
class Break(Statement):
    pass


@dataclasses.dataclass(frozen=True)
class Continue(Statement):
    pass


@dataclasses.dataclass(frozen=True)
class Return(Statement):
    value: Expression


@dataclasses.dataclass(frozen=True)
class Fail(Statement):
    """ctx.fail()"""


@dataclasses.dataclass(frozen=True)
class Function:
    """A checked hook: its arguments behind ctx, the types of its locals, and the type that it returns."""

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
    elif dataclasses.is_dataclass(node):
        for field in dataclasses.fields(node):
            yield from expressions(getattr(node, field.name))
