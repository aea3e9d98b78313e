"""The folder of compiled hooks: what names a file there, and how it is read and written."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping

from .._version import __version__
from ..atomic import replacing
from . import tree
from .code import Code

__all__ = ["fetch", "folder", "key", "store"]

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

    hooks = {name: repr(function) for name, function in sorted(functions.items())}
    parts = [FORMAT, __version__, compiler(), sys.platform, *processor(), llvmlite.__version__, strict, hooks]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


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


def fetch(name: str) -> Code | None:
    """The code of that name, if it is kept and whole."""
    where = folder()
    if where is None:
        return None
    with contextlib.suppress(OSError), open(os.path.join(where, name), "rb") as file:
        return Code.unpacked(file.read())
    return None


def store(name: str, code: Code) -> None:
    """Keeps code. A folder that cannot be written is no error: the code is compiled again next time."""
    where, data = folder(), code.packed()
    if where is None or data is None:
        return
    with contextlib.suppress(OSError):
        os.makedirs(where, exist_ok=True)
        with replacing(os.path.join(where, name)) as file:
            file.write(data)
