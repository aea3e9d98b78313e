"""gonextdoor.read: the roles of columns, headers, directions, errors and warnings."""

from __future__ import annotations

import gzip
import pathlib
import pickle
import re
import warnings
from collections.abc import Callable
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

DOC = pathlib.Path(__file__).parents[2] / "docs" / "graph.md"

# Headers that people write; the last four have no known name in the first two columns, or in the third.
HEADERS = [
    "source,target,weight", "src,dst,w", "from,to,weight", "node1,node2,weight", "user_id,friend_id,weight",
    "from_node,to_node,strength", "head,tail,score", "subject,object,count", "citing,cited,weight",
    "follower,followee,value", "FromNodeId,ToNodeId,Weight", "id_1,id_2,rating",
    "sender,receiver,amount", "name_a,name_b,weight", "person x,person y,times_met", "gene A,gene B,similarity",
]  # fmt: skip


@pytest.fixture(autouse=True)
def refuse_warnings() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", gnd.InputWarning)
        yield


def written(tmp_path: pathlib.Path, text: str, name: str = "e.csv") -> pathlib.Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def names(graph: gnd.Graph) -> list[Any]:
    return list(range(graph.num_vertices)) if graph.vertex_names is None else graph.vertex_names.tolist()


def arcs(graph: gnd.Graph) -> list[tuple[Any, Any]]:
    called = names(graph)
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return sorted((called[u], called[v]) for u, v in zip(sources.tolist(), graph.indices.tolist(), strict=True))


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("ids", ["text", "integers"])
def test_plausible_headers(tmp_path: pathlib.Path, header: str, separator: str, ids: str) -> None:
    edges = [("alice", "bob"), ("bob", "carol")] if ids == "text" else [(0, 1), (1, 2)]
    lines = [header, *(f"{u},{v},{w}" for (u, v), w in zip(edges, ("2.5", "3"), strict=True))]
    text = "\n".join(lines).replace(",", separator) + "\n"
    graph = gnd.read(written(tmp_path, text, "e.tsv" if separator == "\t" else "e.csv"))
    assert arcs(graph) == edges and graph.weights is not None and graph.weights.tolist() == [2.5, 3]
    assert graph.source is not None and "header recognised" in graph.source


@pytest.mark.parametrize("header", HEADERS)
def test_plausible_headers_of_two_columns(tmp_path: pathlib.Path, header: str) -> None:
    two = header.rsplit(",", 1)[0]
    assert arcs(gnd.read(written(tmp_path, f"{two}\n0,1\n1,2\n"))) == [(0, 1), (1, 2)]
    path = written(tmp_path, f"{two}\nalice,bob\nbob,carol\n")
    if HEADERS.index(header) < 13:
        assert arcs(gnd.read(path)) == [("alice", "bob"), ("bob", "carol")]
    else:  # nothing tells such names from those of vertices
        with pytest.warns(
            gnd.InputWarning, match="may be a header or an edge, and was read as an edge: header=True or"
        ):
            assert gnd.read(path).num_edges == 3
    assert gnd.read(path, header=True).num_edges == 2


def test_times_are_never_weights(tmp_path: pathlib.Path) -> None:
    for name in ("time", "timestamp", "Timestamps", "ts", "year"):
        graph = gnd.read(written(tmp_path, f"source,target,{name}\n0,1,10\n1,2,20\n"))
        assert graph.times is not None and graph.times.tolist() == [10, 20] and graph.weights is None
        graph = gnd.read(written(tmp_path, f"source,target,{name}\n0,1,10\n1,2,20\n"), time=False)
        assert graph.times is None and graph.weights is None
    both = gnd.read(written(tmp_path, "source,target,score,time\n0,1,5,10\n"))
    assert both.times is not None and both.weights is not None and (both.times[0], both.weights[0]) == (10, 5)
    with pytest.warns(gnd.InputWarning, match="1082040961 looks like a time: time=2 reads times, weight=2 reads"):
        gnd.read(written(tmp_path, "0 1 1082040961\n", "e.txt"))
    graph = gnd.read(written(tmp_path, "0 1 1082040961\n", "e.txt"), time=2)
    assert graph.times is not None and graph.times.tolist() == [1082040961] and graph.weights is None


# ---- the table of docs/graph.md

ENDS = {"names": (["a", "b"], ["b", "c"]), "numbers": ([0, 1], [1, 2])}
VALUES = {"weights": [2.0, 3.0], "times": [-7, 1 << 40], "labels": [5, -6]}
COLUMNS = {"weights": "weight", "times": "time", "labels": "label"}


def table() -> list[dict[str, str]]:
    """The rows of the table of formats."""
    lines = iter(DOC.read_text().splitlines())
    head = next(line for line in lines if line.startswith("| format |"))
    next(lines)
    keys = [cell.strip() for cell in head.strip("|").split("|")]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(keys, (cell.strip() for cell in line.strip("|").split("|")), strict=True)))
    return rows


def text_file(separator: str, suffix: str) -> Callable[..., pathlib.Path]:
    def write(folder: pathlib.Path, ends: str, roles: list[str], header: bool = True) -> pathlib.Path:
        columns = [*ENDS[ends], *(VALUES[role] for role in roles)]
        rows = [["source", "target", *(COLUMNS[role] for role in roles)]] if header else []
        rows += [list(map(str, row)) for row in zip(*columns, strict=True)]
        return written(folder, "".join(separator.join(row) + "\n" for row in rows), f"e.{suffix}")

    return write


def matrix_file(folder: pathlib.Path, ends: str, roles: list[str], header: bool = True) -> pathlib.Path:
    kind, values = ("integer", VALUES[roles[0]]) if roles else ("pattern", ["", ""])
    entries = "".join(
        f"{u + 1} {v + 1} {x:.0f}\n" if roles else f"{u + 1} {v + 1}\n"
        for u, v, x in zip(*ENDS["numbers"], values, strict=True)
    )
    return written(folder, f"%%MatrixMarket matrix coordinate {kind} general\n3 3 2\n{entries}", "e.mtx")


def parquet_file(folder: pathlib.Path, ends: str, roles: list[str], header: bool = True) -> pathlib.Path:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = dict(zip(("source", "target"), ENDS[ends], strict=True)) | {COLUMNS[role]: VALUES[role] for role in roles}
    pq.write_table(pa.table(columns), folder / "e.parquet")
    return folder / "e.parquet"


def sparse_file(folder: pathlib.Path, ends: str, roles: list[str], header: bool = True) -> pathlib.Path:
    sparse = pytest.importorskip("scipy.sparse")
    values = np.array(VALUES[roles[0]] if roles else [1, 1])
    sparse.save_npz(folder / "e.npz", sparse.coo_matrix((values, ENDS["numbers"]), shape=(3, 3)).tocsr())
    return folder / "e.npz"


def columns_file(folder: pathlib.Path, ends: str, roles: list[str], header: bool = True) -> pathlib.Path:
    columns = dict(zip(("source", "target"), ENDS[ends], strict=True)) | {COLUMNS[role]: VALUES[role] for role in roles}
    np.savez(folder / "e.npz", **{name: np.array(values) for name, values in columns.items()})
    return folder / "e.npz"


def saved_folder(folder: pathlib.Path, ends: str, roles: list[str], header: bool = True) -> pathlib.Path:
    gnd.read(text_file(",", "csv")(folder, ends, roles)).save(folder / "g")
    return folder / "g"


WRITERS: dict[str, Callable[..., pathlib.Path]] = {
    "text": text_file(" ", "txt"), "csv": text_file(",", "csv"), "tsv": text_file("\t", "tsv"),
    "Matrix Market": matrix_file, "Parquet": parquet_file, "npz, sparse matrix": sparse_file,
    "npz, columns": columns_file, "folder": saved_folder,
}  # fmt: skip


def test_the_table_has_every_format() -> None:
    rows = table()
    assert [row["format"] for row in rows] == list(WRITERS)
    assert all(list(row)[1:] == ["weights", "times", "labels", "names", "header"] for row in rows)


@pytest.mark.parametrize("form", list(WRITERS))
@pytest.mark.parametrize("role", ["weights", "times", "labels"])
def test_cells_of_attributes(tmp_path: pathlib.Path, form: str, role: str) -> None:
    cell = next(row[role] for row in table() if row["format"] == form)
    path = WRITERS[form](tmp_path, "numbers", [role])
    graph = gnd.read(path, weight="auto" if cell == "yes" else False)  # not every time or label is a weight
    if cell == "yes":
        assert getattr(graph, role).tolist() == VALUES[role]
        without = gnd.read(path, **{COLUMNS[role]: False})
        assert getattr(without, role) is None
    else:
        assert cell == "if chosen" and getattr(graph, role) is None
        for choice in (2, "value"):
            chosen = gnd.read(path, **{COLUMNS[role]: choice})
            assert getattr(chosen, role).tolist() == VALUES[role] and chosen.weights is None
    assert arcs(graph) == [(0, 1), (1, 2)]
    if cell == "yes" and "matrix" not in form.lower():  # all at once, with and without names
        for ends in ENDS:
            folder = tmp_path / ends
            folder.mkdir()
            graph = gnd.read(WRITERS[form](folder, ends, list(VALUES)))
            assert all(getattr(graph, each).tolist() == VALUES[each] for each in VALUES)


@pytest.mark.parametrize("form", list(WRITERS))
def test_cells_of_names(tmp_path: pathlib.Path, form: str) -> None:
    cell = next(row["names"] for row in table() if row["format"] == form)
    graph = gnd.read(WRITERS[form](tmp_path, "names", ["weights"]))
    if cell == "yes":
        assert arcs(graph) == [("a", "b"), ("b", "c")]
    else:
        assert cell == "no" and graph.vertex_names is None


@pytest.mark.parametrize("form", list(WRITERS))
def test_cells_of_headers(tmp_path: pathlib.Path, form: str) -> None:
    cell = next(row["header"] for row in table() if row["format"] == form)
    path = WRITERS[form](tmp_path, "numbers", ["weights"])
    if cell == "optional":
        want = arcs(gnd.read(path))
        assert arcs(gnd.read(path, header=True)) == want
        bare = WRITERS[form](tmp_path, "numbers", ["weights"], header=False)
        assert arcs(gnd.read(bare)) == arcs(gnd.read(bare, header=False)) == want
    else:
        assert cell == "no"
        with pytest.raises(ValueError, match="header"):
            gnd.read(path, header=True)


# ---- directions


def test_files_that_say_they_are_undirected(tmp_path: pathlib.Path) -> None:
    path = written(tmp_path, "# Undirected graph: x\n0 1\n1 2\n", "e.txt")
    assert gnd.read(path).num_edges == 4 and gnd.read(path, symmetric=False).num_edges == 2
    assert str(gnd.read(path).source).endswith('; symmetric=True, as line 1 says: "# Undirected graph: x"')
    both = written(tmp_path, "# Undirected graph: x\n0 1\n1 0\n", "b.txt")
    assert gnd.read(both).num_edges == 2 and gnd.read(both, symmetric=True).num_edges == 4


def test_ego_facebook_is_undirected() -> None:
    file = corpus.data("ego-Facebook.txt.gz")
    graph = gnd.read(file)
    assert graph.num_edges == 2 * 88234
    walks = gnd.sample(graph, gnd.apps.DeepWalk(80), seed=1)
    assert (walks.lengths == 81).all()
    directed = gnd.read(file, symmetric=False)
    assert directed.num_edges == 88234
    with pytest.warns(gnd.InputWarning, match="of the walks ended early at a vertex without out-edges, and 0% of the"):
        gnd.sample(directed, gnd.apps.DeepWalk(80), seed=1)
    gnd.sample(directed, gnd.apps.DeepWalk(80), seed=2)  # once per graph


def test_walks_that_end_early_are_warned_about() -> None:
    leaves = np.arange(1, 100)
    star = gnd.Graph.from_edges(leaves, np.zeros(99, int))
    gnd.sample(star, gnd.apps.DeepWalk(80), [1, 2, 3], seed=1)  # too few to tell
    gnd.sample(star, gnd.apps.PPR(0.5), seed=1)  # ends early by itself
    for app in (gnd.apps.DeepWalk(80), gnd.apps.Node2Vec(2.0, 0.5, 80), gnd.apps.Walk()):
        fresh = gnd.Graph.from_edges(leaves, np.zeros(99, int))
        with pytest.warns(gnd.InputWarning, match="symmetric=True") as caught:
            gnd.sample(fresh, app, seed=1)
        assert caught[0].filename == __file__
    gnd.sample(gnd.Graph.from_edges(leaves, np.zeros(99, int), symmetric=True), gnd.apps.DeepWalk(80), seed=1)
    # Walks end early, but edges have opposites: nothing to be said.
    pairs = gnd.Graph.from_edges(leaves, np.arange(1, 100) ^ 1, symmetric=True, num_vertices=1000)
    gnd.sample(pairs, gnd.apps.DeepWalk(80), seed=1)


# ---- what was decided


def test_source_is_kept(tmp_path: pathlib.Path) -> None:
    graph = gnd.read(written(tmp_path, "node1,node2,weight\na,b,1\n"))
    said = "e.csv: columns node1 -> node2, weight 'weight'; header recognised; symmetric=False"
    assert graph.source == said and pickle.loads(pickle.dumps(graph)).source == said
    assert graph.reverse().source == said + "; reversed"
    graph.save(tmp_path / "g")
    assert gnd.read(tmp_path / "g").source == gnd.Graph.open(tmp_path / "g").source
    assert gnd.Graph.open(tmp_path / "g").source == "g: the folder of a graph, as it was saved"
    assert gnd.Graph.from_edges([0], [1]).source is None


def test_an_empty_folder_of_attributes_is_said(tmp_path: pathlib.Path) -> None:
    path = saved_folder(tmp_path, "numbers", list(VALUES))
    graph = gnd.read(path, weight=False, time=False, label=False)
    assert graph.weights is None and graph.times is None and graph.labels is None
    assert (
        graph.source
        == "g: the folder of a graph, as it was saved, without its weights, without its times, without its labels"
    )


# ---- refusals


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            {"weight": "w"},
            gnd.FormatError,
            "weight=\"w\": there is no column of that name; the columns are 'source', 'target'",
        ),
        ({"source": -1}, gnd.FormatError, "source=-1: columns are numbered from 0, and there are 2"),
        ({"source": 5}, gnd.FormatError, "expected 0 to 1"),
        ({"source": 0, "target": 0}, gnd.FormatError, "source and target are both column 'source'"),
        ({"weight": True}, gnd.FormatError, "weight=True: there is no column of weights"),
        ({"source": "source", "header": False}, ValueError, "with header=False columns have no names"),
        ({"source": True}, TypeError, "source = True"),
        ({"weight": 0.5}, TypeError, "weight = 0.5"),
        ({"time": []}, TypeError, "time = []"),
        ({"header": "yes"}, TypeError, "header = 'yes': expected \"auto\", True or False"),
        ({"symmetric": None}, TypeError, 'symmetric = None: expected "auto", True or False'),
        ({"weighted": True}, TypeError, "weighted"),
    ],
)
def test_arguments_are_refused(tmp_path: pathlib.Path, arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=re.escape(text)):
        gnd.read(written(tmp_path, "source,target\n0,1\n"), **arguments)


@pytest.mark.parametrize("form", ["folder", "Parquet", "npz, columns", "npz, sparse matrix", "Matrix Market"])
def test_arguments_that_a_format_has_no_use_for(tmp_path: pathlib.Path, form: str) -> None:
    path = WRITERS[form](tmp_path, "numbers", ["weights"])
    with pytest.raises(ValueError, match="source"):
        gnd.read(path, source="nothing")
    if form == "folder":
        with pytest.raises(ValueError, match=r"source: .* has no columns to choose from"):
            gnd.read(path, source=0)
        with pytest.raises(ValueError, match="symmetric=True"):
            gnd.read(path, symmetric=True)
    else:
        assert gnd.read(path, symmetric=True).num_edges == 4


def test_other_formats_and_addresses(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="download it first"):
        gnd.read("https://example.org/edges.txt.gz")
    for text, what in (
        ('{"nodes": []}', "looks like JSON"), ("<?xml version='1.0'?>\n<graphml>", "looks like GraphML"),
        ("<gexf>", "looks like GEXF"),
    ):  # fmt: skip
        with pytest.raises(gnd.FormatError, match=rf"{what}: read it with networkx .* and use Graph.from_networkx"):
            gnd.read(written(tmp_path, text + "\n", "e.json"))
    with pytest.raises(gnd.FormatError, match=r"line 2.*networkx.read_adjlist and use Graph.from_networkx"):
        gnd.read(written(tmp_path, "0 1 2\n1 2\n", "e.adj"))
    np.savez(tmp_path / "x.npz", source=np.zeros((2, 2), int), target=np.zeros(2, int))
    with pytest.raises(gnd.FormatError, match=r"source has shape \(2, 2\)"):
        gnd.read(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", source=np.zeros(2, int), target=np.zeros(2, int), time=np.zeros(2), label=np.zeros(2))
    with pytest.raises(gnd.FormatError, match="column 'time': expected integers for times, got float"):
        gnd.read(tmp_path / "x.npz", time="time", label=False)


def test_inputs_that_were_read_as_another_graph(tmp_path: pathlib.Path) -> None:
    assert arcs(gnd.read(written(tmp_path, "0 1\r1 2\r2 3\r", "e.txt"))) == [(0, 1), (1, 2), (2, 3)]
    upper = "%%matrixmarket matrix coordinate real general\n3 3 1\n1 1 5\n"
    assert arcs(gnd.read(written(tmp_path, upper, "e.txt"))) == [(0, 0)]
    with pytest.raises(
        gnd.FormatError, match=r"line 1: .*column 0 \('source'\) and column 1 \('source'\) may each hold"
    ):
        gnd.read(written(tmp_path, "source,source,target\n0,1,2\n"))
    with pytest.raises(gnd.FormatError, match=r"line 1: .*the weight is not 0, but too small"):
        gnd.read(written(tmp_path, "0 1 1e-400\n0 2 1\n", "e.txt"))
    pandas = pytest.importorskip("pandas")
    graph = gnd.Graph.from_pandas(pandas.DataFrame({"source": ["a\0", "a"], "target": ["b", "c"]}))
    assert sorted(names(graph)) == ["a", "a\0", "b", "c"]
    assert names(pickle.loads(pickle.dumps(graph))) == names(graph)


def test_one_long_name_costs_its_own_length(tmp_path: pathlib.Path) -> None:
    lines = "".join(f"n{i} m{i}\n" for i in range(5000))
    graph = gnd.read(written(tmp_path, "a b\n" + "x" * 900_000 + " y\n" + lines, "n.txt"), header=False)
    called = graph.vertex_names
    assert called is not None and called.dtype == object and called.shape == (10004,) and not called.flags.writeable
    assert called[2] == "x" * 900_000 and called[np.array([[0, 1], [3, 4]])].tolist() == [["a", "b"], ["y", "n0"]]
    assert called.tolist()[5] == "m0" and (called == "n7").sum() == 1


def test_large_ids_are_numbered(tmp_path: pathlib.Path) -> None:
    assert arcs(gnd.read(written(tmp_path, "4000000000 7\n", "e.txt"))) == [(4000000000, 7)]


def test_compressed_csv_with_quotes(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "e.csv.gz"
    path.write_bytes(gzip.compress(b'source,target,weight\n"a, ""b""\n",c,"2"\n'))
    graph = gnd.read(path)
    assert arcs(graph) == [('a, "b"\n', "c")] and graph.weights is not None and graph.weights.tolist() == [2]
