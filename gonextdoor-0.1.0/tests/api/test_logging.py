"""The logger "gonextdoor": what a DEBUG log has, and that short calls on built tables do not ask for it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gonextdoor._core import log

import gonextdoor as gnd

WALK = gnd.apps.DeepWalk(20)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[Any]:
    """A function that returns the messages since its last call; all are of the logger, at DEBUG."""
    caplog.set_level(logging.DEBUG, logger="gonextdoor")

    def messages() -> list[str]:
        records = list(caplog.records)
        caplog.clear()
        assert all((record.name, record.levelno) == ("gonextdoor", logging.DEBUG) for record in records)
        return [record.getMessage() for record in records]

    yield messages


def weighted() -> gnd.Graph:
    return gnd.Graph.from_edges([0, 1, 2], [1, 2, 0], weights=[1.0, 2.0, 3.0])


def test_a_call_logs_the_device_the_driver_and_the_tables(logged: Any) -> None:
    graph = weighted()
    assert any("3 edges" in text for text in logged())
    gnd.sample(graph, WALK, device="cpu", seed=1)
    plan, *tables = logged()
    assert plan.startswith(f"{WALK!r}, 3 samples on cpu (the CPU, as device says), expected ")
    assert ": driver walk, selector " in plan
    assert [table.name for table in gnd.explain(graph, WALK, device="cpu").tables] == [
        text.removeprefix("table ").partition(" on cpu: ")[0] for text in tables
    ]
    assert tables and all(text.endswith("bytes, built now") for text in tables)


def test_a_long_call_logs_that_tables_were_built_before(logged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = weighted()
    gnd.sample(graph, WALK, device="cpu", seed=1)
    logged()
    gnd.sample(graph, WALK, device="cpu", seed=1)
    assert logged() == []  # short, and its tables exist
    monkeypatch.setattr("gonextdoor._core.running.LONG", 0.0)
    gnd.sample(graph, WALK, [0, 1], device="cpu", seed=1)
    plan, *tables = logged()
    assert ", 2 samples on cpu" in plan
    assert tables and all(text.endswith("built before") for text in tables)


def test_auto_logs_its_reason(logged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONEXTDOOR_DEVICE", "cpu")
    gnd.sample(weighted(), WALK, 5, seed=1)
    assert any("on cpu (the CPU, which GONEXTDOOR_DEVICE names)" in text for text in logged())


def test_an_error_is_that_of_the_call(logged: Any) -> None:
    with pytest.raises(IndexError, match=r"roots\[0\] = 7"):
        gnd.sample(weighted(), WALK, [7], device="cpu")


def test_reading_pagerank_and_mini_batches_are_logged(logged: Any, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,0\n")
    graph = gnd.read(tmp_path / "edges.csv")
    assert f"read {graph.source}" in logged()
    gnd.personalized_pagerank(graph, [0, 1], walks=10, seed=1, device="cpu")
    assert any(text.startswith("personalized_pagerank, 2 rows, 20 walks on cpu: expected") for text in logged())
    gnd.NeighborSampler(graph, [2, 3])
    assert any(text.startswith("NeighborSampler on cpu: out-edges, {'fanouts': [[2], [3]]") for text in logged())


def test_compiled_hooks_are_logged(logged: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llvmlite")
    monkeypatch.setenv("GONEXTDOOR_CACHE", str(tmp_path / "cache"))

    def by_target(ctx: Any, edge: int, dst: int) -> int:
        return dst + 4711

    for state in ("compiled by LLVM in ", f"machine code loaded from the cache, {tmp_path / 'cache'}"):
        gnd.sample(weighted(), gnd.App(edge_bias=by_target, steps=3), [0], seed=1, device="cpu")
        assert any(text.startswith(f"hooks edge_bias: {state}") for text in logged())


def test_short_calls_do_not_ask_whether_to_log(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, root = weighted(), np.array([1])
    gnd.sample(graph, WALK, root, seed=1, device="cpu")
    asked: list[int] = []
    monkeypatch.setattr(log.logger, "isEnabledFor", lambda level: asked.append(level) or False)
    monkeypatch.setattr(log.logger, "debug", lambda *_: asked.append(0))
    gnd.sample(graph, WALK, root, seed=1, device="cpu")
    assert asked == []
    gnd.sample(weighted(), WALK, root, seed=1, device="cpu")
    assert asked == [0, logging.DEBUG]  # the graph was built, and the call builds tables
