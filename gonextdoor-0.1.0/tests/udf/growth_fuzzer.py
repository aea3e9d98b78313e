"""Random users' apps with several picks, unique vertices, collective choices, recorded edges, and steps without end."""

from __future__ import annotations

import random
from typing import Any

from fuzzer import BIASES, REAL_BIASES, Writer, arrays, made
from oracle_view import Spec

SIZES: list[Any] = [1, 1, 2, 3, 7, 40, "all", [2, 1, 3], [3, -1, 2]]


def spec(seed: int, edges: int) -> tuple[Spec, dict[str, Any]]:
    """A random app for a graph with that many edges, and its arguments that the oracle does not know."""
    r = random.Random(7 * seed + 1)
    wild = r.random() < 0.2
    w, real = Writer(seed, wild=wild), r.random() < 0.4
    if wild:
        w.more = ["ctx.edge_id(ctx.prev_edge)"] * 3
    bias, bound = r.choice((REAL_BIASES if real else BIASES)[: 3 if wild else 2])
    kind = r.choice(["biased", "biased", "bounded", "static", "static", "next", "pool"])
    hooks: dict[str, Any] = {}

    def write(name: str, arguments: str, form: str) -> None:
        hooks[name] = made(w.function(name, arguments, form), name)

    if kind == "next":
        write("next", "", "({0}) % (ctx.num_vertices + 1) - 1")
    elif kind != "static":
        w.more += ["(3 if edge == ctx.prev_edge else 1)"] * 2
        write("edge_bias", ", edge, dst", bias)
        w.more = w.more[:-2]
    if kind == "bounded" or (kind == "pool" and r.random() < 0.5):
        write("bound", "", bound)
    if kind == "pool":
        write("vertex_bias", ", v", bias)
    if r.random() < 0.3:
        name = "nothing" if kind == "next" and not wild else "edge"
        jump = r.choice(["ctx.transit", "-1", "ctx.root(0)"])
        write("update", f", {name}, dst", f"dst if ({{0}}) & 3 else {jump}")
    rest = _shape(r, kind)
    if rest["sample_size"] == 1 and kind != "pool" and r.random() < 0.3:
        write("sample_size", "", "({0}) & 3")
    if rest["steps"] == 0 or r.random() < 0.2:
        write("stop", "", "({0}) % 3 == 0 or ctx.step > 6")
    options = {"weighted": "auto" if kind == "static" else False, "record": _record(r, kind)}
    floats = ("edge_bias", "bound", "vertex_bias") if real else ()
    params = {"big": 2**63 - 12345, "alpha": 0.3}
    return Spec(hooks, params=params, arrays=arrays(seed, edges), floats=floats, **rest), options


def _shape(r: random.Random, kind: str) -> dict[str, Any]:
    """Steps, fan-outs and uniqueness."""
    if kind == "pool":
        return {"steps": r.choice([0, 3, 5]), "sample_size": 1}
    size = r.choice([s for s in SIZES if kind != "next" or s not in ("all", [3, -1, 2])])
    rest: dict[str, Any] = {"sample_size": size, "replace": r.random() < 0.4}
    rest["scope"] = r.choice(["individual", "individual", "collective"])
    rest["unique"] = False if kind == "next" else r.choice([False, False, "step", "sample"])
    rest["steps"] = 3 if isinstance(size, list) else r.choice([1, 2, 2, 3])
    if size == 1 and r.random() < 0.5:
        rest["steps"] = 0
    if size in (40, "all"):
        rest["steps"] = min(rest["steps"], 2)
    return rest


def _record(r: random.Random, kind: str) -> str | None:
    return r.choice([None, "induced", "induced"] if kind == "pool" else [None, None, "adjacency", "induced"])
