"""Times that are dates: from every input, in windows and in times of seed nodes; those that are missing are refused."""

from __future__ import annotations

import copy
import datetime
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd

pandas = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
polars = pytest.importorskip("polars")
networkx = pytest.importorskip("networkx")

ZONE = datetime.timezone(datetime.timedelta(hours=2))
STAMPS = [datetime.datetime(2024, 5, 1, 12) + datetime.timedelta(hours=i) for i in range(4)]
ZONED = [stamp.replace(tzinfo=datetime.timezone.utc).astimezone(ZONE) for stamp in STAMPS]
SRC, DST = [0, 1, 2, 0], [1, 2, 3, 2]
FIRST = np.datetime64("2024-05-01T12:00")


def columns(times: Any) -> dict[str, Any]:
    return {"source": SRC, "target": DST, "time": times}


def read(tmp_path: pathlib.Path, text: str) -> gnd.Graph:
    path = tmp_path / "e.csv"
    path.write_text(
        "source,target,time\n" + "".join(f"{u},{v},{t}\n" for u, v, t in zip(SRC, DST, text.split(), strict=True))
    )
    return gnd.read(path)


def parquet(tmp_path: pathlib.Path, table: Any) -> gnd.Graph:
    from pyarrow import parquet

    parquet.write_table(table, tmp_path / "e.parquet")
    return gnd.read(tmp_path / "e.parquet")


def network(times: Any) -> gnd.Graph:
    made = networkx.DiGraph()
    made.add_nodes_from(range(4))
    for u, v, t in zip(SRC, DST, times, strict=True):
        made.add_edge(u, v, time=t)
    return gnd.Graph.from_networkx(made)


def zoned_frame() -> Any:
    return pandas.DataFrame(columns(pandas.to_datetime(STAMPS).tz_localize("UTC").tz_convert("Asia/Tokyo")))


INPUTS: list[tuple[str, Callable[[pathlib.Path], gnd.Graph]]] = [
    ("us", lambda p: read(p, " ".join(stamp.isoformat() for stamp in STAMPS))),
    ("us", lambda p: read(p, " ".join(stamp.isoformat() for stamp in ZONED))),
    ("us", lambda p: read(p, " ".join(f"{stamp:%Y-%m-%dT%H:%MZ}" for stamp in STAMPS))),
    ("us", lambda p: parquet(p, pa.table(columns(pa.array(ZONED, pa.timestamp("us", tz="Asia/Tokyo")))))),
    ("ms", lambda p: parquet(p, pa.table(columns(pa.array(STAMPS, pa.timestamp("ms")))))),
    ("s", lambda p: gnd.Graph.from_arrow(pa.table(columns(pa.array(STAMPS, pa.timestamp("s")))))),
    ("ns", lambda p: gnd.Graph.from_pandas(pandas.DataFrame(columns(np.array(STAMPS, "M8[ns]"))))),
    (str(zoned_frame()["time"].dtype.unit), lambda p: gnd.Graph.from_pandas(zoned_frame())),
    ("us", lambda p: gnd.Graph.from_arrow(polars.DataFrame(columns(STAMPS)))),
    ("us", lambda p: gnd.Graph.from_arrow(polars.DataFrame(columns(ZONED)))),
    ("us", lambda p: network(STAMPS)),
    ("us", lambda p: network(ZONED)),
    ("ns", lambda p: network([pandas.Timestamp(stamp) + pandas.Timedelta(0) for stamp in np.array(STAMPS, "M8[ns]")])),
    ("s", lambda p: gnd.Graph.from_edges(SRC, DST, times=np.array(STAMPS, "M8[h]"))),
    ("us", lambda p: gnd.Graph.from_edges(SRC, DST, times=STAMPS)),
]


@pytest.mark.parametrize("case", range(len(INPUTS)))
def test_every_input(tmp_path: pathlib.Path, case: int) -> None:
    unit, make = INPUTS[case]
    graph = make(tmp_path)
    assert graph.times is not None
    if case != 12:  # pandas chooses the unit of its objects
        assert graph.time_unit == unit
    found = graph.times.astype(f"M8[{graph.time_unit}]")
    sources = np.repeat(np.arange(4), graph.degrees()).tolist()
    wanted = dict(zip(zip(SRC, DST, strict=True), STAMPS, strict=True))
    assert found.astype("M8[us]").tolist() == [
        wanted[edge] for edge in zip(sources, graph.indices.tolist(), strict=True)
    ]
    graph.save(tmp_path / "g")
    for other in (pickle.loads(pickle.dumps(graph)), gnd.Graph.open(tmp_path / "g"), copy.deepcopy(graph)):
        assert other.time_unit == graph.time_unit and np.array_equal(other.times, graph.times)


NOT_A_TIME = [
    (lambda p: gnd.Graph.from_edges(SRC, DST, times=np.array([*STAMPS[:3], "NaT"], "M8[us]")), r"times\[3\] is NaT"),
    (lambda p: gnd.Graph.from_edges(SRC, DST, times=[*STAMPS[:3], None]), r"times\[3\] is None"),
    (lambda p: gnd.Graph.from_edges(SRC, DST, times=pandas.Series([*STAMPS[:3], pandas.NaT])), r"times\[3\] is NaT"),
    (lambda p: gnd.Graph.from_pandas(pandas.DataFrame(columns([*STAMPS[:3], None]))), r"time\[3\] is missing"),
    (lambda p: gnd.Graph.from_arrow(pa.table(columns([*STAMPS[:3], None]))), r"time\[3\] is missing"),
    (lambda p: gnd.Graph.from_arrow(polars.DataFrame(columns([*STAMPS[:3], None]))), r"time\[3\] is missing"),
    (lambda p: parquet(p, pa.table(columns([*STAMPS[:3], None]))), r"time\[3\] is missing"),
    (lambda p: network([*STAMPS[:3], pandas.NaT]), r"times\[1\] is NaT"),
    (lambda p: read(p, "2024-05-01 2024-05-02 2024-05-03 NaT"), 'line 5: .* "NaT" is not a date of ISO 8601'),
    (lambda p: read(p, "2024-05-01 2024-05-02 2024-05-03 2024-02-30"), '"2024-02-30" is not a date of ISO 8601'),
    (lambda p: read(p, "2024-05-01 2024-05-02 2024-05-03 7"), '"7" is not a date of ISO 8601'),
]


@pytest.mark.parametrize("case", range(len(NOT_A_TIME)))
def test_missing_dates_are_refused(tmp_path: pathlib.Path, case: int) -> None:
    make, text = NOT_A_TIME[case]
    with pytest.raises((ValueError, TypeError), match=text):
        make(tmp_path)


def chain(times: Any) -> gnd.Graph:
    """Edges 4 -> 3 -> 2 -> 1 -> 0, and their times."""
    return gnd.Graph.from_edges([4, 3, 2, 1], [3, 2, 1, 0], times=times)


HOUR = datetime.timedelta(hours=1)
NOW = STAMPS[3]
SEEDS = [
    (NOW, 2 * HOUR), (np.datetime64(NOW), np.timedelta64(2, "h")), ([NOW], [2 * HOUR]), (NOW.isoformat(), 2 * HOUR),
    (np.array([NOW], "M8[s]"), np.array([120], "m8[m]")), (pandas.Series([NOW]), pandas.Timedelta(2 * HOUR)),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(SEEDS)))
def test_windows_and_times_of_seed_nodes(case: int) -> None:
    moment, window = SEEDS[case]
    graph = chain(STAMPS[::-1])
    sampler = gnd.NeighborSampler(graph, [1, 1, 1, 1], temporal="last", disjoint=True)
    times = moment if np.ndim(moment) else [moment]
    assert sampler.sample([4], 1, times=times).num_edges == [[1, 1, 1, 1]]
    assert sampler.sample([4], 1, times=times, time_window=window).num_edges == [[1, 1, 1, 0]]
    loader = gnd.loader(graph, [1, 1, 1, 1], [4, 3], temporal="last", disjoint=True, input_time=[NOW - HOUR, NOW])
    assert [batch.num_edges for batch in loader] == [[[0, 0, 0, 0]], [[1, 1, 1, 0]]]
    options: dict[str, Any] = {"temporal": "last", "disjoint": True, "input_end_time": [NOW, NOW]}
    starts = [NOW - 2 * HOUR, NOW - HOUR]
    loader = gnd.loader(graph, [1, 1, 1, 1], [4, 4], 2, input_start_time=starts, **options)
    assert [batch.num_edges for batch in loader] == [[[2, 2, 1, 0]]]
    with pytest.raises(ValueError, match=r"input_start_time\[1\] is NaT"):
        gnd.loader(graph, [1], [4, 4], input_start_time=np.array([NOW, "NaT"], "M8[s]"), **options)


def test_typed_graphs(tmp_path: pathlib.Path) -> None:
    """Times of edges and vertices have one unit, which is kept."""
    buys = gnd.Graph.from_edges([0, 1], [0, 1], times=np.array(STAMPS[:2], "M8[s]"))
    plain = gnd.Graph.from_edges([0, 1], [0, 1])
    relation, counts = ("user", "buys", "item"), {"user": 2, "item": 2}
    timed = gnd.HeteroGraph({relation: buys}, counts, {"user": STAMPS[:2]})
    vertices = gnd.HeteroGraph({relation: plain}, counts, {"user": STAMPS[:2], "item": STAMPS[2:]})
    for graph, unit in ((timed, "s"), (vertices, "us")):
        assert graph.time_unit == unit and graph.times is not None
        assert graph.times["user"].astype(f"M8[{unit}]").tolist() == STAMPS[:2]
        graph.save(tmp_path / unit)
        for other in (gnd.HeteroGraph.open(tmp_path / unit), pickle.loads(pickle.dumps(graph))):
            assert other.time_unit == unit and np.array_equal(other.times["user"], graph.times["user"])
    sampler = gnd.NeighborSampler(vertices, [1], temporal="last", disjoint=True)
    for hours, edges in ((3, 1), (2, 0)):
        batch = sampler.sample({"item": [0]}, 1, times={"item": [NOW]}, time_window={"item": hours * HOUR})
        assert batch.num_edges == [[edges]]
    parts = gnd.partition.split(timed, 2)
    assert parts.time_unit == "s" and parts.relations[relation].time_unit == "s"
    for times, text in (
        ({"user": STAMPS[:2], "item": [1, 2]}, r"times\['user'\] in 'us', times\['item'\] as integers without a unit"),
        ({"user": np.array([STAMPS[0], "NaT"], "M8[s]")}, r"times\['user'\]\[1\] is NaT"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            gnd.HeteroGraph({relation: plain}, counts, times)
    with pytest.raises(ValueError, match=r"times: relation .* in 's', relation .* in 'ms': expected one unit"):
        other = gnd.Graph.from_edges([0, 1], [0, 1], times=np.array(STAMPS[:2], "M8[ms]"))
        gnd.HeteroGraph({relation: buys, ("item", "by", "user"): other}, counts)
    integers = gnd.Graph.from_edges([0, 1], [0, 1], times=[1, 2])
    with pytest.raises(TypeError, match="times of this graph are integers without a unit"):
        gnd.HeteroGraph({relation: integers}, counts, {"user": STAMPS[:2]})


REFUSED = [
    ({"times": [NOW]}, None, "times has dates, but the times of this graph are integers without a unit"),
    ({"times": [5], "time_window": HOUR}, None, "time_window = .*: the times of this graph are integers"),
    ({"times": [np.datetime64("NaT")]}, STAMPS, r"times(\[0\])+ is NaT"),
    ({"times": [NOW], "time_window": np.timedelta64("NaT")}, STAMPS, "time_window = .*NaT.* is not a whole number"),
    ({"times": [NOW], "time_window": datetime.timedelta(microseconds=1)}, "s", "is not a whole number of s, the unit"),
    ({"times": ["soon"]}, STAMPS, "'soon'.*ISO 8601"),
    ({"times": [NOW], "time_window": -HOUR}, STAMPS, "time_window = -3600000000: expected from 0"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refused_dates(case: int) -> None:
    given, times, text = REFUSED[case]
    graph = chain([1, 2, 3, 4] if times is None else np.array(STAMPS, "M8[s]") if times == "s" else times)
    sampler = gnd.NeighborSampler(graph, [1], temporal="last", disjoint=True)
    with pytest.raises((TypeError, ValueError), match=text):
        sampler.sample([4], 1, **given)
