"""Request: the options that the sampling commands walk, khop and sample have in common."""

from __future__ import annotations

import dataclasses

from .graphinput import GraphInput

__all__ = ["Request"]


@dataclasses.dataclass
class Request:
    """The options of a sampling command."""

    graph: GraphInput
    output: str
    roots: str | None
    repeat: int
    seed: int | None
    threads: int | None
    edges: bool
    quiet: bool
    device: str = "auto"
    batch: int | None = None  # roots per sample
