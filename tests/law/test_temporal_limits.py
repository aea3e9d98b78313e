"""TemporalWalk with a start, a start window and an end: limits of all walks and per root, dates, and bad input."""

import datetime as dt
import math
import pickle

import corpus
import numpy as np
import pytest
from test_temporal_walks import ROOTS, candidates, edge_times

import gonextdoor as gnd
from gonextdoor.apps import TemporalWalk

GRAPH = gnd.Graph.from_csr(corpus.graph().indptr, corpus.graph().indices, times=corpus.graph().times)
BIASES = ["uniform", "linear", "exponential"]
DAYS = np.array(["2024-05-01", "2024-05-03", "2024-05-04", "2024-05-08"], "M8[D]")
FIRST = 1714521600  # 2024-05-01, in seconds since 1970


def dated():
    return gnd.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], times=DAYS)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_edges_are_within_the_limits(direction, bias):
    start, end = (-20, 30) if direction == "forward" else (30, -20)
    sign = 1 if direction == "forward" else -1
    app = TemporalWalk(12, direction, bias, strict=False, start=start, start_window=15, end=end)
    times, there = edge_times(GRAPH, gnd.sample(GRAPH, app, ROOTS, repeat=50, seed=1, edges=True))
    first, rest = sign * (times[:, 0][there[:, 0]] - start), sign * (times - start)[there]
    assert first.min() == 0 and first.max() == 15  # all limits are included
    assert rest.min() == 0 and rest.max() == 50


@pytest.mark.parametrize("bias", BIASES)
def test_limits_per_root_are_those_of_walks_with_one(bias):
    starts, ends = np.arange(200) % 60 - 50, np.arange(200, dtype=np.int16) % 40 + 5
    app = TemporalWalk(6, bias=bias, start=starts, start_window=30, end=ends.tolist())
    walks = gnd.sample(GRAPH, app, repeat=3, seed=4, threads=2).numpy()
    rest = TemporalWalk(6, bias=bias, start=starts[30:], start_window=30, end=ends[30:])
    assert np.array_equal(walks[90:], gnd.sample(GRAPH, rest, ROOTS[30:], repeat=3, seed=4, first_id=90).numpy())
    for root in range(0, 180, 7):
        one = TemporalWalk(6, bias=bias, start=int(starts[root]), start_window=30, end=int(ends[root]))
        same = gnd.sample(GRAPH, one, [root], repeat=3, seed=4, first_id=3 * root).numpy()
        assert np.array_equal(walks[3 * root : 3 * root + 3], same)
    counts = gnd.visit_counts(GRAPH, app, repeat=3, seed=4)
    assert np.array_equal(counts, np.bincount(walks[walks >= 0], minlength=GRAPH.num_vertices))


@pytest.mark.parametrize("bias", BIASES)
def test_docs_law_recomputes_limits(bias):
    start, end = 30, -30  # backward
    app = TemporalWalk(9, "backward", bias, scale=12 if bias == "exponential" else None, start=start, end=end)
    walks = gnd.sample(GRAPH, app, ROOTS, seed=5).numpy()
    for row in range(0, 180, 9):
        key, v, last, walk = gnd.rng.key(gnd.rng.stream(5), row), row, None, [row]
        for s in range(9):
            may = [p for p in candidates(GRAPH, v, last, True, True) if GRAPH.times[p] <= start]
            n = sum(int(GRAPH.times[p]) >= end for p in may)
            if n == 0:
                break
            word, i = gnd.rng.word(key, s << 8), 0
            if bias == "uniform":
                i = word * n >> 64
            elif bias == "linear":
                level = word * (n * (n + 1) // 2) >> 64
                while level >= n - i:
                    level, i = level - (n - i), i + 1
            else:
                weights = [math.exp((int(GRAPH.times[p]) - int(GRAPH.times[may[0]])) / 12) for p in may]
                level = sum(weights[n:]) + sum(weights[:n]) * (word / 2**64)
                i = max(i for i in range(n) if sum(weights[i:]) > level)
            last = may[i]
            v = int(GRAPH.indices[last])
            walk.append(v)
        assert walks[row].tolist() == walk + [-1] * (10 - len(walk))


def test_limits_that_hold_for_all_edges_change_nothing():
    for bias in BIASES:
        plain = gnd.sample(GRAPH, TemporalWalk(9, bias=bias), ROOTS, seed=2).numpy()
        for limits in ({"start": -50}, {"end": 49}, {"start": -50, "start_window": (1 << 63) - 1, "end": 1000}):
            assert np.array_equal(gnd.sample(GRAPH, TemporalWalk(9, bias=bias, **limits), ROOTS, seed=2).numpy(), plain)
    nothing = gnd.sample(GRAPH, TemporalWalk(3, start=50), ROOTS, seed=2).numpy()
    assert (nothing[:, 1:] == -1).all()


@pytest.mark.parametrize("zone", [None, dt.timezone(dt.timedelta(hours=2))])
def test_limits_may_be_dates(zone):
    graph = dated()
    assert graph.time_unit == "s"
    ints = TemporalWalk(4, start=FIRST, start_window=2 * 86400, end=FIRST + 7 * 86400)
    want = gnd.sample(graph, ints, [0], repeat=20, seed=1).numpy()
    day = dt.datetime(2024, 5, 1) if zone is None else dt.datetime(2024, 5, 1, 2, tzinfo=zone)
    for start in (day, "2024-05-01", np.datetime64("2024-05-01"), FIRST, ["2024-05-01"], DAYS[:1]):
        for window in (dt.timedelta(days=2), np.timedelta64(48, "h")):
            app = TemporalWalk(4, start=start, start_window=window, end="2024-05-08T00:00:00")
            assert np.array_equal(gnd.sample(graph, app, [0], repeat=20, seed=1).numpy(), want)
            assert pickle.loads(pickle.dumps(app)) == app and app.width() == 5
            assert gnd.explain(graph, app, [0]).choices > 0
    whole = gnd.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], times=DAYS.astype("M8[ns]"))
    app = TemporalWalk(4, start="2024-05-01", start_window=dt.timedelta(days=2), end=DAYS[-1])
    for one in (graph, whole, graph):  # of several units
        assert np.array_equal(gnd.sample(one, app, [0], repeat=20, seed=1).numpy(), want)


def test_refused_limits():
    graph, plain = dated(), GRAPH
    for make, error, text in [
        (lambda: TemporalWalk(4, start=9, end=8), ValueError, "start = 9: it is after end = 8"),
        (lambda: TemporalWalk(4, "backward", start=8, end=9), ValueError, "start = 8: it is before end = 9"),
        (lambda: TemporalWalk(4, start="2024-05-02", end=DAYS[0]), ValueError, "start = 2024-05-02: it is after end"),
        (lambda: TemporalWalk(4, start_window=3), ValueError, "start_window = 3: it begins at the start"),
        (lambda: TemporalWalk(4, start=0, start_window=-1), ValueError, "start_window = -1: expected"),
        (lambda: TemporalWalk(4, start=0, start_window=dt.timedelta(-1)), ValueError, "expected at least 0"),
        (lambda: TemporalWalk(4, start=0, start_window=np.timedelta64("NaT")), ValueError, "expected at least 0"),
        (lambda: TemporalWalk(4, start=0, start_window=1.5), TypeError, "start_window = 1.5"),  # type: ignore[arg-type]
        (lambda: TemporalWalk(4, start=True), TypeError, "start = True: expected an int or a date"),
        (lambda: TemporalWalk(4, end=1.5), TypeError, "end = 1.5: expected an int or a date"),
        (lambda: TemporalWalk(4, end=[1.5]), TypeError, "end: expected an array of ints"),
        (lambda: TemporalWalk(4, end=1 << 63), ValueError, f"end = {1 << 63}: expected from"),
        (lambda: TemporalWalk(4, end=np.array([1 << 63], np.uint64)), ValueError, "expected a time below 2^63"),
        (lambda: TemporalWalk(4, start=[[1, 2]]), ValueError, "start has shape (1, 2)"),
        (lambda: TemporalWalk(4, start="soon"), ValueError, "start = 'soon': expected a date of ISO 8601"),
        (lambda: TemporalWalk(4, start=np.datetime64("NaT")), ValueError, "start is NaT"),
        (lambda: TemporalWalk(4, end=np.array(["2024", "NaT"], "M8[s]")), ValueError, "end[1] is NaT"),
        (lambda: gnd.sample(plain, TemporalWalk(4, start="2024-05-01")), TypeError, "integers without a unit"),
        (lambda: gnd.sample(plain, TemporalWalk(4, end=DAYS), [1, 2, 3, 4]), TypeError, "end has dates, but"),
        (lambda: gnd.explain(plain, TemporalWalk(4, start=0, start_window=dt.timedelta(1))), TypeError, "start_window"),
        (lambda: gnd.sample(graph, TemporalWalk(4, start="2024-05-01T00:00:00.5")), ValueError, "not a whole"),
        (lambda: gnd.sample(corpus.directed(), TemporalWalk(4, start="2024-05-01")), ValueError, "its edges have none"),
        (lambda: gnd.sample(plain, TemporalWalk(4, start=[1, 2]), [0, 1, 2]), ValueError, "start has 2 elements"),
        (lambda: gnd.sample(plain, TemporalWalk(4, end=[1]), 3), ValueError, "expected 3, one per root"),
        (lambda: gnd.explain(plain, TemporalWalk(4, end=[1]), 3), ValueError, "expected 3, one per root"),
        (lambda: gnd.end_points(plain, TemporalWalk(4, end=[1])), ValueError, "end has 1 elements: expected 200"),
        (lambda: gnd.sample(plain, TemporalWalk(4), [0], start=5), TypeError, "start= of gonextdoor.apps.TemporalWalk"),  # type: ignore[call-arg]
        (lambda: TemporalWalk(4, input_start_time=5), TypeError, "did you mean start=?"),  # type: ignore[call-arg]
    ]:  # fmt: skip
        with pytest.raises(error) as refusal:
            make()
        assert text in str(refusal.value), text


def test_apps_with_equal_limits_are_equal():
    one, same = TemporalWalk(4, start=[1, 2], end=5), TemporalWalk(4, start=np.array([1, 2]), end=5)
    assert one == same and hash(one) == hash(same) and one != TemporalWalk(4, start=[1, 3], end=5)
    assert TemporalWalk(4, start=1) != TemporalWalk(4, start=[1]) and TemporalWalk(4) == TemporalWalk(4)
    assert repr(one) == (
        "TemporalWalk(length=4, direction='forward', bias='uniform', strict=True, scale=None, start=array of 2, "
        "start_window=None, end=5)"
    )
    source = np.array([1, 2])
    kept = TemporalWalk(4, start=source)
    source[:] = 9
    assert kept == TemporalWalk(4, start=[1, 2])


def test_partitioned_graphs_take_one_period_of_ints():
    parts = gnd.partition.split(GRAPH, 3, "hash")
    for bias in BIASES:
        app = TemporalWalk(6, "backward", bias, start=30, start_window=40, end=-30)
        want = gnd.sample(GRAPH, app, seed=3).numpy()
        assert np.array_equal(gnd.partition.sample(parts, app, seed=3).numpy(), want)
    with pytest.raises(ValueError, match="start has one time per root: expected one time"):
        gnd.partition.sample(parts, TemporalWalk(6, start=ROOTS), seed=3)
    with pytest.raises(TypeError, match="is a date, but a partitioned graph keeps no unit"):
        gnd.partition.sample(parts, TemporalWalk(6, end="2024-05-01"), seed=3)


def test_ranges_take_one_period(tmp_path):
    pytest.importorskip("pyarrow")
    graph = dated()
    graph.save(tmp_path / "graph")
    app = TemporalWalk(3, start="2024-05-01", end=DAYS[2])
    run = gnd.ranges.Ranges(tmp_path / "graph", app, seed=1)
    walks = np.array(run.table(range(4))["walk"].to_pylist(), float)  # None, as NaN, after the end
    assert np.array_equal(np.nan_to_num(walks, nan=-1), gnd.sample(graph, app, seed=1).numpy())
    with pytest.raises(ValueError, match="end has one time per root: expected one time for all roots"):
        gnd.ranges.Ranges(tmp_path / "graph", TemporalWalk(3, end=[1, 2, 3, 4]), seed=1)
