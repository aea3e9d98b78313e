"""Graph.from_edges: the forms in which people have edges, and ids that are text or far apart."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd

EDGES = [(0, 1), (1, 2), (2, 0), (2, 2)]


def arcs(graph: gnd.Graph) -> list[tuple[int, int]]:
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return list(zip(src.tolist(), graph.indices.tolist(), strict=True))


def as_edge_index() -> Any:
    return np.array(EDGES).T


def as_pairs() -> Any:
    return np.array(EDGES, np.int32)


def as_fortran() -> Any:
    return np.asfortranarray(EDGES)


def as_generator() -> Iterator[tuple[int, int]]:
    return (edge for edge in EDGES)


def as_nested_lists() -> Any:
    return [[0, 1, 2, 2], [1, 2, 0, 2]]


def as_networkx() -> Any:
    return pytest.importorskip("networkx").DiGraph(EDGES).edges


def as_frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(EDGES)


def as_polars() -> Any:
    return pytest.importorskip("polars").DataFrame(EDGES, orient="row")


def as_tensor() -> Any:
    return pytest.importorskip("torch").tensor(EDGES).t()


class Tensor:
    """An array of another library, which numpy converts."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(EDGES).T


FORMS = [
    lambda: EDGES, as_edge_index, as_pairs, as_fortran, as_generator, as_nested_lists, as_networkx, as_frame, as_polars,
    as_tensor, Tensor,
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_edges_as_one_argument(form: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = gnd.Graph.from_edges(form())
    assert arcs(graph) == sorted(EDGES)
    assert graph.vertex_names is None
    assert graph.edge_ids.tolist() == [0, 1, 2, 3]


def test_options_with_one_argument() -> None:
    graph = gnd.Graph.from_edges(
        [("b", "a"), ("a", "c"), ("b", "a")], weights=[1, 2, 3], labels=[4, 5, 6], times=[7, 8, 9]
    )
    assert arcs(graph) == [(0, 2), (1, 0), (1, 0)]
    for array, expected in [(graph.weights, [2, 1, 3]), (graph.labels, [5, 4, 6]), (graph.times, [8, 7, 9])]:
        assert array is not None and array.tolist() == expected
    both = gnd.Graph.from_edges(
        [("b", "a"), ("b", "a"), ("a", "a")], symmetric=True, deduplicate=True, drop_self_loops=True
    )
    assert arcs(both) == [(0, 1), (1, 0)]
    assert gnd.Graph.from_edges(EDGES, num_vertices=7).num_vertices == 7


@pytest.mark.parametrize("empty", [[], (), np.empty((2, 0), int), np.empty((0, 2), int), np.empty(0, int), iter(())])
def test_no_edges(empty: Any) -> None:
    graph = gnd.Graph.from_edges(empty, num_vertices=3)
    assert (graph.num_vertices, graph.num_edges) == (3, 0)


def test_two_edges_in_an_array_may_be_read_in_two_ways() -> None:
    for edges in (np.array([[0, 1], [2, 3]]), [[0, 1], [2, 3]], np.array([["a", "b"], ["c", "d"]])):
        with pytest.warns(gnd.InputWarning, match=r"shape \(2, 2\).*read as \(2, E\)") as caught:
            graph = gnd.Graph.from_edges(edges)
        assert arcs(graph) == [(0, 2), (1, 3)]
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert arcs(gnd.Graph.from_edges([(0, 1), (2, 3)])) == [(0, 1), (2, 3)]
        assert arcs(gnd.Graph.from_edges(np.array([[0, 1], [1, 2]]))) == [(0, 1), (1, 2)]  # the same in both ways
        edges = np.array([[0, 1], [2, 3]])
        assert arcs(gnd.Graph.from_edges(edges[:, 0], edges[:, 1])) == [(0, 1), (2, 3)]


TEXT = [
    (["bob", "alice"], ["alice", "carol"]),
    (np.array(["bob", "alice"]), np.array(["alice", "carol"])),
    (np.array(["bob", "alice"], object), ("alice", "carol")),
    ([("bob", "alice"), ("alice", "carol")], None),
]


@pytest.mark.parametrize(("src", "dst"), TEXT)
def test_text_is_numbered_in_order(src: Any, dst: Any) -> None:
    graph = gnd.Graph.from_edges(src, dst)
    assert graph.vertex_names is not None
    assert graph.vertex_names.tolist() == ["alice", "bob", "carol"]
    assert arcs(graph) == [(0, 2), (1, 0)]
    assert graph.edge_ids.tolist() == [1, 0]


def test_text_is_kept_whole() -> None:
    words = ["", "é", "\U0001f600", "e\u0301", "x" * 1000, "a", "10", "9"]
    graph = gnd.Graph.from_edges(words, words[::-1])
    names = graph.vertex_names
    assert names is not None and graph.num_vertices == len(words)
    assert arcs(graph) == sorted((graph.ids(u), graph.ids(v)) for u, v in zip(words, words[::-1], strict=True))
    assert [names[graph.ids(word)] for word in words] == words


def test_one_long_name_does_not_widen_the_others() -> None:
    """As an array of numpy's text this would take 4 GB."""
    words = [f"v{i}" for i in range(1000)] + ["x" * 1_000_000]
    graph = gnd.Graph.from_edges(words, words[1:] + words[:1])
    assert graph.num_vertices == 1001 and graph.num_edges == 1001


def test_relabel() -> None:
    src, dst = [4_000_000_000, -7, 2**62], [-7, 2**62, 4_000_000_000]
    graph = gnd.Graph.from_edges(src, dst, relabel=True)
    assert graph.vertex_names is not None
    assert graph.vertex_names.tolist() == [-7, 4_000_000_000, 2**62]
    assert arcs(graph) == [(0, 2), (1, 0), (2, 1)]
    assert gnd.Graph.from_edges([0, 1], [1, 2], relabel=True).vertex_names is None
    assert gnd.Graph.from_edges(np.array([0, 5]), np.array([5, 0], object)).num_vertices == 6
    mixed = gnd.Graph.from_edges(np.array([2**60 + 1], np.uint64), np.array([2**60]), relabel=True).vertex_names
    assert mixed is not None and mixed.tolist() == [2**60, 2**60 + 1]


@pytest.mark.parametrize(("most", "meant"), [(4_000_000_000, True), (1 << 27, True), (1 << 33, False)])
def test_few_edges_between_ids_far_apart(most: int, meant: bool) -> None:
    for src, dst, name in [([0, most], [1, 2], "src"), ([1, 2], [0, most], "dst")]:
        with pytest.raises(
            ValueError, match=rf"{name}\[1\] = {most}: .* GB\) and 2 edges; pass relabel=True"
        ) as refusal:
            gnd.Graph.from_edges(np.array(src, np.uint64), np.array(dst, np.uint64))
        assert (f"num_vertices={most + 1}" in str(refusal.value)) == meant
    assert gnd.Graph.from_edges([0], [1 << 20]).num_vertices == (1 << 20) + 1


@pytest.mark.slow
def test_all_vertices_that_are_asked_for() -> None:
    graph = gnd.Graph.from_edges([0], [1 << 27], num_vertices=(1 << 27) + 1)
    assert graph.num_vertices == (1 << 27) + 1


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"src": [0, 1, 2]}, ValueError, r"src has shape \(3,\) and dst is missing"),
    ({"src": [(0, 1, 2.5)]}, ValueError, r"shape \(1, 3\).*weights, labels and times as arguments"),
    ({"src": np.zeros((3, 3), int)}, ValueError, r"shape \(3, 3\)"),
    ({"src": np.zeros((2, 2, 2), int)}, ValueError, r"shape \(2, 2, 2\)"),
    ({"src": [(0, 1), (2,)]}, TypeError, "src: expected an array of vertices"),
    ({"src": 5}, TypeError, "src: expected an array or a list.* int"),
    ({"src": "ab"}, ValueError, r"src has shape \(\)"),
    ({"src": {(0, 1): 2.5}}, TypeError, "src: .* dict"),
    ({"src": {0, 1}, "dst": [1, 2]}, TypeError, "src: .* set, which has no order"),
    ({"src": [0], "dst": frozenset([1])}, TypeError, "dst: .* frozenset, which has no order"),
    ({"src": ["a"], "dst": [1]}, TypeError, r"src has text and dst has integers: .*astype\(str\)"),
    ({"src": [(1, "a")]}, TypeError, "src has integers and dst has text"),
    ({"src": ["a", 1], "dst": ["b", "c"]}, TypeError, r"src: expected integers or text, got object \(int, str\)"),
    ({"src": ["a", None], "dst": ["b", "c"]}, ValueError, r"src\[1\] is missing \(None\)"),
    ({"src": ["b", "c"], "dst": ["a", float("nan")]}, (TypeError, ValueError), r"dst"),  # type: ignore[dict-item]
    ({"src": np.array(["a", np.nan], object), "dst": ["b", "c"]}, ValueError, r"src\[1\] is missing \(nan\)"),
    ({"src": np.array([b"a"]), "dst": np.array([b"b"])}, TypeError, r"src: .*S1; decode it"),
    ({"src": ["a", "b"], "dst": ["a"]}, ValueError, "dst has 1 elements: expected 2, as src has"),
    (
        {"src": ["a"], "dst": ["b"], "num_vertices": 3},
        ValueError,
        "num_vertices = 3: expected None with ids that are text",
    ),
    ({"src": [5], "dst": [7], "num_vertices": 3, "relabel": True}, ValueError, "num_vertices = 3: .* relabel=True"),
    ({"src": [5], "dst": [7], "relabel": 1}, TypeError, "relabel = 1: expected True or False"),
    ({"src": [0.5], "dst": [7], "relabel": True}, TypeError, r"src: .*float64; convert it with .astype\(np.int64\)"),
    ({"src": [["a"]], "dst": [["b"]]}, ValueError, r"src: expected shape \(n,\), got \(1, 1\)"),
    ({"src": np.ma.masked_equal([5, 6], 5), "dst": [0, 0]}, ValueError, r"src\[0\] is masked"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int) -> None:
    arguments, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text):
        gnd.Graph.from_edges(**arguments)


class OnDevice:
    """A tensor in the memory of a GPU."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("can't convert a cuda tensor to numpy")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 1

    def __dlpack__(self, **_: Any) -> Any:
        raise AssertionError("must not be asked")


def test_edges_on_a_gpu() -> None:
    with pytest.raises(TypeError, match=r"src is on cuda:1: .* \.cpu\(\)"):
        gnd.Graph.from_edges(OnDevice())
    with pytest.raises(TypeError, match=r"dst is on cuda:1"):
        gnd.Graph.from_edges([0], OnDevice())


def test_a_graph_is_not_called() -> None:
    with pytest.raises(TypeError, match=r"Graph.from_edges\(edges\).*from_networkx.*gonextdoor.read"):
        gnd.Graph([(0, 1)])
