"""The folder of compiled hooks if other users can write to it: their code is not run, and ours is not kept."""

from __future__ import annotations

import os
import pathlib
import pwd
import stat
import subprocess
import sys
import tempfile
import types

import numpy as np
import pytest
from gonextdoor.udf import cache

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

NOBODY = 65534
GRAPH = gnd.rmat(6, 4, seed=1)


def odd(ctx, edge, dst):
    return 1 + (dst & 6)


def sampled() -> np.ndarray:
    return gnd.sample(GRAPH, gnd.App(edge_bias=odd, steps=3), seed=4).numpy()


@pytest.fixture
def folder(tmp_path, monkeypatch) -> pathlib.Path:
    path = tmp_path / "hooks"
    monkeypatch.setenv("GONEXTDOOR_CACHE", str(path))
    return path


def mode(path: pathlib.Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_is_the_user_s_alone(folder, compilations):
    sampled()
    (file,) = folder.iterdir()
    assert (mode(folder), mode(file)) == (0o700, 0o600)
    sampled()
    assert len(compilations) == 1


def test_a_folder_that_others_can_read_is_closed_to_them(folder, compilations):
    folder.mkdir()
    folder.chmod(0o755)
    sampled()
    sampled()
    assert mode(folder) == 0o700 and len(compilations) == 1


@pytest.mark.parametrize("bits", [0o777, 0o770, 0o702, 0o1777])
def test_a_folder_that_others_can_write_is_not_used(folder, compilations, bits):
    sampled()
    (file,) = folder.iterdir()
    folder.chmod(bits)
    assert cache.fetch(file.name) is None
    file.unlink()
    sampled()
    assert len(compilations) == 2 and list(folder.iterdir()) == [] and mode(folder) == bits


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_used(folder, compilations, bits):
    sampled()
    (file,) = folder.iterdir()
    file.chmod(bits)
    assert cache.fetch(file.name) is None
    sampled()
    assert len(compilations) == 2 and mode(file) == 0o600  # replaced by a new one


def test_links_and_pipes_are_not_used(folder, tmp_path):
    cache.store("name", b"contents")
    assert cache.fetch("name") == b"contents"
    os.rename(folder / "name", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", folder / "name")
    assert cache.fetch("name") is None
    os.unlink(folder / "name")
    os.mkfifo(folder / "name", 0o600)
    assert cache.fetch("name") is None
    folder.rename(tmp_path / "other")
    os.symlink(tmp_path / "other", folder)
    cache.store("name", b"contents")
    assert cache.fetch("name") is None and os.listdir(tmp_path / "other") == ["name"]


@pytest.fixture
def public():
    """A folder that other users reach, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as path:
        os.chmod(path, 0o755)
        yield pathlib.Path(path)


PLANT = """
import os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
where, name, data = sys.argv[1:]
os.makedirs(where, exist_ok=True)
path = os.path.join(where, name)
with open(path, "wb") as file:
    file.write(open(data, "rb").read())
os.chmod(path, 0o644)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user to plant a file")
@pytest.mark.parametrize("theirs", ["file", "file in a folder made private", "folder"])
def test_a_file_that_another_user_planted_is_not_run(public, monkeypatch, compilations, theirs):
    folder = public / "hooks"
    monkeypatch.setenv("GONEXTDOOR_CACHE", str(folder))
    first = sampled()
    (file,) = folder.iterdir()
    (public / "evil").write_bytes(file.read_bytes())
    (public / "evil").chmod(0o644)
    file.unlink()
    if theirs == "folder":
        folder.rmdir()
        public.chmod(0o777)
    else:
        folder.chmod(0o777)
    subprocess.run([sys.executable, "-c", PLANT, folder, file.name, public / "evil"], check=True)
    if theirs == "file in a folder made private":
        folder.chmod(0o700)
    elif theirs == "folder":
        folder.chmod(0o700)
        assert folder.stat().st_uid == NOBODY
    assert file.stat().st_uid == NOBODY
    assert cache.fetch(file.name) is None
    assert np.array_equal(sampled(), first) and len(compilations) == 2
    private = theirs == "file in a folder made private"
    assert (file.stat().st_uid == os.geteuid()) == private, "kept only in a folder that is the user's alone"


@pytest.mark.parametrize("path", ["kept", "./kept"])
def test_a_relative_cache_keeps_nothing(tmp_path, monkeypatch, compilations, path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GONEXTDOOR_CACHE", path)
    assert cache.folder() is None
    sampled()
    sampled()
    assert len(compilations) == 2 and not list(tmp_path.iterdir())


# platformdirs 3.0 returns a relative path in these cases, 4.14 the home folder of the user database or an error.
@pytest.mark.parametrize("variables", [{"XDG_CACHE_HOME": "kept"}, {"HOME": "kept"}, {"HOME": None}])
@pytest.mark.parametrize("home", ["folder", "none"])
def test_no_relative_path_is_used(tmp_path, monkeypatch, compilations, variables, home):
    here, user = tmp_path / "here", tmp_path / "user"
    here.mkdir()
    entries = {os.getuid(): types.SimpleNamespace(pw_dir=str(user))} if home == "folder" else {}
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: entries[uid])
    monkeypatch.chdir(here)
    monkeypatch.delenv("GONEXTDOOR_CACHE", raising=False)
    for name, value in ({"XDG_CACHE_HOME": None, "HOME": str(user)} | variables).items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    chosen = cache.folder()
    assert chosen is None or chosen.startswith(str(user))
    sampled()
    sampled()
    assert len(compilations) == (2 if chosen is None else 1) and not list(here.iterdir())
