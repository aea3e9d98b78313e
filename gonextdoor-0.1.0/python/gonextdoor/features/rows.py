"""DeviceRows: rows of features on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.costs import costs
from ..device.array import DeviceArray
from ..errors import DeviceError
from .elements import Elements
from .target import Target, code_of

__all__ = ["DeviceRows", "HeldRows"]

Array = npt.NDArray[Any]


class DeviceRows(DeviceArray):
    """Rows of features on a GPU, for libraries that take ``__dlpack__`` (``torch.from_dlpack``, ``cupy.from_dlpack``)
    or ``__cuda_array_interface__``. Neither copies. The memory is freed with this object and all arrays that share it.

    Attributes:
        shape: that of the ids, and that of a row.
        strides: in bytes; rows are stored one after another.
        dtype: the dtype of the features: of NumPy, or of torch if their source was a tensor.
        device: the GPU's name, "cuda:0".
    """

    __slots__ = ("_elements", "_held")

    def __init__(self, held: HeldRows, id: int, shape: tuple[int, ...], elements: Elements) -> None:
        super().__init__(held, id, shape, 1, elements.stored)
        self._elements, self._held = elements, held
        self.dtype = elements.dtype
        held.shape, held.elements = shape, elements
        strides, step = [], elements.stored.itemsize
        for n in reversed(shape):
            strides.append(step)
            step *= n
        self.strides = tuple(reversed(strides))

    @property
    def misses(self) -> int:
        """The number of rows that were not in GPU memory before."""
        return self._held.misses()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._elements.dtype != self._elements.stored and np.dtype(self._elements.stored).kind != "f":
            name = str(self._elements.dtype).removeprefix("torch.")
            if name != self._elements.stored.name:
                raise AttributeError(f"__cuda_array_interface__ has no dtype {name}: use torch.from_dlpack")
        return {
            "shape": self.shape,
            "typestr": self._elements.stored.str,
            "data": (self._source.address(), False),
            "strides": None,
            "version": 3,
            "stream": None,
        }

    def numpy(self) -> Array:
        """A copy in this machine's memory. Elements of a dtype that NumPy lacks are integers of the same bytes."""
        out = memory.empty(self.shape, self._elements.stored)
        self.copy_to(out)
        return out

    def __repr__(self) -> str:
        return f"DeviceRows(shape={self.shape}, dtype={self.dtype}, device={self.device!r})"


class HeldRows(native.Held):
    """A handle of rows on a GPU.

    Attributes:
        shape, elements: those of the rows, for DLPack; set when the rows have been read.
        target: the array that the rows are copied to, which is kept until then; None: memory of the core.
    """

    __slots__ = ("elements", "shape", "target")

    shape: tuple[int, ...]
    elements: Elements

    def __init__(self, number: int, target: Target | None = None) -> None:
        super().__init__(number, "DropDeviceRows")
        self.target = target

    def remade(self) -> int:
        raise DeviceError(
            "the rows are on a GPU and belong to the process that this one was forked from: take their numpy() before "
            "the fork, or start workers by 'spawn'"
        )

    def misses(self) -> int:
        """The number of missed rows of a read that is done."""
        return int(native.call("DeviceRowsMisses", self.number))

    def tensor(self, versioned: bool, stream: int) -> int:
        code, bits = code_of(self.elements), 8 * self.elements.stored.itemsize
        if code < 0:
            raise BufferError("DLPack has no such dtype: read numpy()")
        buffer = memory.buffer()
        rank = len(self.shape)
        buffer.int64[:rank] = self.shape
        tensor = native.call("DeviceRowsTensor", self.number, buffer.address, rank, code, bits, versioned, stream)
        buffer.release()
        return int(tensor)

    def address(self) -> int:
        return int(native.call("DeviceRowsAddress", self.number))

    def fetch(self, out: Array) -> None:
        seconds = out.nbytes * costs().copy_byte
        running.call("DeviceRowsOut", self.number, memory.address(out), seconds=seconds, label="copying")
