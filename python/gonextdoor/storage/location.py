"""Location: a folder by its URI, on this machine or in object storage."""

from __future__ import annotations

import os
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from .._core.arguments import PathLike, is_uri, path_text, without_secrets

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

    @property
    def text(self) -> str:
        """The URI without secrets, for errors and logs."""
        return without_secrets(self.uri)

    def named(self, name: str) -> str:
        """The URI of a file of the folder without secrets, for errors and logs."""
        return (self / name).text

    def __repr__(self) -> str:
        return f"Location({self.text!r})"

    def __truediv__(self, name: str) -> Location:
        """A folder in the folder."""
        uri, mark, options = self.uri.partition("?")
        return self._replace(uri=f"{uri.rstrip('/')}/{name}{mark}{options}", path=self.file(name))


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
        return Location(text, filesystem, path, False)
    except ValueError:  # pyarrow does not know the scheme; its text has the URI
        pass
    except OSError as error:  # pyarrow asks for the region of a bucket
        raise OSError(
            f"{name} = {without_secrets(text)!r}: pyarrow cannot open it: {error}; check the name, the credentials and "
            "the network, and for hdfs:// Hadoop's client library"
        ) from error
    filesystem, path = _of_fsspec(name, text, fs)
    return Location(text, filesystem, path, False)


def _pyarrow_fs() -> Any:
    try:
        import pyarrow.fs
    except ImportError as missing:
        raise ImportError("sampling of ranges needs pyarrow: pip install 'gonextdoor[arrow]'") from missing
    return pyarrow.fs


def _of_fsspec(name: str, uri: str, fs: Any) -> tuple[Any, str]:
    text = without_secrets(uri)
    try:
        import fsspec.core
    except ImportError as missing:
        raise ImportError(f"{name} = {text!r}: pyarrow does not open it; fsspec may: pip install fsspec") from missing
    try:
        opened, path = fsspec.core.url_to_fs(uri)
    except ImportError as missing:  # the text names the package
        raise ImportError(f"{name} = {text!r}: {missing}") from missing
    except ValueError as error:
        raise ValueError(
            f"{name} = {text!r}: neither pyarrow nor fsspec opens it: {without_secrets(str(error))}"
        ) from error
    return fs.PyFileSystem(fs.FSSpecHandler(opened)), path
