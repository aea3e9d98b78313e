"""Folders of PyG's Partitioner that are no such folders, or come from strangers, without torch itself."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import types

import numpy as np
import pytest

import gonextdoor as gnd


def folder(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    """A folder, and a module in the place of torch that reads no file."""
    (path / "META.json").write_text(json.dumps({"num_parts": 1}))
    (path / "part_0").mkdir()
    for name in ("node_map.pt", "part_0/graph.pt"):
        (path / name).write_bytes(b"")

    def load(file, map_location, weights_only):
        assert weights_only
        return (
            {"edge_id": [0], "row": [0], "col": [1]}
            if "graph" in os.readlink(f"/proc/self/fd/{file.fileno()}")
            else [0, 0]
        )

    torch = types.SimpleNamespace(load=load, __version__=version)
    monkeypatch.setitem(sys.modules, "torch", torch)


@pytest.mark.parametrize("version", ["2.5.1+cu124", "1.13.0", "2.0"])
def test_torch_before_2_6_is_warned_of(version: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path, monkeypatch, version)
    with pytest.warns(gnd.InputWarning, match=r"CVE-2025-32434.* use torch 2\.6 or later"):
        graph, owners = gnd.partition.read_pyg(tmp_path)
    assert (graph.num_edges, owners.tolist()) == (1, [0, 0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("version", ["2.6.0", "2.15.0a0+git1", "3.0"])
def test_newer_torch_is_not(version: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path, monkeypatch, version)
    assert np.array_equal(gnd.partition.read_pyg(tmp_path)[1], [0, 0])


@pytest.mark.parametrize("name", ["META.json", "node_map.pt", "part_0/graph.pt"])
def test_a_pipe_is_refused_at_once(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path, monkeypatch, "2.6.0")
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(gnd.FormatError, match="is a named pipe: expected a regular file"):
        gnd.partition.read_pyg(tmp_path)
