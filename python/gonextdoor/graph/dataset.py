"""ParquetFiles: edges in one or many Parquet files, which are read block by block."""

from __future__ import annotations

import copy
import fnmatch
import glob
import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .._core import npy
from .._core.adapters import adapter
from .._core.arguments import PathLike, is_uri, path_text, without_secrets
from ..errors import FormatError
from .arrow import ArrowTable
from .deltalog import DeltaLogs

__all__ = ["ParquetFiles", "is_parquet"]

BLOCK = 1 << 17  # edges that are converted at a time
SUFFIXES = (".parquet", ".pq")
METADATA = "metadata/*.metadata.json"  # of Iceberg tables


def is_parquet(source: Any) -> bool:
    """Whether a path, a glob, a URI or a list of them names Parquet files, by suffixes."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(is_parquet(one) for one in source)
    text = path_text(source)
    if os.path.isdir(text):
        marks = ("graph.json", "partition.json")
        return not any(os.path.exists(os.path.join(text, mark)) for mark in marks) and bool(_in_folder(text))
    if is_uri(text):
        text = text.partition("?")[0]  # options, such as the server of an s3:// URI
    return os.path.splitext(text)[1].lower() in SUFFIXES


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path match those of a glob, as in glob.glob(recursive=True)."""
    if not pattern:
        return not parts
    if pattern[0] == "**" and _matches(parts, pattern[1:]):
        return True
    if not parts or (parts[0].startswith(".") and not pattern[0].startswith(".")):
        return False
    if pattern[0] == "**":
        return _matches(parts[1:], pattern)
    return fnmatch.fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def _described(names: list[str], types: list[str]) -> str:
    """Columns with their types, for an error."""
    return ", ".join(f"{name} {kind}" for name, kind in zip(names, types, strict=True))


def _in_folder(folder: str) -> list[str]:
    """The Parquet files below a folder, sorted by path; hidden files are left out, as Parquet's readers do."""
    found = []
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        names = [name for name in files if name.lower().endswith(SUFFIXES) and not name.startswith((".", "_"))]
        found += [os.path.join(at, name) for name in names]
    return sorted(found)


def _refuse_iceberg(folder: str, found: bool) -> None:
    """Rejects the folder of an Iceberg table, if its metadata were found."""
    if found:
        raise FormatError(
            f"{folder}: an Iceberg table, whose folder has files of all its versions; pass those of one: "
            "the file_path of each of table.scan().plan_files()"
        )


def _imported() -> Any:
    """pyarrow with its Parquet reader."""
    try:
        import pyarrow.parquet
    except ImportError as missing:
        raise ImportError("reading Parquet needs pyarrow: pip install 'gonextdoor[parquet]'") from missing
    return pyarrow


class _RowGroup(NamedTuple):
    """A row group: the number of its file, its number in the file, and the position of its first edge."""

    file: int
    number: int
    first: int


class ParquetFiles:
    """The edges of Parquet files, in the order of the files. Each file is open only while it is read.

    Args:
        source: a file, a folder whose files are taken in the order of their paths, a glob, a URI of pyarrow.fs or
            fsspec, or a list of these. Of the folder of a Delta table, the files of the newest version.

    Attributes:
        names, kinds, types: of the columns, as of ``Table``.
        rows: the number of edges, by the files' metadata.
        said: a short name of the source, for messages.

    Raises:
        ImportError: pyarrow, or fsspec for a URI, is missing.
        OSError: a file cannot be opened.
        FormatError: there is no file, or one is not a Parquet file, or the rows of a Delta or Iceberg table are not
            those of its files.
    """

    def __init__(self, source: PathLike | Sequence[PathLike]) -> None:
        self._pyarrow = _imported()
        listed: Sequence[Any] = source if isinstance(source, (list, tuple)) else [source]
        texts = [path_text(one) for one in listed]
        self.path = without_secrets(
            texts[0] if len(texts) == 1 else f"{len(texts)} paths from {texts[0]}" if texts else "[]"
        )
        self._logs = DeltaLogs()
        self.files = [found for text in texts for found in self._located(text)]
        if not self.files:
            raise FormatError(f"{self.path}: no Parquet files; expected names that end in .parquet or .pq")
        base = os.path.basename(self.path.rstrip("/")) or self.path
        self.said = base if len(self.files) == 1 else f"{base} ({len(self.files)} files)"
        self.rows = 0
        self._groups: list[_RowGroup] = []
        for at, (_, path) in enumerate(self.files):
            with self._opened(at) as file:
                schema = file.schema_arrow
                for group in range(file.num_row_groups):
                    self._groups.append(_RowGroup(at, group, self.rows))
                    self.rows += file.metadata.row_group(group).num_rows
            if at == 0:
                self.names, self._schema = list(schema.names), schema
                self.kinds, self.types = self._empty(schema).kinds, self._empty(schema).types
            else:
                self._compare(path, self._empty(schema))

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_pyarrow"}
        # Another process may have another working directory.
        state["files"] = [(system, path if system else os.path.abspath(path)) for system, path in self.files]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _pyarrow=_imported())

    def share(self, number: int, shares: int) -> ParquetFiles:
        """Returns the row groups of a share: all shares in their order have all edges in theirs.

        Args:
            number: of the share, from 0.
            shares: their number.
        """
        lo, hi = self.rows * number // shares, self.rows * (number + 1) // shares
        made = copy.copy(self)
        made._groups = [group for group in self._groups if lo <= group.first < hi]
        return made

    def _empty(self, schema: Any) -> ArrowTable:
        return ArrowTable(self._pyarrow.RecordBatchReader.from_batches(schema, []))

    def _compare(self, path: str, other: ArrowTable) -> None:
        """Rejects a file whose columns are not those of the first."""
        if other.names != self.names or other.kinds != self.kinds:
            found, wanted = _described(other.names, other.types), _described(self.names, self.types)
            raise FormatError(f"{path}: columns {found}; expected those of {self.files[0][1]}: {wanted}")

    def _located(self, text: str) -> list[tuple[Any, str]]:
        """The files of an argument: each a file system, or None for this machine's, and a path."""
        if is_uri(text):
            return self._remote(text)
        if os.path.isdir(text):
            _refuse_iceberg(text, bool(glob.glob(os.path.join(glob.escape(text), METADATA))))
            return self._logs.current([(None, path) for path in _in_folder(text)], text)
        if not os.path.exists(text) and glob.has_magic(text):
            return self._logs.current([(None, path) for path in sorted(glob.glob(text, recursive=True))], None)
        os.stat(text)  # raises OSError with an errno, unlike pyarrow
        return self._logs.named([(None, text)])

    def _remote(self, uri: str) -> list[tuple[Any, str]]:
        """The files of a URI: one file, all below a folder, or those that match a glob. A question mark is no wildcard,
        since options follow it."""
        name, mark, options = uri.partition("?")
        pattern = name.split("/")
        fixed = next((i for i, part in enumerate(pattern) if glob.has_magic(part)), len(pattern))
        if 2 < fixed < len(pattern):
            return self._remote_glob("/".join(pattern[:fixed]) + mark + options, pattern[fixed:])
        system, path = self._system(uri)
        info = system.get_file_info(path)
        if info.type == self._pyarrow.fs.FileType.NotFound:
            raise FileNotFoundError(2, os.strerror(2), without_secrets(uri))
        if info.type == self._pyarrow.fs.FileType.File:
            return self._logs.named([(system, path)])
        below = system.get_file_info(self._pyarrow.fs.FileSelector(path, recursive=True))
        inside = (one.path[len(path) :].strip("/") for one in below)
        _refuse_iceberg(path, any(_matches(name.split("/"), METADATA.split("/")) for name in inside))
        wanted = [found for found in sorted(below, key=lambda one: one.path) if self._wanted(found, path)]
        return self._logs.current([(system, found.path) for found in wanted], path)

    def _remote_glob(self, uri: str, pattern: Sequence[str]) -> list[tuple[Any, str]]:
        """The files below the folder of a URI whose paths match a glob, sorted by path; none if there is no folder."""
        system, path = self._system(uri)
        selector = self._pyarrow.fs.FileSelector(path, allow_not_found=True, recursive=len(pattern) > 1)
        found = sorted(one.path for one in system.get_file_info(selector) if one.is_file)
        above = len(path.strip("/").split("/"))
        matching = [(system, one) for one in found if _matches(one.strip("/").split("/")[above:], pattern)]
        return self._logs.current(matching, None)

    def _wanted(self, found: Any, folder: str) -> bool:
        parts = found.path[len(folder) :].strip("/").split("/")
        hidden = any(part.startswith((".", "_")) for part in parts)
        return found.is_file and found.path.lower().endswith(SUFFIXES) and not hidden

    def _system(self, uri: str) -> tuple[Any, str]:
        """The file system of a URI, by pyarrow.fs or else by fsspec, and the path in it."""
        at = adapter("located")("path", uri)
        return at.filesystem, at.path

    def _opened(self, at: int) -> Any:
        """The ParquetFile of a file."""
        system, path = self.files[at]
        try:
            if system is None:
                os.close(npy.opened(path))
            source = path if system is None else system.open_input_file(path)
            return self._pyarrow.parquet.ParquetFile(source, pre_buffer=False)
        except (self._pyarrow.ArrowException, OSError) as error:
            raise self._fault(path, error) from error

    def _fault(self, path: str, error: Exception) -> Exception:
        """The error of a file that cannot be read or decoded. pyarrow's errors of decoding have no errno."""
        if isinstance(error, OSError) and error.errno is not None:
            return OSError(error.errno, error.strerror, path)
        return FormatError(f"{path}: {str(error).strip()}")

    def whole(self, i: int) -> bool:
        """Whether the values of column i, of kind "float", are whole numbers in the first block."""
        block = next(self.blocks([i]), None)
        return block is not None and block.whole(i)

    def blocks(self, needed: Sequence[int]) -> Iterator[ArrowTable]:
        """All edges in order, with the needed columns in memory. A row group is decoded at a time.

        Raises:
            FormatError: a file cannot be decoded.
            OSError: a file cannot be read.
        """
        names, like = [self.names[i] for i in sorted(set(needed))], self._empty(self._schema)
        for at, found in itertools.groupby(self._groups, key=lambda group: group.file):
            groups, (_, path) = list(found), self.files[at]
            first = groups[0].first
            with self._opened(at) as file:
                numbers = [group.number for group in groups]
                batches = file.iter_batches(batch_size=BLOCK, columns=names, row_groups=numbers)
                while True:
                    try:
                        batch = next(batches, None)
                    except (self._pyarrow.ArrowException, OSError) as error:
                        raise self._fault(path, error) from error
                    if batch is None:
                        break
                    yield like.block(batch, first)
                    first += batch.num_rows
