"""Graphs of NetworkX and igraph, and back."""

from __future__ import annotations

import warnings
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

networkx = pytest.importorskip("networkx")


def arcs(graph: gnd.Graph) -> list[tuple[int, int]]:
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return list(zip(src.tolist(), graph.indices.tolist(), strict=True))


def same(a: gnd.Graph, b: gnd.Graph) -> None:
    """All but the ids of edges."""
    for name in ("indptr", "indices", "weights", "labels", "times", "vertex_names"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None), name
        assert x is None or np.array_equal(x, y), name


def made(library: str, edges: list[tuple[int, int]], *, directed: bool, **attributes: list[Any]) -> Any:
    """The graph of x, y and z in a library; None is an attribute that an edge has not."""
    if library == "igraph":
        igraph = pytest.importorskip("igraph")
        return igraph.Graph(3, edges, directed=directed, vertex_attrs={"name": ["x", "y", "z"]}, edge_attrs=attributes)
    graph = networkx.MultiDiGraph() if directed else networkx.MultiGraph()
    graph.add_nodes_from("xyz")
    for i, (u, v) in enumerate(edges):
        graph.add_edge(
            "xyz"[u], "xyz"[v], **{k: values[i] for k, values in attributes.items() if values[i] is not None}
        )
    return graph


def built(graph: Any, *arguments: Any, **options: Any) -> gnd.Graph:
    if isinstance(graph, networkx.Graph):
        return gnd.Graph.from_networkx(graph, *arguments, **options)
    return gnd.Graph.from_igraph(graph, *arguments, **options)


@pytest.fixture(params=["networkx", "igraph"])
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_attributes(library: str) -> None:
    attributes = {"weight": [1.5, None, 2.5], "time": [7, 8, 9], "label": [1, 2, 3]}
    graph = built(made(library, [(0, 1), (0, 1), (2, 0)], directed=True, **attributes))
    assert graph.vertex_names is not None and graph.vertex_names.tolist() == ["x", "y", "z"]
    assert arcs(graph) == [(0, 1), (0, 1), (2, 0)]
    for array, values in [(graph.weights, [1.5, 1, 2.5]), (graph.times, [7, 8, 9]), (graph.labels, [1, 2, 3])]:
        assert array is not None and array.tolist() == values
    plain = built(
        made(library, [(0, 1)], directed=True, **{k: v[:1] for k, v in attributes.items()}),
        None,
        time=False,
        label=False,
    )
    assert plain.weights is plain.times is plain.labels is None


def test_directions(library: str) -> None:
    edges = [(0, 1), (1, 2), (2, 2)]
    both = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 2)]
    for directed in (False, True):
        graph = made(library, edges, directed=directed)
        assert arcs(built(graph)) == (edges if directed else both)
        assert arcs(built(graph, symmetric=True)) == both
        assert arcs(built(graph, symmetric=False)) == edges
    assert built(made(library, edges, directed=False)).edge_ids.tolist() == [0, 0, 1, 1, 2]


def test_an_attribute_is_chosen_for_its_name_alone(library: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = made(library, [(0, 1), (1, 2)], directed=True, capacity=[3, 4])
        assert built(graph).weights is None
    with pytest.raises(ValueError, match="weight=True: there is no column of weights"):
        built(graph, True)
    chosen = built(graph, "capacity").weights
    assert chosen is not None and chosen.tolist() == [3, 4]
    labels = built(graph, label="capacity").labels
    assert labels is not None and labels.tolist() == [3, 4]
    source = built(made(library, [(0, 1)], directed=True, source=[2.5]), "source").weights
    assert source is not None and source.tolist() == [2.5]


@pytest.mark.parametrize(
    ("attributes", "options", "kind", "text"),
    [
        (
            {"w": [1, 2]},
            {"weight": "x"},
            ValueError,
            "weight = 'x': no edge has that attribute; the attributes are 'w'",
        ),
        ({}, {"time": "x"}, ValueError, "time = 'x': no edge has that attribute; the attributes are none"),
        ({"w": [1, 2]}, {"weight": 0}, TypeError, "weight = 0: expected the name of an edge attribute"),
        ({"w": [1, 2]}, {"label": 1.5}, TypeError, "label = 1.5: expected the name"),
        ({"w": [1, "a"]}, {"weight": "w"}, TypeError, "edge 1 has w = 'a': expected a number"),
        ({"w": [1, True]}, {"weight": "w"}, TypeError, "edge 1 has w = True: expected a number"),
        ({"w": [1, -2]}, {"weight": "w"}, ValueError, r"weights\[1\] = -2"),
        ({"time": [None, 3]}, {}, ValueError, "edge 0 has no attribute 'time': .* time=False"),
        ({"label": [4, None]}, {}, ValueError, "edge 1 has no attribute 'label': .* label=False"),
        ({"t": [4, 0.5]}, {"time": "t"}, TypeError, "edge 1 has t = 0.5: expected an integer"),
        ({}, {"symmetric": 1}, TypeError, 'symmetric = 1: expected "auto", True or False'),
        ({}, {"symmetric": "yes"}, TypeError, "symmetric = 'yes'"),
    ],
)
def test_refusals(library: str, attributes: Any, options: Any, kind: type[Exception], text: str) -> None:
    graph = made(library, [(0, 1), (1, 2)], directed=True, **attributes)
    with pytest.raises(kind, match=text):
        built(graph, **options)


def test_text_labels_are_not_read_without_a_word(library: str) -> None:
    with pytest.warns(gnd.InputWarning, match="'label' is not read"):
        assert built(made(library, [(0, 1)], directed=True, label=["knows"])).labels is None


def test_graphs_without_edges(library: str) -> None:
    graph = made(library, [], directed=True)
    for options in ({}, {"weight": "weight"}, {"time": "since", "label": "kind"}):
        assert (built(graph, **options).num_vertices, built(graph, **options).num_edges) == (3, 0)


def test_names_of_igraph() -> None:
    igraph = pytest.importorskip("igraph")
    zachary = gnd.Graph.from_igraph(igraph.Graph.Famous("Zachary"))
    assert (zachary.num_vertices, zachary.num_edges, zachary.vertex_names) == (34, 156, None)
    integers = gnd.Graph.from_igraph(igraph.Graph(2, [(0, 1)], vertex_attrs={"name": [50, 7]})).vertex_names
    assert integers is not None and integers.tolist() == [50, 7]
    with pytest.raises(ValueError, match=r"graph.vs\[1\] has no name"):
        gnd.Graph.from_igraph(igraph.Graph(2, [(0, 1)], vertex_attrs={"name": ["a", None]}))


def test_graphs_of_the_other_library() -> None:
    igraph = pytest.importorskip("igraph")
    with pytest.raises(TypeError, match=r"expected an igraph.Graph, got DiGraph"):
        gnd.Graph.from_igraph(networkx.DiGraph())
    for thing in (igraph.Graph(), [(0, 1)], None):
        with pytest.raises(TypeError, match="expected a NetworkX graph"):
            gnd.Graph.from_networkx(thing)


def graphs() -> list[gnd.Graph]:
    random = np.random.default_rng(4)
    src, dst = random.integers(0, 30, (2, 150))
    more = {
        "weights": random.random(150),
        "labels": random.integers(-5, 5, 150),
        "times": random.integers(0, 1 << 40, 150),
    }
    words = np.array([f"v{i}" for i in range(30)])
    return [
        gnd.Graph.from_edges(src, dst),
        gnd.Graph.from_edges(src, dst, deduplicate=True, num_vertices=40),
        gnd.Graph.from_edges(src, dst, symmetric=True, **more),
        gnd.Graph.from_edges(words[src], words[dst], **more),
        gnd.Graph.from_edges(src * 7 - 5, dst * 7 - 5, relabel=True, deduplicate=True, labels=more["labels"]),
        gnd.Graph.from_edges([], []),
        gnd.Graph.from_edges([0], [1], weights=[0.0]),
    ]


@pytest.mark.parametrize("case", range(len(graphs())))
def test_to_networkx_and_back(case: int) -> None:
    graph = graphs()[case]
    there = graph.to_networkx()
    repeats = len(set(arcs(graph))) < graph.num_edges
    assert type(there) is (networkx.MultiDiGraph if repeats else networkx.DiGraph)
    assert there.number_of_edges() == graph.num_edges
    names = range(graph.num_vertices) if graph.vertex_names is None else graph.vertex_names.tolist()
    assert list(there.nodes) == list(names)
    assert [(list(names).index(u), list(names).index(v)) for u, v in there.edges()] == arcs(graph)
    same(gnd.Graph.from_networkx(there), graph)


def test_pagerank_of_the_same_graph() -> None:
    graph = gnd.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")], weights=[1, 2, 3, 4])
    expected = networkx.DiGraph()
    expected.add_weighted_edges_from([("a", "b", 1), ("b", "c", 2), ("c", "a", 3), ("a", "c", 4)])
    ranks = networkx.pagerank(graph.to_networkx())
    assert ranks == pytest.approx(networkx.pagerank(expected))


def test_real_graph_through_all_three() -> None:
    friends = gnd.read(corpus.data("ego-Facebook.txt.gz"), symmetric=False)
    there = friends.to_networkx()
    same(gnd.Graph.from_networkx(there), friends)
    undirected = gnd.Graph.from_networkx(there.to_undirected())
    symmetric = gnd.Graph.from_edges(friends.to_scipy().nonzero(), symmetric=True)
    assert np.array_equal(undirected.degrees(), symmetric.degrees())
    igraph = pytest.importorskip("igraph")
    same(gnd.Graph.from_igraph(igraph.Graph.from_networkx(there), weight=False), friends)
