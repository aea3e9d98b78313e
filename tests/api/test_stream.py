"""gonextdoor.stream: after each batch, samples equal those of a new run on the graph of the final edges."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import gonextdoor as gnd

Array = npt.NDArray[Any]
APPS = [
    gnd.apps.DeepWalk(6),
    gnd.apps.PPR(0.3),
    gnd.apps.TemporalWalk(6),
    gnd.apps.KHop([3, 2]),
    gnd.apps.Node2Vec(0.5, 2.0, 5),
    gnd.apps.LADIES([8, 4]),
]


def batch_of(draws: np.random.Generator, low: int, count: int, vertices: int) -> dict[str, Any]:
    """A batch of edges, whose times begin with low."""
    return {
        "add": tuple(draws.integers(0, vertices, (2, count))),
        "weights": draws.integers(1, 8, count).astype(float),
        "times": low + draws.integers(0, 20, count),
    }


def content(samples: gnd.Samples, row: int) -> list[Any]:
    """A sample and the edges that it took."""
    arrays = [samples[row]]
    if samples.has_edges and samples.ragged:
        arrays.append(samples.edge_values[samples.offsets[row] : samples.offsets[row + 1]])
    elif samples.has_edges:
        arrays.append(samples.edge_values.reshape(len(samples), -1)[row])
    return [array.tolist() for array in arrays]


@pytest.mark.filterwarnings("ignore:.*walks ended early")
@pytest.mark.parametrize("app", APPS, ids=lambda app: type(app).__name__)
@pytest.mark.parametrize("window", [None, 30])
def test_equals_a_new_run(app: gnd.apps.SamplingApp, window: int | None) -> None:
    draws = np.random.default_rng(window or 1)
    first = batch_of(draws, 0, 400, 90)
    edges: dict[str, Array] = {"src": first["add"][0], "dst": first["add"][1], **first}
    del edges["add"]
    graph = gnd.Graph.from_edges(**edges)  # type: ignore[arg-type]
    layered = isinstance(app, gnd.apps.LADIES)
    roots = np.arange(24).reshape(-1, 4) if layered else None
    stream = gnd.stream(graph, app, roots, repeat=2, seed=7, first_id=3, window=window, edges=True)
    for step in range(1, 6):
        batch = batch_of(draws, 20 * step, int(draws.integers(0, 60)), 90 + 2 * step)
        batch["remove"] = stream.graph.edge_ids[draws.permutation(stream.graph.num_edges)[:5]]
        before, expected = stream.samples, stream.graph.updated(**batch)
        (update,) = stream.updates([batch])
        newest = int(max(graph.times.max(), expected.times.max()))
        since = -(1 << 62) if window is None else newest - window
        kept = expected.times >= since
        src = np.repeat(np.arange(expected.num_vertices), expected.degrees())[kept]
        again = gnd.Graph.from_edges(
            src, expected.indices[kept], weights=expected.weights[kept], times=expected.times[kept],
            num_vertices=expected.num_vertices,
        )  # fmt: skip
        assert stream.graph.equals(again) and update.graph is stream.graph and update.batch == step - 1
        want = gnd.sample(again, app, roots, repeat=2, seed=7, first_id=3)
        assert np.array_equal(stream.samples, want)
        differ = [
            row
            for row in range(len(stream.samples))
            if row >= len(before) or content(before, row) != content(stream.samples, row)
        ]
        assert update.rows.tolist() == (list(range(len(want))) if layered else differ)
        assert update.ids.tolist() == [3 + row for row in update.rows]
        graph = stream.graph


def test_tables() -> None:
    """Tables have the columns of the first one, in any order; text and ints are names if the graph has names."""
    arrow = pytest.importorskip("pyarrow")
    rows = {"user": ["b", "a"], "friend": ["a", "c"], "weight": [1.0, 2.0], "when": [4, 5]}
    graph = gnd.Graph.from_edges([("a", "b"), ("b", "c")], weights=[1.0, 2.0], times=[1, 2])
    stream = gnd.stream(graph, gnd.apps.DeepWalk(4), seed=1)
    named = {"from": rows["user"], "to": rows["friend"], "weight": rows["weight"], "time": rows["when"]}
    stream.update(arrow.table(named))
    again = arrow.record_batch({"other": [0], "time": [6], "weight": [3.0], "to": ["d"], "from": ["a"]})
    stream.update(again)
    assert stream.graph.vertex_names.tolist() == ["a", "b", "c", "d"]
    want = gnd.Graph.from_edges(
        ["a", "b", "b", "a", "a"], ["b", "c", "a", "c", "d"], weights=[1.0, 2.0, 1.0, 2.0, 3.0], times=[1, 2, 4, 5, 6]
    )
    assert stream.graph.equals(want)
    for table, text in (
        (arrow.table({"from": ["a"]}), "expected one named 'to', as in the first table"),
        (arrow.table({**named, "time": [7, None]}), r"time\[1\] is missing"),
    ):
        with pytest.raises(ValueError, match=text):
            stream.update(table)
    with pytest.raises(ValueError, match="times was given beside a table"):
        stream.update(arrow.table(named), times=[3, 4])
    numbered = gnd.Graph.from_edges([10, 30], [20, 10], relabel=True)
    other = gnd.stream(numbered, gnd.apps.DeepWalk(2), [10], names=True, seed=1)
    other.update(arrow.table({"source": [30, 5], "target": [20, 10]}))
    assert other.graph.vertex_names.tolist() == [10, 20, 30, 5] and other.batches == 1


def test_dates() -> None:
    times = np.array(["2024-05-01", "2024-05-03"], "M8[s]")
    graph = gnd.Graph.from_edges([0, 1], [1, 0], times=times)
    stream = gnd.stream(graph, gnd.apps.TemporalWalk(3), window=datetime.timedelta(days=2), seed=1)
    stream.update([(1, 1)], times=np.array(["2024-05-04"], "M8[D]"))
    assert stream.graph.times.tolist() == [1714694400, 1714780800]
    with pytest.raises(ValueError, match=r"times\[0\] = 1714435200: expected at least 1714608000, the newest time of"):
        stream.update([(1, 1)], times=["2024-04-30"])


def test_a_failed_batch_changes_nothing() -> None:
    graph = gnd.Graph.from_edges([0, 1], [1, 0], times=[5, 7])
    stream = gnd.stream(graph, gnd.apps.DeepWalk(3), seed=1)
    samples = stream.samples
    late = r"batch 1: times\[1\] = 6: expected at least 8, the newest time of earlier edges; pass batches in the order"
    got = stream.updates([{"add": [(0, 2)], "times": [8]}, {"add": [(0, 1), (0, 3)], "times": [9, 6]}])
    first = next(got)
    assert first.rows.tolist()[-1] == 2 and first.samples is not samples
    refused: list[tuple[Any, type[Exception], str]] = [
        ({"add": [(0, 1)], "time": [9]}, ValueError, "batch 1: the batch has the key 'time': expected add, remove"),
        ({"remove": [9]}, ValueError, r"batch 1: remove\[0\] = 9: the graph has no edge with this id"),
        ([(0, 1)], ValueError, "batch 1: times was not given, but the edges of the graph have times"),
        (5, TypeError, "batch 1: add: expected an array or a list of vertices, got int"),
    ]
    with pytest.raises(ValueError, match=late):
        next(got)
    for batch, kind, text in refused:
        with pytest.raises(kind, match=text):
            next(stream.updates([batch]))
    assert (stream.batches, stream.newest) == (1, 8)
    assert stream.graph is first.graph and stream.samples is first.samples
    assert len(stream.update().rows) == 0


REFUSALS: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    ("graph", {}, TypeError, "graph: expected a gonextdoor.Graph, got str"),
    (None, {"symmetric": 1}, TypeError, "symmetric = 1: expected True or False"),
    (None, {"window": 3}, ValueError, "window = 3, but the edges of the graph have no times"),
    (None, {"widow": 3}, TypeError, "did you mean window"),
]


@pytest.mark.parametrize(("graph", "arguments", "kind", "text"), REFUSALS)
def test_refusals(graph: Any, arguments: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        gnd.stream(graph or gnd.rmat(4, seed=1), gnd.apps.DeepWalk(2), **arguments)
    timed = gnd.Graph.from_edges([0], [1], times=[3])
    with pytest.raises(ValueError, match="window = -1"):
        gnd.stream(timed, gnd.apps.DeepWalk(2), window=-1)
