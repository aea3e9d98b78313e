"""Roots on the command line: so many random ones, or a file of vertices by their original names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np


def parse(text: str | None, graph: Any) -> Any:
    """What gonextdoor.sample takes as roots: None, a number, or an array of vertices."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return int(text)
    if not Path(text).is_file():
        raise click.BadParameter(
            f"{text!r}: expected a number, or the name of a file that is there", param_hint="--roots"
        )
    if Path(text).suffix.lower() == ".npy":
        return np.load(text, allow_pickle=False)
    return _named(text, graph)


def _named(path: str, graph: Any) -> Any:
    vertex_of = names_to_vertices(graph)
    vertices = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            name = line.strip()
            if not name or name.startswith("#"):
                continue
            vertex = vertex_of(name)
            if vertex is None:
                raise ValueError(f"--roots: {path}, line {number}: {name!r}: expected a vertex of the graph")
            vertices.append(vertex)
    if not vertices:
        raise ValueError(f"--roots: {path}: expected at least one vertex, one a line")
    return np.array(vertices, dtype=np.int64)


def names_to_vertices(graph: Any) -> Any:
    """A function from a name, as text, to the vertex's number; None where there is no such vertex."""
    names = graph.vertex_names
    if names is None:
        return lambda name: int(name) if name.isascii() and name.isdigit() and int(name) < graph.num_vertices else None
    return {str(name): vertex for vertex, name in enumerate(names.tolist())}.get
