"""Random hooks edge_bias, most of which have an upper bound that can be inferred. Some read the walk's past, or have an
error for some edges."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from fuzzer import TABLE, made
from oracle_view import Spec

REALS = ["ctx.weight(edge)", "ctx.weight(edge)", "ctx.alpha", "ctx.beta", "ctx.vf[dst]", "ctx.ef[edge]", "1.5", "-0.75",
         "ctx.max_weight(ctx.transit)", "ctx.vf[ctx.transit]", "x", "y"]  # fmt: skip
INTS = [
    "dst", "ctx.label(edge)", "ctx.degree(dst)", "ctx.degree(ctx.transit)", "ctx.step", "ctx.transit", "ctx.prev",
    "ctx.num_vertices", "ctx.k", "ctx.vi[dst]", "ctx.ei[edge]", "ctx.edge_id(edge)", "3", "-2", "ctx.chance(1)",
    "ctx.below(2, 7)", "ctx.vi[dst % 5]", "ctx.label(ctx.edge(ctx.transit, 0))", "n",
    "ctx.vi[ctx.neighbor(ctx.transit, 0)]", "ctx.max_weight(dst)", "len(ctx.vi)", "ctx.word(3)",
    "ctx.root(0)", "ctx.count(1)", "ctx.count(ctx.step)", "ctx.vi[ctx.root(0)]",
    "(ctx.label(ctx.prev_edge) if ctx.step > 0 else 3)", "(ctx.previous(1, 0) if ctx.count(1) > 0 else 7)",
    "(ctx.previous(2, 0) if ctx.step > 0 else -4)",
]  # fmt: skip
FAULTY = [
    "ctx.label(ctx.prev_edge)", "ctx.vi[dst + 3]", "ctx.vi[ctx.step - 1]", "(60 // (ctx.label(edge) - 1))",
    "ctx.previous(1, 1)", "ctx.root(1)", "ctx.degree(ctx.prev)", "(7 % (ctx.step - 1))", "ctx.neighbor(dst, 1)",
    "int(ctx.weight(edge) * 4e18)", "int(9.0 / (ctx.degree(dst) - 5))", "ctx.prefix_weight(dst, 2)",
]  # fmt: skip
PAST = [
    "(ctx.step > 0 and ctx.label(edge) != ctx.label(ctx.prev_edge))", "edge == ctx.prev_edge", "dst == ctx.root(0)",
    "(ctx.count(2) > 0 and ctx.previous(2, 0) == dst)", "ctx.has_edge(ctx.root(0), dst)",
    "(ctx.step > 1 and ctx.has_edge(ctx.previous(3, 0), dst))",
]  # fmt: skip
SIGNS = ["<", "<=", ">", ">=", "==", "!="]


class Writer:
    """Writes the text of a hook."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.faulty = seed % 4 == 0  # whether it may have an error

    def real(self, depth: int) -> str:
        """An expression that is a float."""
        r, sub = self.r, lambda: self.real(depth - 1)
        if depth <= 0:
            return r.choice(REALS)
        kind = r.randrange(14)
        if kind == 12:
            return f"math.sqrt({sub() if self.faulty else f'abs({sub()})'})"
        if kind == 13:
            return f"ctx.table({sub()})"
        if kind < 5:
            return f"({sub()} {r.choice(['+', '-', '*', '*'])} {sub()})"
        if kind < 7:
            return f"({sub()} / {r.choice(['(0.5 + abs({}))', 'max(0.25, {})', 'min({}, -0.5)']).format(sub())})"
        if kind == 7:
            return f"({sub()} if {self.condition(depth - 1)} else {sub()})"
        if kind == 8:
            return f"{r.choice(['min', 'max'])}({sub()}, {sub()})"
        if kind == 9:
            return f"{r.choice(['-', 'abs'])}({sub()})"
        return f"(1.0 * {self.whole(depth - 1)})"

    def whole(self, depth: int) -> str:
        """An expression that is an int."""
        r, sub = self.r, lambda: self.whole(depth - 1)
        if depth <= 0:
            return f"int({r.choice(FAULTY if self.faulty and r.random() < 0.3 else INTS)})"
        kind = r.randrange(13)
        if kind < 4:
            return f"({sub()} {r.choice(['+', '-', '*'])} {sub()})"
        if kind < 6:
            divisor = r.choice(["(1 + abs({}))", "max(2, {})", "min(-1, {})"]).format(sub())
            return f"({sub()} {r.choice(['//', '%'])} {divisor})"
        if kind == 6:
            return f"({sub()} {r.choice(['& 31', '| 5', '^ 9', '>> 2', '<< 3', '& -8'])})"
        if kind == 7:
            return f"((abs({sub()}) & 1023) {r.choice(['&', '|', '^', '>>'])} (abs({sub()}) & 15))"
        if kind == 8:
            return f"({sub()} if {self.condition(depth - 1)} else {sub()})"
        if kind == 9:
            return f"{r.choice(['min', 'max'])}({sub()}, {sub()})"
        if kind == 10:
            return f"{r.choice(['-', '~', 'abs'])}({sub()})"
        if kind == 11:
            return f"({self.condition(depth - 1)}) * {sub()}"
        return f"int(max(-1e6, min({self.real(depth - 1)}, 1e6)))"

    def condition(self, depth: int) -> str:
        """An expression that is a condition."""
        r = self.r
        kind = r.randrange(11)
        if kind > 8:
            return r.choice(PAST)
        if kind == 0 and depth > 0:
            return f"({self.condition(depth - 1)} {r.choice(['and', 'or'])} {self.condition(depth - 1)})"
        if kind == 1:
            return f"(not {self.condition(depth - 1)})"
        if kind == 2:
            return "(ctx.prev >= 0 and ctx.has_edge(ctx.prev, dst))"
        if kind == 3:
            return r.choice(["dst == ctx.prev", "ctx.prev == -1", "ctx.prev == -1 or dst == ctx.prev", "ctx.step > 0"])
        if kind == 4:
            return f"{self.whole(0)} {r.choice(SIGNS)} {self.real(0)}"
        if kind < 7:
            return f"{self.real(depth - 1)} {r.choice(SIGNS)} {self.real(0)}"
        return f"{self.whole(depth - 1)} {r.choice(SIGNS)} {self.whole(0)}"

    def hook(self) -> tuple[str, bool]:
        """The text of edge_bias, and whether it returns floats."""
        r, real = self.r, self.r.random() < 0.6
        forms = ["max(0.0, {1})", "abs({1})", "min(abs({1}), 50000.0)", "0.25 + abs({1})"] if real else [
            "({0}) & 1023", "max(0, {0})", "abs({0}) % 100", "1 + (abs({0}) & 7)",
        ]  # fmt: skip
        lines = [
            "def edge_bias(ctx, edge, dst):",
            f"    n = {r.choice(['ctx.label(edge)', 'ctx.degree(dst)', 'dst'])}",
            "    x = ctx.weight(edge)",
            "    y = ctx.vf[dst]",
        ]
        for _ in range(r.randrange(4)):
            lines += self.statement(r.choice(forms))
        lines.append(f"    return {r.choice(forms).format(self.whole(2), self.real(2))}")
        return "\n".join(lines) + "\n", real

    def statement(self, form: str) -> list[str]:
        """One statement at the level of the function."""
        r = self.r
        value = form.format(self.whole(2), self.real(2))
        name = r.choice(["x", "y", "n"])
        assigned = f"{name} = {self.whole(2) if name == 'n' else self.real(2)}"
        one, other = r.choice(["x", "y"]), r.choice(SIGNS)
        return r.choice([
            [f"    {assigned}"],
            [f"    if {self.condition(2)}:", f"        {assigned}"],
            [f"    if {self.condition(2)}:", f"        {assigned}", "    else:", "        x = y * 0.5"],
            [f"    if {self.condition(1)}:", f"        return {value}"],
            [f"    if {self.condition(1)}:", "        pass", "    else:", f"        return {value}"],
            [f"    if {one} {other} {r.choice(['0.0', '1.0', 'ctx.alpha'])}:", f"        {one} = {self.real(1)}"],
            [f"    if not {one} > 0.25:", f"        return {value}", f"    x = 1.0 / {one}"],
            ["    for i in range(ctx.degree(dst)):", "        if ctx.neighbor(dst, i) == ctx.transit:",
             "            n = i", f"            {r.choice(['break', 'continue', f'return {value}'])}",
             f"        x = min({self.real(1)}, 30.0)", "    n = max(n, -5)"],
            ["    for i in range(3):", f"        if {self.condition(1)}:", f"            {assigned}",
             "    n = min(n, 40)", "    x = min(max(x, -9.0), 9.0)"],
            [f"    for i in range({r.choice(['1', '0'])}, {r.choice(['4', 'min(ctx.step, 3)'])}):",
             "        if i <= ctx.step and ctx.count(i) > 0 and ctx.previous(i, 0) == dst:",
             f"            {r.choice(['n = n + 7', 'x = x * 0.5', f'return {value}', 'x = 2.0', 'continue'])}",
             f"            {r.choice(['break', 'continue', 'y = -3.5'])}", f"        {assigned}"],
        ])  # fmt: skip


def spec(seed: int, edges: int, vertices: int = 40) -> Spec:
    """A random app for a graph of that size."""
    text, real = Writer(seed).hook()
    g = np.random.default_rng(seed)
    params: dict[str, Any] = {"alpha": 0.25 + seed % 7, "beta": -1.5, "k": seed % 5}
    arrays = {
        "vf": g.random(vertices) * 3 - 1, "ef": g.random(edges).astype(np.float32), "vi": g.integers(-9, 9, vertices),
        "ei": g.integers(0, 200, edges).astype(np.uint8), "table": TABLE,
    }  # fmt: skip
    hooks = {"edge_bias": made(text, "edge_bias")}
    return Spec(hooks, steps=3, params=params, arrays=arrays, floats=("edge_bias", "bound") if real else ())
