"""The reproducibility contract in plain Python, which recomputes any choice."""

from __future__ import annotations

import corpus
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor import rng

MASK = (1 << 64) - 1


def splitmix64(state: int) -> int:
    """The published generator's output after one step (Steele, Lea & Flood; Vigna's C code), written out by itself."""
    z = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def test_mix_is_the_finaliser_of_splitmix64() -> None:
    # The first outputs for the state 1234567, as Rosetta Code and Vigna's splitmix64.c have them.
    state, known = 1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423]
    for want in known:
        assert splitmix64(state) == want
        state = (state + rng.GAMMA) & MASK
        assert rng.mix(state) == want


def test_known_answers() -> None:
    assert rng.mix(0) == 0
    assert rng.stream(0) == splitmix64(0) == 0xE220A8397B1DCDAF
    assert rng.stream(5, rng.SEEDS) == rng.mix(5 + 3 * rng.GAMMA & MASK)
    assert rng.below(1 << 63, 10) == (5, 0)
    assert rng.below(MASK, 3) == (2, 0xFFFFFFFF)
    assert rng.below(12345, 0) == (0, 0)
    assert rng.slot(3, 2) == 770


@pytest.mark.parametrize("first", [0, 17, 2**64 - 500])
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_a_walk_in_ten_lines(seed: int, first: int) -> None:
    graph = corpus.graph()
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    walks = gnd.sample(graph, gnd.apps.DeepWalk(8), seed=seed, first_id=first).numpy()
    stream = rng.stream(seed)
    for row, walk in enumerate(walks.tolist()):
        v, key = walk[0], rng.key(stream, first + row)
        for step, want in enumerate(walk[1:]):
            degree = indptr[v + 1] - indptr[v] if v >= 0 else 0
            v = indices[indptr[v] + rng.below(rng.word(key, rng.slot(step)), degree)[0]] if degree else -1
            assert v == want


def test_ppr_stops_by_its_fraction() -> None:
    graph = corpus.graph()
    threshold = round(0.25 * 2**32)
    samples = gnd.sample(graph, gnd.apps.PPR(0.25), seed=6)
    for i in range(len(samples)):
        walk = samples.values[samples.offsets[i] : samples.offsets[i + 1]].tolist()
        v, key, got = walk[0], rng.key(rng.stream(6), i), [walk[0]]
        while len(row := graph.neighbors(v)):
            at, fraction = rng.below(rng.word(key, rng.slot(len(got) - 1)), len(row))
            v = int(row[at])
            got.append(v)
            if fraction < threshold:
                break
        assert got == walk


def test_random_roots() -> None:
    graph = corpus.graph()
    roots = gnd.sample(graph, gnd.apps.DeepWalk(0), 50, seed=3).numpy()[:, 0]
    stream = rng.stream(3, rng.ROOTS)
    want = [rng.below(rng.word(rng.key(stream, i), 0), graph.num_vertices)[0] for i in range(50)]
    assert np.array_equal(roots, want)
