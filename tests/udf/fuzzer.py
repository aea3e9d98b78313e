"""Random users' apps: one bit of difference in any operator changes a choice."""

from __future__ import annotations

import linecache
import math
import random
from typing import Any

import numpy as np
from oracle_view import Spec

import gonextdoor as gnd

# Numbers around the hooks, so that Python does not fold them by its own rules.
CONSTANTS = {
    f"K{i}": value
    for i, value in enumerate(
        [0, 1, 2, 3, 5, 7, 63, 64, 65, -1, -2, -7, 255, 2**31, 2**32 - 1, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
    )
}
FLOATS = ["ctx.alpha", "1.5", "0.1", "-2.75", "1e300", "ctx.f[ctx.step & 63]", "ctx.g[ctx.below(1, 64)]"]
INTS = [
    "ctx.step", "ctx.sample", "ctx.transit", "ctx.prev", "ctx.slot", "ctx.size", "ctx.big", "ctx.word(3)",
    "ctx.chance(40)", "ctx.below(2, 9)", "ctx.a[ctx.step & 63]", "len(ctx.a)", "ctx.count(1)", "ctx.count(2)",
    "ctx.root(0)", "ctx.num_vertices", "ctx.num_edges", "ctx.degree(ctx.root(0))", "ctx.s[ctx.below(4, 8)]", "n",
]  # fmt: skip
WITH_EDGE = {
    "int": ["dst", "ctx.label(edge)", "ctx.edge_id(edge)", "ctx.e[edge]", "ctx.degree(dst)"],
    "float": ["ctx.weight(edge)", "ctx.max_weight(dst)", "ctx.w[edge]"],
}


class Writer:
    """Writes the text of random hooks."""

    def __init__(self, seed: int, *, wild: bool) -> None:
        self.r, self.wild = random.Random(seed), wild  # wild ones have faults
        self.edges = False  # whether the hook has edge and dst
        self.more: list[str] = []  # further expressions that are ints

    def whole(self, depth: int) -> str:
        """An expression that is an int."""
        r, sub = self.r, lambda: self.whole(depth - 1)
        if depth <= 0:
            return r.choice([*INTS, *self.more, *(WITH_EDGE["int"] if self.edges else []), r.choice(list(CONSTANTS))])
        kind = r.randrange(14)
        if kind < 2:
            return f"({sub()} {r.choice(['//', '%'])} ({sub()}{'' if self.wild else ' | 1'}))"
        if kind < 8:
            return f"({sub()} {r.choice(['+', '-', '*', '<<', '>>', '&', '|', '^'])} {sub()})"
        if kind == 8:
            return f"({sub()} if {self.condition(depth - 1)} else {sub()})"
        if kind == 9:
            return f"{r.choice(['min', 'max'])}({sub()}, {sub()})"
        if kind == 10:
            return f"({r.choice(['-', '~', '+'])}{sub()})"
        if kind == 11:
            return f"abs({sub()})"
        if kind == 12:
            if self.wild:
                return r.choice([
                    f"ctx.neighbor(ctx.root(0), {sub()} & 1)", "ctx.edge_id(ctx.edge(ctx.root(0), 0))",
                    f"ctx.previous(1, {sub()} & 1)", f"ctx.degree({sub()})", f"ctx.a[{sub()}]",
                ])  # fmt: skip
            return r.choice([
                f"ctx.degree({sub()} % ctx.num_vertices)", "ctx.previous(ctx.step + 1, 0)",
                "(ctx.neighbor(ctx.root(0), 0) if ctx.degree(ctx.root(0)) else -5)",
                "(ctx.edge_id(ctx.edge(ctx.root(0), 0)) if ctx.degree(ctx.root(0)) > 0 else 7)",
                f"ctx.a[{sub()} & 63]",
            ])  # fmt: skip
        return f"int({self.real(depth - 1)})" if self.wild else f"int(max(-9e18, min({self.real(depth - 1)}, 9e18)))"

    def real(self, depth: int) -> str:
        """An expression that is a float."""
        r = self.r
        if depth <= 0:
            return r.choice([*FLOATS, *(WITH_EDGE["float"] if self.edges else [])])
        kind = r.randrange(10)
        if kind < 4:
            return f"({self.real(depth - 1)} {r.choice(['+', '-', '*', '*'])} {self.real(depth - 1)})"
        if kind < 6:
            left = self.whole(depth - 1) if kind == 5 else self.real(depth - 1)
            right = self.real(depth - 1)
            return f"({left} / {right if self.wild else f'(0.25 + abs({right}))'})"
        if kind == 6:
            return f"({self.real(depth - 1)} if {self.condition(depth - 1)} else {self.real(depth - 1)})"
        if kind == 7:
            return f"ctx.t({self.real(depth - 1)})"
        if kind == 8:
            return f"math.sqrt({self.real(depth - 1) if self.wild else f'abs({self.real(depth - 1)})'})"
        return f"{r.choice(['min', 'max'])}({self.real(depth - 1)}, {self.real(depth - 1)})"

    def condition(self, depth: int) -> str:
        """An expression that is a condition."""
        r = self.r
        kind = r.randrange(6)
        signs = ["<", "<=", ">", ">=", "==", "!="]
        if kind == 0 and depth > 0:
            return f"({self.condition(depth - 1)} {r.choice(['and', 'or'])} {self.condition(depth - 1)})"
        if kind == 1 and depth > 0:
            return f"(not {self.condition(depth - 1)})"
        if kind == 2:
            return f"({self.whole(depth - 1)} {r.choice(signs)} {self.real(depth - 1)})"
        if kind == 3:
            return f"ctx.has_edge({self.whole(0)} % ctx.num_vertices, ctx.root(0))"
        if kind == 4:
            return f"({self.whole(0)} {r.choice(signs)} {self.whole(0)} {r.choice(signs)} {self.whole(0)})"
        return f"({self.whole(depth - 1)} {r.choice(signs)} {self.whole(depth - 1)})"

    def function(self, name: str, arguments: str, result: str, depth: int = 3) -> str:
        """A hook that computes n in a loop, and returns one of two expressions of the result's form."""
        r = self.r
        self.edges = "edge" in arguments
        lines = [
            f"def {name}(ctx{arguments}):",
            "    n = ctx.step & 15",
            f"    for i in range({r.choice(['3', 'n', 'n - 4, n'])}):",
            f"        if {self.condition(1)}:",
            f"            {r.choice(['break', 'continue', 'n -= 1', 'n ^= i'])}",
            f"        n += {self.whole(2)}",
            f"    if {self.condition(2)}:",
            f"        return {result.format(self.whole(depth), self.real(depth))}",
            f"    return {result.format(self.whole(depth), self.real(depth))}",
        ]
        return "\n".join(lines) + "\n"


def made(text: str, name: str) -> Any:
    """The function of that name, whose text can be found."""
    file = f"<fuzz {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {**CONSTANTS, "math": math}
    exec(compile(text, file, "exec"), names)
    return names[name]


# Forms of a bias, and a bound on it; the last is that of wild ones.
BIASES = [("({0}) & 65535", "65535"), ("1 + (({0}) & 3)", "4 + (({0}) & 1)"), ("{0}", "({0}) & 65535")]
REAL_BIASES = [
    ("0.5 + (({0}) & 7)", "8.0"), ("min(abs({1}) * 0.001, 60000.0)", "60000.0"), ("{1}", "3.5"),
]  # fmt: skip


TABLE = gnd.table(lambda x: math.exp(-x * x), -1.5, 2.5, 33)


def arrays(seed: int, edges: int) -> dict[str, Any]:
    """Arrays of several kinds; e and w are by edge."""
    g = np.random.default_rng(seed)
    return {
        "a": g.integers(-(2**63), 2**63 - 1, 64), "f": (g.random(64) * 4 - 2).astype(np.float32),
        "g": g.random(64) * 4 - 2, "s": g.integers(-128, 127, 8).astype(np.int8),
        "e": g.integers(0, 2**16, edges).astype(np.uint16), "w": g.random(edges), "t": TABLE,
    }  # fmt: skip


def spec(seed: int, edges: int) -> Spec:
    """A random app for a graph with that many edges."""
    r = random.Random(seed + 1)
    wild = r.random() < 0.25
    w, real = Writer(seed, wild=wild), r.random() < 0.4
    bias, bound = r.choice((REAL_BIASES if real else BIASES)[: 3 if wild else 2])
    hooks: dict[str, Any] = {}
    kind = r.choice(["reservoir", "reject", "next", "picks", "picks", "pool", "static"])

    def write(name: str, arguments: str, form: str) -> None:
        hooks[name] = made(w.function(name, arguments, form), name)

    if kind == "next":
        write("next", "", "({0}) % (ctx.num_vertices + 1) - 1")
    elif kind != "static":
        write("edge_bias", ", edge, dst", bias)
        if kind == "reject" or r.random() < 0.3:
            write("bound", "", bound)
    if r.random() < 0.4:
        write(
            "update",
            ", nothing, dst" if kind == "next" and not wild else ", edge, dst",
            "dst if ({0}) & 3 else " + r.choice(["ctx.transit", "-1", "ctx.root(0)"]),
        )
    if r.random() < 0.3:
        write("stop", "", "({0}) % 11 == 0")
    rest: dict[str, Any] = {"steps": r.randrange(1, 6)}
    if kind in ("picks", "static"):
        rest["sample_size"] = r.choice([1, 2, 5, "all", [2, 1, 3]])
        if isinstance(rest["sample_size"], list):
            rest["steps"] = 3
        rest |= {"replace": r.random() < 0.4, "unique": r.choice([False, False, "step", "sample"])}
        rest["scope"] = r.choice(["individual", "collective"])
        if r.random() < 0.2:
            write("sample_size", "", "({0}) & 3")
            rest["sample_size"] = 1
        if rest["sample_size"] == "all":
            rest["steps"] = min(rest["steps"], 2)
    elif r.random() < 0.2:
        rest["steps"] = 0
        write("stop", "", "({0}) % 3 == 0 or ctx.step > 9")
    if kind == "pool":
        write("vertex_bias", ", v", bias)
    if "next" in hooks and r.random() < 0.3:
        rest["strict"] = True
    floats = ("edge_bias", "bound", "vertex_bias") if real else ()
    params = {"big": 2**63 - 12345, "alpha": 0.3}
    return Spec(hooks, params=params, arrays=arrays(seed, edges), floats=floats, **rest)
