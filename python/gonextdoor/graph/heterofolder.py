"""The folder of a heterogeneous graph: the folder of each relation's graph, the times of vertices, and a record."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import native, npy
from .._core.atomic import replacing
from ..errors import FormatError

__all__ = ["RECORD", "HeteroRecord", "has_record", "read_record", "relation_folder", "times_file", "writing"]

RECORD = "hetero.json"

Relations = Sequence[tuple[str, str, str]]


class HeteroRecord(NamedTuple):
    """The record of a folder.

    Attributes:
        parts: the parts of each relation's graph; 0: the graphs are not partitioned.
        num_vertices: by type.
        relations: the folder of each relation, by (source type, name, destination type).
        edges: the number of edges of each relation.
        times: the times of the vertices of those types that have any, int64; None if no type has times.
        time_unit: of times that were dates, or None.
    """

    parts: int
    num_vertices: dict[str, int]
    relations: dict[tuple[str, str, str], str]
    edges: list[int]
    times: dict[str, npt.NDArray[np.int64]] | None
    time_unit: str | None


def relation_folder(number: int) -> str:
    """The name of the folder of a relation."""
    return f"relation-{number:05d}"


def times_file(number: int) -> str:
    """The name of the file with the times of the vertices of a type."""
    return f"times-{number:05d}.npy"


def has_record(folder: str) -> bool:
    """Whether a folder has a heterogeneous graph."""
    return os.path.exists(os.path.join(folder, RECORD))


def read_record(folder: str) -> HeteroRecord:
    """Reads the record of a folder. The core compares it with the records of the relations and with the times.

    Raises:
        OSError: a file cannot be read.
        FormatError: it is not the folder of a heterogeneous graph, or a part of it is missing or another one.
    """
    found = json.loads(native.call("HeteroRecord", folder))
    times = {}
    for number, kind in enumerate(found["types"]):
        if not kind["times"]:
            continue
        path = os.path.join(folder, times_file(number))
        values = npy.load(path)
        if values.dtype != np.int64 or values.shape != (kind["vertices"],):
            raise FormatError(f"{path}: {values.dtype} of shape {values.shape}, expected int64 ({kind['vertices']},)")
        times[kind["name"]] = values
    relations = {
        (one["source"], one["name"], one["destination"]): os.path.join(folder, relation_folder(number))
        for number, one in enumerate(found["relations"])
    }
    counts = {kind["name"]: kind["vertices"] for kind in found["types"]}
    edges = [one["edges"] for one in found["relations"]]
    return HeteroRecord(found["parts"], counts, relations, edges, times or None, found.get("time_unit"))


@contextlib.contextmanager
def writing(
    folder: str,
    num_vertices: Mapping[str, int],
    relations: Relations,
    times: Mapping[str, npt.NDArray[np.int64]] | None,
    time_unit: str | None = None,
) -> Iterator[list[str]]:
    """Yields the paths to which the graphs of the relations are to be saved. When the block ends without an error, the
    folder appears, or replaces an older graph, in one step.

    Raises:
        ValueError: the folder exists and is not that of a graph.
        OSError: it cannot be written.
    """
    number = native.call("HeteroWriterNew", folder)
    try:
        inside = native.call("HeteroWriterPath", number)
        yield [os.path.join(inside, relation_folder(i)) for i in range(len(relations))]
        for i, name in enumerate(num_vertices):
            if times is not None and name in times:
                with replacing(os.path.join(inside, times_file(i))) as file:
                    np.save(file, times[name])
        record = {
            "types": [{"name": name, "vertices": count} for name, count in num_vertices.items()],
            "relations": [{"source": s, "name": name, "destination": d} for s, name, d in relations],
            "time_unit": time_unit or "",
        }
        native.call("HeteroWriterCommit", number, json.dumps(record))
    finally:
        native.call("DropHeteroWriter", number)
