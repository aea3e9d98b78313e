"""DLPack capsules. This module loads ctypes, so it is imported when the first capsule is made."""

from __future__ import annotations

import ctypes
from typing import Any

from .._core import native

__all__ = ["exported", "made", "tensor"]

NAME, VERSIONED = b"dltensor", b"dltensor_versioned"

_python = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _python)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_functions = (_python.PyCapsule_IsValid, _python.PyCapsule_GetPointer)
_destructor = native.call("CapsuleDestructor", *(ctypes.cast(f, ctypes.c_void_p).value for f in _functions))


class Tensor(ctypes.Structure):
    """DLTensor."""

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


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


READ_ONLY = 1  # a flag


def made(address: int, versioned: bool) -> Any:
    """The capsule of a managed tensor."""
    return _new(address, VERSIONED if versioned else NAME, _destructor)


def tensor(capsule: Any) -> Tensor:
    """The tensor of an unversioned capsule of another library."""
    return Tensor.from_address(_pointer(capsule, NAME))


def exported(array: Any, stream: int) -> tuple[Any, Tensor, bool]:
    """The capsule of an array of another library, its tensor, and whether it may not be written."""
    try:
        capsule = array.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # a library before DLPack 1.0
        capsule = array.__dlpack__(stream=stream)
    if not _valid(capsule, VERSIONED):
        return capsule, tensor(capsule), False
    managed = Versioned.from_address(_pointer(capsule, VERSIONED))
    return capsule, managed.tensor, bool(managed.flags & READ_ONLY)
