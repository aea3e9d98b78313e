"""Atomic files: written under a temporary name and renamed when complete."""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, cast

from .adapters import adapter
from .arguments import PathLike, is_uri, output_text, path_text

if TYPE_CHECKING:
    from pathlib import Path


@contextlib.contextmanager
def replacing(path: PathLike) -> Iterator[IO[bytes]]:
    """Yields a file to write; when the block ends without an error, it replaces ``path``.

    After an error (a full disk, Ctrl-C) the temporary file is removed and ``path`` is unchanged. A symbolic link is
    followed. A pipe or a device such as /dev/stdout is written to directly, since renaming would replace it.

    Raises:
        OSError: the folder does not exist or cannot be written, or the disk is full.
    """
    target = _path(os.path.realpath(output_text(path)))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{path}: this is a folder; expected the name of a file")
        with open(path, "wb") as device:
            yield device
        return
    temporary = beside(target)
    try:
        # Mode 0o666 less the umask, as open() uses: tempfile would create a file that only its owner can read.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with open(handle, "wb", buffering=1 << 20) as file:
            yield file
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            os.fsync(file.fileno())  # some file systems report a full disk only here
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error  # the caller's path
        raise


@contextlib.contextmanager
def output_folder(name: str, path: PathLike, head: str | None = None) -> Iterator[str]:
    """Yields the path of a folder to write, which the caller creates in one step.

    If the argument is a URI of object storage, that is a temporary folder. Its files are put there when the block ends
    without an error.

    Args:
        name: of the argument, for errors.
        path: a path or a URI.
        head: the file that is put last; None (default): that of a graph.

    Raises:
        OSError: the folder in which it is to be does not exist, or the storage cannot be written.
        FileExistsError: the folder of the URI has files.
    """
    text = path_text(path)
    if not is_uri(text):
        yield output_text(text)
        return
    with adapter("uploading")(name, text, head) as folder:
        yield folder


@contextlib.contextmanager
def creating_folder(path: PathLike) -> Iterator[str]:
    """Yields a folder to fill; when the block ends without an error, it gets the name ``path``.

    After an error it is removed. A process that is killed leaves it under its temporary name.

    Raises:
        FileExistsError: the path exists.
        OSError: the folder in which it is to be does not exist or cannot be written, or the disk is full.
    """
    target = _path(os.path.realpath(output_text(path)))
    if os.path.lexists(target):
        raise FileExistsError(f"{os.fspath(path)}: it exists; pass the name of a new folder, or remove it first")
    temporary = beside(target)
    try:
        os.mkdir(temporary)
        yield os.fspath(temporary)
        os.rename(temporary, target)
    except BaseException as error:
        import shutil  # only after an error, so that the package is imported without it

        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError) and error.errno and str(error.filename) == str(temporary):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error  # the caller's path
        raise


def created(path: PathLike, data: bytes) -> bool:
    """Creates a file that is complete when it appears. Returns False, and leaves it unchanged, if it exists.

    Of several processes that create it at once, one returns True.

    Raises:
        OSError: the folder cannot be written, the disk is full, or the file system has no hard links.
    """
    target = _path(path)
    temporary = beside(target)
    try:
        with replacing(temporary) as file:
            file.write(data)
        try:
            os.link(temporary, target)
        except FileExistsError:  # NFS reports it also if the answer to the first attempt was lost
            return os.path.samefile(temporary, target)
        return True
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _path(path: PathLike) -> Path:
    from pathlib import Path  # to import it takes 4 ms, and reading graphs does not need it

    return Path(path)


def beside(target: Path) -> Path:
    """A new hidden name in the target's folder: renaming is only atomic within one file system."""
    return target.with_name(f".{target.name[:80]}.{os.urandom(4).hex()}.tmp")


def _mode(target: Path) -> int | None:
    try:
        return os.stat(target).st_mode
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def replacing_text(path: PathLike) -> Iterator[IO[bytes]]:
    """As replacing, but the text is compressed if the name ends in .gz or .zst.

    Raises:
        ImportError: the name ends in .zst and the zstandard package is missing.
    """
    compress = compressor(path)
    with replacing(path) as file:
        if compress is None:
            yield file
            return
        with compress(file) as packed, io.BufferedWriter(cast(io.RawIOBase, packed), 1 << 20) as buffered:
            yield cast(IO[bytes], buffered)


def compressor(path: PathLike) -> Callable[[IO[bytes]], IO[bytes]] | None:
    """The compressor that the last suffix of the name selects; None for no compression."""
    suffix = _path(path).suffix.lower()
    if suffix == ".gz":
        import gzip

        # No name and no time in the header: the same samples give the same bytes.
        return lambda file: cast(
            IO[bytes], gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0)
        )
    if suffix == ".zst":
        try:
            import zstandard
        except ImportError as missing:
            raise ImportError(f"{path}: writing .zst needs the zstandard package: pip install zstandard") from missing
        return lambda file: cast(IO[bytes], zstandard.ZstdCompressor().stream_writer(file, closefd=False))
    return None
