"""The GPU part of a build links and imports on any machine, reports why no GPU is used, and compiles what changed."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import daily
import pytest

from gonextdoor import _gonextdoor

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTENSION = pathlib.Path(_gonextdoor.__file__)
DOCTOR = "import gonextdoor.cli as c; raise SystemExit(c.main(['doctor']))"


def test_no_function_of_the_driver_is_left_to_the_linker() -> None:
    """The linker takes the driver's functions from libcuda_amd64.S. One that is not there would be missed at import."""
    elffile = pytest.importorskip("elftools.elf.elffile", reason="pyelftools is not installed")
    with EXTENSION.open("rb") as f:
        symbols = list(elffile.ELFFile(f).get_section_by_name(".dynsym").iter_symbols())
    undefined = [s.name for s in symbols if s.entry.st_shndx == "SHN_UNDEF"]
    assert "dlopen" in undefined
    assert [name for name in undefined if name.startswith("cu") and name[2:3].isupper()] == []


def test_import_opens_no_driver_and_says_nothing() -> None:
    program = "import gonextdoor; print('libcuda' in open('/proc/self/maps').read())"
    done = run(program)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.parametrize("library", daily.share(["/nowhere/libcuda.so.1", "libc.so.6", __file__], 3))
def test_the_doctor_says_why_there_is_no_driver(library: str) -> None:
    done = run(DOCTOR, GONEXTDOOR_LIBCUDA=library)
    assert done.returncode == 0
    (line,) = [line for line in done.stdout.splitlines() if " GPU " in line]
    assert "none, sampling uses the CPU: no GPU can be used" in line
    assert os.path.basename(library) in line


def test_without_a_driver_the_cpu_samples() -> None:
    program = """
import gonextdoor as gnd
graph, walk = gnd.rmat(6), gnd.apps.DeepWalk(80)
print(gnd.sample(graph, walk, repeat=5000, threads=1).device)
try:
    gnd.sample(graph, walk, device="cuda:0")
except gnd.DeviceError as why:
    print(why)
"""
    done = run(program, GONEXTDOOR_LIBCUDA="/nowhere/libcuda.so.1", GONEXTDOOR_DEVICE="")
    assert done.stderr == ""
    device, why = done.stdout.splitlines()
    assert device == "cpu"
    assert why.startswith("device = 'cuda:0': ")
    assert why.endswith('device="cpu" needs no GPU')
    assert "/nowhere/libcuda.so.1" in why


@pytest.mark.parametrize(
    ("code", "advice"),
    daily.share(
        [
            (3, "start workers by 'spawn'"),
            (34, "LD_LIBRARY_PATH"),
            (100, "CUDA_VISIBLE_DEVICES"),
            (802, "nvidia-fabricmanager"),
            (803, "reboot"),
            (999, "nvidia-smi"),
        ],
        3,
    ),
)
def test_a_driver_that_fails_is_explained(code: int, advice: str, tmp_path: pathlib.Path) -> None:
    done = run(DOCTOR, GONEXTDOOR_LIBCUDA=str(broken_driver(tmp_path, f"int cuInit(unsigned f) {{ return {code}; }}")))
    assert done.returncode == 0
    assert advice in done.stdout


def test_a_driver_without_devices_is_explained(tmp_path: pathlib.Path) -> None:
    text = "int cuInit(unsigned f) { return 0; } int cuDeviceGetCount(int *n) { return *n = 0; }"
    text += "int cuDriverGetVersion(int *v) { return *v = 12020, 0; }"
    done = run(DOCTOR, GONEXTDOOR_LIBCUDA=str(broken_driver(tmp_path, text)))
    assert done.returncode == 0
    assert "the driver sees no GPU" in done.stdout


@pytest.mark.parametrize(("version", "said"), [("*v = 11040, 0", "it speaks CUDA 11.4"), ("3", "it does not say")])
def test_a_driver_too_old_for_us_is_explained(version: str, said: str, tmp_path: pathlib.Path) -> None:
    text = f"int cuInit(unsigned f) {{ return 0; }} int cuDriverGetVersion(int *v) {{ return {version}; }}"
    done = run(DOCTOR, GONEXTDOOR_LIBCUDA=str(broken_driver(tmp_path, text)))
    assert done.returncode == 0
    assert f"the driver is too old: {said}" in done.stdout


def test_a_function_that_the_driver_lacks_is_refused(tmp_path: pathlib.Path) -> None:
    """By the error that CUDA has for that: one by one, when it is called."""
    text = "int cuInit(unsigned f) { return 0; } int cuDeviceGetCount(int *n) { *n = 1; return 0; }"
    text += "int cuDriverGetVersion(int *v) { return *v = 12020, 0; }"
    done = run(DOCTOR, GONEXTDOOR_LIBCUDA=str(broken_driver(tmp_path, text)))
    assert done.returncode == 1
    assert "GPU: asking the GPU what it is failed" in done.stdout
    assert "the driver is too old" in done.stdout


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, timeout=120)


def broken_driver(folder: pathlib.Path, text: str) -> pathlib.Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    source, library = folder / "driver.c", folder / "libcuda.so.1"
    source.write_text(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", library, source], check=True)
    return library


@pytest.fixture
def kernels(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    """A copy of the kernels' folder with two small entries, and a separate cache."""
    monkeypatch.syspath_prepend(str(ROOT / "build_backend"))
    nvrtc = pytest.importorskip("nvrtc")
    if nvrtc.toolchain.cuda_part("nvrtc") is None:
        pytest.skip("NVRTC is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GONEXTDOOR_CUDA_ARCHS", "90")
    monkeypatch.setattr(nvrtc, "FOLDER", tmp_path / "kernels")
    monkeypatch.setattr(nvrtc, "BIN", tmp_path / "kernels" / "bin")
    for name, text in (
        ("core/one.cuh", "#pragma once\n#define ONE 1\n"),
        ("core/both.cuh", '#pragma once\n#include "core/one.cuh"\n'),
        ("entries/a.cu", '#include "core/both.cuh"\nextern "C" __global__ void a(int* p) { *p = ONE; }\n'),
        ("entries/b.cu", 'extern "C" __global__ void b(int* p) { *p = 2; }\n'),
    ):
        path = nvrtc.FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return nvrtc


def compiled(nvrtc) -> list[str]:
    return sorted(piece.source.stem for piece in nvrtc.build())


def test_a_change_compiles_the_kernels_that_it_concerns(kernels) -> None:
    assert compiled(kernels) == ["a", "b"]
    assert {f.name for f in kernels.BIN.iterdir()} == {"a.fatbin", "b.fatbin", "targets.txt"}
    written = (kernels.BIN / "b.fatbin").stat().st_mtime_ns
    assert compiled(kernels) == []
    (kernels.FOLDER / "core/one.cuh").write_text("#pragma once\n#define ONE 3\n")
    assert compiled(kernels) == ["a"]
    assert (kernels.BIN / "b.fatbin").stat().st_mtime_ns == written  # Go would embed it again
    (kernels.FOLDER / "entries/a.cu").unlink()
    assert compiled(kernels) == []
    assert {f.name for f in kernels.BIN.iterdir()} == {"b.fatbin", "targets.txt"}


def test_kernels_of_tests_are_compiled_on_request_and_beside_the_others(kernels) -> None:
    folder = kernels.FOLDER / "testkernels"
    (folder / "bin").mkdir(parents=True)
    (folder / "t.cu").write_text('#include "core/one.cuh"\nextern "C" __global__ void t(int* p) { *p = ONE; }\n')
    assert compiled(kernels) == ["a", "b"]
    assert list((folder / "bin").iterdir()) == []
    assert [piece.source.stem for piece in kernels.build(tests=True)] == ["t"]
    assert {f.name for f in (folder / "bin").iterdir()} == {"t.fatbin", "targets.txt"}
    assert {f.name for f in kernels.BIN.iterdir()} == {"a.fatbin", "b.fatbin", "targets.txt"}


def test_an_error_in_a_kernel_names_file_and_line(kernels) -> None:
    (kernels.FOLDER / "entries/b.cu").write_text('extern "C" __global__ void b(int* p) {\n  *q = 2;\n}\n')
    with pytest.raises(SystemExit, match=r'(?s)b.cu for sm_90.*b\.cu\(2\).*identifier "q" is undefined'):
        kernels.build()


def test_kernels_can_be_left_out(kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels.build()
    monkeypatch.setenv("GONEXTDOOR_CUDA_ARCHS", "none")
    assert compiled(kernels) == []
    assert list(kernels.BIN.iterdir()) == []


def test_a_missing_compiler_is_named(kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels.toolchain, "cuda_part", lambda name: None)
    with pytest.raises(SystemExit, match=r"needs nvidia-cuda-nvrtc-cu12==\S+ nvidia-nvfatbin.*pip install them"):
        kernels.build()
