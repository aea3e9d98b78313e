"""A library that takes arrays from a GPU by DLPack, as PyTorch does: in ctypes, so that any machine can run it."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", ctypes.pythonapi))


class ImportedTensor:
    """What a consumer made of an array. The memory belongs to the GPU until release()."""

    def __init__(self, array: Any, *, stream: int | None = 1, versioned: bool = True) -> None:
        kind, self.device = array.__dlpack_device__()
        assert kind == 2
        name = b"dltensor_versioned" if versioned else b"dltensor"
        capsule = array.__dlpack__(stream=stream, max_version=(1, 0) if versioned else None)
        address = _get(capsule, name)
        assert address
        _rename(capsule, b"used_" + name)
        self._managed = (_Versioned if versioned else _Managed).from_address(address)
        self._address = address
        t = self._managed.tensor
        assert (t.device_type, t.device_id, t.lanes, t.offset) == (2, self.device, 1, 0)
        assert t.code in (0, 2)
        self.address = t.data or 0
        self.dtype = np.dtype(f"{'f' if t.code == 2 else 'i'}{t.bits // 8}")
        self.shape = tuple(t.shape[: t.rank])
        self.strides = tuple(t.strides[: t.rank])

    def release(self) -> None:
        """What the last reference to a tensor does."""
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._managed.deleter)(self._address)

    def numpy(self) -> Any:
        """The array, copied by the driver as a consumer would; the emulated one has all memory in this machine's."""
        size = 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        flat = copied(self.address, size, self.dtype)
        strides = [s * self.dtype.itemsize for s in self.strides]
        return np.lib.stride_tricks.as_strided(flat, self.shape, strides).copy()


def driver() -> Any:
    """The CUDA driver that the package has open."""
    import os

    return ctypes.CDLL(os.environ.get("GONEXTDOOR_LIBCUDA", "libcuda.so.1"))


def current(device: int) -> None:
    """Has this thread use the context that the package uses."""
    cuda, context = driver(), ctypes.c_void_p()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
    assert cuda.cuCtxPushCurrent_v2(context) == 0


def copied(address: int, count: int, dtype: Any) -> Any:
    """The first elements in GPU memory, read in the order of the default stream."""
    cuda = driver()
    current(0)
    flat = np.empty(count, dtype)
    assert cuda.cuStreamSynchronize(ctypes.c_void_p(1)) == 0
    assert (
        cuda.cuMemcpyDtoHAsync_v2(
            ctypes.c_void_p(flat.ctypes.data), ctypes.c_uint64(address), ctypes.c_size_t(flat.nbytes), None
        )
        == 0
    )
    assert cuda.cuStreamSynchronize(None) == 0
    return flat


class OnCard:
    """An array of another library on the GPU, which is never given back."""

    def __init__(self, array: Any, *, order: Any = "C", dlpack: bool = False) -> None:
        array = np.array(array, order=order)
        cuda, at = driver(), ctypes.c_uint64()
        current(0)
        assert cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(max(1, array.nbytes))) == 0
        source, size = ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
        assert cuda.cuMemcpyHtoDAsync_v2(at, source, size, None) == 0
        assert cuda.cuStreamSynchronize(None) == 0
        strides = None if array.flags.c_contiguous else array.strides
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (at.value, False), "version": 3,
            "strides": strides, "stream": None,
        }  # fmt: skip
        if dlpack:
            self.__dlpack__, self.__dlpack_device__ = self._dlpack, lambda: (2, 0)
            self._address, self._array = at.value, array

    def _dlpack(self, *, stream: int) -> Any:
        assert stream == 1
        array, rank = self._array, self._array.ndim
        shape, strides = (
            (ctypes.c_int64 * rank)(*array.shape),
            (ctypes.c_int64 * rank)(*(s // array.itemsize for s in array.strides)),
        )
        code = {"i": 0, "u": 1}[array.dtype.kind]
        tensor = _Tensor(self._address, 2, 0, rank, code, 8 * array.itemsize, 1, shape, strides, 0)
        self._kept = (_Managed(tensor, None, None), shape, strides)
        return _new(ctypes.addressof(self._kept[0]), b"dltensor", None)
