"""The folder of compiled hooks: the names of its files, and how they are read and written.

A file has a header line, a checksum, and a body. The body is machine code that this process runs, so
a file is used only if no other user can have written it: the folder and the file belong to the effective user
and no other user may write to them. Both are checked on the open descriptors, not by path.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._core.caches import folder, only_ours, opened_folder
from .._version import __version__
from . import tree

if TYPE_CHECKING:
    import hashlib

__all__ = ["fetch", "folder", "key", "named", "opened", "sealed", "store"]

FORMAT = 1  # version of the hooks' semantics and of the compiler


def key(functions: Mapping[str, tree.Function], *, strict: bool) -> str:
    """The name of an app's file: everything that its code depends on. Comments, names of files, numbers of lines,
    values of parameters and contents of arrays are not in it."""
    import llvmlite

    by = [compiler(), sys.platform, *processor(), llvmlite.__version__]
    return named(functions, by, strict=strict)


def _sha256(data: bytes = b"") -> hashlib._Hash:
    import hashlib  # loads OpenSSL, which only users' apps need

    return hashlib.sha256(data)


def named(functions: Mapping[str, tree.Function], by: Sequence[Any], *, strict: bool) -> str:
    """The same, from the identities of a compiler and its target."""
    hooks = {name: repr(function) for name, function in sorted(functions.items())}
    return _sha256(json.dumps([FORMAT, __version__, *by, strict, hooks]).encode()).hexdigest()


@functools.cache
def compiler() -> str:
    """A digest of the package's compiler sources."""
    digest, here = _sha256(), os.path.dirname(__file__)
    for name in sorted(os.listdir(here)):
        if name.endswith(".py"):
            with open(os.path.join(here, name), "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


@functools.cache
def processor() -> tuple[str, str]:
    """Identifies this CPU and its features, which Linux lists in one file."""
    told = ""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", "rb", buffering=0) as file:
        for line in file.read(1 << 14).split(b"\n\n")[0].decode(errors="replace").splitlines():
            name = line.partition(":")[0].strip()
            if name in ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "CPU part"):
                told += line + "\n"
    if not told:
        import platform  # only if Linux lists nothing

        told = platform.processor()
    return os.uname().machine, told


def sealed(kind: str, body: bytes) -> bytes:
    """The contents of a file of this kind."""
    return f"{kind}\n".encode() + _sha256(body).digest() + body


def opened(kind: str, data: bytes | None) -> bytes | None:
    """The body of a file of this kind; None if it is another, or damaged."""
    head = f"{kind}\n".encode()
    start = len(head) + 32
    if data is None or not data.startswith(head) or _sha256(data[start:]).digest() != data[len(head) : start]:
        return None
    return data[start:]


def fetch(name: str) -> bytes | None:
    """Reads the file of that name.

    Returns:
        Its contents. None: it is not kept, or another user can have written it.
    """
    with contextlib.suppress(OSError), _opened_folder() as where:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=where)
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            if stat.S_ISREG(status.st_mode) and only_ours(status):
                return file.read()
    return None


def store(name: str, data: bytes) -> None:
    """Keeps a file. If the folder cannot be written, or another user can write to it, nothing is kept: the hooks are
    compiled again in the next process."""
    with contextlib.suppress(OSError):
        _make_folder()
        with _opened_folder() as where:
            temporary = f".{name[:80]}.{os.urandom(4).hex()}.tmp"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(temporary, flags, 0o600, dir_fd=where)
            try:
                with open(handle, "wb") as file:
                    file.write(data)
                os.replace(temporary, name, src_dir_fd=where, dst_dir_fd=where)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=where)
                raise


def _make_folder() -> None:
    path = folder()
    if path is not None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)


def _opened_folder() -> contextlib.AbstractContextManager[int]:
    """Opens the folder of compiled hooks; see ``caches.opened_folder``.

    Raises:
        OSError: there is none, it is a symbolic link, or another user can write to it.
    """
    path = folder()
    if path is None:
        raise FileNotFoundError("no folder for compiled hooks")
    return opened_folder(path)
