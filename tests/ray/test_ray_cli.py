"""gonextdoor walk --ray: the walks of one machine, in a folder of Parquet files."""

import os
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from gonextdoor.cli import main

import gonextdoor as gnd


def command(*arguments, code=0):
    line = [sys.executable, "-m", "gonextdoor", "walk", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=170)
    assert done.returncode == code, done.stderr
    return done.stderr


def test_walks(nodes, graph, uri, tmp_path):
    out = tmp_path / "walks"
    np.save(tmp_path / "roots.npy", np.array([5, 3, 8]))
    given = (
        uri,
        "-o",
        out,
        "--ray",
        nodes.address,
        "--length",
        6,
        "--roots",
        tmp_path / "roots.npy",
        "--repeat",
        2,
        "--edges",
    )
    told = command(*given, "--seed", 4)
    assert "wrote" in told and "1 of 1 file" in told and "seed     4" in told
    walks = gnd.sample(graph, gnd.apps.DeepWalk(6), [5, 3, 8], repeat=2, seed=4, edges=True)
    table = pq.read_table(out)
    assert table["walk"].to_pylist() == walks.numpy().tolist()
    assert table["edges"].to_pylist() == [[None if e < 0 else e for e in row] for row in walks.edges.tolist()]
    assert len([name for name in os.listdir(out) if name.endswith(".parquet")]) == 1


@pytest.mark.slow
def test_resume(nodes, uri, tmp_path):
    out = tmp_path / "walks"
    given = uri, "-o", out, "--ray", nodes.address, "--length", 6
    command(*given, "--seed", 4)
    (name,) = (name for name in os.listdir(out) if name.endswith(".parquet"))
    data = (out / name).read_bytes()
    os.remove(out / name)
    assert "seed     4" in command(*given, "--resume", "--quiet")
    assert (out / name).read_bytes() == data


@pytest.mark.parametrize(
    ("given", "code", "text"),
    [
        (["--header"], 2, "leave out the options of reading FILE"),
        (["--device", "cuda:1"], 2, "with --ray, expected cpu or cuda"),
        (["-o", "walks.parquet"], 2, "--ray writes a folder of Parquet files"),
        (["--roots", "0"], 2, "expected at least one root"),
        (["--roots", "nowhere.txt"], 2, "there is no such file"),
    ],
)
def test_refusals(given, code, text, uri, tmp_path, capsys):
    to = [] if "-o" in given else ["-o", str(tmp_path / "out")]
    assert main(["walk", uri, *to, "--ray", "127.0.0.1:1", *given]) == code
    told = capsys.readouterr().err
    assert text in " ".join(told.split()) and "Traceback" not in told


def test_a_missing_ray_is_named(uri, tmp_path):
    code = f"""
import sys
sys.modules["ray"] = None
from gonextdoor.cli import main
sys.exit(main(["walk", {uri!r}, "-o", {str(tmp_path / "out")!r}, "--ray", "local"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "pip install 'gonextdoor[ray]'" in done.stderr


def test_resume_needs_ray(uri, tmp_path):
    assert "--resume only applies to --ray" in command(uri, "-o", tmp_path / "walks.npy", "--resume", code=2)
