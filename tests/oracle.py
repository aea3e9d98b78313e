"""Users' apps in plain Python: what the core must equal, choice by choice and fault by fault. Slow on purpose.

The hooks are run by Python itself, on numbers that wrap as 64 bits do; nothing here knows how they are compiled. The
step is written from docs/law.md.
"""

from __future__ import annotations

import builtins
import dataclasses
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gonextdoor as gnd

MASK = (1 << 64) - 1
NULL = -1
NO_FAULT = MASK
MOST_ROUNDS = 1 << 20
HOOK_TRY, POOL_TRY, HOOK_SLOT, USER_WORDS = 192, 224, 1 << 40, 32
OUT_OF_ARRAY, NO_VERTEX, NO_EDGE, NEGATIVE, TOO_LARGE, DIVIDED, OVERFLOW, FAILED = range(1, 9)
NOT_A_VERTEX, ABOVE_BOUND, NOT_FINITE, ENDLESS, NOT_A_NEIGHBOR, NEVER_ENDS, BAD_FANOUT = range(9, 16)

faults: list[int] = []  # kinds, of the hook that is being run


def wrapped(x: int) -> I64:
    x &= MASK
    return I64(x - (1 << 64) if x >> 63 else x)


def number(x: Any) -> Any:
    if isinstance(x, (bool, np.bool_, Edge)):
        return x
    return F64(x) if isinstance(x, float) else wrapped(int(x))


def divided(a: Any, b: Any) -> F64:
    if float(b) == 0:
        faults.append(DIVIDED)
        return F64(0.0)
    with np.errstate(all="ignore"):
        return F64(float(np.float64(a) / np.float64(b)))


def whole(operation: Callable[[int, int], int]) -> Callable[[Any, Any], I64]:
    def run(a: Any, b: Any) -> I64:
        if int(b) == 0:
            faults.append(DIVIDED)
            return I64(0)
        return wrapped(operation(int(a), int(b)))

    return run


def arithmetic(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """An operator of ints and floats, and its form for a left operand that is a plain number."""

    def run(a: Any, b: Any) -> Any:
        if isinstance(a, float) or isinstance(b, float):
            with np.errstate(all="ignore"):
                return F64(float(getattr(np.float64(a), name)(np.float64(b))))
        return wrapped(getattr(int(a), name)(int(b)))

    return run, lambda b, a: run(a, b)


def comparison(name: str) -> Callable[[Any, Any], bool]:
    def run(a: Any, b: Any) -> bool:
        kind = float if isinstance(a, float) or isinstance(b, float) else int
        return bool(getattr(kind(a), name)(kind(b)))

    return run


class Number:
    """The operators that ints and floats share."""

    __add__, __radd__ = arithmetic("__add__")
    __sub__, __rsub__ = arithmetic("__sub__")
    __mul__, __rmul__ = arithmetic("__mul__")
    __lt__, __le__, __gt__ = comparison("__lt__"), comparison("__le__"), comparison("__gt__")
    __ge__, __eq__, __ne__ = comparison("__ge__"), comparison("__eq__"), comparison("__ne__")

    def __truediv__(self, other: Any) -> F64:
        return divided(self, other)

    def __rtruediv__(self, other: Any) -> F64:
        return divided(other, self)


class F64(Number, float):
    __hash__ = float.__hash__

    def __neg__(self) -> F64:
        return F64(-float(self))

    def __abs__(self) -> F64:
        return F64(abs(float(self)))


class I64(Number, int):
    __hash__ = int.__hash__
    __floordiv__, __mod__ = whole(int.__floordiv__), whole(int.__mod__)

    def __rfloordiv__(self, other: Any) -> I64:
        return I64.__floordiv__(other, self)

    def __rmod__(self, other: Any) -> I64:
        return I64.__mod__(other, self)

    def __neg__(self) -> I64:
        return wrapped(-int(self))

    def __invert__(self) -> I64:
        return wrapped(~int(self))

    def __abs__(self) -> I64:
        return wrapped(abs(int(self)))

    def __lshift__(self, n: int) -> I64:
        return wrapped(int(self) << (int(n) & 63))

    def __rshift__(self, n: int) -> I64:
        return wrapped(int(self) >> (int(n) & 63))

    def __rlshift__(self, x: int) -> I64:
        return wrapped(int(x) << (int(self) & 63))

    def __rrshift__(self, x: int) -> I64:
        return wrapped(int(x) >> (int(self) & 63))

    def __and__(self, x: int) -> I64:
        return wrapped(int(self) & int(x))

    def __or__(self, x: int) -> I64:
        return wrapped(int(self) | int(x))

    def __xor__(self, x: int) -> I64:
        return wrapped(int(self) ^ int(x))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    __index__ = int.__index__


@dataclasses.dataclass(frozen=True)
class Edge:
    position: int


class Endless(Exception):
    pass


def guarded_range(*bounds: int) -> Any:
    first, end = (0, *bounds) if len(bounds) == 1 else bounds
    i = int(first)
    while i < int(end):
        guarded_range.rounds += 1  # type: ignore[attr-defined]
        if guarded_range.rounds > MOST_ROUNDS:  # type: ignore[attr-defined]
            raise Endless
        yield I64(i)
        i += 1


def to_int(x: Any) -> I64:
    if isinstance(x, float) and not -(2.0**63) <= float(x) < 2.0**63:
        faults.append(OVERFLOW)
        return I64(0)
    return wrapped(int(x))


SPECIAL = {"range": guarded_range, "int": to_int, "float": lambda x: F64(float(x)), "len": lambda x: I64(len(x))}


class View:
    """An array of the user's."""

    def __init__(self, array: np.ndarray, graph: Rows) -> None:
        self.array, self.graph = array, graph

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: Any) -> Any:
        i = int(self.graph.edge_id(i)) if isinstance(i, Edge) else int(i)
        if not 0 <= i < len(self.array):
            faults.append(OUT_OF_ARRAY)
            i = None
        kind = F64 if self.array.dtype.kind == "f" else I64
        return kind(0 if i is None else self.array[i].item())


class Rows:
    """The graph: rows, and what is known of each edge by its position."""

    def __init__(self, graph: gnd.Graph, weights: Any = None, labels: Any = None) -> None:
        self.indptr, self.indices = graph.indptr.tolist(), graph.indices.tolist()
        self.ids = graph.edge_ids.tolist()
        self.weights = None if weights is None else [float(weights[i]) for i in self.ids]
        self.labels = None if labels is None else [int(labels[i]) for i in self.ids]
        self.n = graph.num_vertices

    def row(self, v: int) -> range:
        return range(self.indptr[v], self.indptr[v + 1])

    def is_vertex(self, v: int) -> bool:
        if not 0 <= v < self.n:
            faults.append(NO_VERTEX)
        return 0 <= v < self.n

    def at(self, edge: Edge, table: list[Any] | None, default: Any, zero: Any) -> Any:
        if not 0 <= edge.position < len(self.indices):
            faults.append(NO_EDGE)
            return zero
        return default if table is None else table[edge.position]

    def edge_id(self, edge: Edge) -> int:
        return self.at(edge, self.ids, 0, 0)


@dataclasses.dataclass(frozen=True)
class Spec:
    """An app, as plain data and functions."""

    hooks: dict[str, Any]
    steps: int = 0  # 0: until no transit is left
    sample_size: Any = 1
    replace: bool = False
    unique: Any = False
    scope: str = "individual"
    params: dict[str, Any] = dataclasses.field(default_factory=dict)
    arrays: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)
    strict: bool = False
    floats: tuple[str, ...] = ()  # the hooks that return floats, on one path at least

    def app(self) -> gnd.App:
        rest = {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if f.name not in ("hooks", "steps", "floats")
        }
        return gnd.App(**{**rest, **self.hooks}, steps=self.steps or gnd.INF, weighted=False)

    def fanout(self, step: int) -> int:
        size = self.sample_size
        if isinstance(size, str):
            return -1
        return size if isinstance(size, int) else size[min(step, len(size) - 1)]

    def single(self) -> bool:
        ones = self.sample_size == 1 or (isinstance(self.sample_size, list) and set(self.sample_size) == {1})
        return self.scope == "individual" and not self.unique and "sample_size" not in self.hooks and ones


@dataclasses.dataclass
class Transit:
    vertex: int
    prev: int


class Ctx:
    """What hooks see."""

    def __init__(self, sampled: Sampled, step: int, transit: Transit, key: int, words: int) -> None:
        self._s, self._key, self._words = sampled, key, words
        self.step, self.sample = I64(step), wrapped(sampled.id)
        self.transit, self.prev, self.slot = I64(transit.vertex), I64(transit.prev), I64(0)
        self.num_vertices, self.num_edges = I64(sampled.g.n), I64(len(sampled.g.indices))
        for name, value in sampled.spec.params.items():
            setattr(self, name, number(value))
        for name, array in sampled.spec.arrays.items():
            setattr(self, name, View(array, sampled.g))

    def of(self, transit: Transit) -> Ctx:
        found = Ctx(self._s, int(self.step), transit, self._key, self._words)
        found.slot = self.slot
        return found

    def picking(self, j: int) -> Ctx:
        found = self.of(Transit(int(self.transit), int(self.prev)))
        found.slot, found._words = I64(j), self._words + j * USER_WORDS
        return found

    @property
    def size(self) -> I64:
        return I64(self._s.ends[int(self.step)] - self._s.roots)

    def _level(self, i: int) -> list[int]:
        level = int(self.step) + 1 - int(i)
        if i < 1 or level < 0:
            return []
        first = self._s.ends[level - 1] if level else 0
        return self._s.vertices[first : self._s.ends[level]]

    def count(self, i: int) -> I64:
        return I64(len(self._level(i)))

    def _of(self, vertices: Sequence[int], i: int) -> I64:
        if 0 <= i < len(vertices):
            return I64(vertices[int(i)])
        faults.append(OUT_OF_ARRAY)
        return I64(0)

    def previous(self, i: int, place: int) -> I64:
        return self._of(self._level(i), place)

    def root(self, i: int) -> I64:
        return self._of(self._s.vertices[: self._s.roots], i)

    def word(self, i: int) -> I64:
        return wrapped(gnd.rng.word(self._key, self._words + (int(i) & (USER_WORDS - 1))))

    def chance(self, i: int) -> I64:
        return I64((int(self.word(i)) & MASK) >> 32)

    def below(self, i: int, n: int) -> I64:
        return wrapped((int(self.word(i)) & MASK) * (int(n) & MASK) >> 64)

    def fail(self) -> None:
        faults.append(FAILED)

    def degree(self, v: int) -> I64:
        return I64(len(self._s.g.row(int(v))) if self._s.g.is_vertex(v) else 0)

    def edge(self, v: int, i: int) -> Edge:
        if not self._s.g.is_vertex(v):
            return Edge(-1)
        row = self._s.g.row(int(v))
        if not 0 <= i < len(row):
            faults.append(NO_EDGE)
            return Edge(-1)
        return Edge(row[int(i)])

    def neighbor(self, v: int, i: int) -> I64:
        edge = self.edge(v, i)
        return I64(0 if edge.position < 0 else self._s.g.indices[edge.position])

    def edge_id(self, edge: Edge) -> I64:
        return I64(self._s.g.edge_id(edge))

    def weight(self, edge: Edge) -> F64:
        return F64(self._s.g.at(edge, self._s.g.weights, 1.0, 0.0))

    def label(self, edge: Edge) -> I64:
        return I64(self._s.g.at(edge, self._s.g.labels, 0, 0))

    def _weights(self, v: int) -> list[float]:
        return [float(self.weight(Edge(e))) for e in self._s.g.row(int(v))]

    def max_weight(self, v: int) -> F64:
        if not self._s.g.is_vertex(v):
            return F64(0.0)
        return F64(max(self._weights(v), default=0.0) if self._s.g.weights is not None else 1.0)

    def prefix_weight(self, v: int, i: int) -> F64:
        if not self._s.g.is_vertex(v):
            return F64(0.0)
        weights, total = self._weights(v), 0.0
        if not 0 <= i <= len(weights):
            faults.append(NO_EDGE)
            return F64(0.0)
        for w in weights[: int(i)]:
            total += w
        return F64(total)

    def has_edge(self, u: int, v: int) -> bool:
        g = self._s.g
        if not (0 <= u < g.n and 0 <= v < g.n):
            faults.append(NO_VERTEX)
            return False
        return int(v) in [g.indices[e] for e in g.row(int(u))]


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
        # Which unit a bias has is told by the whole function.
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
        self.transits.append(Transit(to, int(ctx.transit)))

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
