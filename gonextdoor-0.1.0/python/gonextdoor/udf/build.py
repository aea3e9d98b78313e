"""Loads compiled hooks from the cache, or compiles them."""

from __future__ import annotations

import time
from collections.abc import Mapping

from .._core.log import logger
from . import cache, tree
from .code import Code

__all__ = ["kept", "made"]


def kept(functions: Mapping[str, tree.Function], *, strict: bool) -> Code:
    """The code of an app's hooks, compiled if it is not cached.

    Raises:
        ImportError: it is not cached, and llvmlite is missing.
    """
    if not functions:
        return Code({}, b"\xcc")
    try:
        name = cache.key(functions, strict=strict)
        code = Code.unpacked(cache.fetch(name))
        hooks = ", ".join(functions)
        if code is not None:
            logger.debug("hooks %s: machine code loaded from the cache, %s", hooks, cache.folder())
        else:
            began = time.perf_counter()
            code = made(functions, strict=strict)
            logger.debug("hooks %s: compiled by LLVM in %.3g s", hooks, time.perf_counter() - began)
            data = code.packed()
            if data is not None:
                cache.store(name, data)
    except ImportError as error:
        raise ImportError(
            f"hooks written in Python are compiled by llvmlite ({error}): pip install 'gonextdoor[udf]'"
        ) from error
    return code


def made(functions: Mapping[str, tree.Function], *, strict: bool, only: tuple[int, int] | None = None) -> Code:
    """Compiles the code; see kernels.module."""
    from . import compile, kernels, objectfile

    object_file = compile.object_code(kernels.module(functions, strict=strict, only=only))
    try:
        flat, places = objectfile.flat(object_file)
    except ValueError:  # another architecture: LLVM loads the code, and it is not cached
        return Code(*compile.loaded(object_file, kernels.kernels_of(functions)))
    return Code(places, flat)
