"""What the core says of the samples of each app: known answers."""

from __future__ import annotations

import copy
import math
import pickle

import corpus
import pytest
from gonextdoor.sampling.estimate import estimate

import gonextdoor as gnd


@pytest.mark.parametrize(
    ("app", "facts"), list(zip(corpus.APPS, corpus.FACTS, strict=True)), ids=map(repr, corpus.APPS)
)
def test_facts(app: gnd.apps.SamplingApp, facts: tuple[object, ...]) -> None:
    assert (app.width(1), app.width(3), app.layered(), app.pool(), app.steps_expected()) == facts


APPS = gnd.apps
SLOTS = [
    (APPS.DeepWalk(0), 1, []),
    (APPS.DeepWalk(2), 1, [(), ()]),
    (APPS.Node2Vec(1, 1, 1), 1, [()]),
    (APPS.MetaPath([0, 1]), 1, [(), ()]),
    (APPS.MultiDimensionalWalk(2), 5, [(), ()]),
    (APPS.MultiIndependent(2), 1, [(), ()]),
    (APPS.MultiIndependent(2), 3, [(3,), (3,)]),
    (APPS.KHop([3, 1, 2]), 1, [(3,), (3, 1), (3, 1, 2)]),
    (APPS.KHop([3, 2]), 4, [(4, 3), (4, 3, 2)]),
    (APPS.Neighbor([3, 2]), 1, [(3,), (3, 2)]),
    (APPS.KHop([2] + [1] * 31), 1, [(2, *[1] * i) for i in range(30)] + [(2,), (2,)]),
    (gnd.App(steps=2), 1, [(), ()]),
    (gnd.App(steps=2), 3, [(3,), (3,)]),
    (gnd.App(steps=3, sample_size=[3, 2, 2]), 1, [(3,), (3, 2), (3, 2, 2)]),
    (gnd.App(steps=3, sample_size=[3, 2, 2], scope="collective"), 2, [(3,), (2,), (2,)]),
]


@pytest.mark.parametrize(("app", "roots", "slots"), SLOTS, ids=[repr(app) for app, *_ in SLOTS])
def test_the_shapes_of_steps(app: gnd.apps.SamplingApp, roots: int, slots: list[tuple[int, ...]]) -> None:
    assert app.slots(roots) == slots


def test_samples_that_differ_in_length_have_no_shapes() -> None:
    for app in (APPS.PPR(0.5), APPS.Snowball(2), APPS.Neighbor([3], frontier_size=2), gnd.App(steps=gnd.INF)):
        with pytest.raises(ValueError, match="samples differ in length"):
            app.slots()


def test_trees_and_layers_are_read_step_by_step() -> None:
    names = {type(app).__name__ for app in corpus.APPS if app.per_step()}
    assert names == {"KHop", "Neighbor", "Snowball", "ForestFire", "Layer", "FastGCN", "LADIES", "MVS"}
    own = [gnd.App(steps=2), gnd.App(steps=2, sample_size=2), gnd.App(steps=2, record="induced")]
    assert [app.per_step() for app in own] == [False, True, False]


def test_facts_of_apps_of_the_user_s_own() -> None:
    tree = gnd.App(steps=2, sample_size=[3, 2])
    assert (tree.width(), tree.width(4), tree.layered(), tree.pool()) == (10, 40, False, None)
    endless = gnd.App(steps=gnd.INF, sample_size=2)
    assert (endless.width(), endless.layered(), endless.steps_expected()) == (None, True, math.inf)


def test_facts_are_not_part_of_an_app() -> None:
    app, other = gnd.apps.DeepWalk(5), gnd.apps.DeepWalk(5)
    assert app.width() == 6
    assert app == other
    assert pickle.loads(pickle.dumps(app)) == copy.copy(app) == other
    assert "_shapes" not in copy.copy(app).__dict__


def test_estimates_grow_with_the_samples() -> None:
    graph, app = corpus.graph(), gnd.apps.DeepWalk(50)
    none, one, thousand = (estimate(graph, app, n, 1, 1) for n in (0, 1, 1000))
    assert none.cpu < one.cpu < thousand.cpu
    assert (thousand.cpu - none.cpu) == pytest.approx(1000 * (one.cpu - none.cpu))
    # Each thread costs its start, so four threads share few samples by less than four, and many by about four.
    assert (thousand.cpu - none.cpu) / 4 < estimate(graph, app, 1000, 1, 4).cpu - none.cpu < thousand.cpu - none.cpu
    alone, shared = (estimate(graph, app, 1_000_000, 1, threads).cpu - none.cpu for threads in (1, 4))
    assert shared == pytest.approx(alone / 4, rel=0.01)
    assert thousand.until(0, tables=True) > thousand.until(0, tables=False) == thousand.cpu
    assert thousand.until(1, tables=False) == thousand.until(2, tables=False) == 0  # the calls do not wait
    # Each GPU has a part of the samples, and leaves as much of it queued as one GPU alone.
    waits = [estimate(graph, app, 10**10, 1, 1).until(gpus, tables=False) for gpus in (1, 2, 4)]
    work = estimate(graph, app, 10**10, 1, 1).gpu_work
    assert waits[0] - waits[1] == pytest.approx(work / 2)
    assert waits[1] - waits[2] == pytest.approx(work / 4)


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_every_app_has_an_estimate_on_a_graph(app: gnd.apps.SamplingApp) -> None:
    expected = estimate(corpus.graph(), app, 10, 3, 1)
    assert 0 < expected.cpu < 1
