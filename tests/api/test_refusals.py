"""Invalid arguments: each error names the argument, the value and the expected value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor.apps import PPR, DeepWalk, KHop, Node2Vec

GRAPH = corpus.graph()
WALK = DeepWalk(3)


def sample(*args: Any, **options: Any) -> Any:
    return gnd.sample(GRAPH, WALK, *args, **options)


def batch(*args: Any, **options: Any) -> Any:
    return gnd.PGSampler([3]).sample(GRAPH, *args, **options)


CASES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    # apps
    (lambda: DeepWalk(-1), ValueError, "length = -1"),
    (lambda: DeepWalk(1 << 25), ValueError, "length = 33554432"),
    (lambda: DeepWalk(2.5), TypeError, "length = 2.5"),  # type: ignore[arg-type]
    (lambda: DeepWalk(True), TypeError, "length = True"),
    (lambda: DeepWalk("3"), TypeError, "length = '3'"),  # type: ignore[arg-type]
    (lambda: DeepWalk(3, weighted="yes"), TypeError, "weighted = 'yes'"),  # type: ignore[arg-type]
    (lambda: DeepWalk(3, weighted=1), TypeError, "weighted = 1"),  # type: ignore[arg-type]
    (lambda: PPR(0), ValueError, "stop = 0"),
    (lambda: PPR(1.5), ValueError, "stop = 1.5"),
    (lambda: PPR(float("nan")), ValueError, "stop = nan"),
    (lambda: PPR("a"), TypeError, "stop = 'a'"),  # type: ignore[arg-type]
    (lambda: PPR(0.5, 0), ValueError, "max_length = 0"),
    (lambda: Node2Vec(0, 1, 3), ValueError, "p = 0"),
    (lambda: Node2Vec(1, -2, 3), ValueError, "q = -2"),
    (lambda: Node2Vec(1, float("inf"), 3), ValueError, "q = inf"),
    (lambda: Node2Vec(1e-8, 1e8, 3), ValueError, "2\\^32"),
    (lambda: KHop([0]), ValueError, r"fanouts\[0\] = 0"),
    (lambda: KHop([3, -1]), ValueError, r"fanouts\[1\] = -1"),
    (lambda: KHop([2.0]), TypeError, r"fanouts\[0\] = 2.0"),  # type: ignore[list-item]
    (lambda: KHop(3), TypeError, "fanouts = 3"),  # type: ignore[arg-type]
    (lambda: KHop([1 << 14, 1 << 15]), ValueError, "fanouts"),
    (lambda: KHop([3], replace="no"), TypeError, "replace = 'no'"),  # type: ignore[arg-type]
    # sample
    (lambda: gnd.sample("g", WALK), TypeError, "graph"),  # type: ignore[arg-type]
    (lambda: gnd.sample(GRAPH, DeepWalk), TypeError, "app"),  # type: ignore[arg-type]
    (lambda: sample([0, 200]), IndexError, r"roots\[1\] = 200.*200 vertices"),
    (lambda: sample([3, -1]), IndexError, r"roots\[1\] = -1"),
    (lambda: sample(np.array([2**64 - 1], np.uint64)), IndexError, r"roots\[0\] = 18446744073709551615"),
    (lambda: sample([0.5]), TypeError, "roots.*float64"),
    (lambda: sample(["a"]), ValueError, r"roots\[0\] = .a.: the graph has no vertex of that name"),
    (lambda: sample("a"), TypeError, "roots = .a.: expected an array of vertices"),
    (lambda: sample([True]), TypeError, "roots.*bool"),
    (lambda: sample([[0], [1, 2]]), TypeError, "roots"),
    (lambda: sample(np.zeros((1, 1, 1), int)), ValueError, r"roots.*\(1, 1, 1\)"),
    (lambda: sample(np.zeros((2, 0), int)), ValueError, r"roots.*\(2, 0\)"),
    (lambda: sample([[0, 1]]), ValueError, "roots"),
    (lambda: sample(np.array(3)), ValueError, r"roots.*\(\)"),  # not a root, and not three random ones
    (lambda: sample(np.ma.masked_equal([1, 2], 2)), ValueError, r"roots\[1\] is masked"),
    (lambda: sample(-1), ValueError, "roots = -1"),
    (lambda: sample(1 << 40), MemoryError, "needed"),
    (lambda: gnd.sample(gnd.Graph.from_edges([], []), WALK, 3), ValueError, "roots = 3"),
    (lambda: sample(repeat=0), ValueError, "repeat = 0"),
    (lambda: sample(repeat=1.0), TypeError, "repeat = 1.0"),
    (lambda: sample(seed=-1), ValueError, "seed = -1"),
    (lambda: sample(seed=2**64), ValueError, "seed = 18446744073709551616"),
    (lambda: sample(seed=1.0), TypeError, "seed = 1.0"),
    (lambda: sample(seed=True), TypeError, "seed = True"),
    (lambda: sample(first_id=-1), ValueError, "first_id = -1"),
    (lambda: sample([1, 2], first_id=2**64 - 1), ValueError, "first_id"),
    (lambda: sample(threads=0), ValueError, "threads = 0"),
    (lambda: sample(threads=1.5), TypeError, "threads = 1.5"),
    (lambda: sample(dtype="int16"), TypeError, "dtype = int16"),
    (lambda: sample(dtype="nonsense"), TypeError, "dtype = 'nonsense'"),
    (lambda: sample(edges=1), TypeError, "edges = 1"),
    (lambda: sample(progress="yes"), TypeError, "progress = 'yes'"),
    (lambda: sample(device="cuda:62"), gnd.DeviceError, "device = 'cuda:62'"),
    (lambda: sample(device=["cuda:61", "cuda:62"]), gnd.DeviceError, "cuda:61"),
    (lambda: sample(device="tpu"), ValueError, "device = 'tpu'"),
    (lambda: sample(device=0), TypeError, "device = 0"),
    (lambda: gnd.sample(GRAPH, DeepWalk(3, weighted=True)), ValueError, "weighted"),
    (lambda: sample(repeat=1 << 45), MemoryError, r"needed"),
    (lambda: sample(repeat=1 << 56), MemoryError, r"needed"),
    (lambda: gnd.sample(GRAPH, PPR(1e-9), repeat=1 << 40), MemoryError, "needed"),
    (lambda: gnd.sample(GRAPH, PPR(0.5), repeat=1 << 56), MemoryError, "needed"),
    (lambda: gnd.sample(GRAPH, gnd.apps.LADIES([5, 3]), repeat=1 << 40), MemoryError, r"needed"),
    (lambda: gnd.sample(GRAPH, gnd.apps.Snowball(2), repeat=1 << 40), MemoryError, r"needed"),
    (lambda: gnd.sample(GRAPH, gnd.apps.Snowball(2), repeat=1 << 55), MemoryError, r"needed"),
    (lambda: gnd.sample(GRAPH, gnd.apps.RandomNode(5), [1]), ValueError, "roots: RandomNode.*chooses its own vertices"),
    # generated graphs
    (lambda: gnd.rmat(31, 1 << 16), MemoryError, "needed"),
    # mini-batches
    (lambda: gnd.PGSampler([]), ValueError, "fanouts"),
    (lambda: gnd.PGSampler([-2]), ValueError, r"fanouts\[0\] = -2"),
    (lambda: gnd.PGSampler([3], seed=-1), ValueError, "seed = -1"),
    (lambda: gnd.PGSampler([3], device="cuda:60"), gnd.DeviceError, "cuda:60"),
    (lambda: gnd.PGSampler([3], weighted=True).sample(GRAPH, [1]), ValueError, "weighted"),
    (lambda: batch([0, 200]), IndexError, r"seed_nodes\[1\] = 200"),
    (lambda: batch([-1]), IndexError, r"seed_nodes\[0\] = -1"),
    (lambda: batch([7, 8, 7]), ValueError, r"seed_nodes\[2\] = 7"),
    (lambda: batch([[1]]), ValueError, r"seed_nodes.*\(1, 1\)"),
    (lambda: batch(1), ValueError, r"seed_nodes.*\(\)"),
    (lambda: batch([1.5]), TypeError, "seed_nodes.*float64"),
    (lambda: batch([1], [10**9]), IndexError, r"exclude_eids\[0\] = 1000000000"),
    (lambda: batch([1], np.array([0, 2**63 + 1], np.uint64)), IndexError, r"exclude_eids\[1\] = 9223372036854775809"),
    (lambda: batch([1], [0.5]), TypeError, "exclude_eids"),
    (lambda: gnd.PGSampler([3]).sample(3, [1]), TypeError, "graph"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_refusals(case: int) -> None:
    call, kind, text = CASES[case]
    with pytest.raises(kind, match=text) as refusal:
        call()
    assert type(refusal.value) is kind


def test_an_unknown_argument_is_not_ignored() -> None:
    with pytest.raises(TypeError, match="walks"):
        sample(walks=3)


def test_everything_works_after_refusals() -> None:
    assert len(sample()) == GRAPH.num_vertices


def test_what_the_core_refuses_leaves_no_noise() -> None:
    """An app that the core cannot make, made by somebody's own class: a ValueError, and nothing from finalizers."""
    corpus.program(
        """
        import corpus, gonextdoor as gnd
        class DeepWalk(gnd.apps.SamplingApp):
            def parameters(self): return {"length": -1}
        try: gnd.sample(corpus.graph(), DeepWalk())
        except ValueError as error: assert "length = -1" in str(error)
        """,
        quiet=True,
    )
