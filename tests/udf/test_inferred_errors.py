"""Inferred bounds of hooks that may have an error: the bound of the other values, and which errors are found."""

from __future__ import annotations

import inspect
import pathlib
import re

import fuzzer
import pytest
from agreement import GRAPHS, expected, outcome
from oracle_view import Spec
from test_inferred import LARGEST, VALUES, WEIGHTED, bound

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

FILE = pathlib.Path(__file__).name
pytestmark = pytest.mark.usefixtures("loose_bounds")


def negative(ctx, edge, dst):
    return ctx.values[dst]


def beyond(ctx, edge, dst):
    return ctx.values[ctx.label(edge)] + 1


def divided(ctx, edge, dst):
    return 1.0 / (ctx.weight(edge) - 1.0)


def unguarded(ctx, edge, dst):
    return 2 if ctx.has_edge(ctx.prev, dst) else 1


def too_large(ctx, edge, dst):
    return 20000.0 * ctx.weight(edge)


def infinite(ctx, edge, dst):
    return min(1.0, ctx.weight(edge) * 1e300 * 1e300)


def of_roots(ctx, edge, dst):
    return 1 + ctx.root(1) % 8


def of_earlier(ctx, edge, dst):
    return ctx.previous(1, 1) == dst


def of_previous_edge(ctx, edge, dst):
    return 1 + abs(ctx.label(ctx.prev_edge))


def whole(ctx, edge, dst):
    return min(int(ctx.weight(edge) * 1e19), 4)


def by_difference(ctx, edge, dst):
    return abs(1.0 / (ctx.degree(dst) - 1))


def below_zero(ctx, edge, dst):
    return ctx.values[dst] - 5


def huge(ctx, edge, dst):
    return 1e6


def failing(ctx, edge, dst):
    if dst == 3:
        ctx.fail()
    return 1


def long(ctx, edge, dst):
    n = 0
    for i in range(ctx.num_vertices * 100_000):
        n ^= i
    return n & 1


ERRORS = [
    (negative, {"arrays": {"values": VALUES}}, "5", "a bias may be negative, from -1 on"),
    (beyond, {"arrays": {"values": VALUES[:3]}}, "5", "an array index may be out of range"),
    (unguarded, {}, "2", "a vertex may be out of range"),
    (
        too_large, {}, f"max(min(20000.0 * {LARGEST}, 65535.99998474121), 1.52587890625e-05)",
        "a bias may be too large, up to 80000",
    ),
    (of_roots, {}, "8", "a root may not exist"),
    (of_earlier, {}, "1", "a vertex of the sample may not exist"),
    (of_previous_edge, {}, "4", "there may be no edge"),
    (failing, {}, "1", "ctx.fail() may be called"),
    (
        whole, {}, f"max(min(int(min({LARGEST} * 1e+19, 9.223372036854775e+18)), 4), 1)",
        "a conversion to int may be out of range",
    ),
    (by_difference, {}, "1.0", "a divisor may be 0"),
    (long, {}, "1", "its loops may take more than 1048576 rounds"),
]  # fmt: skip


@pytest.mark.parametrize(("hook", "rest", "most", "why"), ERRORS, ids=[hook.__name__ for hook, *_ in ERRORS])
def test_the_bound_of_a_hook_that_may_have_an_error(hook, rest, most: str, why: str) -> None:
    text = bound(hook, **rest) or ""
    place = re.fullmatch(
        rf"inferred: {re.escape(most)}  # found for proposed edges only: {re.escape(why)} \({FILE}:(\d+)\)", text
    )
    assert place is not None, text
    lines, first = inspect.getsourcelines(hook)
    assert first < int(place[1]) < first + len(lines)
    app = gnd.App(edge_bias=hook, steps=3, **rest)
    assert gnd.explain(WEIGHTED, app, device="cpu").selector == "Reject(4+d/16), Reservoir"
    hooks = {"edge_bias": hook, "bound": fuzzer.made(f"def bound(ctx):\n    return {most}\n", "bound")}
    spec = Spec(hooks, steps=3, floats=("edge_bias", "bound") * (hook in (too_large, by_difference)), **rest)
    if hook is not long:
        assert outcome(WEIGHTED, app, range(40), 2) == expected(spec, GRAPHS["weighted"][1], range(40))


NONE = [
    (below_zero, {"arrays": {"values": VALUES}}, "a bias may be negative, from -6 on"),
    (beyond, {"arrays": {"values": VALUES[:0]}}, "an array index may be out of range"),
    (huge, {}, "a bias may be too large, up to 1e+06"),
]


@pytest.mark.parametrize(("hook", "rest", "why"), NONE, ids=[hook.__name__ for hook, *_ in NONE])
def test_a_hook_whose_biases_are_all_invalid_has_none(hook, rest, why: str) -> None:
    text = bound(hook, **rest) or ""
    assert re.search(rf"not inferred, since {re.escape(why)} \({FILE}:(\d+)\)", text) is not None, text
    with pytest.raises((ValueError, IndexError)):
        gnd.sample(WEIGHTED, gnd.App(edge_bias=hook, steps=3, **rest), seed=1)


def test_a_bias_without_a_finite_bound_is_measured() -> None:
    for hook in (infinite, divided):
        text = bound(hook) or ""
        assert text.startswith("measured: ") and "not inferred, since the biases have no finite bound" in text


def test_an_error_of_all_candidates_is_found() -> None:
    """The bound of such a hook is positive, so every choice evaluates a candidate."""

    def nothing(ctx, edge, dst):
        return 0 * ctx.label(ctx.prev_edge)

    assert (bound(nothing) or "").startswith("inferred: 1  #")
    with pytest.raises(IndexError, match=r"edge out of range \(sample 0, step 0\)"):
        gnd.sample(WEIGHTED, gnd.App(edge_bias=nothing, steps=3), seed=1)
