"""Square roots and tables in hooks: exact on every path, errors, and refusals."""

from __future__ import annotations

import math
import pickle
import re
from math import sqrt

import numpy as np
import pytest
from agreement import GRAPHS, agree, expected, outcome
from compiler import by_compiler
from oracle_view import Spec

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

WEIGHTED, ROWS = GRAPHS["weighted"]
BITS = np.random.default_rng(1).integers(0, 0x7FF << 52, 40, dtype=np.uint64)  # finite numbers of all magnitudes
VALUES = np.concatenate([BITS.view(np.float64)[:36], [0.0, -0.0, math.inf, 5e-324]])
MANTISSA = 2.0**53
GAUSS = gnd.table(lambda x: math.exp(-x * x), -2, 3, 101)


def last_bits(ctx, edge, dst):
    x = math.sqrt(ctx.values[dst])
    for _ in range(600):  # to 53 bits before the point
        if MANTISSA <= x < math.inf:
            x *= 0.5
        if 0.0 < x < MANTISSA / 2.0:
            x *= 2.0
    return (int(x) & 1023) + 1 if x < math.inf else 5


def of_int(ctx, edge, dst):
    return sqrt(dst) + math.sqrt(4)


def of_negative(ctx, edge, dst):
    return math.sqrt(ctx.label(edge))


def tabulated(ctx, edge, dst):
    return ctx.gauss(ctx.scale * dst - 1.0) + ctx.gauss(dst) + ctx.gauss(-9.5)


def exact_bits(ctx, edge, dst):
    return (int(ctx.gauss(0.13 * dst - 2.5) * MANTISSA) & 1023) + 1


def of_nan(ctx, edge, dst):
    big = 1e308 * 10.0
    return ctx.gauss(big - big)


SPECS = {
    "last_bits": Spec({"edge_bias": last_bits}, steps=3, arrays={"values": VALUES}),
    "of_int": Spec({"edge_bias": of_int}, steps=3, floats=("edge_bias",)),
    "tabulated": Spec(
        {"edge_bias": tabulated}, steps=3, arrays={"gauss": GAUSS}, params={"scale": 0.1}, floats=("edge_bias",)
    ),
    "exact_bits": Spec({"edge_bias": exact_bits}, steps=3, arrays={"gauss": GAUSS}),
}


@pytest.mark.parametrize("name", SPECS)
def test_they_are_those_of_python(name: str, tmp_path) -> None:
    spec = SPECS[name]
    want = agree(spec, "weighted", range(40))
    assert isinstance(want, list)
    assert outcome(WEIGHTED, by_compiler(spec.app(), tmp_path), range(40), 1) == want, "the C++ of a GPU"


@pytest.mark.parametrize(
    ("hook", "arrays", "text"),
    [
        (of_negative, {}, "square root of a negative number"),
        (of_nan, {"gauss": GAUSS}, "float to int conversion out of range"),
    ],
)
def test_errors(hook, arrays, text: str, tmp_path) -> None:
    spec = Spec({"edge_bias": hook}, steps=3, arrays=arrays, floats=("edge_bias",))
    kind, message = expected(spec, ROWS, range(40))
    assert kind == "ValueError" and message.startswith(text)
    assert agree(spec, "weighted", range(40)) == (kind, message)
    assert outcome(WEIGHTED, by_compiler(spec.app(), tmp_path), range(40), 1) == (kind, message)


@pytest.mark.usefixtures("loose_bounds")
def test_bounds_of_them() -> None:
    def bound(hook, **rest) -> str:
        return gnd.explain(WEIGHTED, gnd.App(edge_bias=hook, steps=3, **rest), device="cpu").bound or ""

    assert bound(of_int).startswith("inferred: math.sqrt(39.0) + math.sqrt(4.0)")
    assert bound(tabulated, arrays={"gauss": GAUSS}, params={"scale": 0.1}).startswith("inferred: 2.0 + ctx.gauss[0]")
    assert "a square root may be of a negative number" in bound(of_negative)


# ---- tables in Python


def test_a_table_has_the_values_of_the_function() -> None:
    table = gnd.table(math.sqrt, 1, 4, 7)
    points = [1.0 + i * 3.0 / 6 for i in range(7)]
    assert table.values.tolist() == [math.sqrt(x) for x in points] and not table.values.flags.writeable
    assert [table(x) for x in points] == table.values.tolist()
    assert (table(0.0), table(-math.inf), table(1e300), table(math.inf)) == (1.0, 1.0, 2.0, 2.0)
    assert table(1.25) == math.sqrt(1.5), "of two nearest points the greater"
    assert table(1.2499) == 1.0 and table(1.26) == math.sqrt(1.5)
    assert (len(table), repr(table), table.low, table.high) == (7, "table(1.0, 4.0, 7)", 1.0, 4.0)


def test_an_app_with_a_table_is_pickled() -> None:
    app = SPECS["tabulated"].app()
    same = pickle.loads(pickle.dumps(app))
    assert outcome(WEIGHTED, same, range(40), 1) == outcome(WEIGHTED, app, range(40), 1)


REFUSED = [
    ((3, 0, 1, 2), TypeError, "f = 3: expected a function of a float"),
    ((math.exp, "0", 1, 2), TypeError, "low = '0': expected a number"),
    ((math.exp, 0, True, 2), TypeError, "high = True: expected a number"),
    ((math.exp, 0, math.inf, 2), ValueError, "high = inf: expected a finite number"),
    ((math.exp, 1, 1, 2), ValueError, "low = 1.0, high = 1.0: expected low < high"),
    ((math.exp, -1e308, 1e308, 2), ValueError, "expected a range whose length and its inverse are finite"),
    ((math.exp, 0, 5e-324, 2), ValueError, "expected a range whose length and its inverse are finite"),
    ((math.exp, 0, 1, 1), ValueError, "n = 1"),
    ((math.exp, 0, 1, 2.5), TypeError, "n"),
    ((math.log, 0, 1, 5), ValueError, "f(0.0): "),
    ((math.exp, 0, 1000, 5), ValueError, "f(750.0): "),
    ((lambda x: math.nan, 0, 1, 5), ValueError, "f(0.0) = nan: expected a finite number at all points"),
]


@pytest.mark.parametrize(("given", "error", "text"), REFUSED, ids=[text for *_, text in REFUSED])
def test_a_table_refuses(given, error, text: str) -> None:
    with pytest.raises(error, match=re.escape(text)):
        gnd.table(*given)


def two(ctx, edge, dst):
    return ctx.gauss(1.0, 2.0)


def an_edge(ctx, edge, dst):
    return ctx.gauss(edge)


def two_roots(ctx, edge, dst):
    return math.sqrt(1.0, 2.0)


def other_root(ctx, edge, dst):
    return np.sqrt(2.0)


@pytest.mark.parametrize(
    ("hook", "text"),
    [
        (two, "ctx.gauss takes 1 argument, got 2"),
        (an_edge, "ctx.gauss takes numbers, edge is an edge"),
        (two_roots, "sqrt takes 1 argument"),
        (other_root, "np.sqrt() is not supported in hooks"),
    ],
)
def test_a_hook_refuses(hook, text: str) -> None:
    with pytest.raises(gnd.AppError, match=re.escape(text)):
        gnd.App(edge_bias=hook, steps=2, arrays={"gauss": GAUSS})
