"""Roots on the command line: so many random ones, or a file of vertices by their original names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np


def check(text: str | None) -> None:
    """Refuses, before the graph is read, what is neither a number nor a file."""
    if text is not None and not _is_number(text) and not Path(text).exists():
        raise click.BadParameter(
            f"{text!r}: expected a number, or the name of a file that is there", param_hint="--roots"
        )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def parse(text: str | None, graph: Any) -> Any:
    """What gonextdoor.sample takes as roots: None, a number, or an array of vertices."""
    if text is None:
        return None
    if _is_number(text):
        return int(text)
    if Path(text).suffix.lower() == ".npy":
        return _numbers(text)
    return _named(text, graph)


def _numbers(path: str) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"--roots: {path}: expected an array of vertex numbers that numpy.save wrote") from error


def _named(path: str, graph: Any) -> Any:
    vertex_of = names_to_vertices(graph)
    vertices = []
    for number, line in enumerate(_text(path).split("\n"), 1):
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


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"--roots: {path}: expected text in UTF-8, one vertex a line, or a .npy array") from error


def names_to_vertices(graph: Any) -> Any:
    """A function from a name, as text, to the vertex's number; None where there is no such vertex."""
    names = graph.vertex_names
    if names is None:
        return lambda name: int(name) if name.isascii() and name.isdigit() and int(name) < graph.num_vertices else None
    return {str(name): vertex for vertex, name in enumerate(names.tolist())}.get
