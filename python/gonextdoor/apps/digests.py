"""Digests of the parameters of apps that no text determines, for files that name an app."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .app import SamplingApp

__all__ = ["digests"]


def digests(app: SamplingApp) -> dict[str, str]:
    """The digests of an app's functions, by their text, and of its arrays."""
    found = {}
    for name, source in getattr(app, "hooks", {}).items():
        found[f"hook {name}"] = hashlib.sha256(repr((source.text, sorted(source.numbers.items()))).encode()).hexdigest()
    arrays = {name: value for name, value in vars(app).items() if isinstance(value, np.ndarray)}
    for name, array in [*getattr(app, "arrays", {}).items(), *sorted(arrays.items())]:
        found[f"array {name}"] = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
    return found
