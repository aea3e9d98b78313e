"""Random hooks that compare and subtract the times of two edges: with an order in time, they are 0 for other edges."""

from __future__ import annotations

import importlib.util
import itertools
import random
from pathlib import Path
from types import SimpleNamespace

import daily
from gonextdoor.udf import temporal
from gonextdoor.udf.bound.graphfacts import GraphFacts
from test_udf_temporal import DST, GRAPH, SRC, TIMES

import gonextdoor as gnd

HOOKS = 24
EDGE, LAST = "ctx.time(edge)", "ctx.time(ctx.prev_edge)"


def number(r: random.Random, depth: int) -> str:
    """An expression of the times, local variables and constants."""
    if depth == 0 or r.random() < 0.25:
        return r.choice([EDGE, LAST, "a", "t", "p", "dst", "ctx.step", str(r.randint(-2, 5))])
    one, other = number(r, depth - 1), number(r, depth - 1)
    return r.choice(
        [
            f"({one} {r.choice('-+*')} {other})", f"({EDGE} - {LAST})", f"({LAST} - {EDGE})",
            f"{r.choice(['min', 'max'])}({one}, {other})", f"abs({one})", f"({one} {r.choice(['//', '%', '&'])} 2)",
            f"({one} if {condition(r, depth - 1)} else {other})",
        ]
    )  # fmt: skip


def condition(r: random.Random, depth: int) -> str:
    operator = r.choice(["<", "<=", ">", ">=", "==", "!="])
    if r.random() < 0.4:
        return f"{EDGE} {operator} {LAST}"
    if depth > 0 and r.random() < 0.3:
        return f"({condition(r, depth - 1)} {r.choice(['and', 'or'])} not {condition(r, depth - 1)})"
    return f"{number(r, depth)} {operator} {number(r, max(0, depth - 1))}"


def text(r: random.Random, name: str) -> str:
    lines = [
        f"def {name}(ctx, edge, dst):", "    if ctx.step == 0:", "        return 1",
        f"    t = {EDGE}", f"    p = {LAST}", f"    a = {r.choice(['t - p', 'p - t', '2'])}",
    ]  # fmt: skip
    if r.random() < 0.5:
        then = r.choice(["return 0", f"a = {number(r, 1)}", f"t = {number(r, 1)}", f"p = {number(r, 1)}"])
        lines += [f"    if {condition(r, 1)}:", f"        {then}"]
    if r.random() < 0.3:
        lines += [
            "    for k in range(3):",
            f"        if {condition(r, 1)}:",
            f"            {r.choice(['break', 'a -= k'])}",
        ]
    return "\n".join([*lines, f"    return {number(r, 1)} if {condition(r, 1)} else 0"])


def test_random_hooks_with_an_order_are_0_for_other_edges(tmp_path: Path) -> None:
    path = tmp_path / "hooks.py"
    r = random.Random(daily.SEED)
    path.write_text("\n\n".join(text(r, f"hook{i}") for i in range(HOOKS)) + "\n")
    spec = importlib.util.spec_from_file_location("followed_hooks", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for i in range(HOOKS):
        hook = getattr(module, f"hook{i}")
        try:
            app = gnd.App(edge_bias=hook, steps=4, bound=None)
        except gnd.AppError:  # the language refuses an expression
            continue
        order = temporal.followed(app._functions["edge_bias"], GraphFacts(GRAPH, {}, {}, 4, False))
        if order is None:
            continue
        for last, edge, step in itertools.product(range(len(SRC)), range(len(SRC)), (1, 2, 3)):
            gap = (TIMES[edge] - TIMES[last]) * (-1 if order["backward"] else 1)
            if DST[last] == SRC[edge] and (gap < 0 or (gap == 0 and order["strict"])):
                ctx = SimpleNamespace(step=step, prev_edge=last, time=TIMES.__getitem__)
                assert hook(ctx, edge, DST[edge]) == 0, path.read_text()
