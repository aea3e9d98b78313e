"""Fixtures that several files of tests share."""

import signal
import subprocess

import pytest

import gonextdoor as gnd


@pytest.fixture(scope="session", autouse=True)
def hooks(tmp_path_factory):
    """Compiled hooks are kept for this run of the tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GONEXTDOOR_CACHE", str(tmp_path_factory.mktemp("hooks")))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the same small graph in several forms."""
    folder = tmp_path_factory.mktemp("graphs")
    gnd.rmat(8, 4, seed=1).save(folder / "plain")
    gnd.rmat(8, 4, weights=(1.0, 5.0), seed=1).save(folder / "weighted")
    (folder / "names.csv").write_text("source,target\nada,grace\ngrace,ada\ngrace,édith\n")
    return folder


@pytest.fixture(autouse=True)
def sigterm():
    """main() sets the handler of SIGTERM."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB, to be filled."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a full disk needs a small file system, and mount was refused: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
