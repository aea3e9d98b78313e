"""What a build compiles kernels for: GONEXTDOOR_CUDA_ARCHS, this machine's GPUs, and PTX that old drivers accept."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALL = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "compute_70"]


@pytest.fixture
def nvrtc(monkeypatch: pytest.MonkeyPatch):
    """build_backend/nvrtc.py on a machine with GPUs of 7.5, 9.0 and of a generation that the compiler does not know."""
    monkeypatch.syspath_prepend(str(ROOT / "build_backend"))
    module = pytest.importorskip("nvrtc")
    if module.toolchain.cuda_part("nvrtc") is None:
        pytest.skip("NVRTC is not installed")
    monkeypatch.setattr(module.gpus, "present", lambda: ["75", "90", "990"])
    return module


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", ["sm_75", "sm_90", "compute_70"]),
        ("all", ALL),
        ("none", []),
        ("90", ["sm_90"]),
        ("70,90", ["sm_70", "sm_90"]),
        ("90 ptx", ["sm_90", "compute_70"]),
        (" ptx ", ["compute_70"]),
        ("ptx,80,80", ["sm_80", "compute_70"]),
        ("90a", ["sm_90a"]),
    ],
)
def test_targets(nvrtc, value: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONEXTDOOR_CUDA_ARCHS", value)
    assert nvrtc.targets() == expected


@pytest.mark.parametrize("present", [[], ["60"], ["990"]])
def test_without_a_gpu_that_can_be_compiled_for_there_is_ptx(nvrtc, present, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GONEXTDOOR_CUDA_ARCHS", raising=False)
    monkeypatch.setattr(nvrtc.gpus, "present", lambda: present)
    assert nvrtc.targets() == ["compute_70"]


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("sm_90", "sm_90"),
        ("9", "9"),
        ("90 x", "x"),
        ("60", "60"),
        ("999", "999"),
        ("all 90", "all"),
        ("none,90", "none"),
        ("PTX", "PTX"),
    ],
)
def test_other_words_are_refused(nvrtc, value: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONEXTDOOR_CUDA_ARCHS", value)
    with pytest.raises(SystemExit, match=rf"GONEXTDOOR_CUDA_ARCHS: '{word}' is not .*name some of 70, 72.* and ptx"):
        nvrtc.targets()


def test_a_wheel_is_for_all_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "build_backend"))
    manylinux = pytest.importorskip("manylinux")
    seen: list[dict[str, str]] = []

    class Stopped(Exception):
        pass

    def stop(command, **options):
        seen.append(options["env"])
        raise Stopped

    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    this = manylinux.pythons.Python(sys.executable, version, sysconfig.get_config_var("EXT_SUFFIX"), headers=True)
    monkeypatch.setattr(manylinux.subprocess, "run", stop)
    monkeypatch.setattr(manylinux.pythons, "look", lambda commands, headers: ([this], []))
    monkeypatch.setattr(sys, "argv", ["manylinux.py"])
    for given, expected in ((None, "all"), ("90", "90")):
        if given:
            monkeypatch.setenv("GONEXTDOOR_CUDA_ARCHS", given)
        else:
            monkeypatch.delenv("GONEXTDOOR_CUDA_ARCHS", raising=False)
        with pytest.raises(Stopped):
            manylinux.main()
        assert seen.pop()["GONEXTDOOR_CUDA_ARCHS"] == expected


DRIVER = """
#define COUNT %d
static int capability[] = {90, 75, 90};
int cuInit(unsigned flags) { return %d; }
int cuDeviceGetCount(int *n) { return *n = COUNT, 0; }
int cuDeviceGet(int *d, int i) { return *d = i, 0; }
int cuDeviceGetAttribute(int *v, int a, int d) {
  if (a != 75 && a != 76) return 1;
  return *v = a == 75 ? capability[d] / 10 : capability[d] %% 10, 0;
}
"""


@pytest.mark.parametrize(("count", "status", "expected"), [(3, 0, ["75", "90"]), (0, 0, []), (3, 100, [])])
def test_gpus_are_found(tmp_path, count: int, status: int, expected, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    source, library = tmp_path / "driver.c", tmp_path / "libcuda.so.1"
    source.write_text(DRIVER % (count, status))
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", library, source], check=True)
    assert gpus(str(library), monkeypatch) == expected


@pytest.mark.parametrize("library", ["/nowhere/libcuda.so.1", "libc.so.6", __file__])
def test_without_a_driver_there_are_no_gpus(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gpus(library, monkeypatch) == []


def gpus(library: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.syspath_prepend(str(ROOT / "build_backend"))
    monkeypatch.setenv("GONEXTDOOR_LIBCUDA", library)
    return pytest.importorskip("gpus").present()


@pytest.fixture
def assembler() -> str:
    """ptxas of CUDA 12.0: what the oldest driver that is supported compiles PTX with."""
    path = pathlib.Path(sysconfig.get_path("purelib"), "nvidia", "cuda_nvcc", "bin", "ptxas")
    if not path.exists():
        pytest.skip("ptxas is not installed: pip install nvidia-cuda-nvcc-cu12==12.0.140")
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    if "release 12.0" not in said:
        pytest.skip("the ptxas that is installed is not that of CUDA 12.0")
    return str(path)


KERNELS = sorted((ROOT / "kernels" / "entries").glob("*.cu"))
FAST = ("words", "roots", "walk")


@pytest.mark.parametrize(
    "kernel", [pytest.param(k, id=k.stem, marks=() if k.stem in FAST else pytest.mark.slow) for k in KERNELS]
)
def test_the_oldest_driver_can_compile_the_ptx(nvrtc, assembler: str, kernel: pathlib.Path, tmp_path) -> None:
    piece = piece_of(nvrtc, kernel, tmp_path)
    assert nvrtc._compile(piece) == ""
    text = piece.kept.read_bytes()
    assert text.endswith(b"\0")  # cuModuleLoadData takes a string
    assert b"\n.version 8.0\n.target sm_70\n" in text
    assert b"used_bytes_mask" not in text
    piece.kept.write_bytes(text.rstrip(b"\0"))
    for architecture in ("sm_70", "sm_90"):
        command = [assembler, f"-arch={architecture}", "-O0", "-o", tmp_path / "kernel.cubin", piece.kept]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_kernel_that_changes_while_it_is_compiled_is_not_kept(nvrtc, tmp_path: pathlib.Path, monkeypatch) -> None:
    kernel = tmp_path / "kernel.cu"
    kernel.write_text('extern "C" __global__ void nothing() {}\n')
    monkeypatch.setattr(nvrtc, "FOLDER", tmp_path)
    piece = piece_of(nvrtc, kernel, tmp_path)
    kernel.write_text('extern "C" __global__ void nothing_else() {}\n')
    assert nvrtc._compile(piece) == "kernel.cu: a kernel file changed during the build; build again"
    assert not piece.kept.exists()


def piece_of(nvrtc, kernel: pathlib.Path, folder: pathlib.Path):
    """The PTX of a kernel, to be kept in a folder under the hash of its files as they are now."""
    key = nvrtc._key(kernel, "compute_70", nvrtc._compiler())
    return nvrtc.Piece(kernel, "compute_70", folder / f"{kernel.stem}.compute_70.{key}")


def test_the_assembler_refuses_what_cuda_12_0_lacks(assembler: str, tmp_path: pathlib.Path) -> None:
    source = tmp_path / "newer.ptx"
    source.write_text(".version 8.8\n.target sm_70\n.address_size 64\n")
    command = [assembler, "-arch=sm_70", "-o", tmp_path / "newer.cubin", source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "Unsupported .version 8.8" in done.stderr


def test_ptx_has_no_hints_that_newer_drivers_refuse_under_its_version(nvrtc) -> None:
    head, load = b".version 8.8\n.target sm_70\n$L_1:\n", b'ld.local.u32 %r1, [%rd1];\n.pragma "nounroll";\n'
    ptx = head + b'\t.pragma "used_bytes_mask 15";\n' + load
    kept = head.replace(b"8.8", b"8.0") + load
    assert nvrtc._labelled(ptx) == kept


def test_ptx_of_an_unexpected_compiler_is_refused(nvrtc) -> None:
    with pytest.raises(SystemExit, match="names no version"):
        nvrtc._labelled(b".target sm_70\n")


def test_gpus_runs_as_a_script() -> None:
    script = ROOT / "build_backend" / "gpus.py"
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env={"GONEXTDOOR_LIBCUDA": __file__}
    )
    assert done.returncode == 1
    assert done.stderr.startswith("no GPU: ")
