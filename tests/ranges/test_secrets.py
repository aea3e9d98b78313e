"""Keys and passwords in URIs are in no error, traceback, log or report."""

import logging
import traceback

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from gonextdoor._core.arguments import without_secrets
from gonextdoor.cli import main
from gonextdoor.storage.location import located

import gonextdoor as gnd

SECRET = "s3cr3t"
TARGET = f"guarded://key:{SECRET}@bucket/graph?token={SECRET}"
SHOWN = "guarded://key:***@bucket/graph?token=***"


class Guarded(MemoryFileSystem):
    """Files in memory, whose URIs have a key and options. All requests fail while ``failing``."""

    protocol = "guarded"
    failing = False

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("guarded://").rpartition("@")[2].partition("?")[0])

    def _open(self, path, mode="rb", **kwargs):
        if Guarded.failing:
            raise OSError("no answer")
        return super()._open(path, mode, **kwargs)


@pytest.fixture(autouse=True)
def storage(monkeypatch):
    def empty():
        MemoryFileSystem.store.clear()
        MemoryFileSystem.pseudo_dirs[:] = [""]

    fsspec.register_implementation("guarded", Guarded, clobber=True)
    for module in ("reading", "writing"):
        monkeypatch.setattr(f"gonextdoor.storage.{module}.FIRST_PAUSE", 1e-4)
    monkeypatch.setattr(Guarded, "failing", False)
    empty()
    yield
    empty()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"s3://key:{SECRET}@bucket/graph", "s3://key:***@bucket/graph"),
        (f"s3://key:s/3+{SECRET}@bucket/graph?region=here", "s3://key:***@bucket/graph?region=here"),
        (f"abfs://:{SECRET}@account.dfs.core.windows.net/c", "abfs://:***@account.dfs.core.windows.net/c"),
        (f"https://host/a?sv=1&sig={SECRET}&se=2", "https://host/a?sv=1&sig=***&se=2"),
        (f"abfs://c@account/g?client_secret={SECRET}", "abfs://c@account/g?client_secret=***"),
        (f"'s3://a:{SECRET}@b/c' and 's3://d:{SECRET}@e/f'", "'s3://a:***@b/c' and 's3://d:***@e/f'"),
        (f"simplecache::s3://key:{SECRET}@bucket/g", "simplecache::s3://key:***@bucket/g"),
        ("hdfs://user@host:9000/graph", "hdfs://user@host:9000/graph"),
        ("hdfs://host:9000/graph", "hdfs://host:9000/graph"),
        ("/a/path:with@signs?key=1", "/a/path:with@signs?key=***"),
    ],
)
def test_what_is_shown_of_a_text(text, expected):
    assert without_secrets(text) == expected


def refusal(kind, call):
    """The error of a call, with its causes, as a traceback shows them."""
    with pytest.raises(kind) as caught:
        call()
    return "".join(traceback.format_exception(caught.value))


def save_again():
    gnd.rmat(4, seed=1).save(TARGET)
    gnd.rmat(4, seed=1).save(TARGET)


def open_unreachable():
    Guarded.failing = True
    gnd.Graph.open(TARGET)


def open_of_another_kind():
    gnd.rmat(4, seed=1).save(TARGET)
    gnd.HeteroGraph.open(TARGET)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (FileExistsError, save_again),
        (OSError, open_unreachable),
        (gnd.FormatError, open_of_another_kind),
        (FileNotFoundError, lambda: gnd.Graph.open(TARGET)),
        (FileNotFoundError, lambda: gnd.read(TARGET.replace("graph?", "edges.parquet?"))),
        (gnd.FormatError, lambda: gnd.read(TARGET.replace("graph?", "*.parquet?"))),
        (FileNotFoundError, lambda: gnd.read(TARGET)),
        (ValueError, lambda: gnd.sample(gnd.rmat(4), gnd.apps.DeepWalk(2), [0], seed=1).save(TARGET)),
        (ValueError, lambda: gnd.Graph.open(f"nothing://key:{SECRET}@bucket/graph")),
        ((ValueError, ImportError), lambda: gnd.Graph.open(f"s3://key:{SECRET}@bucket/a b?secret={SECRET}")),
        ((ValueError, ImportError), lambda: gnd.read(f"s3://key:{SECRET}@bucket/a b.parquet")),
        (FileNotFoundError, lambda: gnd.ranges.Ranges(TARGET, gnd.apps.DeepWalk(4), seed=1)),
    ],
)
def test_errors_have_no_secrets(kind, call):
    text = refusal(kind, call)
    assert SECRET not in text and "***" in text


def test_logs_have_no_secrets(caplog):
    graph = gnd.rmat(4, seed=1)
    graph.save(TARGET)
    with caplog.at_level(logging.DEBUG, logger="gonextdoor"):
        opened = gnd.Graph.open(TARGET)
    assert opened.equals(graph) and SHOWN in caplog.text and SECRET not in caplog.text + opened.source
    run = gnd.ranges.Ranges(TARGET, gnd.apps.DeepWalk(4), seed=1)
    assert SHOWN in repr(run) and SECRET not in repr(run) + repr(located("folder", TARGET))
    assert run.uri == TARGET  # other processes open it


def test_the_command_line_shows_no_secrets(tmp_path, capfd):
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n")
    assert main(["convert", str(tmp_path / "edges.txt"), TARGET]) == 0
    assert main(["convert", str(tmp_path / "edges.txt"), TARGET]) == 1
    assert main(["convert", str(tmp_path / "edges.txt"), TARGET.replace("graph?", "graph.csv?")]) == 2
    assert main(["partition", str(tmp_path / "edges.txt"), TARGET.replace("graph?", "parts?"), "--parts", "2"]) == 0
    text = "".join(capfd.readouterr())
    assert text.count("key:***@bucket") == 4 and SECRET not in text
