"""Hooks next that are run as uniform choices: which ones, and that their walks are those of the hooks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from gonextdoor.udf import uniform

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

NULL = gnd.NULL
SINKS = gnd.rmat(9, 4, seed=3)  # directed: some vertices have no edge


def plain(ctx):
    degree = ctx.degree(ctx.transit)
    if degree == 0:
        return NULL
    return ctx.neighbor(ctx.transit, ctx.below(0, degree))


def turned(ctx):
    n = ctx.degree(ctx.transit)
    v = ctx.transit
    if not n < 1:
        i = ctx.below(37, n)  # word 5
        return ctx.neighbor(v, i)
    return NULL


def chosen(ctx):
    n = ctx.degree(ctx.transit)
    return ctx.neighbor(ctx.transit, ctx.below(31, n)) if n else -1


SAME = {plain: 0, turned: 5, chosen: 31}


def ignores_sinks(ctx):
    return ctx.neighbor(ctx.transit, ctx.below(0, ctx.degree(ctx.transit)))


def needs_two(ctx):
    n = ctx.degree(ctx.transit)
    return ctx.neighbor(ctx.transit, ctx.below(0, n)) if n >= 2 else NULL


def not_of_three(ctx):
    n = ctx.degree(ctx.transit)
    if n == 3 or n == 0:
        return NULL
    return ctx.neighbor(ctx.transit, ctx.below(0, n))


def last_edges(ctx):
    n = ctx.degree(ctx.transit)
    return ctx.neighbor(ctx.transit, ctx.below(0, n - 1) + 1) if n > 1 else NULL


def by_step(ctx):
    n = ctx.degree(ctx.transit)
    return ctx.neighbor(ctx.transit, ctx.below(ctx.step, n)) if n > 0 else NULL


def by_parameter(ctx):
    n = ctx.degree(ctx.transit)
    return ctx.neighbor(ctx.transit, ctx.below(ctx.high, n)) if n > 0 else NULL


def stays(ctx):
    n = ctx.degree(ctx.transit)
    return ctx.neighbor(ctx.transit, ctx.below(0, n)) if n > 0 else ctx.transit


def not_from_zero(ctx):
    n = ctx.degree(ctx.transit)
    return NULL if n == 0 or ctx.transit == 0 else ctx.neighbor(ctx.transit, ctx.below(0, n))


def even_places(ctx):
    n = ctx.degree(ctx.transit)
    if n == 0:
        return NULL
    i = ctx.below(0, n)
    return ctx.neighbor(ctx.transit, i) if i % 2 == 0 else NULL


def other_row(ctx):
    n = ctx.degree(ctx.transit)
    return ctx.neighbor(0, ctx.below(0, n)) if n > 0 else NULL


def index_itself(ctx):
    n = ctx.degree(ctx.transit)
    return ctx.below(0, n) if n > 0 else NULL


OTHER = [
    ignores_sinks, needs_two, not_of_three, last_edges, by_step, by_parameter, stays, not_from_zero, even_places,
    other_row, index_itself,
]  # fmt: skip


def word(hook) -> int | None:
    return gnd.App(next=hook, steps=3, params={"high": 5})._uniform_word


def test_uniform_hooks_are_recognised_and_no_others() -> None:
    assert {hook: word(hook) for hook in [*SAME, *OTHER]} == SAME | dict.fromkeys(OTHER)


def test_apps_that_do_more_run_their_hooks() -> None:
    def stop(ctx):
        return ctx.step == 2

    for rest in ({"stop": stop}, {"sample_size": 2}):
        assert gnd.App(next=plain, **{"steps": 3, **rest})._uniform_word is None


def hooked(app: gnd.App) -> gnd.App:
    """The same app without the knowledge that its hook is uniform."""
    app._uniform_word = None
    return app


@pytest.mark.parametrize("hook", SAME)
@pytest.mark.parametrize("strict", [False, True])
def test_walks_are_those_of_the_hook(hook, strict: bool) -> None:
    for graph in (SINKS, gnd.rmat(8, 4, seed=2, weights=(1, 5))):
        app, other = (gnd.App(next=hook, steps=20, strict=strict) for _ in range(2))
        hooked(other)
        roots = np.arange(300) % graph.num_vertices
        walks = gnd.sample(graph, app, roots, seed=5, device="cpu").numpy()
        assert (walks == NULL).any() and (walks != NULL).any()
        assert np.array_equal(walks, gnd.sample(graph, other, roots, seed=5, device="cpu").numpy())
        copied = pickle.loads(pickle.dumps(app))
        assert np.array_equal(walks, gnd.sample(graph, copied, roots, seed=5, threads=2, device="cpu").numpy())


def test_other_shapes_are_those_of_the_hook() -> None:
    for steps, roots in ((4, [[0, 1], [2, 3]]), (gnd.INF, [0, 1])):
        ring = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3])
        results = [
            gnd.sample(ring, app, roots, seed=5, device="cpu").numpy()
            for app in (gnd.App(next=plain, steps=steps), hooked(gnd.App(next=plain, steps=steps)))
        ]
        assert np.array_equal(*results)
    with_edges = gnd.sample(SINKS, gnd.App(next=plain, steps=4), [3, 4], seed=5, edges=True, device="cpu")
    assert np.array_equal(with_edges.edges, np.full((2, 4), -1))


MISTAKES = {
    "sinks are left out": ("_DEGREE", 1),
    "words are not counted from 0 again": ("WORDS", 64),
    "degrees are compared with any number as if they were 1": ("_comparable", lambda x: True),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_rule_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uniform, *MISTAKES[name])
    assert {hook: word(hook) for hook in [*SAME, *OTHER]} != SAME | dict.fromkeys(OTHER)
