"""Compiles the Go package pybind into a Python extension: gopy, goimports, cgo's header, pybindgen, one go build.

The generated code is kept in _gobuild/<Python version>/ and made anew only when something that it is made from changed;
a change in the Go core runs go build alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import nvrtc
import toolchain
from setuptools.command.build_ext import build_ext
from toolchain import ROOT, WORK

NAME = "gonextdoor"
OUT = WORK / sys.implementation.cache_tag
STAGE = OUT / "stage"  # setuptools' build folder, one for each Python
# -trimpath in all of them, so that they share compiled packages, with other checkouts too.
# netgo, osusergo: nothing of the C library's resolver, whatever the core comes to import.
GOFLAGS = "-trimpath -buildvcs=false"
TAGS = ["netgo", "osusergo"]
C_STANDARD = "-std=gnu11"  # gopy's code defines bool, which is a keyword in C23, what gcc takes since 15


class BuildGo(build_ext):
    """build_ext for the one extension, whose source is the Go module."""

    def build_extension(self, ext: Any) -> None:
        build(pathlib.Path(self.get_ext_fullpath(ext.name)).resolve())

    def copy_extensions_to_source(self) -> None:
        """For --inplace and editable installs; setuptools' own writes over a file that a Python may have mapped."""
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
    with _alone(WORK / "kernels"):
        nvrtc.build()
    with _alone(OUT):
        _generate(OUT, env)
        made = OUT / "extension.so"
        _run(OUT, env, "go build -buildmode=c-shared", "-ldflags=-s -w", "-o", made, ".")
        place(made, target)


def place(made: pathlib.Path, target: pathlib.Path) -> None:
    """Copies made to target through a new file: a process that has the old one mapped keeps it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copyfile(made, beside)
    beside.chmod(0o755)
    beside.replace(target)


@contextmanager
def _alone(out: pathlib.Path) -> Iterator[None]:
    """Two builds of one checkout for one Python wait for each other."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _generate(out: pathlib.Path, env: dict[str, str]) -> None:
    """Writes the Go and C code of the extension into out."""
    key, stamp = _key(), out / "key"
    if stamp.exists() and stamp.read_text() == key:
        return
    stamp.unlink(missing_ok=True)
    include = sysconfig.get_path("include")
    source = out / f"{NAME}.go"
    flags = ["-dynamic-link=true", "-no-make=true", "-no-warn=true"]
    paths = [f"-vm={sys.executable}", f"-output={out}", f"-name={NAME}"]
    _run(ROOT, env, "go tool gopy gen", *paths, *flags, "./pybind")
    source.write_text(_with_flags(source.read_text(), include))
    _run(ROOT, env, "go tool goimports -w", source)
    # The header alone: gopy build would link a whole library for it.
    header = ["-objdir", out / "_obj", "-exportheader", f"{NAME}_go.h"]
    _run(out, env, "go tool cgo", *header, "--", C_STANDARD, f"-I{include}", source.name)
    _run(out, env, sys.executable, "build.py")
    stamp.write_text(key)


def _key() -> str:
    """A hash of what the generated code is made from."""
    files = [*sorted((ROOT / "pybind").glob("*.go")), ROOT / "go.mod", pathlib.Path(__file__)]
    h = hashlib.sha256(f"{sys.version} {sysconfig.get_path('include')}".encode())
    for f in files:
        h.update(f"\0{f.name}\0".encode() + f.read_bytes())
    return h.hexdigest()


def _with_flags(source: str, include: str) -> str:
    """gopy's file with our #cgo lines in place of its own, which hold an rpath and paths of the Python that ran it.

    In the file and not in CGO_CFLAGS: Go's cache is keyed by those, and runtime/cgo would be compiled for every Python.
    """
    lines = [line for line in source.splitlines(True) if not line.startswith("#cgo ")]
    ours = [f'#cgo CFLAGS: -O2 {C_STANDARD} -Wno-int-conversion "-I{include}"\n']
    at = next(i for i, line in enumerate(lines) if line.startswith("#include"))
    return "".join(lines[:at] + ours + lines[at:])


def _run(cwd: pathlib.Path, env: dict[str, str], program: str, *arguments: Any) -> None:
    words = [*(program.split() if program.startswith("go ") else [program]), *map(str, arguments)]
    print("+", *words, flush=True)
    done = subprocess.run(words, cwd=cwd, env=env)
    if done.returncode:
        raise SystemExit(
            f"gonextdoor: {' '.join(words[:3])} failed (status {done.returncode}); its messages stand above"
        )
