"""DeviceArray: an array on a GPU, for DLPack and ``__cuda_array_interface__``."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .._core import memory

__all__ = ["DeviceArray", "Source"]

Array = npt.NDArray[Any]

CUDA, HOST = 2, 1  # DLPack's numbers of devices


class Source(Protocol):
    """The owner of the memory of an array on a GPU."""

    def tensor(self, versioned: bool, stream: int) -> int:
        """The address of a DLPack tensor of the memory, for a stream."""

    def address(self) -> int:
        """The address of the memory, once it is complete."""

    def fetch(self, out: Array) -> None:
        """Copies the memory to the host."""


class DeviceArray:
    """An array on a GPU, for libraries that take ``__dlpack__`` (``torch.from_dlpack``, ``cupy.from_dlpack``) or
    ``__cuda_array_interface__`` (``torch.as_tensor``, ``cupy.asarray``, Numba). Neither copies.

    Its memory is freed when this object and all arrays that share the memory have been deleted. With DLPack the host
    never waits: the consumer's stream does.

    Attributes:
        shape: (n, width) or (n,).
        strides: in bytes; slots are stored one after another (column by column).
        dtype: int32 or int64; float64 for the values of recorded edges.
        device: the GPU's name, "cuda:0".
    """

    __slots__ = ("_id", "_source", "device", "dtype", "shape", "strides")

    def __init__(self, source: Source, id: int, shape: tuple[int, ...], stride: int, dtype: np.dtype[Any]) -> None:
        self._source, self._id = source, id
        self.shape, self.dtype, self.device = shape, dtype, f"cuda:{id}"
        size = dtype.itemsize
        self.strides: tuple[int, ...] = (size, stride * size) if len(shape) == 2 else (size,)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        if dl_device is not None and tuple(dl_device) != (CUDA, self._id):
            if tuple(dl_device) != (HOST, 0):
                raise BufferError(f"dl_device = {dl_device}: expected {(CUDA, self._id)}, or {(HOST, 0)} for a copy")
            if copy is False:
                raise BufferError(f"dl_device = {dl_device}, copy = False: the array is on {self.device}")
            return self.numpy().__dlpack__()
        if copy:
            raise BufferError(
                f"copy = True: the array on {self.device} is shared; copy the result instead, such as with torch.clone"
            )
        if stream is not None and (isinstance(stream, bool) or not isinstance(stream, int) or stream < -1):
            raise TypeError(f"stream = {stream!r}: expected a stream's handle, -1 or None")
        if stream == 0:
            raise ValueError("stream = 0: expected 1 for the legacy default stream, 2 for the thread's own")
        versioned = max_version is not None and max_version[0] >= 1
        # None is the legacy default stream, as is 1; -1: the consumer does not synchronise.
        from . import dlpack

        on = 1 if stream is None else stream
        return dlpack.made(self._source.tensor(versioned, on), versioned)

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self._id

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        # PyTorch ignores the stream that could be named here, so the array must be complete before it is exported.
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._source.address(), False),
            "strides": self.strides,
            "version": 3,
            "stream": None,
        }

    def numpy(self) -> Array:
        """A copy in this machine's memory, row by row."""
        out = memory.empty(self.shape, self.dtype)
        self.copy_to(out)
        return out

    def copy_to(self, out: Array) -> None:
        """Copies the array to a contiguous array in this machine's memory that has its shape and dtype."""
        if out.size:
            self._source.fetch(out)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError(f"copy = False: the array is on {self.device}")
        whole = self.numpy()
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device!r})"
