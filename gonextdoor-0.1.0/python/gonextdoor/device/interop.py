"""GPU arrays of other libraries as roots, through DLPack or ``__cuda_array_interface__``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import memory, native
from ..errors import DeviceError
from .devices import named

__all__ = [
    "DEFAULT",
    "DeviceIntegers",
    "DeviceView",
    "HeldRoots",
    "fetched",
    "integers_on",
    "lying",
    "on_gpu",
    "roots_of",
    "writable_on",
]

CUDA = 2  # DLPack's number of the device
DEFAULT = 1  # the legacy default stream, by its handle


class DeviceView(NamedTuple):
    """An array on a GPU.

    Attributes:
        address: the address of the first element.
        shape: the shape of the array.
        strides: the strides in elements.
        kind: NumPy's kind of the elements, or "bfloat".
        size: bytes of an element.
        stream: the array is complete after the work queued on this stream.
        owner: keeps the memory.
        read_only: whether its owner forbids writing.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: str
    size: int
    stream: int
    owner: object
    read_only: bool

    @property
    def contiguous(self) -> bool:
        """Whether the elements are stored one after another, the last dimension first."""
        dense = _dense(self.shape, 1)
        return all(n < 2 or a == b for n, a, b in zip(self.shape, self.strides, dense, strict=True))


def on_gpu(array: Any) -> int | None:
    """The number of the GPU whose memory holds an array of another library, or None."""
    if isinstance(array, (np.ndarray, list, tuple, int)) or array is None:
        return None
    if hasattr(array, "__dlpack_device__"):
        try:
            kind, id = array.__dlpack_device__()
        except (BufferError, TypeError, ValueError, NotImplementedError):
            return None  # DLPack has no such elements, for example text of pyarrow
        return int(id) if kind == CUDA else None
    if hasattr(array, "__cuda_array_interface__"):
        return _device_of(array)
    return None


def lying(arrays: Iterable[Any]) -> tuple[int, ...]:
    """The GPU of the first array that is in GPU memory; empty, the CPU, if there is none."""
    for array in arrays:
        device = None if type(array) is np.ndarray else on_gpu(array)
        if device is not None:
            return (device,)
    return ()


def fetched(name: str, array: Any, graph: int, on: tuple[int, ...]) -> Any:
    """Seeds for a GPU, in host memory: those in GPU memory are checked there and copied, others are unchanged.

    Raises:
        IndexError: one of them is not a vertex of the graph.
        TypeError, ValueError: they are no integers, or on another device.
    """
    device = on_gpu(array)
    if device is None:
        return array
    if device not in on:
        where = named(on)
        raise ValueError(
            f"{name}: expected an array in this machine's memory or on device={where!r}, got one on cuda:{device}"
        )
    try:
        roots, _, width = roots_of(graph, array, device)
    except (IndexError, TypeError, ValueError) as error:
        raise type(error)(str(error).replace("roots", name, 1)) from None
    if width != 1:
        raise ValueError(f"{name}: expected shape (n,), got (n, {width})")
    return roots.numpy()


class HeldRoots(native.Held):
    """Roots that were checked on a GPU: a copy there, 32 bits each."""

    __slots__ = ("count", "device")

    def __init__(self, number: int, device: int, count: int) -> None:
        super().__init__(number, "DropDeviceRoots")
        self.device, self.count = device, count

    def remade(self) -> int:
        raise DeviceError(f"the roots are on cuda:{self.device}, which a forked child cannot use")

    def numpy(self) -> npt.NDArray[Any]:
        """A copy in this machine's memory, (count,) uint32."""
        out = np.empty(self.count, np.uint32)
        native.call("DeviceRootsOut", self.number, memory.address(out))
        return out


def roots_of(graph: int, array: Any, device: int) -> tuple[HeldRoots, int, int]:
    """The roots that an array on a GPU holds, their count, and the vertices of each.

    Raises:
        TypeError, ValueError: it holds no integers, or is not of shape (n,) or (n, r).
        IndexError: one of them is not a vertex of the graph.
    """
    view = _by_dlpack(array) if hasattr(array, "__dlpack__") else _by_interface(array)
    if view.kind not in "iu" or view.size > 8:
        raise TypeError(f"roots: expected an array of ints, got {view.kind}{view.size} of shape {view.shape}")
    if len(view.shape) not in (1, 2) or (len(view.shape) == 2 and not view.shape[1]):
        raise ValueError(f"roots: expected shape (n,) or (n, r), got {view.shape}")
    rows, width = view.shape if len(view.shape) == 2 else (view.shape[0], 1)
    down, right = view.strides if len(view.shape) == 2 else (view.strides[0], 0)
    kind = view.size if view.kind == "u" else -view.size
    given = (view.address, rows, width, down, right, kind, view.stream)
    return HeldRoots(native.call("DeviceRoots", graph, device, *given), device, rows * width), rows, width


class DeviceIntegers(NamedTuple):
    """Contiguous integers of another library on a GPU.

    Attributes:
        address: the address of the first.
        shape: the shape of the array.
        kind: bytes of an integer, 4 or 8, negative if signed.
        stream: they are complete after the work queued on this stream.
        owner: keeps the memory.
    """

    address: int
    shape: tuple[int, ...]
    kind: int
    stream: int
    owner: object


def integers_on(name: str, array: Any, device: int) -> DeviceIntegers:
    """The integers that an array on a GPU holds.

    Raises:
        TypeError: it holds no integers of 4 or 8 bytes.
        ValueError: it is on another GPU, or not contiguous.
    """
    on = on_gpu(array)
    if on != device:
        raise ValueError(
            f"{name}: expected an array in this machine's memory or on {named((device,))}, got one on cuda:{on}"
        )
    view = _by_dlpack(array) if hasattr(array, "__dlpack__") else _by_interface(array)
    if view.kind not in "iu" or view.size not in (4, 8):
        raise TypeError(
            f"{name}: expected an array of int32 or int64, got {view.kind}{8 * view.size} of shape {view.shape}"
        )
    if not view.contiguous:
        raise ValueError(f"{name}: expected a contiguous array, got strides {view.strides}; pass {name}.contiguous()")
    return DeviceIntegers(
        view.address, view.shape, view.size if view.kind == "u" else -view.size, view.stream, view.owner
    )


def writable_on(name: str, array: Any, device: int) -> DeviceView:
    """A contiguous array on a GPU that may be written.

    Raises:
        TypeError: it is no array.
        ValueError: it is on another device, read-only, part of a graph of gradients, or not contiguous.
    """
    on = on_gpu(array)
    if on is None and not hasattr(array, "dtype"):
        raise TypeError(f"{name}: expected an array on {named((device,))}, got {type(array).__name__}")
    if on != device:
        where = "this machine's memory" if on is None else f"cuda:{on}"
        raise ValueError(f"{name}: expected an array on {named((device,))}, got one in {where}")
    try:
        view = _by_dlpack(array) if hasattr(array, "__dlpack__") else _by_interface(array)
    except BufferError as error:
        raise ValueError(f"{name}: expected an array without gradients that can be written ({error})") from None
    face = None if view.read_only else _interface(array)
    if view.read_only or (face is not None and face["data"][1]):
        raise ValueError(f"{name}: expected an array that can be written, got a read-only one")
    if not view.contiguous:
        raise ValueError(f"{name}: expected a contiguous array, got strides {view.strides}")
    return view


def _interface(array: Any) -> dict[str, Any] | None:
    """The ``__cuda_array_interface__`` of an array, or None if it has none."""
    try:
        face: dict[str, Any] = array.__cuda_array_interface__
    except (AttributeError, RuntimeError, TypeError):  # torch: gradients, or a dtype that NumPy lacks
        return None
    return face


def _by_interface(array: Any) -> DeviceView:
    face = array.__cuda_array_interface__
    shape, (order, kind, size) = tuple(face["shape"]), _type(face["typestr"])
    if order == ">":
        raise TypeError(f"roots: expected integers of this machine's byte order, got {face['typestr']}")
    strides = face.get("strides") or _dense(shape, size)
    stream = face.get("stream") or DEFAULT  # without a stream, the array is complete or belongs to the default stream
    read_only = bool(face["data"][1])
    return DeviceView(face["data"][0], shape, tuple(s // size for s in strides), kind, size, stream, array, read_only)


def _type(typestr: str) -> tuple[str, str, int]:
    found = re.fullmatch(r"([<>|=])([a-zA-Z])(\d+)", typestr)
    if found is None:
        raise TypeError(f"roots: expected an array of ints, got {typestr!r}")
    return found[1], found[2], int(found[3])


def _dense(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    strides = [size]
    for n in reversed(shape[1:]):
        strides.insert(0, strides[0] * n)
    return tuple(strides)


def _by_dlpack(array: Any) -> DeviceView:
    """Views an array through a capsule. The capsule keeps its name, so its destructor frees the tensor."""
    from . import dlpack

    held, tensor, read_only = dlpack.exported(array, DEFAULT)
    shape = tuple(tensor.shape[: tensor.rank])
    strides = tuple(tensor.strides[: tensor.rank]) if tensor.strides else _dense(shape, 1)
    kind = {0: "i", 1: "u", 2: "f", 4: "bfloat", 5: "c", 6: "b"}.get(tensor.code, "V") if tensor.lanes == 1 else "V"
    return DeviceView(
        (tensor.data or 0) + tensor.offset, shape, strides, kind, tensor.bits // 8, DEFAULT, held, read_only
    )


def _device_of(array: Any) -> int:
    """The device of an address: ``__cuda_array_interface__`` does not name it, so the driver is asked."""
    address = array.__cuda_array_interface__["data"][0]
    return int(native.call("DeviceOf", address)) if address else 0
