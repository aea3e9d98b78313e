"""What gonextdoor.loader refuses: arguments, inputs, batches, and states of other loaders."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from gonextdoor.neighbor.options import NAMES, options_of
from test_loader import FANOUTS, GRAPH, NODES, heterogeneous, made

import gonextdoor as gnd


def test_options_are_those_of_the_loader() -> None:
    """Other loaders take them as keywords, and show them with their defaults."""
    whole, parts = inspect.signature(gnd.loader).parameters, inspect.signature(gnd.partition.loader).parameters
    assert [name for name in parts if name not in whole] == []
    assert {name: whole[name].default for name in NAMES} == options_of({})[0]
    assert {name: parts[name].default for name in NAMES & {*parts}} == {
        name: whole[name].default for name in NAMES - {"cache", "cache_policy"}
    }
    with pytest.raises(TypeError, match=r"gonextdoor\.partition\.loader got an unexpected keyword argument 'ahead'"):
        gnd.partition.loader(gnd.partition.split(GRAPH, 2, "hash"), FANOUTS, ahead=2)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "given, error, text",
    [
        ({"batch_size": 0}, ValueError, "batch_size = 0"),
        ({"batch_size": "8"}, TypeError, "batch_size = '8'"),
        ({"shuffle": 1}, TypeError, "shuffle = 1"),
        ({"drop_last": None}, TypeError, "drop_last = None"),
        ({"seed": -1}, ValueError, "seed = -1"),
        ({"divide": "rank"}, ValueError, "divide = 'rank': expected 'ranks' or None"),
        ({"divide": True}, TypeError, "divide = True: expected 'ranks' or None"),
        ({"divide": np.ones(2)}, TypeError, "divide = array"),
        ({"divide": "ranks", "world": 1}, ValueError, "world = 1 with divide = 'ranks': pass divide to read"),
        ({"divide": "ranks", "rank": 0, "world": 2}, ValueError, "rank = 0 with divide = 'ranks'"),
        ({"rank": 1}, ValueError, "rank = 1 without world: pass both"),
        ({"world": 2}, ValueError, "world = 2 without rank: pass both"),
        ({"rank": 2, "world": 2}, ValueError, "rank = 2: expected from 0 to 1"),
        ({"rank": -1, "world": 2}, ValueError, "rank = -1"),
        ({"rank": 0, "world": 0}, ValueError, "world = 0"),
        ({"rank": 0.5, "world": 2}, TypeError, "rank = 0.5"),
        ({"even": "pad"}, ValueError, "even = 'pad': expected 'wrap', 'drop' or 'error'"),
        ({"even": None}, TypeError, "even = None"),
        ({"share": 0}, ValueError, "share = 0"),
        ({"share": 1.5}, TypeError, "share = 1.5"),
        ({"threads": 0}, ValueError, "threads = 0"),
        ({"input_time": np.arange(3)}, ValueError, "input_time has 3 elements: expected 100"),
        ({"input_end_time": np.arange(3)}, ValueError, "input_end_time has 3 elements: expected 100"),
        ({"input_time": NODES, "input_end_time": NODES}, ValueError, "both are the ends of the windows; pass only one"),
        (
            {"input_start_time": NODES},
            ValueError,
            "input_start_time without the ends of the windows: pass input_end_time",
        ),
        ({"strict": True}, ValueError, "strict = True without the ends of the windows: pass input_end_time"),
        ({"strict": None}, TypeError, "strict = None"),
        ({"input_end_time": NODES, "input_start_time": NODES[1:]}, ValueError, "input_start_time has 99 elements"),
        (
            {"input_end_time": NODES, "input_start_time": NODES + 2},
            ValueError,
            r"\[0\] = .*, before it begins; expected",
        ),
        ({"input_end_time": NODES, "input_start_time": NODES, "strict": True}, ValueError, "strict = True leaves out"),
        ({"layers": 2}, TypeError, "layers"),
    ],
)
def test_bad_arguments_are_refused(given: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        made(**given)


@pytest.mark.parametrize(
    "nodes, error, text",
    [
        ([1, 512], IndexError, r"input_nodes\[1\] = 512 is out of range"),
        ([-1], IndexError, r"input_nodes\[0\] = -1"),
        (np.ones(3, bool), ValueError, r"a mask has shape \(3,\), expected \(512,\)"),
        (np.ones((2, 2), int), ValueError, r"expected shape \(n,\)"),
        ([0.5], TypeError, "input_nodes"),
        ({"user": [1]}, TypeError, "got a dict"),
    ],
)
def test_bad_inputs_are_refused(nodes: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        gnd.loader(GRAPH, [2], nodes)
    with pytest.raises(ValueError, match=r"num_neighbors\[0\] = -2"):
        gnd.loader(GRAPH, [-2])


def test_bad_inputs_by_type_are_refused() -> None:
    for nodes in (None, [1], "shop", ("shop", [1])):
        with pytest.raises(ValueError, match="vertex types 'user', 'item'; expected one of them"):
            gnd.loader(heterogeneous(), [2], nodes)
    with pytest.raises(IndexError, match=r"input_nodes of type 'item'\[0\] = 60"):
        gnd.loader(heterogeneous(), [2], ("item", [60]))


def test_an_error_names_the_batch() -> None:
    loader = gnd.loader(GRAPH, [2], [0, 1, 2, 2], 2)
    batches = iter(loader)
    next(batches)
    with pytest.raises(ValueError, match=r"batch 1 of epoch 0: .*seed_nodes"):
        next(batches)


@pytest.mark.parametrize(
    "change, error, text",
    [
        (lambda state: None, TypeError, "state = None"),
        (lambda state: {**state, "loader": 3}, TypeError, "expected a dict that state_dict"),
        (lambda state: {name: state[name] for name in state if name != "epoch"}, ValueError, "state has no 'epoch'"),
        (lambda state: {}, ValueError, "state has no 'format'"),
        (lambda state: {**state, "format": 2}, ValueError, r"state\['format'\] = 2: this version reads format 1"),
        (lambda state: {**state, "seed": -1}, ValueError, r"state\['seed'\] = -1"),
        (lambda state: {**state, "epoch": "1"}, TypeError, r"state\['epoch'\] = '1'"),
        (lambda state: {**state, "batches": 10}, ValueError, r"state\['batches'\] = 10: expected from 0 to 9"),
    ],
)
def test_bad_states_are_refused(change: Any, error: type[Exception], text: str) -> None:
    loader = made()
    before = loader.state_dict()
    with pytest.raises(error, match=text):
        loader.load_state_dict(change(dict(before)))
    assert loader.state_dict() == before


def renumbered(graph: gnd.Graph) -> gnd.Graph:
    """A graph of the same size with other edges."""
    last = graph.num_vertices - 1
    sources = np.repeat(np.arange(last + 1), graph.degrees())
    return gnd.Graph.from_edges(last - sources, last - graph.indices, num_vertices=last + 1)


@pytest.mark.parametrize(
    "other, text",
    [
        (lambda: made(seed=9), "it has seed = 9, and this loader has seed = 7; pass the seed of the state, or none"),
        (lambda: made(batch_size=5), "it has batch_size = 5, and this loader has batch_size = 10"),
        (lambda: made(shuffle=True), "it has shuffle = True, and this loader has shuffle = False"),
        (lambda: made(drop_last=True), "it has drop_last = True"),
        (lambda: made(share=2), "it has share = 2, and this loader has share = 1"),
        (lambda: gnd.loader(GRAPH, [4, 2], NODES, 10), r"it has fanouts = \[\[4\], \[2\]\], and this loader has"),
        (lambda: gnd.loader(GRAPH, FANOUTS, NODES, 10, replace=True), "it has replace = True"),
        (lambda: gnd.loader(GRAPH, FANOUTS, NODES, 10, direction="in"), "it has direction = 'in'"),
        (
            lambda: gnd.loader(GRAPH, FANOUTS, NODES, 10, method="labor"),
            "it has method = 'labor', and this loader has no method",
        ),
        (lambda: gnd.loader(GRAPH, FANOUTS, NODES[1:], 10), "it has ids = "),
        (lambda: gnd.loader(GRAPH, FANOUTS, NODES[::-1], 10), "it has ids = "),
        (lambda: gnd.loader(gnd.rmat(10, seed=1), FANOUTS, NODES, 10), "it has num_vertices = 1024"),
        (lambda: gnd.loader(gnd.rmat(9, seed=2), FANOUTS, NODES, 10), "it has num_edges = "),
        (lambda: gnd.loader(renumbered(GRAPH), FANOUTS, NODES, 10), "it has graph = "),
        (lambda: made(input_end_time=NODES), "it has input_end_time = [0-9]+, and this loader has no input_end_time"),
    ],
)
def test_states_of_other_loaders_are_refused(other: Any, text: str) -> None:
    with pytest.raises(ValueError, match=f"state is of another loader: {text}"):
        made().load_state_dict(other().state_dict())


def test_states_of_other_windows_are_refused() -> None:
    state = made(input_end_time=NODES, input_start_time=NODES - 5).state_dict()
    made(input_end_time=NODES + 1, input_start_time=NODES - 5, strict=True).load_state_dict(state)  # the same edges
    for ends, starts, name in ((NODES + 1, NODES - 4, "input_end_time"), (NODES, NODES - 4, "input_start_time")):
        with pytest.raises(ValueError, match=f"state is of another loader: it has {name} = "):
            made(input_end_time=ends, input_start_time=starts).load_state_dict(state)
