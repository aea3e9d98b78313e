"""Hooks that are run as TemporalWalk, or among edges that may follow in time: which ones, and their distributions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from gonextdoor.udf import temporal, tree

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

NULL = gnd.NULL
SRC = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 0]
DST = [1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 1]
TIMES = [4, 2, 2, 3, 4, 1, 5, 2, 3, 3, 4, 1]
GRAPH = gnd.Graph.from_edges(SRC, DST, times=TIMES)


def later(ctx, edge, dst):
    return ctx.step == 0 or ctx.time(edge) > ctx.time(ctx.prev_edge)


def not_earlier(ctx, edge, dst):
    if ctx.prev == NULL:
        return 3.0
    if not ctx.time(edge) < ctx.time(ctx.prev_edge):
        return 0.5
    return 0.0


def earlier(ctx, edge, dst):
    n = 0
    if ctx.step != 0:
        n = 7 if ctx.time(ctx.prev_edge) > ctx.time(edge) else 0
    return n if ctx.step > 0 else 1


def not_later(ctx, edge, dst):
    return ctx.high * (1 if ctx.step == 0 or ctx.time(ctx.prev_edge) >= ctx.time(edge) else 0)


SAME = {
    later: ("forward", True), not_earlier: ("forward", False), earlier: ("backward", True),
    not_later: ("backward", False),
}  # fmt: skip


def exact(bias, steps: int) -> dict[tuple[int, ...], float]:
    """The probabilities of the walks from vertex 0, by the bias of an edge after another one, or after None."""
    done: Counter[tuple[int, ...]] = Counter()
    left: Counter[tuple[tuple[int, ...], int | None]] = Counter({((0,), None): 1.0})
    for _ in range(steps):
        longer: Counter[tuple[tuple[int, ...], int | None]] = Counter()
        for (walk, last), p in left.items():
            biases = {i: bias(i, last) for i, s in enumerate(SRC) if s == walk[-1]}
            for i, b in biases.items():
                if b > 0:
                    longer[((*walk, DST[i]), i)] += p * b / sum(biases.values())
            if not any(biases.values()):
                done[walk] += p
        left = longer
    for (walk, _), p in left.items():
        done[walk] += p
    return dict(done)


AFTER = {
    later: lambda a, b: a > b, not_earlier: lambda a, b: a >= b, earlier: lambda a, b: a < b,
    not_later: lambda a, b: a <= b,
}  # fmt: skip


@pytest.mark.parametrize("hook", SAME, ids=lambda hook: hook.__name__)
def test_the_distribution_is_that_of_the_hook(hook) -> None:
    """A sound app fails once in 10^9."""
    want = exact(lambda i, last: last is None or AFTER[hook](TIMES[i], TIMES[last]), 3)
    check(hook, want, "Uniform")


def check(hook, want: dict[tuple[int, ...], float], selector: str) -> None:
    """Compares the walks of a hook, with a bound and without, with exact probabilities."""
    stats = pytest.importorskip("scipy.stats")
    assert abs(sum(want.values()) - 1) < 1e-12
    for rest in ({}, {"bound": None}):
        app = gnd.App(edge_bias=hook, steps=3, params={"high": 5}, **rest)
        samples = gnd.sample(GRAPH, app, [0], repeat=50_000, seed=3)
        assert samples.selector == ("Reservoir" if rest else selector) and samples.app is app
        found = Counter(tuple(v for v in walk if v >= 0) for walk in samples.numpy().tolist())
        assert found.keys() <= want.keys()
        observed = np.array([found[walk] for walk in want])
        assert stats.chisquare(observed, np.array(list(want.values())) * 50_000).pvalue > 1e-9, rest


@pytest.mark.parametrize("hook", SAME, ids=lambda hook: hook.__name__)
def test_samples_are_those_of_the_built_in_app(hook) -> None:
    direction, strict = SAME[hook]
    walks = gnd.apps.TemporalWalk(6, direction=direction, strict=strict)
    app = gnd.App(edge_bias=hook, steps=6, params={"high": 5})
    assert gnd.explain(GRAPH, app).app == gnd.explain(GRAPH, walks).app
    for threads in (1, 2):
        one, other = (gnd.sample(GRAPH, x, repeat=50, seed=2, threads=threads).numpy() for x in (app, walks))
        assert np.array_equal(one, other)


# ---- other hooks


def any_time(ctx, edge, dst):
    return ctx.step == 0 or ctx.time(edge) != ctx.time(ctx.prev_edge)


def two_biases(ctx, edge, dst):
    return 2 if ctx.step == 0 or ctx.time(edge) > ctx.time(ctx.prev_edge) else 1


def two_of_later(ctx, edge, dst):
    if ctx.step == 0:
        return 1
    return 2 if ctx.time(edge) > ctx.time(ctx.prev_edge) else 1 if ctx.time(edge) == ctx.time(ctx.prev_edge) else 0


def nothing_first(ctx, edge, dst):
    return ctx.step != 0 and ctx.time(edge) > ctx.time(ctx.prev_edge)


def an_error_first(ctx, edge, dst):
    return ctx.time(edge) > ctx.time(ctx.prev_edge)


def second_step(ctx, edge, dst):
    return ctx.step < 2 or ctx.time(edge) > ctx.time(ctx.prev_edge)


def within(ctx, edge, dst):
    return ctx.step == 0 or ctx.time(edge) > ctx.time(ctx.prev_edge) + 1


def to_a_vertex(ctx, edge, dst):
    return ctx.step == 0 or (ctx.time(edge) > ctx.time(ctx.prev_edge) and dst != 2)


def by_weight(ctx, edge, dst):
    return ctx.weight(edge) if ctx.step == 0 or ctx.time(edge) > ctx.time(ctx.prev_edge) else 0.0


def too_large(ctx, edge, dst):
    return 2**32 if ctx.step == 0 or ctx.time(edge) > ctx.time(ctx.prev_edge) else 0


def same_edge(ctx, edge, dst):
    return ctx.step == 0 or (edge != ctx.prev_edge and ctx.time(edge) >= ctx.time(ctx.prev_edge))


def assigned(ctx, edge, dst):
    if ctx.step > 0 and ctx.degree(ctx.prev) > 0:
        edge = ctx.edge(ctx.prev, 0)
    return ctx.step == 0 or ctx.time(edge) > ctx.time(ctx.prev_edge)


OTHER = [
    any_time, two_biases, two_of_later, nothing_first, an_error_first, second_step, within, to_a_vertex, by_weight,
    too_large, same_edge, assigned,
]  # fmt: skip


@pytest.mark.parametrize("hook", OTHER, ids=lambda hook: hook.__name__)
def test_other_hooks_are_run_as_they_are(hook) -> None:
    assert gnd.explain(GRAPH, gnd.App(edge_bias=hook, steps=3)).app == "App"


def test_other_apps_are_run_as_they_are() -> None:
    def stop(ctx):
        return ctx.step == 2

    for rest in ({"stop": stop}, {"bound": None}, {"steps": gnd.INF}, {"sample_size": 2}):
        app = gnd.App(edge_bias=later, **{"steps": 3, **rest})
        assert gnd.explain(GRAPH, app).app == "App"
    pairs = gnd.sample(GRAPH, gnd.App(edge_bias=later, steps=3), [[0, 1], [2, 3]], seed=1)
    assert pairs.numpy().shape == (2, 8) and pairs.selector == "Reject(4+d/16), Reservoir"
    plain = gnd.Graph.from_edges(SRC, DST)
    with pytest.raises(ValueError, match="times"):
        gnd.sample(plain, gnd.App(edge_bias=later, steps=3), seed=1)


# ---- hooks whose candidates are the edges that may follow


def decaying(ctx, edge, dst):
    if ctx.step == 0:
        return 1 + dst
    ago = ctx.time(ctx.prev_edge) - ctx.time(edge)
    return max(0, 8 - 2 * ago) if ago >= 0 else 0


def rarely(ctx, edge, dst):
    last = ctx.time(edge)
    if ctx.step > 0:
        if last <= ctx.time(ctx.prev_edge):
            return 0
        last -= ctx.time(ctx.prev_edge)
    return 100 if last == 5 else last


def sooner(ctx, edge, dst):
    if ctx.prev != NULL and (ctx.count(1) < 1 or not ctx.time(edge) < ctx.time(ctx.prev_edge)):  # count(1) is positive
        return 0.0
    return 0.5 if dst == 2 else 0.25


def longer_ago(ctx, edge, dst):
    return 1 if ctx.step == 0 else max(0, 3 - abs(ctx.time(edge) - ctx.time(ctx.prev_edge)))


FOLLOWED = {
    decaying: ("backward", False), rarely: ("forward", True), sooner: ("backward", True),
    two_of_later: ("forward", False), nothing_first: ("forward", True), an_error_first: ("forward", True),
    to_a_vertex: ("forward", True), by_weight: ("forward", True), too_large: ("forward", True),
    same_edge: ("forward", False),
}  # fmt: skip
BIASES = {
    decaying: lambda i, last: 1 + DST[i] if last is None else max(0, 8 - 2 * (TIMES[last] - TIMES[i]))
    if TIMES[last] >= TIMES[i] else 0,
    rarely: lambda i, last: (lambda gap: 0 if gap <= 0 else 100 if gap == 5 else gap)(
        TIMES[i] - (0 if last is None else TIMES[last])
    ),
    sooner: lambda i, last: 0.0 if last is not None and TIMES[i] >= TIMES[last] else 0.5 if DST[i] == 2 else 0.25,
}  # fmt: skip


@pytest.mark.parametrize("hook", BIASES, ids=lambda hook: hook.__name__)
def test_the_distribution_among_edges_that_may_follow(hook) -> None:
    """A sound app fails once in 10^9."""
    check(hook, exact(BIASES[hook], 3), "Reject(4+d/16), Reservoir, by time")


def test_an_error_of_an_edge_that_may_follow_is_found() -> None:
    with pytest.raises(IndexError):
        gnd.sample(GRAPH, gnd.App(edge_bias=an_error_first, steps=3), seed=1)
    with pytest.raises(ValueError, match="exceeds"):
        gnd.sample(GRAPH, gnd.App(edge_bias=too_large, steps=3), seed=1)


# ---- the rules with a mistake


def recognised(hook) -> tuple[str, bool] | None:
    app = gnd.App(edge_bias=hook, steps=3, params={"high": 5})._on(gnd.Graph.from_edges(SRC, DST, times=TIMES))
    found = app._same
    return None if found is None or found.view else (found.app.direction, found.app.strict)


def followed(hook) -> tuple[str, bool] | None:
    app = gnd.App(edge_bias=hook, steps=3, params={"high": 5})._on(gnd.Graph.from_edges(SRC, DST, times=TIMES))
    found = app._follows
    return found and ("backward" if found["backward"] else "forward", found["strict"])


def swapped(order: tuple[bool, bool, bool]) -> tuple[bool, bool, bool]:
    return order[0], not order[1], order[2]


MISTAKES = {
    "strict is not strict": ("_ORDERS", {swapped(order): found for order, found in temporal._ORDERS.items()}),
    "backward is forward": ("_ORDERS", {order[::-1]: found for order, found in temporal._ORDERS.items()}),
    "other reads are ignored": ("_decided", lambda function: True),
    "any time of the edge is compared": ("_compared", lambda x, edge: tree.expressions(x)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_rule_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    want = {hook: SAME.get(hook) for hook in [*SAME, *OTHER]}
    assert {hook: recognised(hook) for hook in want} == want
    monkeypatch.setattr(temporal, *MISTAKES[name])
    try:
        found = {hook: recognised(hook) for hook in want}
    except TypeError:  # a hook computes with what its cases do not have
        return
    assert found != want


MISTAKES_OF_FOLLOWED = {
    "strict is not strict": (temporal, "_ORDERS", MISTAKES["strict is not strict"][1]),
    "any limit is 0": (temporal._Gap, "positive", lambda gap: gap.result().high > 1),
    "the first step counts": (temporal._Gap, "field", temporal.HookRanges.field),
    "earlier is later": (temporal._Gap, "side", lambda gap, a, b: -SIDE(gap, a, b)),
    "only comparisons count": (
        temporal._Gap,
        "operators",
        {**temporal._Gap.operators, tree.Binary: temporal.HookRanges.binary},
    ),
    "only differences count": (temporal._Gap, "compared", temporal.HookRanges.compared),
    "an assigned edge is the candidate": (tree, "assigned", lambda body: frozenset()),
}
SIDE = temporal._Gap.side


@pytest.mark.parametrize("name", MISTAKES_OF_FOLLOWED)
def test_a_mistake_in_the_rule_of_edges_that_follow_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    want = {hook: FOLLOWED.get(hook) for hook in [*SAME, *OTHER, decaying, rarely, sooner, longer_ago]}
    assert {hook: followed(hook) for hook in want} == want
    monkeypatch.setattr(*MISTAKES_OF_FOLLOWED[name])
    assert {hook: followed(hook) for hook in want} != want
