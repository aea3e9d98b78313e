"""gonextdoor.loader with features: rows of the nodes, the pipeline that reads them, and its bounds."""

from __future__ import annotations

import gc
import pickle
import signal
import threading
import time
import traceback
from typing import Any

import numpy as np
import pytest
from gonextdoor.pipeline.meter import Meter
from gonextdoor.pipeline.prefetch import Prefetcher
from gonextdoor.pipeline.threads import Threads

import gonextdoor as gnd

GRAPH = gnd.rmat(9, seed=1)
X = np.random.default_rng(3).normal(size=(512, 7)).astype(np.float32)
HETERO = gnd.HeteroGraph(
    {("a", "to", "b"): gnd.rmat(6, seed=1), ("b", "to", "a"): gnd.rmat(6, seed=2)}, {"a": 64, "b": 64}
)


def made(**given: Any) -> gnd.Loader:
    return gnd.loader(GRAPH, [4, 3], range(200), **{"batch_size": 10, "seed": 7, "shuffle": True, **given})


def nodes(batch: gnd.NeighborBatch) -> np.ndarray[Any, Any]:
    return np.asarray(batch.split(batch.arena).nodes[0])


def whole(batch: gnd.NeighborBatch) -> list[list[int]]:
    """All vertices and edges of a batch."""
    parts = batch.split(batch.arena)
    return [array.tolist() for arrays in (parts.nodes, parts.row, parts.col, parts.edges) for array in arrays]


def check_same(loader: Any, plain: Any) -> None:
    """Whether two epochs of a loader are those of one without features, with the right rows."""
    for _ in range(2):
        batches = 0
        for batch, other in zip(loader, plain, strict=True):
            assert whole(batch) == whole(other) and other.features is None
            np.testing.assert_array_equal(np.asarray(batch.features), X[nodes(other)])
            batches += 1
        assert batches == 20


@pytest.mark.parametrize("prefetch", [0, 1, 3, None])
@pytest.mark.parametrize("budget", [1, 20_000, None])
def test_batches_with_and_without(prefetch: int | None, budget: int | None) -> None:
    loader = made(features=X, prefetch=prefetch, prefetch_bytes=budget)
    check_same(loader, made(prefetch=0))


def test_sources(tmp_path: Any) -> None:
    np.save(tmp_path / "x.npy", X)
    for source in (tmp_path / "x.npy", [X[:100], X[100:]], gnd.features.open(X)):
        check_same(made(features=source), made())
    check_same(pickle.loads(pickle.dumps(made(features=X))), made())


def test_types() -> None:
    x = {"a": X[:64], "b": np.arange(64)}
    loader = gnd.loader(HETERO, [3, 2], ("b", None), batch_size=8, seed=1, features=x)
    for batch in loader:
        own = batch.split(batch.arena).nodes
        assert sorted(batch.features) == ["a", "b"]
        for kind, ids in zip("ab", own, strict=True):
            np.testing.assert_array_equal(batch.features[kind], x[kind][ids])
    one = next(iter(gnd.loader(HETERO, [3], "a", features={"b": X[:64]})))
    assert list(one.features) == ["b"]


@pytest.mark.parametrize(
    ("graph", "given", "error", "text"),
    [
        (GRAPH, {"features": X[:511]}, ValueError, "features has 511 rows, but there are 512 vertices"),
        (GRAPH, {"features": {"a": X}}, TypeError, "features of one type, got dict"),
        (GRAPH, {"features": 3}, TypeError, "features: source"),
        (HETERO, {"features": X}, TypeError, "a dict of features by type"),
        (HETERO, {"features": {}}, ValueError, "features is empty"),
        (HETERO, {"features": {"c": X}}, ValueError, r"features\['c'\]: the graph has the vertex types \['a', 'b'\]"),
        (HETERO, {"features": {"a": X[:9]}}, ValueError, r"features\['a'\] has 9 rows, but there are 64"),
        (GRAPH, {"features": X, "cache": "1MB"}, ValueError, "cache = '1MB' with device = 'cpu'"),
        (GRAPH, {"cache": 5}, ValueError, "cache = 5 without features"),
        (GRAPH, {"prefetch": -1}, ValueError, "prefetch"),
        (GRAPH, {"prefetch_bytes": 0}, ValueError, "prefetch_bytes"),
        (GRAPH, {"prefetch_bytes": "1GB"}, TypeError, "prefetch_bytes"),
    ],
)
def test_refusals(graph: Any, given: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        gnd.loader(graph, [2], "a" if graph is HETERO else None, **given)


def threads() -> int:
    """The threads of this package that live."""
    return sum(thread.name == "gonextdoor" for thread in threading.enumerate())


class Vanishing:
    """Features that cannot be read for one batch."""

    def __init__(self, first: int) -> None:
        self.first = first

    def read(self, ids: Any) -> Any:
        if ids[0] == self.first:
            raise OSError("the disk is gone")
        return X[ids]


@pytest.mark.parametrize("prefetch", [0, 1, 8])
def test_an_error_has_its_batch_and_traceback(prefetch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first = [int(nodes(batch)[0]) for batch in made()]
    loader = made(features=X, prefetch=prefetch, threads=1)
    monkeypatch.setattr(loader._features, "_here", {None: Vanishing(first[3])})
    epoch = iter(loader)
    for _ in range(3):
        next(epoch)
    with pytest.raises(OSError, match="batch 3 of epoch 0: the disk is gone") as error:
        next(epoch)
    assert any(frame.name == "read" for frame in traceback.extract_tb(error.value.__cause__.__traceback__))
    del error, epoch
    gc.collect()
    assert threads() == 0 and loader.stats().held_bytes == 0


@pytest.mark.parametrize("end", ["break", "raise", "delete"])
def test_it_ends_at_once(end: str) -> None:
    loader = made(features=X, prefetch=16)
    if end == "break":
        for _ in loader:
            break
    elif end == "raise":
        with pytest.raises(KeyboardInterrupt):
            for _ in loader:
                raise KeyboardInterrupt
    else:
        epoch = iter(loader)
        next(epoch)
        assert threads() > 0
        del epoch
    gc.collect()
    assert threads() == 0
    assert loader.stats().held_bytes == 0
    plain = made()
    plain.set_epoch(1)
    check_same(loader, plain)


def test_an_interrupt_ends_a_wait_for_features(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = made(features=X)
    begun, go_on, main = threading.Event(), threading.Event(), threading.get_ident()

    def stuck(_: Any) -> Any:
        begun.set()
        go_on.wait(20)
        return X[:1]

    monkeypatch.setattr(loader._features, "read", stuck)

    def interrupt() -> None:
        begun.wait(20)
        time.sleep(0.1)  # the loop waits by now
        signal.pthread_kill(main, signal.SIGINT)
        time.sleep(0.2)
        go_on.set()

    other = threading.Thread(target=interrupt, name="interrupt")
    other.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(loader)
    assert time.monotonic() - begin < 10
    other.join()
    gc.collect()
    assert threads() == 0 and loader.stats().held_bytes == 0


def test_two_pipelines_over_one_store() -> None:
    x = gnd.features.open(X)
    loaders = [made(features=x, seed=seed) for seed in (1, 2)]
    for one, two in zip(*loaders, strict=True):
        for batch in (one, two):
            np.testing.assert_array_equal(batch.features, X[nodes(batch)])
    assert x.stats().reads == 40


def test_ranks_have_the_batches_of_one_process() -> None:
    alone = [batch.features for batch in made(features=X)]
    ranks = [list(made(features=X, rank=rank, world=3)) for rank in range(3)]
    for number, rows in enumerate(alone):
        np.testing.assert_array_equal(ranks[number % 3][number // 3].features, rows)


def test_a_state_continues_the_pipeline() -> None:
    loader, other = made(features=X), made(features=X)
    epoch = iter(loader)
    head = [next(epoch) for _ in range(7)]
    other.load_state_dict(loader.state_dict())
    rest = list(other)
    assert len(head) + len(rest) == 20
    for one, two in zip(epoch, rest, strict=True):
        np.testing.assert_array_equal(one.features, two.features)


# ---- bounds and counts


@pytest.mark.parametrize("batches", [1, 2.5, 6])
def test_memory_is_bounded_by_the_budget(batches: float) -> None:
    """A caller that is slower than the pipeline: the bytes held are at most the budget and one batch, and reach it.

    A batch is begun with the size of the largest one before, so a larger one may exceed the budget by the difference.
    """
    sizes = [batch.arena.nbytes + batch.features.nbytes for batch in made(features=X)]
    budget = int(batches * max(sizes))
    loader = made(features=X, prefetch=16, prefetch_bytes=budget)
    for _ in range(2):
        for _ in loader:
            time.sleep(0.005)
    stats = loader.stats()
    assert (int(batches) - 1) * min(sizes) <= stats.peak_bytes <= budget + max(sizes)
    free = made(features=X, prefetch=16)
    for _ in free:
        time.sleep(0.005)
    assert free.stats().peak_bytes > 7 * max(sizes)


def test_a_call_draws_no_more_than_fits() -> None:
    drawn: list[int] = []

    def draw(some: list[int]) -> list[int]:
        drawn.append(len(some))
        return some

    given = {"group": 8, "ahead": 2, "threads": 1, "size": lambda _: 100}
    for budget, most in ((None, 8), (100, 1), (350, 2), (50, 1), (10_000, 8)):
        drawn.clear()
        meter = Meter()
        assert list(Prefetcher(iter(range(40)), draw, None, range(40), budget=budget, meter=meter, **given)) == [
            *range(40)
        ]
        assert max(drawn) == most and (budget is None or drawn[0] == 1)
        stats = meter.stats(None)
        assert stats.held_bytes == 0 and stats.bytes == 4000 and stats.batches == 40
        assert stats.peak_bytes <= (budget or 1 << 30) or stats.peak_bytes == 100


def test_counts() -> None:
    loader, size = made(features=X), 0
    assert loader.stats().bottleneck == "no batch was handed over yet"
    for batch in loader:
        size += batch.arena.nbytes + batch.features.nbytes
        time.sleep(0.01)
    stats = loader.stats()
    assert stats.batches == 20 and stats.hits is None and stats.held_bytes == stats.drawing == stats.ready == 0
    assert stats.seconds["caller"] >= 0.15 and min(stats.seconds["draw"], stats.seconds["gather"]) > 0
    assert stats.bottleneck.startswith("the caller: the loader takes ")
    assert stats.bytes == size


def test_the_bottleneck_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = made(features=X)
    read = loader._features.read  # type: ignore[union-attr]
    monkeypatch.setattr(loader._features, "read", lambda batch: (time.sleep(0.01), read(batch))[1])
    list(loader)
    assert loader.stats().bottleneck.startswith("gathering features: the loader takes ")
    loader = made()
    draw = loader.sampler.sample_many
    monkeypatch.setattr(loader.sampler, "sample_many", lambda *a, **k: (time.sleep(0.05), draw(*a, **k))[1])
    list(loader)
    assert loader.stats().bottleneck.startswith("drawing: the loader takes ")


def test_the_stages_are_drawn() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    loader = made(features=X)
    with pytest.raises(ValueError, match="no batch"):
        loader.plot()
    list(loader)
    with pytest.raises(ValueError, match="seconds = 0"):
        loader.plot(0)
    axes = loader.plot(60.0)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["draw", "gather", "hand over", "wait", "caller"]
    bars = [len(rows.get_paths()) for rows in axes.collections]
    assert bars[1] == 20 and bars[4] == 20 and bars[0] >= 3
    assert axes.get_title() == loader.stats().bottleneck
    again = loader.plot(1e-6, ax=axes)
    assert again is axes and axes.get_xlim()[1] <= 1e-3 * 1.001
    pyplot.close("all")


@pytest.mark.parametrize("prefetch", [0, 4])
def test_the_waits_of_a_serial_loop_are_counted(prefetch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = made(features=X, prefetch=prefetch)
    read = loader._features.read  # type: ignore[union-attr]
    monkeypatch.setattr(loader._features, "read", lambda batch: (time.sleep(0.01), read(batch))[1])
    list(loader)
    stats = loader.stats()
    assert stats.seconds["wait"] > 0.04 and stats.bottleneck.startswith("gathering features")


def test_threads_that_have_ended_need_no_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter clears modules at its end, before it deletes an epoch that is part of a reference cycle."""
    ended = Threads(1)
    ended.close()
    monkeypatch.setattr("gonextdoor.pipeline.threads.queue", None)
    monkeypatch.setattr("gonextdoor.pipeline.threads.contextlib", None)
    ended.close(1.0)
