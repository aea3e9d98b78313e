"""The hooks that an app may have: the arguments of each besides ctx, and its result."""

from __future__ import annotations

import dataclasses
from typing import Literal

__all__ = ["ALIASES", "HOOKS", "KERNELS", "Hook"]

Result = Literal["bias", "vertex", "flag", "count"]


@dataclasses.dataclass(frozen=True)
class Hook:
    """A hook: the types of its arguments after ctx, and the type of its result."""

    arguments: tuple[str, ...]
    result: Result
    meaning: str


HOOKS = {
    "edge_bias": Hook(("edge", "int"), "bias", "(ctx, edge, dst) -> the weight of a candidate"),
    "bound": Hook((), "bias", "(ctx) -> at least as large as any edge_bias of the transit"),
    "next": Hook((), "vertex", "(ctx) -> a vertex, or NULL"),
    "vertex_bias": Hook(("int",), "bias", "(ctx, v) -> the weight of a vertex of the pool"),
    "update": Hook(("edge", "int"), "vertex", "(ctx, edge, dst) -> the vertex to go on from, or NULL"),
    "stop": Hook((), "flag", "(ctx) -> whether the transit ends before its choice"),
    "sample_size": Hook((), "count", "(ctx) -> how many are picked"),
}

# The kernels of an app, as the core names them: one per hook, and a second one of edge_bias for whole rows.
KERNELS = {name: name for name in HOOKS} | {"row_bias": "edge_bias", "fanout": "sample_size"}
del KERNELS["sample_size"]

# Names in papers for App's arguments: NextDoor (EuroSys'21), C-SAW (SC'20), FlowWalker (VLDB'24).
ALIASES = {
    "sampleSize": "sample_size",
    "stepSize": "sample_size",
    "samplingType": "scope",
    "EdgeBias": "edge_bias",
    "VertexBias": "vertex_bias",
    "Update": "update",
    "get_weight": "edge_bias",
    "is_stop": "stop",
}
