"""DLPack capsules. This module loads ctypes, so it is imported when the first capsule is made."""

from __future__ import annotations

import ctypes
from typing import Any

from .._core import native

__all__ = ["made", "tensor"]

NAME, VERSIONED = b"dltensor", b"dltensor_versioned"

_python = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _python)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
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


def made(address: int, versioned: bool) -> Any:
    """The capsule of a managed tensor."""
    return _new(address, VERSIONED if versioned else NAME, _destructor)


def tensor(capsule: Any) -> Tensor:
    """The tensor of an unversioned capsule of another library."""
    return Tensor.from_address(_pointer(capsule, NAME))
