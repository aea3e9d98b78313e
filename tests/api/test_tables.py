"""Graph.from_arrow and from_pandas: the same graph from every library's table, and the errors."""

from __future__ import annotations

import datetime
import warnings
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

pa = pytest.importorskip("pyarrow")
pandas = pytest.importorskip("pandas")

ROWS = {
    "source": ["bob", "alice", "bob", "dora"],
    "target": ["alice", "carol", "alice", "bob"],
    "weight": [1.5, 2.0, 0.25, 3.0],
    "time": [30, 10, 20, 5],
    "label": [0, 1, 2, 1],
}


def arcs(graph: gnd.Graph) -> list[tuple[int, int]]:
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return list(zip(src.tolist(), graph.indices.tolist(), strict=True))


def expected(graph: gnd.Graph) -> None:
    """alice, bob, carol, dora; bob -> alice twice."""
    assert graph.vertex_names is not None
    assert graph.vertex_names.tolist() == ["alice", "bob", "carol", "dora"]
    assert arcs(graph) == [(0, 2), (1, 0), (1, 0), (3, 1)]
    assert graph.edge_ids.tolist() == [1, 0, 2, 3]
    for array, values in [
        (graph.weights, [2, 1.5, 0.25, 3]),
        (graph.times, [10, 30, 20, 5]),
        (graph.labels, [1, 0, 2, 1]),
    ]:
        assert array is not None and array.tolist() == values


def pyarrow_table() -> Any:
    return pa.table(ROWS)


def pyarrow_reader() -> Any:
    table = pa.table(ROWS)
    batches = [batch for a, n in [(0, 1), (1, 0), (1, 3)] for batch in table.slice(a, n).to_batches()]
    batches.insert(1, pa.RecordBatch.from_pydict({name: [] for name in ROWS}, schema=table.schema))
    return pa.RecordBatchReader.from_batches(table.schema, batches)


def chunked() -> Any:
    return pa.table(
        {name: pa.chunked_array([column[:1], [], column[1:]], pa.array(column).type) for name, column in ROWS.items()}
    )


def typed(kind: Any) -> Any:
    table = pa.table(ROWS)
    for i, name in enumerate(("source", "target")):
        table = table.set_column(i, name, pa.array(ROWS[name], kind))
    return table


def dictionaries() -> Any:
    """Chunks with different dictionaries, words that do not occur, and one twice."""
    words = pa.array(["unused", "bob", "dora", "alice", "bob"])
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([1, 3], pa.int8()), words),
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["bob", "dora"])),
    ]
    source = pa.chunked_array(parts)
    return pa.table(ROWS).set_column(0, "source", source)


def polars(*, kind: str = "String") -> Any:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(ROWS)
    if kind == "Categorical":
        return frame.with_columns(pl.col("source", "target").cast(pl.Categorical))
    if kind == "Enum":
        return frame.with_columns(pl.col("source").cast(pl.Enum(["z", "dora", "bob", "alice"])))
    return pl.concat([frame[:1], frame[1:]], rechunk=False) if kind == "chunks" else frame


def duckdb() -> Any:
    connection = pytest.importorskip("duckdb").connect()
    connection.register("rows", pa.table(ROWS))
    return connection.sql("select * from rows")


def frame() -> Any:
    return pandas.DataFrame(ROWS)


TABLES = [
    pyarrow_table, pyarrow_reader, chunked, dictionaries, polars, duckdb, frame,
    lambda: typed(pa.large_string()), lambda: typed(pa.string_view()),
    lambda: typed(pa.dictionary(pa.int16(), pa.string())), lambda: typed(pa.dictionary(pa.uint32(), pa.large_string())),
    lambda: polars(kind="Categorical"), lambda: polars(kind="Enum"), lambda: polars(kind="chunks"),
]  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_every_table_gives_the_same_graph(table: Any) -> None:
    expected(gnd.Graph.from_arrow(table()))


FRAMES = [
    frame,
    lambda: frame().astype({"source": "category", "target": "category"}),
    lambda: frame().astype({"source": "string", "target": object}),
    lambda: frame().astype({"time": "Int64", "label": "Int8", "weight": "Float32"}),
    lambda: frame().astype({"time": "int64[pyarrow]", "label": "uint8[pyarrow]", "weight": "double[pyarrow]"}),
    lambda: frame().astype({"time": object, "label": "category"}),
    lambda: frame().set_index(np.array([7, 7, 3, 1])),
    lambda: frame().iloc[:2].pipe(lambda a: pandas.concat([a, frame().iloc[2:]])),
]


@pytest.mark.parametrize("table", FRAMES)
def test_every_kind_of_frame_gives_the_same_graph(table: Any) -> None:
    expected(gnd.Graph.from_pandas(table()))


INTEGERS = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers(kind: str) -> None:
    ids, others = np.array([100, 7, 100], kind), np.array([7, 0, 0])
    tables = [pa.table({"u": ids, "v": others}), pa.table({"u": pa.array(ids).dictionary_encode(), "v": others})]
    frames = [
        pandas.DataFrame({"u": ids, "v": others}),
        pandas.DataFrame({"u": ids, "v": others}).astype({"u": "category"}),
    ]
    graphs = [*map(gnd.Graph.from_arrow, tables), *map(gnd.Graph.from_pandas, frames)]
    for graph in graphs:
        assert graph.vertex_names is not None
        assert graph.vertex_names.tolist() == [0, 7, 100]
        assert arcs(graph) == [(1, 0), (2, 0), (2, 1)]


def test_decimals_of_databases() -> None:
    """DuckDB has 1.5 as a decimal, and the sum of integers as one without a fraction."""
    query = pytest.importorskip("duckdb").sql("select 5 as u, 3::hugeint as v, 1.25 as w, 7 as time")
    graph = gnd.Graph.from_arrow(query)
    assert graph.vertex_names is not None and graph.weights is not None and graph.times is not None
    assert (graph.vertex_names.tolist(), graph.weights.tolist(), graph.times.tolist()) == ([3, 5], [1.25], [7])
    large = pa.table({"u": pa.array([10**30], pa.decimal128(38, 0)), "v": [1]})
    with pytest.raises(ValueError, match=r"column 'u': not all values of decimal128.* fit in int64"):
        gnd.Graph.from_arrow(large)


def test_what_was_decided_is_in_source() -> None:
    thirds = frame().rename(columns={"weight": "since"})[["source", "target", "since"]]
    said = gnd.Graph.from_pandas(thirds).source
    assert said is not None
    assert said.startswith("pandas: columns source -> target, weight 'since'") and said.endswith("symmetric=False")
    for table, library in [
        (pyarrow_table(), "pyarrow"),
        (polars(), "polars"),
        (duckdb(), "duckdb"),
        (frame(), "pandas"),
    ]:
        said = gnd.Graph.from_arrow(table, symmetric=True).source
        assert said is not None
        assert said.startswith(f"{library}: columns source -> target, weight 'weight'") and "symmetric=True" in said


BOTH = [gnd.Graph.from_arrow, gnd.Graph.from_pandas]


@pytest.mark.parametrize("build", BOTH)
def test_columns(build: Any) -> None:
    table = pandas.DataFrame({"note": ["x", "y"], "b": [1, 2], "a": [0, 1], "since": [5, 6], "strength": [1.5, 2.5]})
    graph = build(table, "a", "b", "strength", time="since")
    assert arcs(graph) == [(0, 1), (1, 2)]
    assert graph.weights is not None and graph.times is not None and graph.labels is None
    assert (graph.weights.tolist(), graph.times.tolist()) == ([1.5, 2.5], [5, 6])
    numbered = build(table, 2, 1, weight=4, label=3, symmetric=True)
    assert arcs(numbered) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert numbered.labels is not None and numbered.weights is not None
    assert (numbered.labels.tolist(), numbered.weights.tolist()) == ([5, 5, 6, 6], [1.5, 1.5, 2.5, 2.5])
    for weight in (None, False):
        assert build(table, "a", "b", weight=weight).weights is None
    assert build(frame(), time=False, label=False).times is None
    assert build(frame(), time=False, label=False).labels is None
    assert build(frame(), weight=True).weights is not None


@pytest.mark.parametrize("build", BOTH)
def test_a_time_is_not_a_weight(build: Any) -> None:
    graph = build(pandas.DataFrame({"source": ["a"], "target": ["b"], "timestamp": [1_600_000_000]}))
    assert graph.weights is None and graph.times is not None
    assert graph.times.tolist() == [1_600_000_000]


@pytest.mark.parametrize("build", BOTH)
def test_text_labels_are_not_read_without_a_word(build: Any) -> None:
    table = pandas.DataFrame({"source": ["a"], "target": ["b"], "type": ["likes"]})
    with pytest.warns(gnd.InputWarning, match="'type' is not read: labels are integers") as caught:
        assert build(table).labels is None
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(table, label=False)
    with pytest.raises(TypeError, match=r"column 'type' has type .*: expected integers for labels; number the labels"):
        build(table, label="type")


def refused_columns() -> list[tuple[dict[str, Any], dict[str, Any], type[Exception], str]]:
    ends = {"u": [0, 1], "v": [1, 0]}
    return [
        (ends | {"u": ["a", None], "v": ["b", "c"]}, {}, ValueError, r"u\[1\] is missing: expected integers or text"),
        (ends | {"w": [1.0, None]}, {}, ValueError, r"w\[1\] is missing|w\[1\] = NaN"),
        (ends | {"w": [1.0, -2.0]}, {}, ValueError, r"^w\[1\] = -2"),
        (ends | {"w": [1.0, float("inf")]}, {}, ValueError, r"^w\[1\] = \+Inf"),
        (ends | {"label": [1, 1 << 40]}, {}, ValueError, r"^label\[1\] = 1099511627776"),
        (ends | {"u": [True, False]}, {}, TypeError, "column 'u' has type bool"),
        (ends | {"u": [0.5, 1.0]}, {}, TypeError, "column 'u' has type (double|float64)"),
        (ends | {"u": ["a", "b"]}, {}, TypeError, "u has text and v has integers"),
        (ends | {"u": [b"a", b"b"]}, {}, TypeError, "column 'u' has type (binary|object)"),
        (ends | {"w": ["x", "y"]}, {"weight": "w"}, TypeError, "column 'w' has type .*: expected numbers for weights"),
        (ends | {"w": [True, False]}, {"weight": "w"}, TypeError, "column 'w' has type bool: expected numbers"),
        (ends | {"t": [0.5, 1.5]}, {"time": "t"}, TypeError, "column 't' has type .*: expected integers for times"),
        (ends | {"t": [datetime.datetime(2020, 1, 1), None]}, {"time": "t"}, ValueError, r"t\[1\] is missing"),
        (ends | {"t": ["2020-01-01"] * 2}, {"time": "t"}, TypeError, "integers for times or dates; convert text"),
        (ends, {"weight": "w"}, ValueError, "there is no column of that name; the columns are 'u', 'v'"),
        (ends, {"weight": True}, ValueError, "weight=True: there is no column of weights"),
        (ends, {"source": 1.5}, (TypeError, ValueError), "source = 1.5"),  # type: ignore[list-item]
        (ends, {"symmetric": 1}, TypeError, "symmetric = 1: expected True or False"),
        (ends, {"symmetric": "auto"}, TypeError, "symmetric = 'auto': expected True or False"),
        ({"u": [0]}, {}, ValueError, "1 column: expected at least two"),
    ]  # fmt: skip


@pytest.mark.parametrize("build", BOTH)
@pytest.mark.parametrize("case", range(len(refused_columns())))
def test_refusals(build: Any, case: int) -> None:
    columns, options, kind, text = refused_columns()[case]
    table = pa.table(columns) if build is gnd.Graph.from_arrow else pandas.DataFrame(columns)
    with pytest.raises(kind, match=text):
        build(table, **options)


def test_nulls_of_dictionaries_and_chunks() -> None:
    other = ["a", "b", "c"]
    for column in (
        pa.array(["a", "b", None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 0, 1]), pa.array(["a", None])),
        pa.chunked_array([["a"], ["b", None]]),
        pa.chunked_array([pa.array(["a"]).dictionary_encode(), pa.array(["b", None]).dictionary_encode()]),
        pa.array([1, 2, None]),
        pa.array([1, 2, None]).dictionary_encode(),
    ):
        with pytest.raises(ValueError, match=r"u\[2\] is missing"):
            gnd.Graph.from_arrow(pa.table({"u": column, "v": other}))
    unused = pa.DictionaryArray.from_arrays(pa.array([0, 0, 2]), pa.array(["a", None, "b"]))
    assert gnd.Graph.from_arrow(pa.table({"u": unused, "v": other})).num_vertices == 3
    for missing in (pandas.NA, None, np.nan):
        for kind in (object, "string", "category"):
            column = pandas.Series(["a", "b", missing], dtype=kind)
            with pytest.raises(ValueError, match=r"u\[2\] is missing"):
                gnd.Graph.from_pandas(pandas.DataFrame({"u": column, "v": other}))


def test_tables_without_rows() -> None:
    for kind in (pa.int64(), pa.string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        schema = pa.schema({"u": kind, "v": kind, "weight": pa.float64()})
        for table in (schema.empty_table(), pa.RecordBatchReader.from_batches(schema, [])):
            graph = gnd.Graph.from_arrow(table)
            assert (graph.num_vertices, graph.num_edges) == (0, 0)
    assert gnd.Graph.from_pandas(pandas.DataFrame({"u": [], "v": []}).astype(int)).num_vertices == 0


def test_objects_that_are_no_tables() -> None:
    for thing in ({"u": [0]}, np.zeros((2, 2)), None, "edges.csv"):
        with pytest.raises(TypeError, match="table: expected an object with __arrow_c_stream__"):
            gnd.Graph.from_arrow(thing)
    with pytest.raises(TypeError, match=r"frame: .*got Table; use Graph.from_arrow"):
        gnd.Graph.from_pandas(pa.table(ROWS))


def test_a_stream_that_fails() -> None:
    schema = pa.schema({"u": pa.int64(), "v": pa.int64()})

    def batches() -> Any:
        yield pa.record_batch({"u": [0], "v": [1]})
        raise OSError("the connection was lost")

    with pytest.raises(ValueError, match=r"its Arrow stream ended with an error: .*connection was lost"):
        gnd.Graph.from_arrow(pa.RecordBatchReader.from_batches(schema, batches()))


def test_labels_of_frames_that_are_integers() -> None:
    table = pandas.DataFrame([[0, 1, 2.5], [1, 0, 3.5]], columns=[10, 20, 30])
    assert arcs(gnd.Graph.from_pandas(table, 20, 10)) == [(0, 1), (1, 0)]
    weights = gnd.Graph.from_pandas(table, 10, 20, 30).weights
    assert weights is not None and weights.tolist() == [2.5, 3.5]
    with pytest.raises(ValueError, match=r"source = 0: no column has that label; the columns are \[10, 20, 30\]"):
        gnd.Graph.from_pandas(table, 0, 10)
    with pytest.raises(ValueError, match="source = 1: several columns have that label"):
        gnd.Graph.from_pandas(pandas.DataFrame([[0, 1, 2]], columns=[1, 1, 2]), 1, 2)


def test_without_pyarrow() -> None:
    text = """
    import sys
    sys.modules["pyarrow"] = None
    import pandas, gonextdoor
    try:
        gonextdoor.Graph.from_arrow(pandas.DataFrame({"u": [0], "v": [1]}))
    except ImportError as error:
        print(error)
    print(gonextdoor.Graph.from_pandas(pandas.DataFrame({"u": [0], "v": [1]})))
    """
    printed = corpus.program(text)
    assert "needs pyarrow: pip install 'gonextdoor[arrow]'" in printed
    assert "Graph(num_vertices=2, num_edges=1)" in printed


def test_real_edges_from_every_library() -> None:
    votes = gnd.read(corpus.data("wiki-Vote.txt.gz"))
    names = votes.vertex_names
    assert names is not None
    src = names[np.repeat(np.arange(votes.num_vertices), votes.degrees())]
    table = pa.table({"from": src, "to": names[votes.indices]})
    text = table.cast(pa.schema({"from": pa.string(), "to": pa.string()}))
    for given in (table, table.to_pandas()):
        graph = gnd.Graph.from_arrow(given)
        assert np.array_equal(graph.vertex_names, np.sort(names))  # type: ignore[arg-type]
        assert np.array_equal(graph.degrees()[graph.ids(names)], votes.degrees())
    by_text = gnd.Graph.from_arrow(text)
    assert np.array_equal(by_text.degrees()[by_text.ids(names.astype(str))], votes.degrees())
