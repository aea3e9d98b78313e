"""Arguments as they cross to the core: arrays by address, options by value, paths as text."""

from __future__ import annotations

import errno
import json
import os
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from . import advice, arrow, memory, running
from .checks import check_int, shown
from .costs import costs
from .dates import from_dates
from .log import logger

Array = npt.NDArray[Any]
PathLike = str | os.PathLike[str]

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(://|::.*://)")  # the second is a chain of fsspec
_PASSWORD = re.compile(r"(://[^/?#\s@:'\"]*:)[^?#\s'\"]*@")  # people paste keys of S3 with the slashes that they have
_OPTION = re.compile(r"([?&][^=&\s]*(?:secret|key|token|password|credential|sig)[^=&\s]*=)[^&\s'\"]*", re.IGNORECASE)
_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


class Arguments:
    """The arguments of a builder: arrays by address, and options. It keeps the arrays alive."""

    def __init__(self, **arrays: npt.ArrayLike) -> None:
        self._kept: dict[str, Array] = {}
        self._spec: dict[str, Any] = {}
        for name, values in arrays.items():
            self._add(name, column(name, values))

    def optional(self, **arrays: npt.ArrayLike | None) -> None:
        """Adds the arrays that are not None. Times that are dates become integers, and their unit an option."""
        for name, values in arrays.items():
            dates = from_dates(name, values) if name == "times" and values is not None else None
            if dates is not None:
                values, self._spec["time_unit"] = dates
            if values is not None:
                self._add(name, column(name, values))

    def options(self, **options: Any) -> None:
        """Adds options."""
        self._spec.update(options)

    def names(self, names: Array | None) -> None:
        """Adds the names of the vertices, integers or text."""
        if names is None:
            return
        if names.dtype.kind in "UO":
            texts = [name.encode() for name in names.tolist()]
            text, ends = b"".join(texts), np.cumsum([0, *map(len, texts)], dtype=np.int64)
            self._add("name_text", np.frombuffer(text, np.uint8))
            self._add("name_offsets", ends)
        else:
            self._add("name_ints", np.ascontiguousarray(names, np.int64))

    def array(self, name: str) -> Array:
        """The array of a name, in the form that the core reads."""
        return self._kept[name]

    def text(self) -> str:
        """The arguments as the core takes them. The arrays live as long as this object."""
        return json.dumps(self._spec)

    def run(self, function: str, edges: str) -> int:
        """Calls the builder; edges names an array with one element per edge."""
        seconds = costs().build_edge * len(self._kept[edges])
        number: int = running.call(function, self.text(), seconds=seconds, label="building")
        logger.debug("%s: built from %d edges", function, len(self._kept[edges]))
        return number

    def _add(self, name: str, array: Array) -> None:
        self._kept[name] = array
        self._spec[name] = memory.described(array)


def column(name: str, values: npt.ArrayLike) -> Array:
    """The values as a contiguous one-dimensional array with a native dtype.

    Raises:
        TypeError, ValueError: they are not such an array.
    """
    refuse_masked(name, values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise TypeError(f"{name}: expected an array of numbers ({error})") from None
    if array.ndim == 0 and array.dtype.kind == "O":  # None, a set, a generator: numpy sees one object
        hint = advice.of_numbers(name, array, values)
        raise TypeError(f"{name}: expected an array of numbers, got {type(values).__name__}{hint}")
    if array.ndim != 1:
        raise ValueError(f"{name}: expected shape (n,), got {array.shape}")
    if array.size == 0 and array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        array = array.astype(np.int64)  # numpy makes an empty list an array of floats
    if array.dtype.kind == "O":
        _refuse_objects(name, array)
    if array.dtype.kind not in "iuf" or array.itemsize > 8:
        hint = advice.of_numbers(name, array, values)
        raise TypeError(f"{name}: expected an array of numbers, got dtype {array.dtype}{hint}")
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return np.ascontiguousarray(array)


def integers(name: str, values: npt.ArrayLike) -> Array:
    """The values as a contiguous array of native integers. An empty list is accepted."""
    refuse_masked(name, values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        why = "its rows differ in length" if "inhomogeneous" in str(error) else error
        raise TypeError(f"{name}: expected an array of ints ({why})") from None
    if array.dtype.kind not in "iu":
        if array.size or array.dtype.kind != "f":
            what = (
                f"{array.dtype} of shape {array.shape}" if array.shape or array.dtype != "O" else type(values).__name__
            )
            if array.ndim == 0 and array.dtype.kind in "SU":
                what = shown(values)
            raise TypeError(f"{name}: expected an array of ints, got {what}{advice.of_integers(name, array, values)}")
        array = array.astype(np.int64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    try:
        return np.asarray(array, order="C")  # ascontiguousarray would make a single vertex an array of one
    except MemoryError as error:
        raise MemoryError(f"{name}: a contiguous copy of its {array.size} elements does not fit: {error}") from None


def integer_kind(array: Array) -> int:
    """The size of an array's integers in bytes, negative if they are signed."""
    return array.itemsize if array.dtype.kind == "u" else -array.itemsize


def vertex_type(vertices: int, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """The type of a result's vertices, for a graph with that many; None: the smallest that has them all."""
    small = vertices < 1 << 31
    if dtype is None:
        return _INT32 if small else _INT64
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype = {dtype!r}: expected int32 or int64") from None
    if wanted not in (_INT32, _INT64):
        raise TypeError(f"dtype = {wanted}: expected int32 or int64")
    if wanted == _INT32 and not small:
        raise ValueError(f"dtype = int32: the graph has {vertices} vertices, expected int64")
    return wanted


def refuse_masked(name: str, values: Any) -> None:
    """Rejects masked elements, since numpy would use the values under the mask, and damaged Arrow data."""
    if type(values).__module__.partition(".")[0] == "pyarrow":
        arrow.checked(name, values)
    if isinstance(values, np.ndarray) and type(values) is not np.ndarray and np.ma.is_masked(values):
        at = int(np.flatnonzero(np.ma.getmaskarray(values))[0])
        raise ValueError(f"{name}[{at}] is masked: expected an array without missing elements")


def _refuse_objects(name: str, array: Array) -> None:
    """Rejects an array of objects, and names the first element that made numpy create one."""
    for i, value in enumerate(array.tolist()):
        if not isinstance(value, (int, float)):
            raise TypeError(f"{name}[{i}] = {value!r}: expected a number{advice.of_element(name, value)}")
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
            raise ValueError(f"{name}[{i}] = {value}: expected a number of at most 64 bits")


def cores() -> int:
    """The number of CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def path_text(path: PathLike) -> str:
    """The path as text that the core can open."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"path = {shown(path)}: expected a str or a Path")
    text = os.fsdecode(path)
    if not text:
        raise ValueError(f"path = {text!r}: expected the name of a file or folder")
    if "\0" in text:
        raise ValueError(f"path = {text!r}: a path has no NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"path = {text!r}: expected a path that is valid UTF-8") from None
    return text


def is_uri(text: str) -> bool:
    """Whether a text is a URI, such as s3://bucket/graph, and not a path."""
    return _URI.match(text) is not None and not os.path.exists(text)


def without_secrets(text: str) -> str:
    """A text for people, without the secrets in the URIs that it has.

    Examples:
        >>> without_secrets("s3://key:secret@bucket/graph?region=here")
        's3://key:***@bucket/graph?region=here'
    """
    return _OPTION.sub(r"\1***", _PASSWORD.sub(r"\1***@", text))


def output_text(path: PathLike) -> str:
    """The path of a file or folder to write, as text that the core can open.

    Raises:
        FileNotFoundError: the folder in which it is to be does not exist.
        ValueError: it is a URI.
    """
    text = path_text(path)
    parent = os.path.dirname(os.path.realpath(text))
    if is_uri(text) and not os.path.exists(parent):
        raise ValueError(
            f"path = {without_secrets(text)!r}: it is written on this machine; pass a path, and copy that file "
            "to object storage"
        )
    if not os.path.exists(parent):
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {parent!r}; create it first", text)
    return text


def checked_threads(threads: int | None) -> int:
    """The number of CPU threads to use; None: one per core that this process may use."""
    if threads is not None:
        return min(check_int("threads", threads, 1, 1 << 31), 1 << 12)
    return cores()
