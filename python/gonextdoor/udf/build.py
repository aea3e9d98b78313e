"""Compiled hooks: found where they are kept, or made."""

from __future__ import annotations

from collections.abc import Mapping

from . import cache, tree
from .code import Code

__all__ = ["kept", "made"]


def kept(functions: Mapping[str, tree.Function], *, strict: bool) -> Code:
    """The code of an app's hooks, made if it is not kept yet.

    Raises:
        ImportError: it must be made, and llvmlite is missing.
    """
    if not functions:
        return Code({}, b"\xcc")
    try:
        name = cache.key(functions, strict=strict)
        code = Code.unpacked(cache.fetch(name))
        if code is None:
            code = made(functions, strict=strict)
            data = code.packed()
            if data is not None:
                cache.store(name, data)
    except ImportError as error:
        raise ImportError(
            f"hooks written in Python are compiled by llvmlite ({error}): pip install 'gonextdoor[udf]'"
        ) from error
    return code


def made(functions: Mapping[str, tree.Function], *, strict: bool, only: tuple[int, int] | None = None) -> Code:
    """The code, compiled now; see kernels.module."""
    from . import compile, kernels, objectfile

    object_file = compile.object_code(kernels.module(functions, strict=strict, only=only))
    try:
        flat, places = objectfile.flat(object_file)
    except ValueError:  # of another processor: LLVM itself puts it into memory, and nothing is kept
        return Code(*compile.loaded(object_file, kernels.kernels_of(functions)))
    return Code(places, flat)
