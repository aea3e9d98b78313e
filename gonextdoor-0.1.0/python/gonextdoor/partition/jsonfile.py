"""JSON files that describe graphs of other libraries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .._core import npy
from ..errors import FormatError

__all__ = ["field", "read_json"]


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        OSError: the file cannot be read.
        FormatError: it is not a JSON object.
    """
    try:
        with open(npy.opened(path), encoding="utf-8") as file:
            found = json.load(file)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: expected JSON: {error}") from None
    if not isinstance(found, dict):
        raise FormatError(f"{path}: expected a JSON object, got {type(found).__name__}")
    return found


def field(path: Path, record: dict[str, Any], name: str, kind: type) -> Any:
    """A field of an object.

    Raises:
        FormatError: it is missing or of another type.
    """
    value = record.get(name)
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise FormatError(f"{path}: {name} is {value!r}: expected {kind.__name__}")
    return value
