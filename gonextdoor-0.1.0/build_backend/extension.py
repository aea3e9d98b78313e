"""Compiles the Go package pybind into a Python extension: gopy, cgo's header, pybindgen, one go build.

The generated code is kept in _gobuild/<Python version>/, or <Python version>-<architecture>/ in a cross build, and
regenerated only when its inputs change; a change in the Go core only runs go build.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import buildtimes
import nvrtc
import toolchain
from setuptools.command.build_ext import build_ext
from toolchain import ROOT, WORK

NAME = "gonextdoor"
OUT = WORK / "-".join([sys.implementation.cache_tag, *([toolchain.machine()] if toolchain.cross() else [])])
FINALIZERS = ROOT / "pybind" / "python" / "finalizers.c"  # code against Python's headers, which no Go package has
STAGE = OUT / "stage"  # setuptools' build folder, one per Python version and architecture
# One set of flags for gopy and the extension, so that each package, the standard library's too, is compiled once.
# -buildmode=pie compiles the same position-independent code as c-shared. -trimpath shares it with other checkouts.
# -dwarf=false: the linker strips debug information anyway. Stack traces do not need it.
COMPILED = "-gcflags=all=-dwarf=false"
GOFLAGS = f"-trimpath -buildvcs=false -buildmode=pie {COMPILED}"
STRIPPED = "-ldflags=-s -w"
# gopy runs for a second, so what only gopy imports is compiled without optimization, in half the time.
GOPY = "github.com/go-python/gopy"
UNOPTIMIZED = ("go/...", "golang.org/x/tools/...", f"{GOPY}/bind")
# netgo, osusergo: never use the C library's resolver, whatever the core imports.
TAGS = ["netgo", "osusergo"]
C_STANDARD = "-std=gnu11"  # gopy's code defines bool, a keyword in C23, which is gcc's default since 15


class BuildGo(build_ext):
    """build_ext for the one extension, whose source is the Go module."""

    def build_extension(self, ext: Any) -> None:
        build(pathlib.Path(self.get_ext_fullpath(ext.name)).resolve())

    def copy_extensions_to_source(self) -> None:
        """For --inplace and editable installs; setuptools' own overwrites a file that may be mapped by a Python."""
        for ext in self.extensions:
            name = self.get_ext_filename(ext.name)
            place(pathlib.Path(self.build_lib, name), ROOT / "python" / name)

    def get_source_files(self) -> list[str]:
        return []  # MANIFEST.in names the Go files


def build(target: pathlib.Path) -> None:
    """Compiles the extension for the running Python and writes it to target."""
    toolchain.check_compiler()
    flags = toolchain.environment()
    tags = TAGS + (["cuda"] if "CGO_CFLAGS" in flags else [])
    env = {**os.environ, **flags}
    env["GOFLAGS"] = " ".join(filter(None, [os.environ.get("GOFLAGS"), GOFLAGS, f"-tags={','.join(tags)}"]))
    with _alone(OUT):
        stale = _stale(OUT)
        # gopy does not import the kernels, so Go compiles it while NVRTC compiles them.
        quickly = [COMPILED, *(f"-gcflags={packages}=-dwarf=false -N -l" for packages in UNOPTIMIZED)]
        gopy = [*_go_build(OUT / "gopy"), *quickly, GOPY] if stale else []
        with (
            _together("gopy (go build)", ROOT, _for_this_machine(env), *gopy),
            _alone(WORK / "kernels"),
            buildtimes.part("kernels (NVRTC)"),
        ):
            nvrtc.build()
        if stale:
            _generate(OUT, env)
        shutil.copy(FINALIZERS, OUT)  # go build compiles the C files of the folder
        made = OUT / "extension.so"
        _run("extension (go build)", OUT, env, *_go_build(made), "-buildmode=c-shared", ".")
        place(made, target)


def place(made: pathlib.Path, target: pathlib.Path) -> None:
    """Copies made to target by rename: a process that has the old file mapped keeps it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copyfile(made, beside)
    beside.chmod(0o755)
    beside.replace(target)


@contextmanager
def _alone(out: pathlib.Path) -> Iterator[None]:
    """Serialises builds of one checkout for one Python."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _stale(out: pathlib.Path) -> bool:
    """Whether the generated code in out is missing or was generated from other files."""
    stamp = out / "key"
    return not stamp.exists() or stamp.read_text() != _key()


def _go_build(made: pathlib.Path) -> list[Any]:
    return ["go", "build", STRIPPED, "-o", made]


def _for_this_machine(env: dict[str, str]) -> dict[str, str]:
    """The environment for a program that runs during the build. In a cross build CC compiles for the target only."""
    if not toolchain.cross():
        return env
    return {name: value for name, value in env.items() if name not in ("GOARCH", "CC")} | {"CGO_ENABLED": "0"}


def _generate(out: pathlib.Path, env: dict[str, str]) -> None:
    """Writes the Go and C code of the extension into out, with out/gopy."""
    (out / "key").unlink(missing_ok=True)
    include = toolchain.include_flags()
    source = out / f"{NAME}.go"
    # Compiles pybind in the mode of the last step, in which go build accepts main packages only. In another mode Go
    # does not keep the headers of packages that use cgo, and the last step would run cgo on all of them each time.
    _run("core (go list)", ROOT, env, "go", "list", "-export", "-buildmode=c-shared", "./pybind")
    flags = ["-dynamic-link=true", "-no-make=true", "-no-warn=true"]
    paths = [f"-vm={sys.executable}", f"-output={out}", f"-name={NAME}"]
    _run("gopy gen", ROOT, env, out / "gopy", "gen", *paths, *flags, "./pybind")
    source.write_text(_with_imports(_with_flags(source.read_text(), include)))
    # Only the header: gopy build would also link a library.
    header = ["-objdir", out / "_obj", "-exportheader", f"{NAME}_go.h"]
    _run("go tool cgo", out, env, "go", "tool", "cgo", *header, "--", C_STANDARD, *include, source.name)
    _run("pybindgen", out, env, sys.executable, "build.py")
    (out / "key").write_text(_key())


def _key() -> str:
    """A hash of the inputs of the generated code."""
    files = [*sorted((ROOT / "pybind").glob("*.go")), ROOT / "go.mod", pathlib.Path(__file__)]
    h = hashlib.sha256(f"{sys.version} {sysconfig.get_path('include')}".encode())
    for f in files:
        h.update(f"\0{f.name}\0".encode() + f.read_bytes())
    return h.hexdigest()


def _with_flags(source: str, include: list[str]) -> str:
    """gopy's file with our #cgo lines instead of its own, which hold an rpath and paths of the Python that ran it.

    Not in CGO_CFLAGS: they are part of Go's cache key, so runtime/cgo would be recompiled for every Python.
    """
    lines = [line for line in source.splitlines(True) if not line.startswith("#cgo ")]
    folders = " ".join(f'"{flag}"' for flag in include)
    ours = [f"#cgo CFLAGS: -O2 {C_STANDARD} -Wno-int-conversion {folders}\n"]
    at = next(i for i, line in enumerate(lines) if line.startswith("#include"))
    return "".join(lines[:at] + ours + lines[at:])


def _with_imports(source: str) -> str:
    """gopy's file with the imports that it leaves to goimports: of the packages errors and unsafe, if it uses them."""
    head, separator, body = source.partition('import "C"\nimport (\n')
    if not separator:
        raise SystemExit("gonextdoor: gopy's file has no list of imports: this is another gopy than go.mod names")
    used = [name for name in ("errors", "unsafe") if re.search(rf"\b{name}\.\w", body)]
    return head + separator + "".join(f'\t"{name}"\n' for name in used if f'"{name}"\n' not in body) + body


@contextmanager
def _together(part: str, cwd: pathlib.Path, env: dict[str, str], *words: Any) -> Iterator[None]:
    """Runs a command, if any, concurrently with the body of the with statement, and waits for both."""
    if not words:
        yield
        return
    start, command = time.time(), _shown(words)
    beside = subprocess.Popen(command, cwd=cwd, env=env)
    try:
        yield
    except BaseException:
        beside.terminate()
        raise
    finally:
        status = buildtimes.wait(part, start, beside)
    _check(command, status)


def _run(part: str, cwd: pathlib.Path, env: dict[str, str], *words: Any) -> None:
    with _together(part, cwd, env, *words):
        pass


def _shown(words: Sequence[Any]) -> list[str]:
    command = list(map(str, words))
    print("+", shlex.join(command), flush=True)
    return command


def _check(command: list[str], status: int) -> None:
    if status:
        raise SystemExit(f"gonextdoor: {shlex.join(command[:3])} failed (status {status}); see its messages above")
