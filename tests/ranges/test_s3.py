"""Graphs and edges in S3, by a server of moto that speaks its protocol."""

import importlib.util
import socket
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from gonextdoor.cli import main

import gonextdoor as gnd

MISSING = importlib.util.find_spec("moto") is None
REASON = "moto is not installed: make test-all installs it, or pip install 'moto[server]'"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(MISSING, reason=REASON)]


def wait(server, port):
    """Waits until the server answers."""
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert server.poll() is None, "the server ended"
        time.sleep(0.1)
    raise AssertionError("the server does not answer")


@pytest.fixture(scope="module")
def storage(tmp_path_factory):
    """A bucket, and the options that its URIs need."""
    from pyarrow import fs

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        with open(tmp_path_factory.mktemp("moto") / "log", "wb") as log:
            server = subprocess.Popen(
                [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log
            )
            try:
                wait(server, port)
                system = fs.S3FileSystem(
                    endpoint_override=f"127.0.0.1:{port}", scheme="http", region="us-east-1", allow_bucket_creation=True
                )
                system.create_dir("bucket")
                yield system, f"?endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
            finally:
                server.kill()
                server.wait()


def test_graphs_in_a_bucket(storage, graph):
    _, options = storage
    uri = f"s3://bucket/graph{options}"
    graph.save(uri)
    assert gnd.Graph.open(uri).equals(graph)
    with pytest.raises(FileExistsError, match="the folder has 3 files"):
        graph.save(uri)
    stream = gnd.stream(graph, gnd.apps.DeepWalk(4), seed=1)
    stream.save(f"s3://bucket/stream{options}")
    assert (gnd.Stream.open(f"s3://bucket/stream{options}").samples.numpy() == stream.samples.numpy()).all()
    gnd.partition.write(graph, f"s3://bucket/parts{options}", parts=2)
    assert gnd.partition.open(f"s3://bucket/parts{options}").parts == 2


def test_a_missing_bucket_is_named(storage, graph):
    with pytest.raises(FileNotFoundError, match=r"writing s3://missing/graph/.*NO_SUCH_BUCKET"):
        graph.save(f"s3://missing/graph{storage[1]}")
    with pytest.raises(FileNotFoundError, match=r"listing s3://missing/graph.*NO_SUCH_BUCKET"):
        gnd.Stream.open(f"s3://missing/graph{storage[1]}")
    for load in (gnd.Graph.open, gnd.HeteroGraph.open, gnd.partition.open):
        with pytest.raises(FileNotFoundError, match=r"listing s3://missing/graph.*NO_SUCH_BUCKET"):
            load(f"s3://missing/graph{storage[1]}")
        with pytest.raises(FileNotFoundError, match=r"s3://bucket/none/graph.json.*: there is no such file"):
            load(f"s3://bucket/none{storage[1]}")


def test_the_command_line_writes_to_a_bucket(storage, tmp_path, capfd):
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n2 0\n")
    uri = f"s3://key:secret@bucket/converted{storage[1]}"
    assert main(["convert", str(tmp_path / "edges.txt"), uri]) == 0
    assert gnd.Graph.open(uri).equals(gnd.read(tmp_path / "edges.txt"))
    assert main(["partition", str(tmp_path / "edges.txt"), uri.replace("converted", "divided"), "--parts", "2"]) == 0
    text = capfd.readouterr().err
    assert "s3://key:***@bucket/divided" in text and "2 parts" in text and "secret" not in text


def test_a_glob_in_a_bucket(storage):
    system, options = storage
    for number in (2, 0, 1):
        with system.open_output_stream(f"bucket/edges/{number}.parquet") as file:
            pq.write_table(pa.table({"source": [number], "target": [number + 1]}), file)
    read = gnd.read(f"s3://bucket/edges/*.parquet{options}")
    assert read.indices.tolist() == [1, 2, 3]
