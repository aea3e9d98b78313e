"""Fixtures that several files of tests share."""

import gc
import os
import pathlib
import signal
import subprocess
import sys

import daily
import pytest
from gonextdoor._core import native

import gonextdoor as gnd


def pytest_addoption(parser):
    parser.addoption(
        "--device",
        choices=["cpu", "cuda"],
        default=os.environ.get("GONEXTDOOR_DEVICE", "cpu"),
        help="where samples are made if a test does not say; cuda: on a GPU, where the app runs there",
    )


def pytest_configure(config):
    """The driver that GPU tests use is the emulated one, unless GONEXTDOOR_TEST_DEVICE=cuda asks for the machine's own.
    It is named before the first test, since a process opens one driver.

    A shell ignores SIGINT in background jobs, which processes inherit. Tests of Ctrl-C need the default.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    daily.FULL = config.option.markexpr == ""
    os.environ["GONEXTDOOR_DEVICE"] = config.getoption("--device")
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda" or "GONEXTDOOR_LIBCUDA" in os.environ:
        return
    script = pathlib.Path(__file__).resolve().parent.parent / "kernels" / "host" / "build.py"
    built = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    os.environ.setdefault("GONEXTDOOR_HOST_DEVICES", "3")
    if built.returncode == 0:
        os.environ["GONEXTDOOR_LIBCUDA"] = built.stdout.strip()
        os.environ["GONEXTDOOR_NVRTC"] = str(pathlib.Path(built.stdout.strip()).parent / "libnvrtc.so.12")
    elif built.returncode != 3:  # 3: no C++ compiler
        raise pytest.UsageError(f"building the emulated driver: {built.stderr}")


def pytest_collection_finish(session):
    """Tests and the modules that they import live until the end, so that gc.collect() need not visit them each time."""
    gc.collect()
    gc.freeze()


def pytest_report_header(config):
    return f"{daily.VARIABLE}={daily.SEED} chooses the cases of random corpora"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Every failure shows the seed of the run."""
    report = yield
    if report.failed:
        report.sections.append(("seed", f"{daily.VARIABLE}={daily.SEED}"))
    return report


@pytest.fixture(scope="session")
def gpu():
    """A GPU, or the reason why there is none."""
    try:
        gnd.sample(gnd.rmat(2), gnd.apps.DeepWalk(1), device="cuda")
    except gnd.DeviceError as why:
        if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
            raise
        pytest.skip(str(why))


@pytest.fixture(scope="session")
def gpus(gpu):
    """The names of the GPUs that tests use, two at most."""
    return [f"cuda:{id}" for id in range(min(2, native.call("DeviceCount")))]


@pytest.fixture
def two_gpus(gpus):
    if len(gpus) < 2:
        pytest.skip("this machine has one GPU")


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
