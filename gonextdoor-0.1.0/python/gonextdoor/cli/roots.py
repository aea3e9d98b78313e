"""Roots on the command line: a number of random ones, or a file of vertices by their original names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from gonextdoor import Graph
from gonextdoor._core import npy
from gonextdoor.sampling.roots import drawn

from .report import Report, count
from .request import Request


def check(request: Request, app: Any) -> None:
    """Rejects, before the graph is read, an argument that is neither a number nor a file, and roots that the app does
    not take."""
    text, name = request.roots, type(app).__name__
    if app.pool() == 0 and request.batch is not None:
        raise click.UsageError(f"--batch does not apply to {name}, which chooses its own vertices")
    if app.pool() == 0 and text is not None and not _is_number(text):
        raise click.UsageError(f"--roots {text}: {name} chooses its own vertices; pass the number of samples")
    if text is not None and _is_number(text) and not int(text):
        raise click.BadParameter("0: expected at least one root", param_hint="--roots")
    if text is not None and not _is_number(text) and not Path(text).exists():
        raise click.BadParameter(
            f"{text!r}: there is no such file; expected a number, or a file with one vertex per line",
            param_hint="--roots",
        )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def parse(request: Request, graph: Any, app: Any, *, seed: int, report: Report) -> Any:
    """The roots argument of gonextdoor.sample: None, a number, or an array of vertices, in rows if a sample has
    several."""
    text, batch = request.roots, request.batch
    if text is not None and _is_number(text):
        if batch is None:
            return int(text)
        return drawn(graph, int(text), batch, seed=seed, repeat=request.repeat).reshape(-1, batch)
    if text is None and batch is None:
        return None
    if text is None:
        vertices = np.arange(graph.num_vertices)
    else:
        vertices = _numbers(text) if Path(text).suffix.lower() == ".npy" else _named(text, graph)
    size = app.pool() or 1 if batch is None else batch
    if vertices.ndim != 1 or (batch is None and size == 1):
        return vertices
    rows = grouped(vertices, size)
    if rows.size < vertices.size:
        report.line(
            "note", f"omitted the last {count(vertices.size - rows.size, 'root')}: too few for a sample of {size} roots"
        )
    return rows


def grouped(vertices: Any, size: int) -> Any:
    """The vertices as rows of one sample's roots each."""
    rows = len(vertices) // size
    if len(vertices) and not rows:
        raise ValueError(f"--roots: got {count(len(vertices), 'root')}, but each sample takes {size}")
    return vertices[: rows * size].reshape(rows, size)


def _numbers(path: str) -> Any:
    try:
        return npy.load(path)
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
            raise ValueError(f"--roots: {path}, line {number}: the graph has no vertex {name!r}{_nearest(graph, name)}")
        vertices.append(vertex)
    if not vertices:
        raise ValueError(f"--roots: {path}: expected at least one vertex, one per line")
    return np.array(vertices, dtype=np.int64)


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"--roots: {path}: expected text in UTF-8 with one vertex per line, or a .npy array"
        ) from error


def _nearest(graph: Graph, name: str) -> str:
    """Advice for a name that no vertex has."""
    if graph.vertex_names is None:
        return f"; its vertices are 0 to {graph.num_vertices - 1}"
    try:
        graph._names_index().find("", np.array(name, object))
    except ValueError as error:
        _, question, close = str(error).partition("; did you mean ")
        return question + close
    return ""


def names_to_vertices(graph: Any) -> Any:
    """A function that maps a name, as text, to the number of the vertex, or None if there is no such vertex."""
    names = graph.vertex_names
    if names is None:
        return lambda name: int(name) if name.isascii() and name.isdigit() and int(name) < graph.num_vertices else None
    return {str(name): vertex for vertex, name in enumerate(names.tolist())}.get
