"""Delta tables: which Parquet files of a folder the newest version has, by the log in its folder ``_delta_log``."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from ..errors import FormatError

__all__ = ["DeltaLogs"]

LOG = "_delta_log"
COMMIT = re.compile(r"(\d{20})\.json")
CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.\d{10}\.(\d{10})|\.[0-9a-f-]{36})?\.(?:parquet|json)")
FIELDS = [
    "add.path", "add.deletionVector", "sidecar.path", "protocol.readerFeatures", "metaData.configuration",
]  # fmt: skip
# Features of tables whose files are read as they are. columnMapping and deletionVectors are checked apart.
FEATURES = {
    "columnMapping", "deletionVectors", "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint",
    "vacuumProtocolCheck",
}  # fmt: skip

Files = list[tuple[Any, str]]  # each a file system, or None for this machine's, and a path


class DeltaLogs:
    """The logs of the tables that files belong to. Each is read once."""

    def __init__(self) -> None:
        self._logs: dict[tuple[str, str], _Log | None] = {}  # by the kind of file system and the folder

    def named(self, files: Files) -> Files:
        """Files that the caller named, possibly of an older version.

        Raises:
            FormatError: the newest version of a table deletes rows of one that are still in the file.
        """
        for system, path in files:
            log, name = self._log_of(system, path)
            if log is not None and log.files.get(name):
                raise _deleted(path, log)
        return files

    def current(self, files: Files, folder: str | None) -> Files:
        """The files of a folder or a glob that the newest versions of their tables have, and those of no table.

        Args:
            files: all of them.
            folder: the folder, whose tables must be complete; None: they are those of a glob.

        Raises:
            FormatError: the files of a table alone are not its rows, or one is missing.
        """
        kept, names = [], dict[_Log, set[str]]()
        for system, path in files:
            log, name = self._log_of(system, path)
            if log is not None:
                log.check()
                names.setdefault(log, set()).add(name)
                if log.files.get(name):
                    raise _deleted(path, log)
            if log is None or name in log.files:
                kept.append((system, path))
        if folder is None:
            return kept
        for log, found in names.items():
            within = _absolute(files[0][0], folder).rstrip("/") + "/"
            missing = [name for name in log.files if name not in found and f"{log.folder}/{name}".startswith(within)]
            if missing:
                raise FormatError(f"{log.folder}: the Delta table has the file {missing[0]!r}, which is not there")
        return kept

    def _log_of(self, system: Any, path: str) -> tuple[_Log | None, str]:
        """The log of a file's table, and the path of the file in the table; None if it is of no table."""
        whole = _absolute(system, path)
        folder = os.path.dirname(whole)
        log = self._log_above(system, folder)
        return log, "" if log is None else whole[len(log.folder) :].lstrip("/")

    def _log_above(self, system: Any, folder: str) -> _Log | None:
        """The log of a folder, or of the nearest one above it."""
        key = ("" if system is None else system.type_name, folder)
        if key not in self._logs:
            above = os.path.dirname(folder)
            if _has_log(system, folder):
                self._logs[key] = _Log(system, folder)
            else:
                self._logs[key] = self._log_above(system, above) if above not in ("", folder) else None
        return self._logs[key]


def _absolute(system: Any, path: str) -> str:
    return os.path.abspath(path) if system is None else path


def _has_log(system: Any, folder: str) -> bool:
    """Whether a folder is that of a Delta table. One that may not be listed is taken for an ordinary folder."""
    if system is None:
        return os.path.isdir(os.path.join(folder, LOG))
    from pyarrow import fs

    with contextlib.suppress(OSError):
        return bool(system.get_file_info(f"{folder}/{LOG}").type == fs.FileType.Directory)
    return False


def _deleted(path: str, log: _Log) -> FormatError:
    return FormatError(
        f"{path}: the Delta table {log.folder} has a deletion vector for this file: rows that are deleted are still in "
        "it; rewrite the table first, such as by Spark's REORG TABLE ... APPLY (PURGE)"
    )


class _Log:
    """The newest version of a table.

    Attributes:
        folder: of the table.
        files: its files, by their paths in the folder, and whether rows of them are deleted.
    """

    def __init__(self, system: Any, folder: str) -> None:
        from pyarrow import fs

        self._system, self.folder = fs.LocalFileSystem() if system is None else system, folder
        self._features: list[str] = []
        self._mapping = "none"
        found: set[tuple[str, str]] = set()  # paths and deletion vectors
        for name in self._needed():
            actions = list(self._actions(f"{folder}/{LOG}/{name}"))
            for action in actions:
                self._describe(action)
            # Removals are first: a commit that deletes rows removes and adds one path.
            found -= {_entry(action["remove"]) for action in actions if action.get("remove")}
            found |= {_entry(action["add"]) for action in actions if action.get("add")}
        self.files = {path: bool(vector) for path, vector in sorted(found)}

    def check(self) -> None:
        """Checks that the rows of the files are those of the table, under the names of the table.

        Raises:
            FormatError: they are not.
        """
        unknown = sorted(set(self._features) - FEATURES)
        if unknown or self._mapping != "none":
            why = f"needs {unknown[0]!r}" if unknown else "has other names of columns in its files (column mapping)"
            raise FormatError(
                f"{self.folder}: the Delta table {why}, which read does not support; pass the list of its files as "
                "deltalake's file_uris() returns it, if their rows are those of the table"
            )

    def _needed(self) -> list[str]:
        """The files of the log that make the newest version, in order: the last checkpoint, and what follows it."""
        from pyarrow import fs

        inside = self._system.get_file_info(fs.FileSelector(f"{self.folder}/{LOG}"))
        names = sorted(info.base_name for info in inside if info.is_file)
        commits = {int(match[1]): name for name in names if (match := COMMIT.fullmatch(name))}
        pieces: dict[tuple[int, int], list[str]] = {}  # of checkpoints, by version and number of pieces
        for name in names:
            if match := CHECKPOINT.fullmatch(name):
                pieces.setdefault((int(match[1]), int(match[2] or 1)), []).append(name)
        complete = [(version, files) for (version, count), files in pieces.items() if len(files) >= count]
        last, checkpoint = max(complete, default=(-1, []))
        newest = max(commits, default=last)
        missing = sorted(set(range(last + 1, newest + 1)) - commits.keys())
        if missing or newest < 0:
            raise FormatError(f"{self.folder}/{LOG}: the log of the Delta table lacks version {[*missing, 0][0]}")
        return checkpoint + [commits[version] for version in range(last + 1, newest + 1)]

    def _actions(self, path: str) -> Iterator[dict[str, Any]]:
        """The actions of a file of the log, and those of the files that a checkpoint lists."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with self._system.open_input_file(path) as file:
                if path.endswith(".json"):
                    actions = [json.loads(line) for line in file.read().splitlines() if line.strip()]
                else:
                    actions = pq.ParquetFile(file).read(columns=FIELDS).to_pylist()
        except (pa.ArrowException, ValueError) as error:
            raise FormatError(f"{path}: the log of the Delta table is damaged: {error}") from error
        for action in actions:
            yield action
            if action.get("sidecar"):
                yield from self._actions(f"{self.folder}/{LOG}/_sidecars/{unquote(action['sidecar']['path'])}")

    def _describe(self, action: dict[str, Any]) -> None:
        """Notes what the table needs of its readers."""
        if action.get("protocol"):
            self._features = action["protocol"].get("readerFeatures") or []
        if action.get("metaData"):
            self._mapping = dict(action["metaData"].get("configuration") or {}).get("delta.columnMapping.mode", "none")


def _entry(action: dict[str, Any]) -> tuple[str, str]:
    """The path of a file, and its deletion vector as text; empty if there is none."""
    vector = action.get("deletionVector")
    name = f"{vector['storageType']}{vector['pathOrInlineDv']}@{vector.get('offset')}" if vector else ""
    return unquote(action["path"]), name
