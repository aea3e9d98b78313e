"""The folder of compiled hooks: what names a file there, and how it is read and written.

A file has a line that says what it is, a checksum, and its body.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from .._version import __version__
from ..atomic import replacing
from . import tree

__all__ = ["fetch", "folder", "key", "named", "opened", "sealed", "store"]

FORMAT = 1  # of what hooks mean and how they are compiled


def folder() -> str | None:
    """Where compiled hooks are kept: GONEXTDOOR_CACHE, or the user's folder for such; None where that is "off"."""
    chosen = os.environ.get("GONEXTDOOR_CACHE")
    if chosen:
        return None if chosen == "off" else os.path.expanduser(chosen)
    home = os.environ.get("XDG_CACHE_HOME")
    if not home:
        home = os.path.expanduser("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    return os.path.join(home, "gonextdoor")


def key(functions: Mapping[str, tree.Function], *, strict: bool) -> str:
    """The name of an app's file: everything that its code depends on. Comments, names of files, numbers of lines,
    values of parameters and contents of arrays are not in it."""
    import llvmlite

    by = [compiler(), sys.platform, *processor(), llvmlite.__version__]
    return named(functions, by, strict=strict)


def named(functions: Mapping[str, tree.Function], by: Sequence[Any], *, strict: bool) -> str:
    """The same, by what stands for a compiler and its target."""
    hooks = {name: repr(function) for name, function in sorted(functions.items())}
    return hashlib.sha256(json.dumps([FORMAT, __version__, *by, strict, hooks]).encode()).hexdigest()


@functools.cache
def compiler() -> str:
    """A digest of the files that compile."""
    digest, here = hashlib.sha256(), os.path.dirname(__file__)
    for name in sorted(os.listdir(here)):
        if name.endswith(".py"):
            with open(os.path.join(here, name), "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


@functools.cache
def processor() -> tuple[str, str]:
    """What identifies this processor and what it can do: Linux tells both in one place."""
    told = ""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", "rb", buffering=0) as file:
        for line in file.read(1 << 14).split(b"\n\n")[0].decode(errors="replace").splitlines():
            name = line.partition(":")[0].strip()
            if name in ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "CPU part"):
                told += line + "\n"
    return os.uname().machine, told or platform.processor()


def sealed(kind: str, body: bytes) -> bytes:
    """The contents of a file of a kind."""
    return f"{kind}\n".encode() + hashlib.sha256(body).digest() + body


def opened(kind: str, data: bytes | None) -> bytes | None:
    """The body of such a file; None if it is no such file, or damaged."""
    head = f"{kind}\n".encode()
    start = len(head) + 32
    if data is None or not data.startswith(head) or hashlib.sha256(data[start:]).digest() != data[len(head) : start]:
        return None
    return data[start:]


def fetch(name: str) -> bytes | None:
    """The contents of the file of that name, if it is kept."""
    where = folder()
    if where is None:
        return None
    with contextlib.suppress(OSError), open(os.path.join(where, name), "rb") as file:
        return file.read()
    return None


def store(name: str, data: bytes) -> None:
    """Keeps a file. A folder that cannot be written is no error: the hooks are compiled again next time."""
    where = folder()
    if where is None:
        return
    with contextlib.suppress(OSError):
        os.makedirs(where, exist_ok=True)
        with replacing(os.path.join(where, name)) as file:
            file.write(data)
