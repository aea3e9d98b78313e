"""Exact negatives: gnd.negatives against a definition in Python, on dense graphs, and what it refuses."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor import rng

TRIES = 128


def graph(n: int = 60, edges: int = 900) -> gnd.Graph:
    src, dst = np.random.default_rng(5).integers(0, n, (2, edges))
    return gnd.Graph.from_edges(src, dst, num_vertices=n)


def full(n: int, *without: tuple[int, int]) -> gnd.Graph:
    """All edges between n vertices, without self-loops and the given ones."""
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v and (u, v) not in without]
    return gnd.Graph.from_edges(*np.array(pairs).T, num_vertices=n)


def below(word: int, n: int) -> int:
    return word * n >> 64


def defined(g: gnd.Graph, key: int, source: int | None, candidates: list[int]) -> tuple[int, int]:
    """The pair of a sample, uniform and without loops."""
    n, edges = g.num_vertices, {(u, int(v)) for u in range(g.num_vertices) for v in g.neighbors(u)}

    def free(u: int) -> list[int]:
        return [v for v in candidates if v != u and (u, v) not in edges]

    for t in range(TRIES):
        u = below(rng.word(key, 1 << 8 | t), n) if source is None else source
        v = candidates[below(rng.word(key, t), len(candidates))]
        if u != v and (u, v) not in edges:
            return u, v
    if source is None:
        all_pairs = [u for u in range(n) for _ in free(u)]
        source = all_pairs[below(rng.word(key, 1 << 8 | TRIES), len(all_pairs))]
    left = free(source)
    return source, left[below(rng.word(key, TRIES), len(left))] if left else -1


@pytest.mark.parametrize("g", [graph(), full(12, (3, 5), (7, 0), (7, 11))], ids=["sparse", "dense"])
def test_negatives_are_the_definition_on_any_number_of_threads(g: gnd.Graph) -> None:
    seed, n = 9, 40
    keys = [rng.key(rng.stream(seed), 100 + i) for i in range(n)]
    everything = list(range(g.num_vertices))
    for threads in (1, 3):
        pairs = gnd.negatives(g, n, seed=seed, first_id=100, threads=threads, device="cpu")
        assert pairs.numpy().tolist() == [list(defined(g, key, None, everything)) for key in keys]
        picked = gnd.negatives(
            g, sources=[7, 3], candidates=[5, 0, 5, 11], repeat=n // 2, seed=seed, first_id=100, threads=threads
        )
        roots = [7] * (n // 2) + [3] * (n // 2)
        assert picked.numpy().tolist() == [
            list(defined(g, key, root, [5, 0, 5, 11])) for key, root in zip(keys, roots, strict=True)
        ]
    halves = [gnd.negatives(g, n // 2, seed=seed, first_id=100 + at).numpy() for at in (0, n // 2)]
    assert np.array_equal(np.concatenate(halves), pairs.numpy())


def test_targets_get_sources() -> None:
    g = graph()
    found = gnd.negatives(g, targets=np.arange(60), repeat=5, seed=1).numpy()
    assert np.array_equal(found[:, 0], np.repeat(np.arange(60), 5))
    assert all(v != u and not g.has_edge(u, v) for v, u in found.tolist())
    assert np.array_equal(found, gnd.negatives(g.reverse(), sources=np.arange(60), repeat=5, seed=1).numpy())


@pytest.mark.parametrize("targets", [False, True])
def test_relations_have_numbers_of_both_types(targets: bool) -> None:
    writes = gnd.Graph.from_edges([0, 0, 1, 2, 4], [0, 1, 1, 0, 2], num_vertices=5)  # rows are papers
    h = gnd.HeteroGraph({("author", "writes", "paper"): writes}, {"paper": 5, "author": 3})
    of: Any = {"targets": [0, 4]} if targets else {"sources": [0, 2]}
    found = gnd.negatives(h, relation=("author", "writes", "paper"), repeat=50, seed=1, **of).numpy()
    pairs = found if targets else found[:, ::-1]  # (paper, author)
    assert not any(writes.has_edge(*pair) for pair in pairs.tolist())
    assert {tuple(pair) for pair in pairs.tolist()} == {
        (p, a)
        for p in range(5)
        for a in range(3)
        if not writes.has_edge(p, a) and (p in [0, 4] if targets else a in [0, 2])
    }
    both = gnd.negatives(h, 300, relation=("author", "writes", "paper"), seed=1).numpy()
    assert {tuple(pair) for pair in both.tolist()} == {
        (a, p) for p in range(5) for a in range(3) if not writes.has_edge(p, a)
    }


def test_hard_negatives() -> None:
    ring = gnd.Graph.from_edges(np.arange(12), (np.arange(12) + 1) % 12, symmetric=True)
    far = gnd.negatives(ring, sources=np.arange(12), hops=3, repeat=20, seed=1, threads=2).numpy()
    assert {(v - u) % 12 for u, v in far.tolist()} == {3, 9}
    same = gnd.negatives(ring, sources=np.arange(12), clusters=np.arange(12) // 4, repeat=20, seed=1).numpy()
    assert all(u // 4 == v // 4 and (u - v) % 12 not in (0, 1, 11) for u, v in same.tolist())


def test_degrees_are_weights() -> None:
    star = gnd.Graph.from_edges([1, 2, 3, 4], [0, 0, 0, 5], num_vertices=6)
    found = gnd.negatives(star, sources=[5] * 4000, weights="degree", seed=1).numpy()[:, 1]
    assert set(found.tolist()) == {0}  # vertex 5 alone has an edge too, but is no negative of itself
    found = gnd.negatives(star, sources=[0] * 100, weights="degree", loops=True, seed=1).numpy()[:, 1]
    assert set(found.tolist()) == {0, 5}


def test_dense_graphs_take_bounded_time() -> None:
    begin = time.perf_counter()
    assert (gnd.negatives(full(60, (7, 9)), 2000, seed=1).numpy() == [7, 9]).all()
    assert (gnd.negatives(full(60, (7, 9)), sources=[7] * 2000, seed=1).numpy() == [7, 9]).all()
    assert time.perf_counter() - begin < 20


@pytest.mark.usefixtures("gpu")
def test_a_gpu_counts_sources_without_a_negative() -> None:
    """The samples are copied to the host only to name such a source."""
    g, sources = full(60, (7, 9)), np.full(100, 7)
    options: dict[str, Any]
    for options in ({"weights": "degree"}, {"candidates": [3, 9]}, {"clusters": np.zeros(60, int)}, {"hops": 2}):
        found = gnd.negatives(g, sources=sources, seed=1, device="cuda", **options)
        assert found._result._values is None  # type: ignore[union-attr]
        assert (found.numpy() == [7, 9]).all()
        with pytest.raises(ValueError, match=r"sources\[2\] = 4 has no negative"):
            gnd.negatives(g, sources=[7, 7, 4], seed=1, device="cuda", **options)


REFUSED: list[tuple[Any, type[Exception], str]] = [
    (lambda: gnd.negatives(full(9), 5), ValueError, "no negatives, because every pair of 9 sources and 9 targets"),
    (lambda: gnd.negatives(full(9, (1, 2)), sources=[1, 4]), ValueError, r"sources\[1\] = 4 has no negative"),
    (lambda: gnd.negatives(full(9, (1, 2)), targets=[2, 4]), ValueError, r"targets\[1\] = 4 has no negative"),
    (lambda: gnd.negatives(full(9, (1, 2)), sources=[1], hops=3), ValueError, r"sources\[0\] = 1 has no negative"),
    (lambda: gnd.negatives(graph()), ValueError, "n = None: pass either"),
    (lambda: gnd.negatives(graph(), 3, sources=[1]), ValueError, "n = 3: pass either"),
    (lambda: gnd.negatives(graph(), sources=[1], targets=[1]), ValueError, "sources and targets: pass only one"),
    (lambda: gnd.negatives(graph(), 3, hops=2), ValueError, "hops: expected sources or targets"),
    (lambda: gnd.negatives(graph(), 3, repeat=2), ValueError, "repeat = 2: expected 1"),
    (
        lambda: gnd.negatives(graph(), sources=[1], source_weights="degree"),
        ValueError,
        "source_weights: sources are not",
    ),
    (lambda: gnd.negatives(graph(), 3, weights="pagerank"), ValueError, "weights = 'pagerank': expected \"uniform\""),
    (lambda: gnd.negatives(graph(), 3, weights=[1.0, 2.0]), ValueError, "weights has 2 elements: expected 60"),
    (
        lambda: gnd.negatives(graph(), 3, weights=np.zeros(60)),
        ValueError,
        "weights: expected at least one positive weight",
    ),
    (lambda: gnd.negatives(graph(), sources=[1], hops=1), ValueError, "hops = 1: expected at least 2"),
    (
        lambda: gnd.negatives(graph(), sources=[1], hops=2, candidates=[3]),
        ValueError,
        "candidates and hops: pass at most one",
    ),
    (lambda: gnd.negatives(graph(), sources=[1], candidates=[]), ValueError, "candidates: expected shape"),
    (lambda: gnd.negatives(graph(), sources=[1], candidates=[99]), IndexError, r"candidates\[0\] = 99 is out of range"),
    (lambda: gnd.negatives(graph(), sources=[1], clusters=[0]), ValueError, "clusters has 1 elements"),
    (lambda: gnd.negatives(graph(), sources=[99]), IndexError, "99"),
    (lambda: gnd.negatives(graph(), 3, relation=("a", "b", "c")), ValueError, "a Graph has no relations"),
    (lambda: gnd.negatives([1], 3), TypeError, "gonextdoor.Graph"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int) -> None:
    call, error, text = REFUSED[case]
    with pytest.raises(error, match=text):
        call()
