"""What make test prints at its end: the failures of each target, in few characters."""

from __future__ import annotations

import os
import pathlib
import platform
import shutil
import subprocess
import sys

import failures
import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
RUN = TESTS.parent / ".ci" / "run"

PYTEST_FILE = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("no fixture")

class TestClass:
    @pytest.mark.parametrize("name", ["a b", "c"])
    def test_that_has_a_name_which_is_so_long_that_the_summary_has_no_room_for_its_error_at_all(self, name):
        assert name == "c", "the first line\\nthe second"

def test_fixture(broken):
    pass

def test_passes():
    pass
"""

GO = """\
ok  \tgonextdoor/gonextdoor/app\t1.204s
--- FAIL: TestConformance (2.03s)
    conformance_test.go:14: one case in 6, GONEXTDOOR_TEST_SEED=20261122
    --- FAIL: TestConformance/star (0.01s)
        enginetest.go:32: threads 2: row 5: vertices [1], expected [2]
        enginetest.go:40: 2 results are lent, 1 were before
--- FAIL: TestLogsNothing (0.00s)
FAIL
FAIL\tgonextdoor/gonextdoor/engine/cpu\t2.103s
# gonextdoor/gonextdoor/rng
./rng.go:12:3: undefined: word
FAIL\tgonextdoor/gonextdoor/rng [build failed]
panic: runtime error: index out of range [3] with length 3
FAIL
make: *** [Makefile:102: test-go] Error 1
"""

TIMEOUT = """\
tests/process/test_leak.py ..+++++++++++++++++++++++++++++++++++ Timeout ++++++++++++++++++++++++++++++++++++
~~~~~~~~~~~~~~~~~~~~ Stack of MainThread (140216) ~~~~~~~~~~~~~~~~~~~~
  File "/usr/lib/python3.11/site-packages/_pytest/main.py", line 12, in main
  File "/home/me/gonextdoor/tests/process/test_leak.py", line 81, in test_nothing_stays
  File "/usr/lib/python3.11/subprocess.py", line 5, in run
"""

RUFF = """\
F401 [*] `os` imported but unused
 --> tests/lanes.py:3:8
  |
3 | import os
  |        ^^
  |
Would reformat: tests/daily.py
python/gonextdoor/roots.py:12: error: Incompatible return value type  [return-value]
"""

LINT_GO = """\
gofmt -w would change:
gonextdoor/rng/rng.go
vet: ./rng.go:12:3: undefined: word
gonextdoor/app/app.go:5:2: this value of err is never used (SA4006)
"""


def test_go_failures_have_their_first_line() -> None:
    assert failures.found(GO.splitlines()) == [
        "--- FAIL: TestConformance/star: enginetest.go:32: threads 2: row 5: vertices [1], expected [2]",
        "FAIL gonextdoor/gonextdoor/engine/cpu 2.103s",
        "FAIL gonextdoor/gonextdoor/rng [build failed]",
        "panic: runtime error: index out of range [3] with length 3",
        "--- FAIL: TestLogsNothing",
        "./rng.go:12:3: undefined: word",
    ]


def test_a_process_that_ended_names_the_test() -> None:
    assert failures.found(TIMEOUT.splitlines()) == ["Timeout: tests/process/test_leak.py:81 in test_nothing_stays"]
    crash = TIMEOUT.replace("+" * 35 + " Timeout " + "+" * 36, "Fatal Python error: Segmentation fault")
    assert failures.found(crash.splitlines()) == [
        "Fatal Python error: Segmentation fault: tests/process/test_leak.py:81 in test_nothing_stays"
    ]


def test_lines_of_linters() -> None:
    assert failures.found(RUFF.splitlines()) == [
        "tests/lanes.py:3:8: F401 [*] `os` imported but unused",
        "Would reformat: tests/daily.py",
        "python/gonextdoor/roots.py:12: error: Incompatible return value type  [return-value]",
    ]
    assert failures.found(LINT_GO.splitlines()) == LINT_GO.splitlines()


def test_other_programs_show_their_last_lines() -> None:
    lines = ["installing", *"abcdef", "x" * 500, "make: *** [Makefile:1: ext] Error 2"]
    assert failures.found(lines) == [*"cdef", "x" * (failures.WIDTH - 1) + "…"]


@pytest.fixture
def project(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with a Makefile, with targets that pass and fail, that runs them in lanes."""
    (tmp_path / "test_file.py").write_text(PYTEST_FILE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "go.txt").write_text(GO)
    (tmp_path / "Makefile").write_text(
        "test:\n"
        f"\t@{sys.executable} {TESTS / 'lanes.py'} --make '$(MAKE)' test-python test-go lint-go --then test-quiet\n"
        f"test-python:\n\t@{sys.executable} -m pytest -p no:cacheprovider test_file.py\n"
        "test-go:\n\t@cat go.txt; exit 1\n"
        "lint-go test-quiet:\n\t@echo '$@ is done'\n"
    )
    (tmp_path / ".ci").mkdir()
    shutil.copy(RUN, tmp_path / ".ci" / "run")
    return tmp_path


def ci(project: pathlib.Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    environment |= {"GONEXTDOOR_TEST_SEED": "7", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(["bash", ".ci/run"], cwd=project, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stdout + done.stderr  # make's
    return done.stdout


@pytest.mark.skipif(not RUN.is_file(), reason="not a source checkout: .ci is not here")
def test_the_end_of_a_run_names_every_failure(project: pathlib.Path) -> None:
    out = ci(project)
    end = out[out.rindex("---- go test") :]
    assert len(end) < 2000
    assert end.startswith("---- go test\nok  \tgonextdoor/gonextdoor/app\t1.204s\nFAIL\tgonextdoor")
    for part in (
        "1 failed, 2 passed, 1 error in",
        "  lint-go      passed",
        "  test-quiet   passed",
        "  test-go      FAILED",
        "  test-python  FAILED",
        "FAILED test-go   (again: make test-go GONEXTDOOR_TEST_SEED=7)\n  --- FAIL: TestConformance/star: enginetest",
        "has_no_room_for_its_error_at_all[a b] - AssertionError: the first line\n",
        "  ERROR test_file.py::test_fixture - ValueError: no fixture\n",
        "---- make test: status 2\n",
    ):
        assert part in end, end


@pytest.mark.skipif(not RUN.is_file(), reason="not a source checkout: .ci is not here")
def test_the_end_of_a_run_that_did_not_begin(project: pathlib.Path) -> None:
    text = (project / "Makefile").read_text()
    (project / "Makefile").write_text(text.replace("test:\n", "test: ext\n", 1) + "ext:\n\t@echo no compiler; exit 1\n")
    assert "---- failures\nno compiler\nmake: *** [" in ci(project)


def test_a_build_for_gpus_after_one_without_installs_the_compiler_of_kernels(tmp_path):
    """make demo builds without kernels on a machine without a GPU, and make test with them after it."""
    if shutil.which("make") is None or not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        pytest.skip("no make, or a machine for which kernels are not compiled")
    for name in ("Makefile", "build_backend"):
        (tmp_path / name).symlink_to(TESTS.parent / name)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / ".venv" / ".python").touch()

    def installed(archs):
        environment = {**os.environ, "GONEXTDOOR_CUDA_ARCHS": archs}
        command = ["make", "--no-print-directory", ".venv/.build", "PIP=@echo"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert "setuptools>=77" in (without := installed("none")) and not any("nvrtc" in one for one in without)
    assert any("nvrtc" in one for one in installed(""))
    assert "setuptools>=77" not in installed("")
