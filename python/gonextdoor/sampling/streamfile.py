"""The folder of a stream: ``stream.json``, the graph, and the samples.

The graph is in the folder ``graph`` and the samples are in the file ``samples.npz``, as ``Graph.save`` and
``Samples.save`` write them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.adapters import adapter
from .._core.arguments import is_uri, path_text, without_secrets
from .._core.atomic import creating_folder, output_folder
from ..apps import SamplingApp
from ..apps.digests import digests
from ..errors import DeviceError, FormatError, warn
from ..graph.batches import TableColumns
from ..graph.graph import Graph
from ..samples.file import LoadedApp
from ..samples.samples import Samples
from .sample import sampled
from .updated import call_of

if TYPE_CHECKING:
    from .._core.arguments import PathLike

__all__ = ["StreamState", "opened", "save"]

KIND, VERSION = "gonextdoor stream", 1
RECORD, GRAPH, SAMPLES = "stream.json", "graph", "samples.npz"
ROOTS = ("every", "random", "given")  # as in Call.asked
LEAST, END = -(1 << 63), 1 << 63  # of times


@dataclasses.dataclass(frozen=True)
class StreamState:
    """What a stream has beside its samples and their graph; see ``gonextdoor.stream`` and ``gonextdoor.Stream``.

    Attributes:
        columns: those of the first table; None: there was no table yet.
    """

    window: int | None
    symmetric: bool
    names: bool | None
    batches: int
    newest: int | None
    columns: TableColumns | None


def save(samples: Samples, state: StreamState, folder: PathLike) -> None:
    """Writes a stream to a folder, which appears when it is complete."""
    assert samples._asked is not None
    roots, copies = samples._asked
    columns = None if state.columns is None else state.columns.names
    record = {
        "kind": KIND, "version": VERSION, **dataclasses.asdict(state), "columns": columns, "roots": roots,
        "repeat": copies, "dtype": samples._dtype.name, "device": samples.device, "app": digests(samples.app),
    }  # fmt: skip
    with output_folder("folder", folder, RECORD) as path, creating_folder(path) as inside:
        samples.graph.save(os.path.join(inside, GRAPH))
        samples.save(os.path.join(inside, SAMPLES))
        with open(os.path.join(inside, RECORD), "w") as file:
            json.dump(record, file)
            file.flush()
            os.fsync(file.fileno())


def opened(folder: PathLike, app: SamplingApp | None) -> tuple[Samples, StreamState]:
    """The samples and the state of a stream that was saved.

    Raises:
        OSError: the folder cannot be read.
        FormatError: it is not the folder of a stream, or is damaged.
        TypeError, ValueError: app is not the app of the stream, or is None and the folder does not determine it.
    """
    path = path_text(folder)
    here = contextlib.nullcontext((path, os.path.join(path, GRAPH)))
    with adapter("fetching")(path, RECORD, [SAMPLES], GRAPH) if is_uri(path) else here as (inside, graph):
        samples, record, state = _read(inside, graph, app)
    if record["device"] == "cpu":
        return samples, state
    # Samples on GPUs stay there, so they are made again on these.
    samples.device = record["device"]
    try:
        return sampled(call_of(samples, samples.graph)), state
    except DeviceError as error:
        path = without_secrets(path)
        warn(f"{path}: the samples were on {record['device']}, and are now in host memory: {error}")
        samples.device = "cpu"
        return samples, state


def _read(path: str, graph_folder: str, app: SamplingApp | None) -> tuple[Samples, dict[str, Any], StreamState]:
    """The samples in host memory, stream.json, and the state of a stream.

    Raises:
        OSError, FormatError, TypeError, ValueError: as ``opened``.
    """
    record, state = _record(path)
    graph = Graph.open(graph_folder)
    try:
        loaded = Samples.load(os.path.join(path, SAMPLES), graph=graph)
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"{path}: the samples are of another graph ({error})") from None
    _check_graph(path, record, state, loaded)
    samples = Samples(
        graph, _app(path, record["app"], loaded.app, app), loaded._result, roots=loaded._roots, seed=loaded.seed,
        first_id=loaded.first_id, device="cpu", dtype=np.dtype(record["dtype"]),
        asked=(record["roots"], record["repeat"]),
    )  # fmt: skip
    return samples, record, state


def _app(path: str, stored: dict[str, str], found: SamplingApp, given: SamplingApp | None) -> SamplingApp:
    """The app of a stream, as the file of the samples has it or as the caller gave it."""
    if given is None:
        if isinstance(found, LoadedApp):
            raise ValueError(f"{path}: the folder does not determine the app of the stream, {found}; pass it as app=")
        return found
    if not isinstance(given, SamplingApp):
        raise TypeError(f"app: expected the app of the stream, {found}, got {type(given).__name__}")
    if repr(given) != repr(found):
        raise ValueError(f"app = {given}: expected the app of the stream, {found}")
    for name, digest in digests(given).items():
        if stored.get(name) != digest:
            kind, name = name.split(" ", 1)
            what = "the function" if kind == "hook" else "the array"
            raise ValueError(f"app = {given}: {what} {name} is not that of the stream; pass the same app")
    return given


def _record(path: str) -> tuple[dict[str, Any], StreamState]:
    """Reads stream.json, and checks the type of each entry."""
    name = os.path.join(path, RECORD)
    try:
        with open(name, "rb") as file:
            record = json.load(file)
    except FileNotFoundError:
        if not os.path.isdir(path):
            raise
        raise FormatError(f"{path}: expected a folder that Stream.save wrote; it has no {RECORD}") from None
    except ValueError as error:
        raise FormatError(f"{name}: the file is damaged ({error})") from None
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise FormatError(f"{name}: expected a file that Stream.save wrote")
    if record.get("version") != VERSION:
        raise FormatError(
            f"{name}: the stream has version {record.get('version')!r}, but this gonextdoor reads {VERSION}"
        )
    missing = {"window", "names", "newest", "columns"} - record.keys()  # of those that may be null
    if missing:
        raise FormatError(f"{name}: the file is damaged: it has no {min(missing)}")
    columns, app = record["columns"], record.get("app")
    rules = {
        "window": record["window"] is None or _whole(record["window"], 0, END),
        "symmetric": type(record.get("symmetric")) is bool,
        "names": record["names"] is None or type(record["names"]) is bool,
        "batches": _whole(record.get("batches"), 0, END),
        "newest": record["newest"] is None or _whole(record["newest"], LEAST, END),
        "columns": columns is None or (isinstance(columns, list) and [*map(type, columns)] == [str] * 5),
        "roots": record.get("roots") in ROOTS,
        "repeat": _whole(record.get("repeat"), 1, END),
        "dtype": record.get("dtype") in ("int32", "int64"),
        "device": isinstance(record.get("device"), str),
        "app": isinstance(app, dict) and {*map(type, app.values())} <= {str},
    }
    for entry, right in rules.items():
        if not right:
            raise FormatError(f"{name}: the file is damaged: {entry} = {record.get(entry)!r}")
    facts = {field.name: record[field.name] for field in dataclasses.fields(StreamState)}
    return record, StreamState(**facts | {"columns": None if columns is None else TableColumns(tuple(columns))})


def _whole(value: Any, least: int, end: int) -> bool:
    return type(value) is int and least <= value < end


def _check_graph(path: str, record: dict[str, Any], state: StreamState, samples: Samples) -> None:
    """Compares stream.json with the graph and the samples."""
    times, copies = samples.graph.times, record["repeat"]
    if len(samples) % copies or (record["roots"] == "every" and len(samples) != copies * samples.graph.num_vertices):
        raise FormatError(f"{path}: the folder has {len(samples)} samples, and {copies} of each root")
    newest = None if times is None or not len(times) else int(times.max())
    if newest is not None and (state.newest is None or state.newest < newest):
        raise FormatError(f"{path}: the newest edge has the time {newest}, but {RECORD} has {state.newest}")
    if times is None and (state.newest is not None or state.window is not None):
        raise FormatError(f"{path}: {RECORD} has times, but the graph has none")
