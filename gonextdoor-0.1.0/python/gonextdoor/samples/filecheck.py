"""Checks of a file of samples: the type, length and range of every array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import FormatError

__all__ = ["check", "names"]

Array = npt.NDArray[Any]

I4, I8 = ("int32",), ("int64",)


def check(header: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Checks the header and all arrays of a file.

    Raises:
        FormatError: something is missing, is of the wrong type or contradicts the rest; the text names it.
    """
    _header(header)
    ragged, vertices = header["ragged"], header["vertices"]
    if ragged:
        values = _taken(arrays, "values", ("int32", "int64"), 1)
        offsets = _offsets(arrays, "offsets", len(values))
        lengths = np.diff(offsets)
        if len(lengths) and int(lengths.min()) < header["roots"]:
            raise FormatError(f"offsets: a sample has fewer than its {header['roots']} roots")
    else:
        values = _taken(arrays, "vertices", ("int32", "int64"), 2)
        slots = sum(math.prod(shape) * count for shape, count in header["app"]["shapes"])
        if values.shape[1] != header["roots"] + slots:
            raise FormatError(f"vertices has shape {values.shape}: expected {header['roots'] + slots} columns")
    _within("values" if ragged else "vertices", values, 0 if ragged else -1, vertices)
    if header["first_id"] + (len(offsets) - 1 if ragged else len(values)) > 1 << 64:
        raise FormatError("first_id: the ids of the samples exceed 64 bits")
    if "edges" in arrays:
        edges = _taken(arrays, "edges", I8, values.ndim)
        expected = values.shape if ragged else (len(values), values.shape[1] - header["roots"])
        if edges.shape != expected:
            raise FormatError(f"edges has shape {edges.shape}: expected {expected}")
        _within("edges", edges, -1, None)
    if {"parents", "step_offsets", "step_ends", "link_offsets"} & set(arrays):
        if not ragged:
            raise FormatError("samples of one width have steps of different sizes")
        _layers(arrays, offsets)
    names(arrays, vertices)


def _header(header: dict[str, Any]) -> None:
    word, count = 1 << 64, 1 << 62
    for name, most in (("seed", word), ("first_id", word), ("roots", count), ("vertices", 1 << 32), ("edges", count)):
        value = header.get(name)
        if type(value) is not int or not 0 <= value < most:
            raise FormatError(f"header: {name} = {value!r} is not an int from 0 to {most - 1}")
    for name, kind in (("device", str), ("selector", str), ("ragged", bool), ("app", dict)):
        if not isinstance(header.get(name), kind):
            raise FormatError(f"header: {name} = {header.get(name)!r} is not a {kind.__name__}")
    seconds = header.get("seconds")
    if not isinstance(seconds, (int, float)) or not 0 <= seconds < math.inf:
        raise FormatError(f"header: seconds = {seconds!r} is not a duration")
    app = header["app"]
    if not isinstance(app.get("text"), str) or not isinstance(app.get("per_step"), bool):
        raise FormatError("header: app has no text")
    if ("name" in app and not isinstance(app["name"], str)) or not isinstance(app.get("fields", {}), dict):
        raise FormatError("header: app has a wrong name or fields")
    if header["ragged"] != (app.get("shapes") is None):
        raise FormatError("header: app has shapes of its steps if and only if all samples have one width")
    for step in app["shapes"] or []:
        if not (isinstance(step, list) and len(step) == 2 and isinstance(step[0], list)):
            raise FormatError(f"header: {step!r} is not a shape of steps and their number")
        if not all(type(n) is int and 0 < n < 1 << 31 for n in [*step[0], step[1]]) or len(step[0]) > 32:
            raise FormatError(f"header: {step!r} is not a shape of steps and their number")


def _layers(arrays: dict[str, Array], offsets: Array) -> None:
    """The steps and recorded edges of layered samples."""
    lengths = np.diff(offsets)
    each = np.repeat(lengths, lengths)  # for each vertex, the length of its sample
    parents = _taken(arrays, "parents", I4, 1, len(each))
    _within("parents", parents, -1, each)
    ends = _taken(arrays, "step_ends", I4, 1)
    begins = _offsets(arrays, "step_offsets", len(ends), len(offsets))
    steps = np.diff(begins)
    if len(steps) and int(steps.min()) < 1:
        raise FormatError("step_offsets: a sample has no steps, not even that of its roots")
    _within("step_ends", ends, 0, np.repeat(lengths, steps) + 1)
    first = np.zeros(len(ends), bool)
    first[begins[:-1]] = True
    if len(ends) and bool((np.diff(ends, prepend=0)[~first] < 0).any()):
        raise FormatError("step_ends decreases within a sample")
    if bool((ends[begins[1:] - 1] != lengths).any()):
        raise FormatError("step_ends: the last step does not end with its sample")
    if "link_offsets" not in arrays:
        return
    sources = _taken(arrays, "sources", I4, 1)
    links = np.repeat(lengths, np.diff(_offsets(arrays, "link_offsets", len(sources), len(offsets))))
    _within("sources", sources, 0, links)
    _within("targets", _taken(arrays, "targets", I4, 1, len(links)), 0, links)
    _within("link_edges", _taken(arrays, "link_edges", I8, 1, len(links)), -1, None)
    _taken(arrays, "link_values", ("float64",), 1, len(links))


def names(arrays: dict[str, Array], vertices: int) -> None:
    """Checks the names of vertices.

    Raises:
        FormatError: they are of the wrong type or number, or no text.
    """
    if "name_ints" in arrays:
        _taken(arrays, "name_ints", I8, 1, vertices)
    elif "name_offsets" in arrays or "name_text" in arrays:
        text = _taken(arrays, "name_text", ("uint8",), 1)
        offsets = _offsets(arrays, "name_offsets", len(text), vertices + 1)
        try:
            text.tobytes().decode()
        except UnicodeDecodeError as error:
            raise FormatError(f"name_text is not UTF-8 ({error})") from None
        begins = text[offsets[:-1][offsets[:-1] < len(text)]]
        if bool(((begins & 0xC0) == 0x80).any()):
            raise FormatError("name_offsets: a name begins within a character")


def _taken(arrays: dict[str, Array], name: str, dtypes: tuple[str, ...], rank: int, length: int | None = None) -> Array:
    array = arrays.get(name)
    if array is None:
        raise FormatError(f"the file has no array {name!r}")
    if array.dtype.name not in dtypes or not array.dtype.isnative or array.ndim != rank:
        raise FormatError(f"{name} is {array.dtype} of {array.ndim} dimensions: expected {' or '.join(dtypes)}")
    if length is not None and len(array) != length:
        raise FormatError(f"{name} has {len(array)} elements: expected {length}")
    return array


def _offsets(arrays: dict[str, Array], name: str, end: int, length: int | None = None) -> Array:
    """Checks offsets into an array of ``end`` elements."""
    offsets = _taken(arrays, name, I8, 1, length)
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != end or bool((np.diff(offsets) < 0).any()):
        raise FormatError(f"{name}: expected offsets that ascend from 0 to {end}")
    return offsets


def _within(name: str, array: Array, least: int, most: int | Array | None) -> None:
    """Refuses elements below least, or not below most."""
    wrong = array < least
    if most is not None:
        wrong |= array >= most
    if bool(wrong.any()):
        at = np.unravel_index(int(np.argmax(wrong)), array.shape)
        raise FormatError(f"{name}[{', '.join(map(str, at))}] = {array[at]} is out of range")
