"""Text output: ``to_linesentence`` against the same text written by Python, as gonextdoor did before its core wrote it.

    python benchmarks/text_output.py wiki-Vote.txt.gz       # 10 walks of length 80 from each vertex

Both sides are measured alternately, in seconds of wall time; all files must have the same text.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
from gonextdoor._core.atomic import replacing_text
from gonextdoor.samples.export import piece, spans
from measure import compare, head, parser

import gonextdoor as gnd

LENGTH = 80


def main() -> None:
    options = parser(__doc__)
    options.add_argument("file")
    given = options.parse_args()
    graph = gnd.read(given.file, symmetric=True)
    head()
    with tempfile.TemporaryDirectory() as folder:
        graphs = {
            "numbers": gnd.Graph.from_csr(graph.indptr, graph.indices),
            "integer names": graph,
            "text names": renamed(graph, Path(folder, "edges.csv")),
        }
        for names, each in graphs.items():
            samples = gnd.sample(each, gnd.apps.DeepWalk(LENGTH), repeat=10, seed=1, device="cpu")
            print(f"{names}: {len(samples):,} walks, {int(samples.lengths.sum()):,} vertices")
            for suffix in (".txt", ".txt.gz", ".txt.zst"):
                core, python = Path(folder, "core" + suffix), Path(folder, "python" + suffix)
                compare(
                    suffix, 0, lambda s=samples, path=core: timed(s.to_linesentence, path),
                    lambda s=samples, path=python: timed(by_python, s, path), given.reps, "s", lower=True,
                )  # fmt: skip
                assert text(core) == text(python)
                print(f"{'':<34}{os.path.getsize(core):,} bytes, by Python {os.path.getsize(python):,}")
            compare(
                "sentences()", 1, lambda s=samples: timed(consumed, s.sentences()),
                lambda s=samples: timed(consumed, sentences(s)), given.reps, "s", lower=True,
            )  # fmt: skip


def renamed(graph: gnd.Graph, path: Path) -> gnd.Graph:
    """The graph with the names user-0, user-1 ..."""
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    edges = zip(sources.tolist(), graph.indices.tolist(), strict=True)
    path.write_text("source,target\n" + "".join(f"user-{u},user-{v}\n" for u, v in edges))
    return gnd.read(path)


def consumed(lists: Iterable[list[str]]) -> None:
    for _ in lists:
        pass


def timed(call: Any, *args: Any) -> float:
    begin = time.perf_counter()
    call(*args)
    return time.perf_counter() - begin


def rows_of(samples: gnd.Samples) -> Iterator[list[list[int]]]:
    for first, end in spans(samples):
        part = piece(samples, first, end, gaps=False)
        flat = part.vertices.tolist()
        yield [flat[a:b] for a, b in pairwise(part.offsets.tolist())]


def words(samples: gnd.Samples) -> list[str] | None:
    return None if samples.vertex_names is None else [str(name) for name in samples.vertex_names.tolist()]


def sentences(samples: gnd.Samples) -> Iterator[list[str]]:
    """The former ``sentences()``."""
    names = words(samples)
    for rows in rows_of(samples):
        for row in rows:
            yield list(map(str, row)) if names is None else [names[v] for v in row]


def by_python(samples: gnd.Samples, path: Path) -> None:
    """The former ``to_linesentence``."""
    names = words(samples)
    with replacing_text(path) as file:
        for rows in rows_of(samples):
            write(rows, names, file)


def write(rows: list[list[int]], names: list[str] | None, file: IO[bytes]) -> None:
    if names is None:
        file.write(repr(rows)[2:-2].replace("], [", "\n").replace(", ", " ").encode("ascii") + b"\n")
    else:
        file.write("".join(" ".join([names[v] for v in row]) + "\n" for row in rows).encode())


def text(path: Path) -> bytes:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zst":
        import zstandard

        with zstandard.open(path, "rb") as file:
            unpacked: bytes = file.read()
            return unpacked
    return path.read_bytes()


if __name__ == "__main__":
    main()
