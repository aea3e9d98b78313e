"""Roots: what gnd.sample and the command line take, for apps of one root, of pools, and of none."""

from __future__ import annotations

import dataclasses
from typing import Any

import corpus
import numpy as np
import pytest
from gonextdoor.sampling import roots

import gonextdoor as gnd
from gonextdoor import rng

GRAPH = corpus.graph()
EMPTY = gnd.Graph.from_edges([], [])


@dataclasses.dataclass(frozen=True)
class Pooled(gnd.apps.SamplingApp):
    """An app that draws that many roots per sample."""

    many: int | None

    def pool(self) -> int | None:
        return self.many


ONE, THREE, NONE = Pooled(None), Pooled(3), Pooled(0)


def given(app: Pooled, what: Any, graph: gnd.Graph = GRAPH, **options: Any) -> roots.Roots:
    return roots.given(graph, app, what, app.pool(), **({"seed": 5} | options)).among(())


def expected_roots(first: int, count: int, width: int, repeat: int = 1) -> list[int]:
    """Random roots, word for word as docs/reproducibility.md has them."""
    stream = rng.stream(5, rng.ROOTS)
    keys = [rng.key(stream, first + i * repeat) for i in range(count)]
    return [rng.below(rng.word(key, j), GRAPH.num_vertices)[0] for key in keys for j in range(width)]


def test_no_roots_given() -> None:
    assert given(ONE, None) == roots.Roots(None, GRAPH.num_vertices, 1, 0)
    three = given(THREE, None)
    assert (three.count, three.width) == (1, 3)
    assert three.array is not None and three.array.tolist() == expected_roots(0, 1, 3)
    none = given(NONE, None)
    assert (none.count, none.width) == (1, 0)


@pytest.mark.parametrize(("first_id", "repeat"), [(0, 1), (7, 1), (12, 4), (2**64 - 40, 2)])
def test_random_roots_are_the_law_s(first_id: int, repeat: int) -> None:
    for app, width in ((ONE, 1), (THREE, 3)):
        got = given(app, 20, first_id=first_id, repeat=repeat)
        assert got.array is not None and got.array.tolist() == expected_roots(first_id, 20, width, repeat)
        assert (got.count, got.width) == (20, width)


def test_random_roots_may_be_split() -> None:
    want = given(THREE, 20, first_id=4, repeat=2).array
    parts = [given(THREE, n, first_id=first, repeat=2).array for n, first in ((7, 4), (13, 18))]
    assert want is not None and np.array_equal(np.concatenate([p for p in parts if p is not None]), want)


def test_any_number_is_one() -> None:
    for number in (0, 1, np.int8(2), np.uint64(3)):
        assert given(ONE, number).count == int(number)
    assert given(NONE, 9).count == 9


def test_arrays() -> None:
    assert (given(ONE, [1, 2]).count, given(ONE, [1, 2]).width) == (2, 1)
    for app in (ONE, THREE):  # rows say how many roots a sample has, whatever the app would draw
        got = given(app, [[1, 2], [3, 4], [5, 6]])
        assert (got.count, got.width) == (3, 2)
    assert given(THREE, [1, 2]).width == 1
    assert given(ONE, np.zeros((0, 4), int)).width == 4


@pytest.mark.parametrize(
    ("app", "what", "graph", "kind", "text"),
    [
        (NONE, [1], GRAPH, ValueError, r"roots: Pooled\(many=0\) chooses its own vertices; expected an int"),
        (NONE, [[1, 2]], GRAPH, ValueError, "chooses its own vertices"),
        (NONE, -1, GRAPH, ValueError, "roots = -1"),
        (THREE, 1 << 40, GRAPH, MemoryError, "needed"),
        (THREE, (1 << 40) + 1, GRAPH, ValueError, "roots = 1099511627777"),
        (THREE, None, EMPTY, ValueError, "roots = 1: the graph has no vertex to draw"),
        (THREE, np.zeros((2, 0), int), GRAPH, ValueError, r"expected shape \(n,\) or \(n, r\), got \(2, 0\)"),
        (THREE, np.array(3), GRAPH, ValueError, r"expected shape \(n,\) or \(n, r\), got \(\)"),
        (THREE, True, GRAPH, TypeError, "roots: expected an array of ints, got bool"),
        (THREE, 2.0, GRAPH, TypeError, "roots: expected an array of ints, got float64"),
        (THREE, "all", GRAPH, TypeError, "roots = .all.: expected an array of vertices"),
        (THREE, np.timedelta64(3), GRAPH, TypeError, "roots = "),
        (THREE, [[1], [2, 3]], GRAPH, TypeError, "roots: expected an array of ints"),
    ],
)
def test_refusals(app: Pooled, what: Any, graph: gnd.Graph, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        given(app, what, graph)


def test_no_random_roots_of_nothing() -> None:
    assert given(THREE, 0, EMPTY).count == 0
    assert gnd.sample(EMPTY, gnd.apps.DeepWalk(2), 0).numpy().shape == (0, 3)


def test_walks_take_one_root() -> None:
    with pytest.raises(
        ValueError, match=r"roots: DeepWalk takes one root per sample, .* pass a 1-D array, such as roots\.ravel\(\)"
    ):
        gnd.sample(GRAPH, gnd.apps.DeepWalk(2), [[1, 2]])
    assert gnd.sample(GRAPH, gnd.apps.DeepWalk(2), [[1], [2]]).roots.tolist() == [[1], [2]]


def test_roots_of_samples() -> None:
    walks = gnd.sample(GRAPH, gnd.apps.PPR(0.5), [4, 9], repeat=2, seed=1)
    assert walks.roots.tolist() == [[4], [4], [9], [9]]
    trees = gnd.sample(GRAPH, gnd.apps.KHop([2]), [[4, 9], [9, 4]], seed=1)
    assert trees.roots.tolist() == [[4, 9], [9, 4]]
