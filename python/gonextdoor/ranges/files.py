"""The files of a run: one per range, named after its first id, and a manifest."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
from collections.abc import Iterable
from typing import Any

from ..errors import FormatError
from ..storage.location import Location
from ..storage.reading import CONNECTIONS, content, retried
from ..storage.writing import created, listed, put

__all__ = ["MANIFEST", "begin", "checked_compression", "join", "manifest", "missing", "name_of", "stamp_of", "write"]

MANIFEST = ".gonextdoor.parquet"  # without rows, since Polars and DuckDB read all files of a folder
LARGEST = 1 << 20  # bytes of a manifest
CODECS = ("brotli", "gzip", "lz4", "none", "snappy", "zstd")  # compression of Parquet
STAMP = b"gonextdoor"  # the key of the run in the footer of a file
MAGIC = b"PAR1"  # the last bytes of a Parquet file, after its footer and the length of that in 4 bytes
TAIL = 1 << 16  # bytes at the end of a file that the first read takes; most footers are shorter

_Facts = dict[str, Any]


def name_of(ids: range) -> str:
    """The name of the file of a range."""
    return f"{ids.start:020d}.parquet"


def begin(at: Location, facts: _Facts, schema: Any, resume: bool) -> None:
    """Begins to write to a folder, or continues. Of several calls that begin at once, one does.

    Raises:
        FileExistsError: it has files of a run, and resume is False.
        ValueError: it has files of another run.
        FormatError: its manifest is damaged.
    """
    found = _found_or_created(at, facts, schema)
    if found is not None and not resume:
        raise FileExistsError(
            f"path = {at.text!r}: the folder has a run already; pass resume=True to write what is "
            "missing, or another path"
        )
    if found is not None and (difference := _difference(found, facts)):
        raise ValueError(
            f"path = {at.text!r}: the folder has another run, with {difference}; pass the same arguments, or another "
            "path"
        )


def join(at: Location, facts: _Facts, schema: Any) -> None:
    """Begins to write a range to a folder, which other processes may fill with the same run.

    Raises:
        FileExistsError: it has files of another run.
        FormatError: its manifest is damaged.
    """
    found = _found_or_created(at, facts, schema)
    if found is not None and (difference := _difference(found, facts)):
        raise FileExistsError(
            f"folder = {at.text!r}: the folder has another run, with {difference}; pass another folder"
        )


def _found_or_created(at: Location, facts: _Facts, schema: Any) -> _Facts | None:
    """The manifest of the run that a folder has; None if it had none and this call created it."""
    found = manifest(at)
    if found is None and any(name.endswith(".parquet") for name in listed(at)):
        found = manifest(at)  # of a run that began after the first look
        if found is None:
            raise FileExistsError(
                f"path = {at.text!r}: the folder has Parquet files of something else; pass another path"
            )
    if found is not None:
        return found
    if created(at, MANIFEST, _parquet(schema.empty_table(), json.dumps(facts).encode()).to_pybytes()):
        return None
    return manifest(at) or {}


def _difference(found: _Facts, facts: _Facts) -> str | None:
    """The first fact that differs between two runs, as text."""
    for name in [*facts, *found]:
        if found.get(name) != facts.get(name):
            return f"{name} = {found.get(name)!r} instead of {facts.get(name)!r}"
    return None


def manifest(at: Location) -> _Facts | None:
    """The facts of the run whose files are in a folder; None if there is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        text = content(at, MANIFEST, LARGEST)
    except FileNotFoundError:
        return None
    try:
        found: Any = json.loads((pq.read_metadata(pa.BufferReader(text)).metadata or {}).get(STAMP, b"null"))
    except (OSError, ValueError) as error:  # pyarrow raises either for a damaged footer
        raise FormatError(f"{at.named(MANIFEST)}: {error}; write the run to another folder") from error
    if not isinstance(found, dict) or type(found.get("seed")) is not int:
        raise FormatError(
            f"{at.named(MANIFEST)}: expected a Parquet file whose metadata has the facts of a run; write the run to "
            "another folder"
        )
    return found


def stamp_of(facts: _Facts) -> bytes:
    """The text by which the footer of a file names its run: a digest of the facts, and those that readers ask for."""
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    return json.dumps({"run": digest, **{name: facts[name] for name in ("app", "graph", "seed", "version")}}).encode()


def checked_compression(compression: Any) -> str:
    """A compression of Parquet, in lower case.

    Raises:
        TypeError: it is not text.
        ValueError: pyarrow does not have it.
    """
    import pyarrow as pa

    if not isinstance(compression, str):
        raise TypeError(f"compression = {compression!r}: expected one of {', '.join(map(repr, CODECS))}")
    name = compression.lower()
    if name not in CODECS or not (name == "none" or pa.Codec.is_available(name)):
        raise ValueError(f"compression = {compression!r}: expected one of {', '.join(map(repr, CODECS))}")
    return name


def _parquet(table: Any, stamp: bytes, **options: Any) -> Any:
    """A Parquet file of a run, in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({STAMP: stamp}), sink, **options)
    return sink.getvalue()


def write(table: Any, at: Location, ids: range, compression: str, dictionaries: bool, stamp: bytes) -> int:
    """Writes the table of a range, and returns the size of the file."""
    data = _parquet(table, stamp, compression=compression, use_dictionary=dictionaries)
    put(at, name_of(ids), data)
    return int(data.size)


def missing(at: Location, run: Iterable[range], stamp: bytes) -> list[range]:
    """The ranges of a run whose file is not in a folder, or is damaged or of another run."""
    there = listed(at)
    found = [ids for ids in run if name_of(ids) in there]
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        whole = pool.map(lambda ids: _whole(at, ids, stamp), found)
        done = {ids.start for ids, one in zip(found, whole, strict=True) if one}
    return [ids for ids in run if ids.start not in done]


def _whole(at: Location, ids: range, stamp: bytes) -> bool:
    """Whether the file of a range has its rows, by its footer and its size."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = name_of(ids)
    size, end = retried(f"reading {at.named(name)}", lambda: _tail(at, name))
    if end[-4:] != MAGIC:
        return False
    try:
        footer = pq.read_metadata(pa.BufferReader(MAGIC + end))
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        columns = [group.column(number) for group in groups for number in range(group.num_columns)]
        data = sum(column.total_compressed_size for column in columns)
    except (OSError, ValueError):  # pyarrow raises either for a damaged footer
        return False
    return (
        size == len(MAGIC) + data + len(end)
        and footer.num_rows == len(ids)
        and (footer.metadata or {}).get(STAMP) == stamp
    )


def _tail(at: Location, name: str) -> tuple[int, bytes]:
    """The size of a file, and what follows the data: the footer, its length and the last bytes."""
    with at.filesystem.open_input_file(at.file(name)) as file:
        size = int(file.size())
        end = bytes(file.read_at(min(size, TAIL), max(0, size - TAIL)))
        length = int.from_bytes(end[-8:-4], "little") + 8
        if len(end) < length <= size:
            end = bytes(file.read_at(length, size - length))
    return size, end[-length:]
