"""Layered samples and all that they know, against slow definitions; no sampler is needed."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from gonextdoor.samples import export
from layeredsamples import GRAPH, Slow, fast, slow

import gonextdoor as gnd


@pytest.fixture(params=[0, 1, 2], ids=["no roots", "one root", "two roots"])
def both(request: pytest.FixtureRequest) -> tuple[list[Slow], gnd.Samples]:
    random = np.random.default_rng(request.param)
    rows = [slow(random, request.param, GRAPH) for _ in range(60)]
    rows[:3] = [Slow([[1] * request.param], [-1] * request.param, [])] * 3  # nothing grew; the first and the last too
    rows[-1] = rows[0]
    return rows, fast(rows, request.param, GRAPH)


Both = tuple[list[Slow], gnd.Samples]


def test_shapes(both: Both) -> None:
    rows, samples = both
    roots = len(rows[0].vertices)
    assert len(samples) == len(rows)
    assert samples.lengths.tolist() == [len(row.vertices) for row in rows]
    width = max(len(row.vertices) for row in rows)
    assert samples.numpy().tolist() == [row.vertices + [-1] * (width - len(row.vertices)) for row in rows]
    assert np.asarray(samples) is samples.numpy()
    assert np.shares_memory(np.from_dlpack(samples), samples.numpy())
    assert samples.roots.tolist() == [row.vertices[:roots] for row in rows]
    assert samples.edges.shape == (len(rows), width - roots)
    want = [[5 + v for v in row.vertices[roots:]] + [-1] * (width - len(row.vertices)) for row in rows]
    assert samples.edges.tolist() == want
    assert samples.layered and samples.ragged and samples.records


def test_steps(both: Both) -> None:
    rows, samples = both
    count = max(len(row.levels) for row in rows) - 1
    assert len(samples.steps) == samples.stats["steps"] == count > 1
    for step, got in enumerate(samples.steps):
        levels = [row.levels[step + 1] if step + 1 < len(row.levels) else [] for row in rows]
        width = max(map(len, levels))
        assert got.tolist() == [level + [-1] * (width - len(level)) for level in levels]


def test_counts(both: Both) -> None:
    rows, samples = both
    flat = [v for row in rows for v in row.vertices]
    assert samples.visit_counts().tolist() == np.bincount(flat, minlength=GRAPH.num_vertices).tolist()
    assert samples.stats["edges"] == len(flat) - len(rows) * len(rows[0].vertices)
    assert samples.stats["links"] == sum(len(row.links) for row in rows)
    assert samples.stats["seconds"] == 0.5


def test_adjacency(both: Both) -> None:
    scipy = pytest.importorskip("scipy.sparse")
    rows, samples = both
    for step in range(len(samples.steps)):
        got = samples.adjacency(step)
        assert len(got) == len(rows)
        for i, row in enumerate(rows):
            ends = np.cumsum([0, *map(len, row.levels)]).tolist()
            ends += [ends[-1]] * (step + 3 - len(ends))
            first, middle, end = ends[step : step + 3]
            want = [
                (a - first, b - middle, value, edge)
                for a, b, edge, value in row.links
                if first <= a < middle <= b < end
            ]
            part = slice(got.offsets[i], got.offsets[i + 1])
            columns = [x[part].tolist() for x in (got.rows, got.columns, got.values, got.edge_ids)]
            assert list(zip(*columns, strict=True)) == want

            assert got.shapes[i].tolist() == [middle - first, end - middle]
            dense = np.zeros((middle - first, end - middle))
            for a, b, value, _ in want:
                dense[a, b] += value
            assert isinstance(got.scipy(i), scipy.csr_array)
            assert np.allclose(got.scipy(i).toarray(), dense)
    assert "60 samples" in repr(samples.adjacency(-1))


def test_subgraphs(both: Both) -> None:
    rows, samples = both
    for i, row in enumerate(rows):
        got = samples.subgraph(i)
        assert got.nodes.tolist() == row.vertices
        links = zip(got.src.tolist(), got.dst.tolist(), got.edge_ids.tolist(), got.values.tolist(), strict=True)
        assert list(links) == row.links
    assert samples.subgraph(-1).nodes.tolist() == rows[-1].vertices
    assert repr(samples.subgraph(-1)) == f"Subgraph({len(rows[-1].vertices)} vertices, 0 edges)"


def test_parents(both: Both) -> None:
    rows, samples = both
    assert samples.parents.tolist() == [p for row in rows for p in row.parents]


def test_refusals(both: Both) -> None:
    rows, samples = both
    with pytest.raises(IndexError, match="step = 9 is out of range: there are"):
        samples.adjacency(9)
    with pytest.raises(IndexError, match="sample = 60 is out of range: there are 60"):
        samples.subgraph(60)
    with pytest.raises(IndexError, match="sample = 60 is out of range: there are 60"):
        samples.adjacency(0).scipy(60)
    with pytest.raises(TypeError, match=r"step = 0\.5: expected an int"):
        samples.adjacency(0.5)  # type: ignore[arg-type]
    plain = fast(rows, len(rows[0].vertices), GRAPH, records=False)
    for call in (plain.adjacency, plain.subgraph):
        with pytest.raises(ValueError, match=r"LayeredApp.*records no edges"):
            call(0)
    assert not plain.records
    assert "links" not in plain.stats
    walks = gnd.sample(GRAPH, gnd.apps.DeepWalk(2), seed=1)
    with pytest.raises(ValueError, match="not layered"):
        _ = walks.parents
    assert not walks.layered and not walks.ragged and not walks.records


def test_no_samples() -> None:
    samples = fast([], 1, GRAPH)
    assert samples.numpy().shape == (0, 1)
    assert samples.steps == []
    assert samples.roots.shape == (0, 1)
    assert samples.edges.shape == (0, 0)
    assert samples.stats["edges"] == samples.stats["links"] == 0
    assert list(samples.sentences()) == []
    with pytest.raises(IndexError, match="sample = 0 is out of range: there are 0"):
        samples.subgraph()


def test_wide_vertices(both: Both) -> None:
    rows, _ = both
    samples = fast(rows, len(rows[0].vertices), GRAPH, dtype=np.int64)
    assert {x.dtype for x in (samples.numpy(), samples.values, *samples.steps)} == {np.dtype(np.int64)}
    assert samples.visit_counts().sum() == samples.lengths.sum()


def test_pickles(both: Both) -> None:
    _, samples = both
    again = pickle.loads(pickle.dumps(samples))
    assert np.array_equal(again, samples)
    assert np.array_equal(again.parents, samples.parents)
    assert all(map(np.array_equal, again.steps, samples.steps))
    assert np.array_equal(again.subgraph(5).src, samples.subgraph(5).src)
    assert (again.seed, again.first_id, again.app) == (samples.seed, samples.first_id, samples.app)


def test_how_they_show_themselves(both: Both) -> None:
    rows, samples = both
    stats = samples.stats
    assert f"{stats['steps']} steps, {stats['links']} recorded edges, {samples.values.size} vertices" in repr(samples)
    plain = fast(rows, samples.roots.shape[1], GRAPH, records=False)
    assert f"{stats['steps']} steps, {samples.values.size} vertices, int32" in repr(plain)


def test_text(both: Both, tmp_path: Any) -> None:
    rows, samples = both
    assert list(samples.sentences()) == [list(map(str, row.vertices)) for row in rows]
    samples.to_linesentence(tmp_path / "w.txt")
    assert (tmp_path / "w.txt").read_text().split("\n")[:-1] == [" ".join(map(str, row.vertices)) for row in rows]


@pytest.mark.parametrize(("chunk", "largest"), [(10, 1 << 40), (export.CHUNK, 1 << 40), (10, 1)])
def test_parquet(both: Both, chunk: int, largest: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows, samples = both
    roots = samples.roots.shape[1]
    monkeypatch.setattr(export, "CHUNK", chunk)
    monkeypatch.setattr(export, "LARGEST_LIST", largest)
    samples.to_parquet(tmp_path / "w.parquet")
    table = parquet.read_table(tmp_path / "w.parquet").to_pydict()
    want: dict[str, list[Any]] = {"id": list(range(3, 63))}
    if roots == 1:
        want["root"] = [row.vertices[0] for row in rows]
    want["vertices"] = [row.vertices for row in rows]
    want["steps"] = [[step for step, level in enumerate(row.levels) for _ in level] for row in rows]
    want["parents"] = [[p if p >= 0 else None for p in row.parents] for row in rows]
    want["edges"] = [[5 + v for v in row.vertices[roots:]] for row in rows]
    for k, name in enumerate(["sources", "targets", "link_edges", "link_values"]):
        want[name] = [[None if k == 2 and link[k] < 0 else link[k] for link in row.links] for row in rows]
    assert table == want


def test_pandas(both: Both) -> None:
    pytest.importorskip("pandas")
    rows, samples = both
    roots = samples.roots.shape[1]
    frame = samples.to_pandas()
    assert list(frame.columns) == ["id", "step", "slot", "vertex", "parent", "edge"]
    want = [
        (3 + i, step, v, p, -1 if k < roots else 5 + v)
        for i, row in enumerate(rows)
        for k, (v, p, step) in enumerate(
            zip(row.vertices, row.parents, [s for s, level in enumerate(row.levels) for _ in level], strict=True)
        )
    ]
    assert list(frame[["id", "step", "vertex", "parent", "edge"]].itertuples(index=False, name=None)) == want
    assert frame["slot"].tolist() == [k for row in rows for k in range(len(row.vertices))]


def test_ids_above_2_63_stay_exact(tmp_path: Any) -> None:
    pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet")
    samples = gnd.sample(GRAPH, gnd.apps.DeepWalk(2), [1, 2], seed=1, first_id=2**64 - 2)
    samples.to_parquet(tmp_path / "w.parquet")
    assert parquet.read_table(tmp_path / "w.parquet")["id"].to_pylist() == [2**64 - 2, 2**64 - 1]
    assert sorted(set(samples.to_pandas()["id"].tolist())) == [2**64 - 2, 2**64 - 1]
