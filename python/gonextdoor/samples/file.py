"""Files of samples: what ``Samples.save`` writes and ``Samples.load`` reads.

A file is an uncompressed .npz archive: one .npy array for each part of the result and ``header``, JSON text in an array
of bytes. Zip's checksums cover every array, and all arrays are checked against each other before a result is made.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import math
import os
import zipfile
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from .. import apps
from .._core import native, npy
from .._core.atomic import replacing
from ..apps import SamplingApp
from ..apps.app import AppProperties
from ..errors import FormatError
from ..graph.nametable import NameTable
from . import filecheck, npzparts
from .arrays import SampleArrays, Saved
from .host import HostResult
from .layers import Layers

if TYPE_CHECKING:
    from .._core.arguments import PathLike
    from ..graph.graph import Graph

__all__ = ["LoadedApp", "load", "save"]

Array = npt.NDArray[Any]
S = TypeVar("S", bound=SampleArrays)

KIND, VERSION = "gonextdoor samples", 1
LAYERS = ("parents", "step_offsets", "step_ends")
LINKS = ("link_offsets", "sources", "targets", "link_edges", "link_values")


class LoadedApp(SamplingApp):
    """The app of samples from a file, if it cannot be constructed from the file: an app with user-defined functions, or
    with arrays. It shows the app's text and knows the shapes of its steps, but cannot sample.
    """

    def __init__(self, text: str, shapes: list[tuple[tuple[int, ...], int]] | None, *, per_step: bool) -> None:
        self.text, self._shapes, self._per_step = text, shapes, per_step

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        if self._shapes is None:
            return super().slots(roots)
        return [shape for shape, count in self._shapes for _ in range(count)]

    def _facts(self, roots: int = 1) -> AppProperties:
        return AppProperties(None, False, None, self._per_step, False, math.inf)

    def _text(self) -> None:
        return None

    def _held(self) -> native.Held:
        raise TypeError(f"{self.text}: this app was loaded with samples and cannot sample; make the app again")

    def __repr__(self) -> str:
        return self.text


def save(samples: SampleArrays, path: PathLike) -> None:
    """Writes the samples to a file, which appears when it is complete."""
    header, arrays = _parts(samples)
    text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
    with replacing(path) as file:
        npzparts.write(file, {"header": text, **arrays})


def _parts(samples: SampleArrays) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header and the arrays of the file."""
    result, names, saved = samples._result, samples._name_table(), samples._saved
    header = {
        "kind": KIND,
        "version": VERSION,
        "seed": samples.seed,
        "first_id": samples.first_id,
        "roots": samples._roots,
        "device": samples.drawn_on,
        "seconds": result.seconds,
        "selector": samples.selector,
        "ragged": samples.ragged,
        "vertices": samples._vertices(),
        "edges": samples.graph.num_edges if saved is None else saved.edges,
        "app": _app_parts(samples),
    }
    arrays: dict[str, Array] = {}
    if samples.ragged:
        arrays |= {"values": samples.values, "offsets": samples.offsets}
    else:
        arrays |= {"vertices": samples.numpy()}
    if samples.has_edges:
        recorded = result.edges
        assert recorded is not None
        arrays["edges"] = recorded
    layers = samples._layers
    if layers is not None:
        arrays |= dict(zip(LAYERS, (layers.parents, layers.ends_from, layers.ends), strict=True))
        if layers.recorded:
            arrays |= dict(zip(LINKS, layers.links(), strict=True))
    if names is not None:
        parts = {"name_ints": names.ints, "name_text": names.text, "name_offsets": names.offsets}
        arrays |= {name: array for name, array in parts.items() if array is not None}
    return header, arrays


def _app_parts(samples: SampleArrays) -> dict[str, Any]:
    """The app as text, with its parameters if they are numbers and words, and the shapes of its steps."""
    app: Any = samples.app
    parts: dict[str, Any] = {"text": repr(app), "per_step": app.per_step(), "shapes": None}
    if not samples.ragged:
        shapes: list[list[Any]] = []
        for shape in app.slots(samples._roots):
            if not shapes or shapes[-1][0] != list(shape):
                shapes.append([list(shape), 0])
            shapes[-1][1] += 1
        parts["shapes"] = shapes
    name = type(app).__name__
    if name in apps.__all__ and type(app) is getattr(apps, name) and dataclasses.is_dataclass(app):
        fields = {f.name: getattr(app, f.name) for f in dataclasses.fields(app) if f.init}
        with contextlib.suppress(TypeError, ValueError):  # an array, a function
            parts |= {"name": name, "fields": json.loads(json.dumps(fields, allow_nan=False))}
    return parts


def load(kind: type[S], path: PathLike, graph: Graph | None) -> S:
    """Reads a file that ``save`` wrote, checked in full.

    Raises:
        OSError: the file cannot be read.
        FormatError: it is damaged, or is not a file of samples.
        ValueError: the samples are of another graph.
    """
    with open(npy.opened(path), "rb") as file:
        try:
            header, arrays = _read(file)
            return _made(kind, header, arrays, graph)
        except (MemoryError, _OtherGraph):
            raise
        except OSError as error:
            if error.errno == errno.EINVAL:  # an offset before the file's beginning
                raise FormatError(f"{os.fspath(path)}: the file is damaged ({error})") from None
            if error.errno is not None and error.filename is None:
                error.filename = os.fspath(path)
            raise
        except FormatError as error:
            raise FormatError(f"{os.fspath(path)}: {error}") from None
        except Exception as error:  # zipfile and numpy raise a dozen classes for damaged bytes
            raise FormatError(f"{os.fspath(path)}: the file is damaged ({type(error).__name__}: {error})") from None


class _OtherGraph(ValueError):
    """Raised if the given graph is not the one that was sampled."""


def _read(file: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    if not zipfile.is_zipfile(file):
        raise FormatError("expected a file that Samples.save wrote; this is not a complete .npz archive")
    file.seek(0)
    arrays = npzparts.read(file)
    text = arrays.pop("header", None)
    header = None if text is None or text.dtype != np.uint8 else json.loads(text.tobytes())
    if not isinstance(header, dict) or header.get("kind") != KIND:
        raise FormatError("expected a file that Samples.save wrote; this archive has no header of samples")
    if header.get("version") != VERSION:
        raise FormatError(f"the file has version {header.get('version')!r}, but this gonextdoor reads {VERSION}")
    filecheck.check(header, arrays)
    return header, arrays


def _made(kind: type[S], header: dict[str, Any], arrays: dict[str, Array], graph: Graph | None) -> S:
    size = header["vertices"], header["edges"]
    if graph is not None and (graph.num_vertices, graph.num_edges) != size:
        raise _OtherGraph(
            f"graph: expected the graph that was sampled, with {size[0]} vertices and {size[1]} edges; "
            f"got {graph.num_vertices} and {graph.num_edges}"
        )
    names = None
    if "name_ints" in arrays or "name_offsets" in arrays:
        names = NameTable(arrays.get("name_ints"), arrays.get("name_text"), arrays.get("name_offsets"))
    layers = None
    if "parents" in arrays:
        layers = Layers(*(arrays.get(name) for name in (*LAYERS, *LINKS)))  # type: ignore[arg-type]
    values = arrays["values" if header["ragged"] else "vertices"]
    result = HostResult(values, arrays.get("offsets"), arrays.get("edges"), layers, float(header["seconds"]))
    saved = Saved(header["vertices"], header["edges"], header["selector"], names)
    return kind(
        graph,
        _app(header["app"]),
        result,
        roots=header["roots"],
        seed=header["seed"],
        first_id=header["first_id"],
        device=header["device"],
        dtype=values.dtype,
        saved=saved,
    )


def _app(parts: dict[str, Any]) -> SamplingApp:
    """The app that the samples were drawn by; a LoadedApp if the file does not determine it."""
    if parts.get("name") in apps.__all__:
        with contextlib.suppress(TypeError, ValueError):  # parameters of another version
            app: SamplingApp = getattr(apps, parts["name"])(**parts["fields"])
            if repr(app) == parts["text"]:
                return app
    shapes = None if parts["shapes"] is None else [(tuple(shape), count) for shape, count in parts["shapes"]]
    return LoadedApp(parts["text"], shapes, per_step=parts["per_step"])
