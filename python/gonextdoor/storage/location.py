"""Location: a folder by its URI, on this machine or in object storage."""

from __future__ import annotations

import os
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from .._core.arguments import PathLike, is_uri, path_text

__all__ = ["Location", "located"]


class Location(NamedTuple):
    """A folder.

    Attributes:
        uri: as it was given; a path on this machine is absolute, so that other processes can open it.
        filesystem: a ``pyarrow.fs.FileSystem``.
        path: of the folder in the file system.
        local: whether the files are on this machine, or mounted.
    """

    uri: str
    filesystem: Any
    path: str
    local: bool

    def file(self, name: str) -> str:
        """The path of a file of the folder."""
        return f"{self.path.rstrip('/')}/{name}"

    def named(self, name: str) -> str:
        """The URI of a file of the folder, for errors."""
        uri, mark, options = self.uri.partition("?")
        return f"{uri.rstrip('/')}/{name}{mark}{options}"

    def __truediv__(self, name: str) -> Location:
        """A folder in the folder."""
        return self._replace(uri=self.named(name), path=self.file(name))


def located(name: str, uri: PathLike) -> Location:
    """The folder of a URI: a path, ``file://``, a scheme of ``pyarrow.fs`` (``s3://``, ``gs://``, ``hdfs://``), or any
    other that fsspec opens.

    Args:
        name: of the argument, for errors.
        uri: the path or the URI.

    Raises:
        TypeError: it is neither text nor a path.
        ValueError: nothing here opens such a URI.
        ImportError: pyarrow, or the package that opens it, is not installed.
        OSError: the storage does not answer, or there is no such bucket.
    """
    if not isinstance(uri, (str, os.PathLike)):
        raise TypeError(
            f"{name} = {uri!r}: expected a path or a URI, such as the folder that graph.save(folder) writes"
        )
    text = path_text(uri)
    fs = _pyarrow_fs()
    if not is_uri(text):
        path = os.path.abspath(text)
        return Location(path, fs.LocalFileSystem(), path, True)
    if text.startswith("file://"):
        path = unquote(urlsplit(text).path)
        return Location(text, fs.LocalFileSystem(), path, True)
    try:
        filesystem, path = fs.FileSystem.from_uri(text)
    except ValueError:  # pyarrow does not know the scheme
        filesystem, path = _of_fsspec(name, text, fs)
    except OSError as error:  # pyarrow asks for the region of a bucket
        raise OSError(
            f"{name} = {text!r}: pyarrow cannot open it: {error}; check the name, the credentials and the network, and "
            "for hdfs:// Hadoop's client library"
        ) from error
    return Location(text, filesystem, path, False)


def _pyarrow_fs() -> Any:
    try:
        import pyarrow.fs
    except ImportError as missing:
        raise ImportError("sampling of ranges needs pyarrow: pip install 'gonextdoor[arrow]'") from missing
    return pyarrow.fs


def _of_fsspec(name: str, uri: str, fs: Any) -> tuple[Any, str]:
    try:
        import fsspec.core
    except ImportError as missing:
        raise ImportError(f"{name} = {uri!r}: pyarrow does not open it; fsspec may: pip install fsspec") from missing
    try:
        opened, path = fsspec.core.url_to_fs(uri)
    except ImportError as missing:  # the text names the package
        raise ImportError(f"{name} = {uri!r}: {missing}") from missing
    except ValueError as error:
        raise ValueError(f"{name} = {uri!r}: neither pyarrow nor fsspec opens it: {error}") from error
    return fs.PyFileSystem(fs.FSSpecHandler(opened)), path
