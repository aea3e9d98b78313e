"""What goes wrong inside hooks: the same error on any number of threads, with its place in the user's file."""

from __future__ import annotations

import inspect
import pathlib
import re
import time

import numpy as np
import pytest
from agreement import GRAPHS, agree, expected, outcome, uniform
from gonextdoor.sampling import run, sample
from oracle_view import Spec

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

FILE = pathlib.Path(__file__).name
FAULT = re.compile(r"(.*) \(sample (\d+), step (\d+)\)")


def divides(ctx):
    return ctx.step // (ctx.transit - ctx.transit)


def divides_floats(ctx):
    return 1.0 / (ctx.step - ctx.step)


def beyond(ctx):
    return ctx.table[ctx.step + 3]


def before(ctx):
    return ctx.table[-1]


def nobody(ctx):
    return ctx.degree(-1)


def no_edge(ctx):
    return ctx.neighbor(ctx.transit, ctx.degree(ctx.transit))


def negative(ctx, edge, dst):
    return -1


def too_large(ctx, edge, dst):
    return 2**32


def too_large_a_float(ctx, edge, dst):
    return 65536.0


def not_finite(ctx, edge, dst):
    big = 1e308 * 10.0
    return big - big


def far(ctx):
    return int(1e19)


def fails(ctx):
    if ctx.step == 1:
        ctx.fail()
    return ctx.transit


def outside(ctx):
    return ctx.num_vertices


def below_null(ctx):
    return -2


def endless(ctx):
    n = 0
    for i in range(2**60):
        for j in range(ctx.num_vertices):
            n += i ^ j
    return n


def jumps(ctx):
    return ctx.transit


def many(ctx):
    return 2**20 + 1


def low(ctx):
    return 1


def three(ctx, edge, dst):
    return 3


FAULTS = [
    (Spec({"next": divides}, steps=2), "ZeroDivisionError", "division by zero (sample 7, step 0)"),
    (Spec({"stop": divides_floats}, steps=2), "ZeroDivisionError", "division by zero (sample 7, step 0)"),
    (
        Spec({"next": beyond}, steps=4, arrays={"table": np.ones(4, "i1")}),
        "IndexError",
        "array index out",
    ),
    (Spec({"next": before}, steps=4, arrays={"table": np.ones(4, bool)}), "IndexError", "array index out of range"),
    (Spec({"next": nobody}, steps=4), "IndexError", "vertex out of range (sample 7, step 0)"),
    (Spec({"next": no_edge}, steps=4), "IndexError", "edge out of range (sample 7, step 0)"),
    (Spec({"edge_bias": negative}, steps=4), "ValueError", "bias is negative"),
    (Spec({"edge_bias": too_large}, steps=4), "ValueError", "bias exceeds 2**32-1"),
    (Spec({"edge_bias": too_large_a_float}, steps=1, floats=("edge_bias",)), "ValueError", "bias exceeds 2**32-1"),
    (Spec({"edge_bias": not_finite}, steps=1, floats=("edge_bias",)), "ValueError", "bias is not finite"),
    (Spec({"next": far}, steps=1), "ValueError", "float to int conversion out of range"),
    (Spec({"next": fails}, steps=4), "ValueError", "ctx.fail() was called (sample 7, step 1)"),
    (Spec({"next": outside}, steps=4), "ValueError", "next or update returned neither a vertex nor NULL"),
    (Spec({"next": below_null}, steps=4), "ValueError", "next or update returned neither a vertex nor NULL"),
    (Spec({"next": jumps}, steps=4, strict=True), "ValueError", "strict: next or update returned a vertex that is no"),
    (Spec({"edge_bias": three, "bound": low}, steps=4), "ValueError", "bias exceeds bound"),
    (Spec({"sample_size": many}, steps=1), "ValueError", "fan-out is negative, or above 2**20"),
]


@pytest.mark.parametrize(("spec", "error", "text"), FAULTS, ids=[text for _, _, text in FAULTS])
def test_a_fault_is_the_same_error_everywhere(spec, error, text):
    kind, message = agree(spec, "plain", range(40))
    assert kind == error and message.startswith(text) and FAULT.fullmatch(message)


def several(ctx):
    n = 7
    for i in range(3):
        if ctx.step == 1 and i == 2:
            n += (
                ctx.degree(ctx.transit)
                // (i - 2)
            )  # fmt: skip
    return ctx.transit


def heavy(ctx, edge, dst):
    if ctx.step == 0:
        return 1
    return -ctx.step


def ends_badly(ctx, edge, dst):
    return ctx.num_vertices


def in_itself(ctx):
    n = 0
    for i in range(2**40):
        n ^= i
    return n > 0


def heavy_vertex(ctx, v):
    return -v - 1


@pytest.mark.parametrize(
    ("hooks", "line"),
    [
        ({"next": several}, "ctx.degree(ctx.transit)"), ({"edge_bias": heavy}, "return -ctx.step"),
        ({"update": ends_badly}, "return ctx.num_vertices"), ({"stop": in_itself}, "for i in range(2**40)"),
        ({"sample_size": many}, "return 2**20 + 1"), ({"vertex_bias": heavy_vertex}, "return -v - 1"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_a_fault_is_found_in_the_file(hooks, line):
    g, _ = GRAPHS["dense"]
    (hook,) = hooks.values()
    lines, first = inspect.getsourcelines(hook)
    at = first + next(i for i, text in enumerate(lines) if line in text)
    roots = {"roots": [[3, 2], [2, 4]]} if "vertex_bias" in hooks else {}
    for threads in (1, 2):
        with pytest.raises((ValueError, ZeroDivisionError, RuntimeError)) as fault:
            gnd.sample(g, gnd.App(**hooks, steps=3), seed=1, first_id=5, repeat=2, threads=threads, **roots)
        assert str(fault.value).endswith(f"): {FILE}:{at}, in {hook.__name__}")


def test_a_bias_above_its_bound_is_found_once() -> None:
    line = inspect.getsourcelines(three)[1]
    began = time.monotonic()
    with pytest.raises(ValueError, match=rf"bias exceeds bound \(sample 0, step 0\): {FILE}:{line}, in three$"):
        gnd.sample(gnd.rmat(6, 8, seed=1), gnd.App(edge_bias=three, bound=low, steps=4), seed=1)
    assert time.monotonic() - began < 5


def test_a_fault_of_the_core_is_not_searched_for_again_and_again(monkeypatch) -> None:
    runs = []
    made = run.run
    for module in run, sample:
        monkeypatch.setattr(module, "run", lambda *given: runs.append(1) or made(*given))
    with pytest.raises(RuntimeError, match="has not ended after 65535 steps"):
        gnd.sample(gnd.Graph.from_edges([0], [0]), gnd.App(edge_bias=three, steps=gnd.INF), [0], seed=1)
    assert len(runs) == 2  # the run, and one with code that looks for the fault


def test_a_loop_cannot_hang():
    g, _ = GRAPHS["plain"]
    kind, message = outcome(g, gnd.App(next=endless, steps=1), [0], 1)
    assert (kind, message) == ("RuntimeError", "a loop took more than 1048576 rounds (sample 7, step 0)")


def test_a_sample_cannot_hang():
    g, _ = GRAPHS["plain"]
    kind, message = outcome(g, gnd.App(next=jumps, steps=gnd.INF), [0], 1)
    assert (kind, message) == ("RuntimeError", "the sample has not ended after 65535 steps (sample 7, step 65535)")


def test_all_works_after_a_fault():
    g, rows = GRAPHS["plain"]
    assert outcome(g, gnd.App(next=divides, steps=2), range(40), 2)[0] == "ZeroDivisionError"
    spec = Spec({"next": uniform}, steps=9)
    assert outcome(g, spec.app(), range(40), 2) == expected(spec, rows, range(40))


# ---- apps as values
