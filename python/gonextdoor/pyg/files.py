"""Files of tensors as PyG's loaders keep them: complete when they appear, and checked when they are read."""

from __future__ import annotations

import os
from typing import Any

import torch
from torch_geometric.io import fs

from .._core.atomic import replacing

__all__ = ["load", "save"]


def load(path: str) -> Any:
    """What a file has.

    Raises:
        ValueError: it cannot be read.
    """
    try:
        return fs.torch_load(path)
    except Exception as why:
        raise ValueError(f"{path} is no file of torch.save ({why}): delete it to compute it again") from why


def save(path: str, value: Any) -> None:
    """Writes a file, and its folder if it does not exist."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with replacing(path) as file:
        torch.save(value, file)
