"""ArrayApp: the base class of apps some of whose parameters are arrays."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .._core import memory
from .app import SamplingApp

__all__ = ["ArrayApp"]


class ArrayApp(SamplingApp):
    """An app some of whose parameters are arrays, by whose elements it is compared."""

    def parameters(self) -> dict[str, Any]:
        """Returns the parameters other than None; arrays as the core reads them."""
        return {
            name: memory.described(value) if isinstance(value, np.ndarray) else value
            for name, value in super().parameters().items()
            if value is not None
        }

    def _values(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        both = zip(self._values().values(), other._values().values(), strict=True)
        return all(type(a) is type(b) and np.array_equal(a, b) for a, b in both)

    def __hash__(self) -> int:
        values = self._values().values()
        return hash(tuple(len(value) if isinstance(value, np.ndarray) else value for value in values))

    def __repr__(self) -> str:
        default = {field.name: field.default for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        shown = [
            f"{name}=array of {len(value)}" if isinstance(value, np.ndarray) else f"{name}={value}"
            for name, value in self._values().items()
            if isinstance(value, np.ndarray) or value != default[name]
        ]
        return f"{type(self).__name__}({', '.join(shown)})"
