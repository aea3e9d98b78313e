"""Graphs have at most 2^32 - 2 vertices, whatever makes them; a folder of that number opens."""

import json
import re

import numpy as np
import pytest

import gonextdoor as gnd

MOST = 2**32 - 2
TOO_MANY = "num_vertices = 4294967295: expected from 0 to 2^32 - 2"


def one_edge():
    return gnd.Graph.from_edges([0], [1])


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: gnd.Graph.from_edges([0], [1], num_vertices=MOST + 1), TOO_MANY),
        (lambda: gnd.Graph.from_csr([0, 1], [0], num_vertices=MOST + 1), TOO_MANY),
        (lambda: gnd.HeteroGraph({("a", "b", "a"): one_edge()}, {"a": MOST + 1}), TOO_MANY.replace(" =", "['a'] =")),
        (lambda: gnd.Graph.from_edges([0], [MOST]), "dst[0] = 4294967294: the graph would have 4,294,967,295 vertices"),
        (lambda: gnd.rmat(32), "scale = 32: expected from 0 to 31"),
    ],
)  # fmt: skip
def test_arguments(make, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        make()


def test_files(tmp_path):
    """Larger ids are names in files of edges; a matrix has its number of rows."""
    (tmp_path / "e.txt").write_text(f"0 {MOST}\n")
    graph = gnd.read(tmp_path / "e.txt")
    assert graph.vertex_names.tolist() == [0, MOST]
    (tmp_path / "m.mtx").write_text(f"%%MatrixMarket matrix coordinate pattern general\n{MOST + 1} {MOST + 1} 1\n1 2\n")
    with pytest.raises(gnd.FormatError, match="more rows than a graph can have vertices, 4294967294"):
        gnd.read(tmp_path / "m.mtx")


def test_folders(tmp_path):
    """The offsets of 2^32 - 2 empty rows are a hole of 34 GB in a file, and opening reads no data."""
    gnd.Graph.from_edges([], [], num_vertices=1).save(tmp_path / "graph")
    head = np.lib.format.header_data_from_array_1_0(np.empty(0, np.uint64)) | {"shape": (MOST + 1,)}
    with open(tmp_path / "graph" / "indptr.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, head)
        file.truncate(file.tell() + 8 * (MOST + 1))
    record = json.loads((tmp_path / "graph" / "graph.json").read_text())
    for vertices in (MOST, MOST + 1):
        record |= {"vertices": vertices}
        record["arrays"]["indptr"]["shape"] = [vertices + 1]
        (tmp_path / "graph" / "graph.json").write_text(json.dumps(record))
        if vertices == MOST:
            graph = gnd.Graph.open(tmp_path / "graph")
            assert (graph.num_vertices, graph.num_edges) == (MOST, 0)
            assert graph.indices.dtype == np.uint32  # None is -1 in int32
        else:
            with pytest.raises(gnd.FormatError, match="4294967295 vertices, expected 0 to 4294967294"):
                gnd.Graph.open(tmp_path / "graph")
