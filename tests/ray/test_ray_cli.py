"""gonextdoor walk --ray: the walks of one machine, in a folder of Parquet files."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import daily
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
    assert len([name for name in os.listdir(out) if name[0] != "."]) == 1


@pytest.mark.slow
def test_resume(nodes, uri, tmp_path):
    out = tmp_path / "walks"
    given = uri, "-o", out, "--ray", nodes.address, "--length", 6
    command(*given, "--seed", 4)
    (name,) = (name for name in os.listdir(out) if name[0] != ".")
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


@pytest.mark.parametrize("address", daily.share(["127.0.0.1:1", "127.0.0.1:123456", "nowhere"], 3, "addresses"))
def test_an_address_without_a_cluster_is_named(address, uri, tmp_path):
    told = " ".join(command(uri, "-o", tmp_path / "out", "--ray", address, code=2).split())
    assert f"--ray: '{address}': there is no Ray cluster at this address" in told and "Traceback" not in told


@pytest.mark.slow
def test_a_cluster_with_a_token(uri, tmp_path, monkeypatch):
    folder = tempfile.mkdtemp(prefix="ray")  # sockets need short names
    monkeypatch.setenv("HOME", str(tmp_path))  # which has no token
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "right" * 8)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ray = os.path.join(os.path.dirname(sys.executable), "ray")
    options = [f"--port={port}", "--num-cpus=1", "--include-dashboard=false", f"--temp-dir={folder}"]
    head = subprocess.Popen([ray, "start", "--head", "--block", *options], stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.2)
        given = uri, "--ray", f"127.0.0.1:{port}", "--length", 6, "--seed", 4
        assert "1 of 1 file" in command(*given, "-o", tmp_path / "walks")
        for changed in ({"RAY_AUTH_TOKEN": "wrong" * 8}, {"RAY_AUTH_TOKEN": ""}, {"RAY_AUTH_MODE": "disabled"}):
            with monkeypatch.context() as other:
                for name, value in changed.items():
                    other.setenv(name, value)
                told = " ".join(command(*given, "-o", tmp_path / "others", code=2).split())
            assert "the cluster refused the token of this process" in told and "Traceback" not in told
        assert not (tmp_path / "others").exists()
    finally:
        head.terminate()
        head.wait(60)  # Ray drains the node for 30 s
        shutil.rmtree(folder, ignore_errors=True)


def test_a_graph_that_is_not_there_is_named_before_a_cluster_is(tmp_path):
    told = command(tmp_path / "nowhere", "-o", tmp_path / "out", "--ray", "127.0.0.1:1", code=1)
    assert "nowhere/graph.json: there is no such file; expected the folder of a graph" in told


def test_names_as_roots_of_a_partitioned_graph(nodes, tmp_path):
    """Also: --quiet shows the seed only, and an error names the option of the command line."""
    (tmp_path / "e.csv").write_text("source,target\nb,a\na,c\nc,b\n")
    graph = gnd.read(tmp_path / "e.csv")
    gnd.partition.write(graph, tmp_path / "parts", parts=2)
    (tmp_path / "roots.txt").write_text("c\nb\n")
    given = tmp_path / "parts", "-o", tmp_path / "walks", "--ray", nodes.address, "--length", 4, "--quiet"
    told = command(*given, "--roots", tmp_path / "roots.txt", "--seed", 4)
    assert [line for line in told.splitlines() if "core_worker" not in line] == ["seed     4"]
    walks = gnd.sample(graph, gnd.apps.DeepWalk(4), ["c", "b"], seed=4)
    assert pq.read_table(tmp_path / "walks")["walk"].to_pylist() == walks.numpy().tolist()
    told = command(*given, "--roots", tmp_path / "roots.txt", "--seed", 4, code=1)
    assert "the folder has a run already; pass --resume to write" in told


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
    assert "--names only applies to --ray" in command(uri, "-o", tmp_path / "walks.npy", "--names", code=2)
    assert "--resume only applies to --ray" in command(uri, "-o", tmp_path / "walks.npy", "--resume", code=2)
