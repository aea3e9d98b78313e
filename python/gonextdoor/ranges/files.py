"""The files of a run: one per range, named after its first id, and a manifest."""

from __future__ import annotations

import contextlib
import json
import secrets
from typing import Any

from .._core.atomic import replacing
from ..errors import FormatError
from ..storage.location import Location
from ..storage.reading import content, retried

__all__ = ["MANIFEST", "begin", "listed", "name_of", "write"]

MANIFEST = "_gonextdoor.json"  # readers of Parquet ignore names that begin with "_" or "."
LARGEST = 1 << 20  # bytes of a manifest
WHOLE = ("s3", "gcs", "abfs")  # file systems of pyarrow in which a file appears when it is closed

_Facts = dict[str, Any]


def name_of(ids: range) -> str:
    """The name of the file of a range."""
    return f"{ids.start:020d}.parquet"


def listed(at: Location) -> set[str]:
    """The names of the files in a folder; empty if it does not exist."""
    from pyarrow import fs

    selector = fs.FileSelector(at.path, allow_not_found=True)
    found = retried(f"listing {at.uri}", lambda: at.filesystem.get_file_info(selector))
    return {info.base_name for info in found if info.type == fs.FileType.File}


def begin(at: Location, facts: _Facts, resume: bool) -> None:
    """Begins to write to a folder, or continues.

    Raises:
        FileExistsError: it has files of a run, and resume is False.
        ValueError: it has files of another run.
        FormatError: its manifest is damaged.
    """
    found = manifest(at)
    if found is not None and not resume:
        raise FileExistsError(
            f"path = {at.uri!r}: the folder has a run already; pass resume=True to write what is "
            "missing, or another path"
        )
    if found is not None:
        for name in [*facts, *found]:
            if found.get(name) != facts.get(name):
                raise ValueError(
                    f"path = {at.uri!r}: the folder has another run, with {name} = {found.get(name)!r} instead of "
                    f"{facts.get(name)!r}; pass the same arguments, or another path"
                )
        return
    if any(name.endswith(".parquet") for name in listed(at)):
        raise FileExistsError(f"path = {at.uri!r}: the folder has Parquet files of something else; pass another path")
    text = json.dumps(facts, indent=1).encode()
    _put(at, MANIFEST, text)


def manifest(at: Location) -> _Facts | None:
    """The facts of the run whose files are in a folder; None if there is none."""
    try:
        text = content(at, MANIFEST, LARGEST)
    except FileNotFoundError:
        return None
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise FormatError(f"{at.named(MANIFEST)}: {error}") from error
    if not isinstance(found, dict):
        raise FormatError(f"{at.named(MANIFEST)}: expected an object of JSON")
    return found


def write(table: Any, at: Location, ids: range, compression: str) -> int:
    """Writes the table of a range, and returns the size of the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression=compression)
    data = sink.getvalue()
    _put(at, name_of(ids), data)
    return int(data.size)


def _put(at: Location, name: str, data: Any) -> None:
    """Writes a file that appears under its name when it is complete."""
    system = at.filesystem
    if not _keeps_no_folders(system):
        retried(f"creating {at.uri}", lambda: system.create_dir(at.path, recursive=True))
    if at.local:
        with replacing(at.file(name)) as file:
            file.write(data)
        return

    def put() -> None:
        to = at.file(name) if system.type_name in WHOLE else at.file(f".{name}.{secrets.token_hex(4)}.tmp")
        try:
            with system.open_output_stream(to) as file:
                file.write(data)
            if to != at.file(name):
                system.move(to, at.file(name))
        except BaseException:
            if to != at.file(name):
                with contextlib.suppress(Exception):
                    system.delete_file(to)
            raise

    retried(f"writing {at.named(name)}", put)


def _keeps_no_folders(system: Any) -> bool:
    """Whether the file system has no folders that must exist before their files."""
    return system.type_name in ("s3", "gcs")
