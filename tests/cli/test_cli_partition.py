"""gonextdoor partition."""

import json

import numpy as np
import pytest
from commandline import ok, refused

import gonextdoor as gnd


@pytest.fixture
def edges(tmp_path):
    rng = np.random.default_rng(2)
    lines = [f"{u} {v}" for u, v in rng.integers(0, 50, (400, 2))]
    (tmp_path / "e.txt").write_text("\n".join(lines) + "\n")
    return tmp_path / "e.txt"


def record(folder):
    return json.loads((folder / "partition.json").read_text())


@pytest.mark.parametrize("by", ["ranges", "hash", "ldg"])
def test_partition(tmp_path, edges, by):
    done = ok("partition", edges, tmp_path / "out", "--parts", 3, "--by", by, "--hot", 0.2, "--symmetric")
    assert "3 parts" in done.stderr
    graph = gnd.read(edges, symmetric=True)
    gnd.partition.write(graph, tmp_path / "same", parts=3, by=by, hot=0.2)
    assert record(tmp_path / "out") == record(tmp_path / "same")
    ok("partition", edges, tmp_path / "out", "--parts", 2, "--quiet")  # replaces it
    assert record(tmp_path / "out")["parts"] == 2


def test_a_file_of_parts(tmp_path, edges):
    graph = gnd.read(edges)
    np.save(tmp_path / "parts.npy", np.arange(graph.num_vertices) % 4)
    ok("partition", edges, tmp_path / "out", "--by", tmp_path / "parts.npy")
    assert record(tmp_path / "out")["parts"] == 4


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ([], 2, "--by ranges needs the number of parts: pass --parts P"),
        (["--parts", 0], 2, "--parts"),
        (["--parts", 2, "--by", "random"], 2, "expected ranges, hash, ldg, metis or the name of a .npy file"),
        (["--parts", 2, "--hot", 2], 2, "--hot"),
        (["--by", "no.npy"], 1, "no.npy"),
    ],
)
def test_refusals(tmp_path, edges, arguments, code, text):
    assert text in refused(code, "partition", edges, tmp_path / "out", *arguments)
    assert not (tmp_path / "out").exists()


def test_a_target_that_is_not_a_graph(tmp_path, edges):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    assert "is not the folder of a graph" in refused(2, "partition", edges, tmp_path / "mine", "--parts", 2)
