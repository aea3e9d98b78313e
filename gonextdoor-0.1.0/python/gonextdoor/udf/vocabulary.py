"""The fields and methods of ctx, with the types of arguments and results."""

from __future__ import annotations

from .tree import Type

__all__ = ["COLUMNS", "FIELDS", "METHODS", "TABLES"]

FIELDS = ("num_edges", "num_vertices", "prev", "prev_edge", "sample", "size", "slot", "step", "transit")

METHODS: dict[str, tuple[tuple[Type, ...], Type]] = {
    "below": (("int", "int"), "int"),
    "chance": (("int",), "int"),
    "count": (("int",), "int"),
    "degree": (("int",), "int"),
    "edge": (("int", "int"), "edge"),
    "edge_id": (("edge",), "int"),
    "has_edge": (("int", "int"), "bool"),
    "label": (("edge",), "int"),
    "max_weight": (("int",), "float"),
    "neighbor": (("int", "int"), "int"),
    "prefix_weight": (("int", "int"), "float"),
    "previous": (("int", "int"), "int"),
    "root": (("int",), "int"),
    "time": (("edge",), "int"),
    "weight": (("edge",), "float"),
    "word": (("int",), "int"),
}

# Tables of the graph that a method reads, besides its rows.
TABLES = {
    "weight": "weights",
    "label": "labels",
    "time": "times",
    "edge_id": "edge_ids",
    "max_weight": "largest",
    "prefix_weight": "prefix",
    "has_edge": "has_edge",
}

# Columns of a block that a field or a method reads; those of the sample always together.
COLUMNS = {
    "prev": ("prev",),
    "prev_edge": ("prev_edge",),
    "size": ("size",),
    "slot": ("slot",),
    "transit": ("transit",),
    "word": ("key", "words"),
    "chance": ("key", "words"),
    "below": ("key", "words"),
    "count": ("sample",),
    "previous": ("sample",),
    "root": ("sample",),
}
