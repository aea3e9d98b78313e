"""What the core says of the samples of each app: known answers."""

from __future__ import annotations

import copy
import math
import pickle

import corpus
import pytest
from gonextdoor.sampling.plan import estimate

import gonextdoor as gnd

# Of each app of corpus.APPS: width with one root and with three, layered, pool, vertices expected of one root.
FACTS = [
    (7, 9, False, None, 6.0),  # DeepWalk(length=6, weighted='auto')
    (None, None, False, None, 3.3333333333333335),  # PPR(stop=0.3, max_length=None, weighted='auto')
    (7, 9, False, None, 6.0),  # Node2Vec(p=2.0, q=0.5, length=6, weighted='auto')
    (7, 9, False, None, 6.0),  # NonBacktracking(length=6, weighted='auto')
    (10, 30, False, None, 9.0),  # KHop(fanouts=(3, 2), replace=False, weighted=False)
    (10, 30, False, None, 9.0),  # KHop(fanouts=(3, 2), replace=True, weighted=False)
    (None, None, True, None, 12.0),  # Layer(step_size=5, max_size=12, unique=True, bias='uniform')
    (None, None, True, None, 40.0),  # Layer(step_size=30, max_size=40, unique=False, bias='degree')
    (None, None, True, 0, math.inf),  # MVS(batch=8, fanouts=(3, -1))
    (None, None, True, 0, 24.0),  # MVS(batch=8, fanouts=(2,), scores=array of 200)
    (None, None, True, None, 8.0),  # FastGCN(sizes=(5, 3), replace=True, normalization='symmetric')
    (None, None, True, None, 8.0),  # LADIES(sizes=(5, 3), replace=False, normalize=True, normalization='symmetric')
    (7, 9, False, None, 6.0),  # Walk(bias='degree', length=6, computed=False)
    (5, 7, False, None, 4.0),  # Walk(bias='degree', length=4, computed=True)
    (7, 9, False, None, 6.0),  # MetropolisHastings(length=6)
    (7, 9, False, None, 6.0),  # Jump(length=6, probability=0.2, weighted='auto')
    (7, 9, False, None, 6.0),  # Restart(length=6, probability=0.3, weighted='auto')
    (5, 15, False, None, 4.0),  # MultiIndependent(length=4, weighted='auto')
    (10, 12, False, 3, 9.0),  # MultiDimensionalWalk(length=9, dimension=3)
    (7, 9, False, None, 6.0),  # MetaPath(labels=(0, 1, 2), length=6, weighted='auto', stop=0.0)
    (10, 30, False, None, 9.0),  # Neighbor(...)
    (None, None, True, None, 15.0),  # Neighbor(...)
    (None, None, True, None, math.inf),  # Snowball(depth=2, fanout=None)
    (None, None, True, None, math.inf),  # Snowball(depth=None, fanout=3)
    (None, None, True, None, math.inf),  # ForestFire(probability=0.4, depth=None)
    (None, None, True, 0, 12.0),  # RandomNode(n=12, replace=False, induced=True)
    (None, None, True, 0, 12.0),  # RandomNode(n=12, replace=True, induced=False)
    (None, None, True, 0, 18.0),  # RandomEdge(n=9, replace=False)
    (None, None, True, 0, math.inf),  # ClusterGCN(clusters=7, per_sample=2, seed=0)
    (None, None, True, 0, 26.08695652173913),  # ClusterGCN(clusters=array of 200 ids, per_sample=3)
    (None, None, True, 0, 20.0),  # GraphSAINT(method='node', budget=20, roots=None, length=None)
    (None, None, True, 0, 10.0),  # GraphSAINT(method='edge', budget=10, roots=None, length=None)
    (None, None, True, 0, 20.0),  # GraphSAINT(method='walk', budget=None, roots=5, length=3)
    (None, None, True, 0, 20.0),  # GraphSAINT(method='multidimensional', budget=20, roots=4, length=None)
]  # fmt: skip


@pytest.mark.parametrize(("app", "facts"), list(zip(corpus.APPS, FACTS, strict=True)), ids=map(repr, corpus.APPS))
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
    many, shared = (estimate(graph, app, 100_000, 1, threads).cpu - none.cpu for threads in (1, 4))
    assert shared == pytest.approx(many / 4, abs=1e-4)  # the start of three threads
    assert thousand.until(0, tables=True) > thousand.until(0, tables=False) == thousand.cpu
    assert thousand.until(1, tables=False) <= thousand.until(2, tables=False)


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_every_app_has_an_estimate_on_a_graph(app: gnd.apps.SamplingApp) -> None:
    expected = estimate(corpus.graph(), app, 10, 3, 1)
    assert 0 < expected.cpu < 1
