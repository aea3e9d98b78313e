"""Names: vertices given by the ids that they had in the input."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import corpus
import networkx
import numpy as np
import pytest

import gonextdoor as gnd


@pytest.fixture
def people() -> gnd.Graph:
    """alice -> bob -> carol -> alice, numbered 0, 1, 2."""
    return gnd.Graph.from_edges([("alice", "bob"), ("bob", "carol"), ("carol", "alice")])


@pytest.fixture
def gaps() -> gnd.Graph:
    """10 -> 30 and 20 -> 10, numbered 0 (10), 1 (20), 2 (30)."""
    return gnd.Graph.from_edges([10, 20], [30, 10], relabel=True)


def test_ids_invert_vertex_names(people: gnd.Graph, gaps: gnd.Graph) -> None:
    for graph in (people, gaps):
        names = graph.vertex_names
        assert names is not None
        assert graph.ids(names).tolist() == [0, 1, 2]
        assert graph.ids(names[::-1]).dtype == np.int64
    assert people.ids("carol") == 2 and isinstance(people.ids("carol"), int)
    assert people.ids([["carol", "bob"], ["alice", "alice"]]).tolist() == [[2, 1], [0, 0]]
    assert gaps.ids(20) == 1
    assert gaps.ids([30, 10]).tolist() == [2, 0]
    assert gaps.ids(np.array([30, 10], np.uint64)).tolist() == [2, 0]
    assert people.ids([]).tolist() == gaps.ids([]).tolist() == []


def test_text_is_a_name_as_sentences_write_it(gaps: gnd.Graph) -> None:
    words = next(iter(gnd.sample(gaps, gnd.apps.DeepWalk(2), [1], seed=0).sentences()))
    assert words == ["20", "10", "30"]
    assert gaps.ids(words).tolist() == [1, 0, 2]
    plain = corpus.directed()
    assert plain.ids(["4", "0"]).tolist() == plain.ids([4, 0]).tolist() == [4, 0]
    for text in ("030", "+30", " 30", "3_0", "30.0", "ten", "-0", str(1 << 70)):
        with pytest.raises(ValueError, match=r"names\[0\] = .*its names are integers"):
            gaps.ids([text])


@pytest.mark.parametrize("library", ["numpy", "pandas", "polars", "pyarrow"])
def test_names_of_other_libraries(people: gnd.Graph, library: str) -> None:
    module = pytest.importorskip(library)
    series = {"numpy": "array", "pandas": "Series", "polars": "Series", "pyarrow": "array"}[library]
    names = getattr(module, series)(["carol", "alice"])
    assert people.ids(names).tolist() == [2, 0]
    assert gnd.sample(people, gnd.apps.DeepWalk(1), names, seed=0).numpy().tolist() == [[2, 0], [0, 1]]


def test_text_that_dlpack_cannot_describe(people: gnd.Graph) -> None:
    class Text:
        """An array of text whose library offers DLPack for numbers, as pyarrow 25 does."""

        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.array(["carol", "alice"], object)

        def __dlpack_device__(self) -> tuple[int, int]:
            raise TypeError("DataType is not compatible with DLPack spec: string")

    assert people.ids(Text()).tolist() == [2, 0]
    assert gnd.sample(people, gnd.apps.DeepWalk(1), Text(), seed=0).numpy().tolist() == [[2, 0], [0, 1]]


def test_ints_are_numbers_everywhere_else(gaps: gnd.Graph) -> None:
    assert gaps.neighbors(0).tolist() == gaps.neighbors("10").tolist() == [2]
    assert gaps.has_edge(1, 0) and gaps.has_edge("20", "10") and gaps.has_edge("20", 0)
    with pytest.raises(IndexError, match=r"v = 10: the graph has 3 vertices; .* graph.ids\(\[10\]\)"):
        gaps.neighbors(10)
    with pytest.raises(IndexError, match=r"v = 11: the graph has 3 vertices$"):
        gaps.neighbors(11)


def test_roots_and_seeds_by_name(people: gnd.Graph) -> None:
    app = gnd.apps.DeepWalk(3)
    named = gnd.sample(people, app, ["carol", "alice"], repeat=2, seed=1)
    assert np.array_equal(named, gnd.sample(people, app, [2, 0], repeat=2, seed=1))
    assert gnd.visit_counts(people, app, ["carol"], seed=1).tolist() == [1, 1, 2]
    pairs = gnd.apps.MultiDimensionalWalk(4, dimension=2)
    both = gnd.sample(people, pairs, [["carol", "alice"], ["bob", "bob"]], seed=1)
    assert np.array_equal(both, gnd.sample(people, pairs, [[2, 0], [1, 1]], seed=1))
    inputs, outputs, _ = gnd.PGSampler([-1], seed=1).sample(people, ["bob"])
    assert (inputs.tolist(), outputs.tolist()) == ([1, 2], [1])
    drawn = gnd.NeighborSampler(people, [-1]).draw(["bob"], 5)
    assert drawn.split(drawn.arena).nodes[0].tolist() == [1, 2]


def test_unknown_names(people: gnd.Graph, gaps: gnd.Graph) -> None:
    for name, close in [("alcie", "alice"), ("Alice", "alice"), (" bob", "bob"), ("carrol", "carol")]:
        with pytest.raises(ValueError, match=f"v = '{name}': .* did you mean '{close}'"):
            people.neighbors(name)
    with pytest.raises(ValueError, match=r"names\[1\] = 'zzzzzz': the graph has no vertex of that name$"):
        people.ids(["bob", "zzzzzz"])
    with pytest.raises(ValueError, match=r"roots\[1, 0\] = 'x'"):
        gnd.sample(people, gnd.apps.DeepWalk(1), [["bob"], ["x"]])
    for seeds in (["x"], np.array(["x"])):
        with pytest.raises(ValueError, match=r"seed_nodes\[0\] = 'x'"):
            gnd.PGSampler([1]).sample(people, seeds)
        with pytest.raises(ValueError, match=r"seed_nodes\[0\] = 'x'"):
            gnd.NeighborSampler(people, [1]).draw(seeds, 0)  # type: ignore[arg-type]
    for unknown in (11, -1, 1 << 63):
        with pytest.raises(ValueError, match=rf"names\[0\] = {unknown}: the graph has no vertex of that name"):
            gaps.ids(np.array([unknown]))
    with pytest.raises(ValueError, match=r"names = 5: .* its vertices are 0 to 4"):
        corpus.directed().ids(5)
    with pytest.raises(ValueError, match="names = 0: the graph has no vertex"):
        gnd.Graph.from_edges([], []).ids(0)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (5, "names = 5: the names of this graph are text"),
        ([5], r"names\[0\] = 5: the names of this graph are text"),
        (["bob", 5], r"names\[1\] = 5: expected a name, as text"),
        ([["bob"], ["bob", "carol"]], "names: .*differ in length"),
        ([0.5], "names: expected an array of ints"),
        ([True], "names: expected an array of ints"),
        (None, "names: expected an array of ints"),
    ],
)
def test_names_of_the_wrong_type(people: gnd.Graph, names: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        people.ids(names)


def test_a_single_name_is_no_list_of_roots(people: gnd.Graph) -> None:
    with pytest.raises(TypeError, match=r"roots = 'alice': expected .* a list of names, as \['alice'\]"):
        gnd.sample(people, gnd.apps.DeepWalk(1), "alice")  # type: ignore[arg-type]


def test_a_name_that_several_vertices_have() -> None:
    networkx = pytest.importorskip("networkx")
    with pytest.raises(ValueError, match="the nodes 1 and '1' have one name, '1': rename one"):
        gnd.Graph.from_networkx(networkx.DiGraph([(1, "1"), ("1", "x")]))
    igraph = pytest.importorskip("igraph")
    for names in ([7, 5, 7], ["7", "5", "7"]):
        named = gnd.Graph.from_igraph(igraph.Graph(n=3, edges=[(0, 1)], vertex_attrs={"name": names}))
        with pytest.raises(ValueError, match=r"names\[1\] = '?7'?: several vertices have that name \(0, 2\)"):
            named.ids([names[1], names[0]])
        with pytest.raises(ValueError, match=r"vertex_names\[2\] = '?7'? is also that of vertex 0"):
            named.to_networkx()


def test_names_in_any_order() -> None:
    networkx = pytest.importorskip("networkx")
    order = np.random.default_rng(3).permutation(1000)
    for names in (order * 7 - 500, [f"v{x}" for x in order]):
        graph = networkx.DiGraph()
        graph.add_nodes_from(np.asarray(names).tolist())
        made = gnd.Graph.from_networkx(graph)
        assert made.ids(names).tolist() == list(range(1000))
        assert made.ids(names[500]) == 500


@pytest.fixture
def numbered() -> gnd.Graph:
    """Vertices 0, 1 and 2 are named 5, 3 and 9."""
    return gnd.Graph.from_networkx(networkx.DiGraph([(5, 3), (3, 9), (9, 5)]))


WALK = gnd.apps.DeepWalk(1)
CALLS: dict[str, Callable[[gnd.Graph, Any], Any]] = {
    "sample": lambda g, ids: gnd.sample(g, WALK, ids, seed=1),
    "visit_counts": lambda g, ids: gnd.visit_counts(g, WALK, ids, seed=1),
    "end_points": lambda g, ids: gnd.end_points(g, WALK, ids, seed=1),
    "explain": lambda g, ids: gnd.explain(g, WALK, ids),
    "NextDoor": lambda g, ids: gnd.NextDoor(g, WALK, ids, seed=1).doSampling(),
    "loader": lambda g, ids: list(gnd.loader(g, [1], ids, seed=1)),
    "NeighborSampler": lambda g, ids: gnd.NeighborSampler(g, [1]).sample(ids, batch_seed=1),
    "sample_many": lambda g, ids: gnd.NeighborSampler(g, [1]).sample_many([ids, ids], [1, 2]),
    "PGSampler": lambda g, ids: gnd.PGSampler([1], seed=1).sample(g, ids),
    "personalized_pagerank": lambda g, ids: gnd.personalized_pagerank(g, ids, walks=10, seed=1),
    "sets": lambda g, ids: gnd.personalized_pagerank(g, [ids, ids], walks=10, seed=1),
    "weights": lambda g, ids: gnd.personalized_pagerank(g, dict.fromkeys(ids, 1), walks=10, seed=1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_numbers_of_a_graph_with_integer_names(call: Callable[[gnd.Graph, Any], Any], numbered: gnd.Graph) -> None:
    """They warn once; an id that is no number names the vertex that has it as its name."""
    text = r"^(roots|input_nodes|seed_nodes|seeds)(\[0\])?: integers are numbers of vertices, 0 to 2, .* pass graph.ids"
    with pytest.warns(gnd.InputWarning, match=text) as caught:
        call(numbered, [2])
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(numbered, [2])
        with pytest.raises(IndexError, match=r"5.* 3.*; the vertex with that name is graph\.ids\(\[5\]\)$"):
            call(numbered, [5])
        with pytest.raises(IndexError) as refused:
            call(numbered, [7])
        assert "graph.ids" not in str(refused.value), "no vertex has that name"
        for known in (gnd.Graph.from_edges([(5, 3), (3, 9)], relabel=True), pickle.loads(pickle.dumps(numbered))):
            call(known, known.ids([9]))  # ids was called, so numbers are known
        for plain in (gnd.rmat(4, seed=1), gnd.Graph.from_edges([("a", "b"), ("b", "a"), ("b", "c")])):
            call(plain, [2])


def test_integers_as_names(numbered: gnd.Graph) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gnd.sample(numbered, WALK, seed=1)
        gnd.sample(numbered, WALK, 2, seed=1)
        gnd.sample(numbered, WALK, ["9"], seed=1)
        list(gnd.loader(numbered, [1], np.array([False, True, False])))
        walks = gnd.sample(numbered, WALK, [[9], [5]], names=True, seed=1)
        assert numbered.vertex_names is not None
        assert numbered.vertex_names[walks.numpy()].tolist() == [[9, 5], [5, 3]]
        for ids in ([9], np.array([9], np.uint8), ["9"]):
            for names in (True, None):
                found = gnd.sample(numbered, WALK, ids if names else numbered.ids(ids), names=names, seed=1)
                assert found.numpy().tolist() == [[2, 0]]
            assert gnd.visit_counts(numbered, WALK, ids, names=True).tolist() == [1, 0, 1]
            assert gnd.end_points(numbered, WALK, ids, names=True).tolist() == [0]
            assert gnd.explain(numbered, WALK, ids, names=True).samples == 1
            (batch,) = gnd.loader(numbered, [1], ids, names=True)
            assert batch.nodes.tolist() == [2, 0]
        assert gnd.sample(numbered, WALK, [2], names=False, seed=1).numpy().tolist() == [[2, 0]]
    fresh = pickle.loads(pickle.dumps(numbered))
    for call, kind, text in (
        (lambda: gnd.sample(fresh, WALK, [4], names=True), ValueError, r"roots\[0\] = 4: the graph has no vertex of"),
        (lambda: gnd.sample(fresh, WALK, 5, names=True), TypeError, r"names = True with roots = 5: .* as \[5\]"),
        (lambda: gnd.sample(fresh, WALK, [5], names=1), TypeError, "names = 1: expected True, False or None"),
        (lambda: gnd.loader(fresh, [1], [4], names=True), ValueError, r"input_nodes\[0\] = 4: the graph has no"),
    ):
        with pytest.raises(kind, match=text):
            call()
    with pytest.raises(TypeError, match=r"roots\[0\] = 1: the names of this graph are text, and an int is already"):
        gnd.sample(gnd.Graph.from_edges([("a", "b")]), WALK, [1], names=True)
    typed = gnd.HeteroGraph({("a", "to", "a"): gnd.Graph.from_edges([0], [1])}, {"a": 2})
    with pytest.raises(ValueError, match="names = True: the vertices of a HeteroGraph have no names"):
        gnd.loader(typed, [1], "a", names=True)
    parts = gnd.partition.split(numbered, 2, "hash")
    with pytest.raises(IndexError, match=r"roots\[0\] = 9: .*; the vertex with that name is graph\.ids\(\[9\]\)"):
        gnd.partition.sample(parts, WALK, [9])
