"""Users' apps in plain Python: what the core must equal, choice by choice and fault by fault. Slow on purpose.

The hooks are run by Python itself, on numbers that wrap as 64 bits do; nothing here knows how they are compiled. The
step is written from docs/reproducibility.md.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from oracle_numbers import (
    ABOVE_BOUND,
    BAD_FANOUT,
    ENDLESS,
    F64,
    HOOK_SLOT,
    HOOK_TRY,
    I64,
    MASK,
    NEGATIVE,
    NEVER_ENDS,
    NO_FAULT,
    NOT_A_NEIGHBOR,
    NOT_A_VERTEX,
    NOT_FINITE,
    NULL,
    POOL_TRY,
    SPECIAL,
    TOO_LARGE,
    Edge,
    Endless,
    faults,
    guarded_range,
    number,
)
from oracle_view import Ctx, Rows, Spec, Transit

import gonextdoor as gnd


class Sampled:
    """One sample as it grows."""

    def __init__(self, spec: Spec, g: Rows, seed: int, id: int, row: int, roots: Sequence[int]) -> None:
        self.spec, self.g, self.id, self.row, self.roots = spec, g, id, row, len(roots)
        self.key = gnd.rng.key(gnd.rng.stream(seed, gnd.rng.CHOICES), id)
        self.vertices, self.ends = list(roots), [len(roots)]
        self.transits = [Transit(v, NULL) for v in roots]
        self.walk = spec.single() and (len(roots) == 1 or "vertex_bias" in spec.hooks)
        drawn = "sample_size" in spec.hooks
        free = drawn or any(spec.fanout(s) == -1 for s in range(spec.steps or 1))
        self.even = spec.steps > 0 and not free  # all samples have the same number of places
        self.pool: list[Transit] | None = self.transits
        self.taken = set(roots)
        self.fault = NO_FAULT
        self.functions = {name: prepared(hook) for name, hook in spec.hooks.items()}

    def run(self) -> list[int]:
        step = 0
        while not self.spec.steps or step < self.spec.steps:
            if step == 65535 and not self.spec.steps:
                self.note(step, NEVER_ENDS)
                break
            if not self.step(step) and not self.even:
                break
            step += 1
        return self.vertices

    def note(self, step: int, kind: int) -> None:
        self.fault = min(self.fault, self.row << 24 | (step & 0xFFFF) << 8 | kind)

    def hook(self, name: str, ctx: Ctx, *arguments: Any) -> Any:
        """What a hook returns, made what the core makes of it."""
        faults.clear()
        guarded_range.rounds = 0  # type: ignore[attr-defined]
        arguments = tuple(x if isinstance(x, Edge) else I64(x) for x in arguments)
        # The whole function decides which unit a bias has.
        real = name in ("edge_bias", "bound", "vertex_bias") and name in self.spec.floats
        try:
            value = self.functions[name](ctx, *arguments)
            value = F64(float(value)) if real else value
        except Endless:
            faults.append(ENDLESS)
            value = F64(0.0) if real else False if name == "stop" else I64(0)
        result = {"update": landed, "next": landed, "stop": flag, "sample_size": count}.get(name, bias)(
            value, ctx, self
        )
        for kind in faults:
            self.note(int(ctx.step), kind)
        return result

    # ---- the step

    def step(self, step: int) -> bool:
        if self.spec.unique in (True, "step"):
            self.taken = set()
        now, self.transits = self.transits, []
        if "vertex_bias" in self.spec.hooks:
            self.from_pool(step)
        elif self.spec.scope == "collective":
            self.together(step, now)
        else:
            for t, one in enumerate(now):
                self.expand(self.ctx(step, t, one), one)
        if self.transits:
            self.ends.append(len(self.vertices))
        return any(t.vertex != NULL for t in self.transits)

    def ctx(self, step: int, t: int, transit: Transit) -> Ctx:
        if self.walk:
            return Ctx(self, step, transit, self.key, (step << 8) + HOOK_TRY)
        key = gnd.rng.key(gnd.rng.word(self.key, step), t)
        return Ctx(self, step, transit, key, HOOK_SLOT)

    def expand(self, ctx: Ctx, t: Transit) -> None:
        if t.vertex == NULL or ("stop" in self.functions and self.hook("stop", ctx)):
            return self.fill(self.spec.fanout(int(ctx.step)))
        return self.grow(ctx, [(t, e) for e in self.g.row(t.vertex)])

    def together(self, step: int, now: list[Transit]) -> None:
        ctx = self.ctx(step, 0, Transit(NULL, NULL))
        live = [t for t in now if t.vertex != NULL]
        if not live or ("stop" in self.functions and self.hook("stop", ctx)):
            return self.fill(self.spec.fanout(step))
        return self.grow(ctx, [(t, e) for t in live for e in self.g.row(t.vertex)])

    def from_pool(self, step: int) -> None:
        pool, self.pool = self.pool, None
        if pool is None:
            return self.fill(1)
        ctx = self.ctx(step, 0, Transit(NULL, NULL))
        biases = [self.hook("vertex_bias", ctx, t.vertex) for t in pool]
        at = scan(gnd.rng.word(self.key, (step << 8) + POOL_TRY), biases)
        if at < 0:
            return self.fill(1)
        self.expand(self.ctx(step, 0, pool[at]), pool[at])
        if len(self.transits) == 1 and self.transits[0].vertex != NULL:
            pool[at] = self.transits[0]
            self.pool = pool
        return None

    def grow(self, ctx: Ctx, candidates: list[tuple[Transit, int]]) -> None:
        k = self.hook("sample_size", ctx) if "sample_size" in self.functions else self.spec.fanout(int(ctx.step))
        if "next" in self.functions:
            for j in range(k):
                v = self.hook("next", ctx.picking(j))
                if v == NULL:
                    self.fill(1)
                else:
                    self.add(ctx.picking(j), v, -1)
            return
        picks = self.pick(ctx, candidates, k) if candidates else []
        for j, p in enumerate(picks):
            transit, edge = candidates[p]
            self.add(ctx.of(transit).picking(j), self.g.indices[edge], edge)
        self.fill(k - len(picks))

    def add(self, ctx: Ctx, dst: int, edge: int) -> None:
        to = self.hook("update", ctx, Edge(edge), dst) if "update" in self.functions else dst
        self.vertices.append(dst if to == NULL else to)
        self.transits.append(Transit(to, int(ctx.transit), edge if to == dst else -1))

    def fill(self, n: int) -> None:
        for _ in range(n if self.even else 0):
            self.vertices.append(NULL)
            self.transits.append(Transit(NULL, NULL))

    # ---- the choice

    def pick(self, ctx: Ctx, candidates: list[tuple[Transit, int]], k: int) -> list[int]:
        def weigh(i: int) -> int:
            transit, edge = candidates[i]
            if "edge_bias" not in self.functions:
                return 1
            return self.hook("edge_bias", ctx.of(transit), Edge(edge), self.g.indices[edge])

        def vertex(i: int) -> int:
            return self.g.indices[candidates[i][1]]

        n, key = len(candidates), ctx._key
        if self.spec.single():
            return self.one(ctx, n, weigh)
        picked: set[int] = set()
        again = self.spec.replace and not self.spec.unique

        def out(i: int) -> bool:
            return vertex(i) in self.taken if self.spec.unique else not again and i in picked

        def take(i: int) -> bool:
            was = out(i)
            picked.add(i)
            if self.spec.unique:
                self.taken.add(vertex(i))
            return again or not was

        def left() -> list[int]:
            biases = [weigh(i) for i in range(n)]
            return [0 if out(i) else b for i, b in enumerate(biases)]

        picks: list[int] = []
        if k == -1 or (n <= k and not again):
            for i in range(n):
                b = weigh(i)
                if b > 0 and not out(i):
                    take(i)
                    picks.append(i)
            return picks
        if "bound" in self.functions or (self.spec.unique and "edge_bias" not in self.functions):
            draw = self.proposer(ctx, n, weigh)
            attempt = 0
            while attempt < 16 * k and len(picks) < k:
                i = draw(gnd.rng.word(key, attempt))
                if i >= 0 and take(i):
                    picks.append(i)
                attempt += 1
            while len(picks) < k:
                i = scan(gnd.rng.word(key, attempt), left())
                if i < 0:
                    break
                take(i)
                picks.append(i)
                attempt += 1
            return picks
        if "edge_bias" not in self.functions and again:
            return [gnd.rng.word(key, j) * n >> 64 for j in range(k)]
        if "edge_bias" not in self.functions:
            return permuted(key, k, n)
        biases = left()
        for j in range(k):
            i = scan(gnd.rng.word(key, j), biases)
            if i >= 0:
                take(i)
                picks.append(i)
                biases = [0 if out(c) else b for c, b in enumerate(biases)]
            elif not again:
                break
        return picks

    def one(self, ctx: Ctx, n: int, weigh: Callable[[int], int]) -> list[int]:
        first, key = (int(ctx.step) << 8) if self.walk else 0, ctx._key
        if "edge_bias" not in self.functions:
            return [gnd.rng.word(key, first) * n >> 64]
        if "bound" in self.functions:
            draw = self.proposer(ctx, n, weigh)
            for t in range(min(128, 4 + n // 16)):
                i = draw(gnd.rng.word(key, first + t))
                if i >= 0:
                    return [i]
        key = gnd.rng.key(gnd.rng.word(key, first + 128), 0)
        total = held = words = 0
        found: list[int] = []
        for i in range(n):
            b = weigh(i)
            total += b
            if b and (not found or gnd.rng.word(key, words - 1) * total >> 64 >= held):
                found, held, words = [i], total, words + 1
        return found

    def proposer(self, ctx: Ctx, n: int, weigh: Callable[[int], int]) -> Callable[[int], int]:
        if "bound" not in self.functions:
            return lambda word: word * n >> 64
        bound = self.hook("bound", ctx)

        def draw(word: int) -> int:
            i, rest = word * n >> 64, word * n & MASK
            b = weigh(i)
            if b > bound:
                self.note(int(ctx.step), ABOVE_BOUND)
                return -1
            return i if b > rest * bound >> 64 else -1

        return draw


def scan(word: int, biases: list[int]) -> int:
    r = word * sum(biases) >> 64
    for i, b in enumerate(biases):
        if r < b:
            return i
        r -= b
    return -1


def permuted(key: int, k: int, n: int) -> list[int]:
    picks: list[int] = []
    for i in range(k):
        top = n - k + i
        r = gnd.rng.word(key, i) * (top + 1) >> 64
        if r in picks:
            picks.insert(picks.index(r), top)
        else:
            picks.append(r)
    return picks


def bias(value: Any, ctx: Ctx, s: Sampled) -> int:
    if isinstance(value, float):
        x = float(value)
        if not x >= 0:
            faults.append(NEGATIVE if x < 0 else NOT_FINITE)
            return 0
        if x * 65536.0 >= 2.0**32:
            faults.append(TOO_LARGE)
            return 0
        return int(x * 65536.0) or int(x > 0)
    if not 0 <= int(value) < 2**32:
        faults.append(NEGATIVE if value < 0 else TOO_LARGE)
        return 0
    return int(value)


def landed(value: Any, ctx: Ctx, s: Sampled) -> int:
    v = int(value)
    if v == NULL:
        return v
    if not 0 <= v < s.g.n:
        faults.append(NOT_A_VERTEX)
        return NULL
    if s.spec.strict and ctx.transit != NULL and v not in [s.g.indices[e] for e in s.g.row(int(ctx.transit))]:
        faults.append(NOT_A_NEIGHBOR)
        return NULL
    return v


def flag(value: Any, ctx: Ctx, s: Sampled) -> bool:
    return bool(value)


def count(value: Any, ctx: Ctx, s: Sampled) -> int:
    if not 0 <= int(value) <= 1 << 20:
        faults.append(BAD_FANOUT)
        return 0
    return int(value)


def prepared(hook: Any) -> Any:
    """The function, with Python's range, int and float, and floats that are written out, replaced by those here."""
    code = hook.__code__
    code = code.replace(co_consts=tuple(F64(x) if isinstance(x, float) else x for x in code.co_consts))
    outside = {name: number(x) if isinstance(x, (int, float)) else x for name, x in hook.__globals__.items()}
    around = {**vars(builtins), **outside, **SPECIAL}
    return types.FunctionType(code, around, hook.__name__, None, hook.__closure__)


def sample(spec: Spec, g: Rows, roots: Sequence[Any], *, seed: int, first_id: int = 0) -> tuple[list[list[int]], int]:
    """The samples, and the lowest fault: row << 24 | step << 8 | kind, or NO_FAULT."""
    rows, lowest = [], NO_FAULT
    for row, root in enumerate(roots):
        many = [int(v) for v in np.atleast_1d(root)]
        sampled = Sampled(spec, g, seed, first_id + row, row, many)
        rows.append(sampled.run())
        lowest = min(lowest, sampled.fault)
    return rows, lowest
