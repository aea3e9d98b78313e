"""A call is planned once per app, graph, devices and roots of a sample; few functions lie between it and the core."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from typing import Any

import corpus
import numpy as np
import pytest
from gonextdoor._core import native
from gonextdoor.sampling.call import samplers_of

import gonextdoor as gnd


def samplers() -> int:
    gc.collect()
    count: int = native.call("Living", 5)
    return count


def test_a_sampler_is_made_once_and_goes_with_its_app() -> None:
    graph, app = corpus.graph(), gnd.apps.DeepWalk(3)
    before = samplers()
    for _ in range(5):
        gnd.sample(graph, app, [1, 2], seed=1)
        gnd.visit_counts(graph, app, [1], seed=1)
    assert samplers() == before + 1
    gnd.sample(graph, gnd.apps.KHop([2]), [[1, 2]], seed=1)  # its app is freed at once
    assert samplers() == before + 1
    del app
    assert samplers() == before


def test_a_sampler_goes_with_its_graph() -> None:
    app = gnd.apps.DeepWalk(3)
    before, graphs = samplers(), native.call("Living", 0)
    for i in range(5):
        gnd.sample(gnd.Graph.from_edges([0, 1], [1, i]), app, seed=1)
    assert (samplers(), native.call("Living", 0)) == (before, graphs)


def test_each_number_of_roots_and_each_graph_has_samplers() -> None:
    app, graph, other = gnd.apps.KHop([2]), corpus.graph(), gnd.Graph.from_edges([0], [1])
    assert samplers_of(graph, app, 1) is samplers_of(graph, app, 1)
    assert [samplers_of(graph, app, roots).facts.width for roots in (1, 3)] == [3, 9]
    assert samplers_of(other, app, 1) is not samplers_of(graph, app, 1)
    assert "_samplers" not in pickle.loads(pickle.dumps(app)).__dict__


def test_a_call_that_fails_to_plan_can_be_repeated() -> None:
    app = gnd.apps.DeepWalk(3, weighted=True)
    plain = gnd.Graph.from_edges([0, 1], [1, 0])
    for _ in range(2):
        with pytest.raises(ValueError, match="weight"):
            gnd.sample(plain, app, seed=1)
    weighted = gnd.Graph.from_edges([0, 1], [1, 0], weights=[1.0, 2.0])
    assert gnd.sample(weighted, app, seed=1).numpy().shape == (2, 4)


def test_a_forked_child_plans_again() -> None:
    graph, app = corpus.graph(), gnd.apps.Node2Vec(length=5)
    expected = gnd.sample(graph, app, seed=1).numpy()
    child = os.fork()
    if not child:
        same = np.array_equal(gnd.sample(graph, app, seed=1).numpy(), expected)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_few_functions_are_between_a_call_and_the_core() -> None:
    """Counts the Python functions on the stack at the crossing, and the files that the call enters.

    pybind/frames_test.go counts the functions between the crossing and the loop that advances walkers.
    """
    graph, app = corpus.graph(), gnd.apps.Node2Vec()
    for _ in range(6):  # the first calls also look for sinks
        gnd.sample(graph, app)
    here = os.path.dirname(gnd.__file__)
    stack: list[str] = []
    files: set[str] = set()
    crossing: list[str] = []

    def watch(frame: Any, event: str, arg: Any) -> None:
        code = frame.f_code
        if event == "c_call" and getattr(arg, "__name__", "") == "pybind_Sample":
            crossing.extend(stack)
        elif code.co_filename.startswith(here) and event == "call":
            stack.append(code.co_name)
            files.add(code.co_filename)
        elif code.co_filename.startswith(here) and event == "return":
            stack.pop()

    sys.setprofile(watch)
    gnd.sample(graph, app)
    sys.setprofile(None)
    assert crossing == ["sample", "sampled", "run", "call"]
    assert len(files) <= 12, sorted(files)
