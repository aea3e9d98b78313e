"""Roots in GPU memory are read there, and validated as roots of the host are."""

from __future__ import annotations

import gc

import consumer
import corpus
import numpy as np
import pytest
from gonextdoor._core import native

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")

WALK = gnd.apps.DeepWalk(7)


@pytest.fixture
def graph() -> gnd.Graph:
    return corpus.graph()


KINDS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", ["dlpack", "interface"])
def test_roots_on_the_card(graph: gnd.Graph, gpus: list[str], kind: str, protocol: str) -> None:
    for roots, order in (
        ([5, 100, 7, 5], "C"),
        ([[1, 2], [3, 4], [100, 0]], "C"),
        ([[1, 2], [3, 4], [5, 6]], "F"),
        ([], "C"),
    ):
        want = np.array(roots, kind)
        app = gnd.apps.MultiIndependent(6) if want.ndim == 2 else WALK
        held = consumer.OnCard(want, order=order, dlpack=protocol == "dlpack")
        here = gnd.sample(graph, app, want, repeat=3, seed=4, device="cpu")
        for device in ("cuda", gpus[-1], "cpu", gpus, "auto"):
            there = gnd.sample(graph, app, held, repeat=3, seed=4, device=device)  # type: ignore[arg-type]
            assert np.array_equal(there, here)
    assert there.device == "cpu"  # what GONEXTDOOR_DEVICE says


def test_what_is_done_piece_by_piece_takes_roots_from_the_card(graph: gnd.Graph) -> None:
    roots = np.arange(0, 200, 3)
    for held in (consumer.OnCard(roots), 40):
        want = roots if held != 40 else 40
        options = {"repeat": 30, "seed": 4, "first_id": 5}
        for count in gnd.visit_counts, gnd.end_points:
            there = count(graph, WALK, held, device="cuda", **options)  # type: ignore[operator]
            assert np.array_equal(there, count(graph, WALK, want, device="cpu", **options))  # type: ignore[operator]


def test_many_roots_of_the_host(graph: gnd.Graph) -> None:
    """They are copied to the GPU through pinned memory."""
    for roots in (np.arange(20_000) % 200, np.arange(40_000, dtype=np.uint8).reshape(-1, 2) % 200):
        app = gnd.apps.MultiIndependent(2) if roots.ndim == 2 else gnd.apps.DeepWalk(2)
        there = gnd.sample(graph, app, roots, repeat=2, seed=4, device="cuda")
        assert np.array_equal(there, gnd.sample(graph, app, roots, repeat=2, seed=4, device="cpu"))
    roots = np.zeros(5_000_000, np.int64)  # more than one buffer of pinned memory
    for wrong in 0, 200, 4_999_999:
        roots[wrong] = 200
        with pytest.raises(IndexError, match=rf"roots\[{wrong}\] = 200: the graph has 200 vertices"):
            gnd.sample(graph, WALK, roots, device="cuda")
        roots[wrong] = 0


def test_roots_choose_their_card(graph: gnd.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GONEXTDOOR_DEVICE")
    assert gnd.sample(graph, WALK, consumer.OnCard(np.arange(3))).device == "cuda:0"


def test_samples_are_roots() -> None:
    """Of a DeviceArray nothing visits the host; its columns are stored one after the other."""
    ring = np.arange(50)
    graph = gnd.Graph.from_edges(ring, np.roll(ring, 1), symmetric=True)
    first = gnd.sample(graph, gnd.apps.DeepWalk(1), seed=1, device="cuda")
    app = gnd.apps.MultiIndependent(6)
    there = gnd.sample(graph, app, first.on_device.vertices, seed=4, device="cuda")
    assert np.array_equal(there, gnd.sample(graph, app, first.numpy(), seed=4, device="cpu"))


@pytest.mark.parametrize(
    ("roots", "error", "text"),
    [
        (np.array([3, 200]), IndexError, r"roots\[1\] = 200: the graph has 200 vertices, expected 0 to 199"),
        (np.array([3, 4, -1], np.int8), IndexError, r"roots\[2\] = -1"),
        (np.array([[1, 2], [3, -5]], np.int16), IndexError, r"roots\[3\] = -5"),
        (np.array([2**64 - 1], np.uint64), IndexError, r"roots\[0\] = 18446744073709551615"),
        (np.array([1.0]), TypeError, "roots: expected an array of ints, got f8"),
        (np.array([True]), TypeError, "roots: expected an array of ints, got b1"),
        (np.zeros((1, 1, 1), int), ValueError, r"roots.*\(1, 1, 1\)"),
        (np.zeros((2, 0), int), ValueError, r"roots.*\(2, 0\)"),
        (np.array(3), ValueError, r"roots.*\(\)"),
    ],
)
def test_bad_roots_on_the_card(graph: gnd.Graph, roots: np.ndarray, error: type[Exception], text: str) -> None:
    before = native.call("Living", 4)
    held = consumer.OnCard(roots)
    for device in ("cuda", "cpu"):
        with pytest.raises(error, match=text):
            gnd.sample(graph, WALK, held, device=device)
    gc.collect()
    assert native.call("Living", 4) <= before


def test_roots_on_the_card_are_given_back(graph: gnd.Graph) -> None:
    gc.collect()
    before = native.call("Living", 4)
    gnd.sample(graph, WALK, consumer.OnCard(np.arange(3)), device="cuda").numpy()
    gc.collect()
    assert native.call("Living", 4) == before
