"""The modules of the process, in which ``install`` functions replace names."""

from __future__ import annotations

import gc
import sys
import types
from collections.abc import Iterator

__all__ = ["loaded_modules"]


def loaded_modules() -> Iterator[types.ModuleType]:
    """All modules of the process, some of them twice. gc knows modules that sys.modules does not, but not those that
    were frozen."""
    for thing in (*sys.modules.values(), *gc.get_objects()):
        if issubclass(type(thing), types.ModuleType):
            yield thing
