"""Target: the file to which samples are written. Its suffix selects the format, and is checked before any work."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import click

from gonextdoor._core import memory
from gonextdoor._core.arguments import is_uri, without_secrets
from gonextdoor._core.atomic import replacing
from gonextdoor.samples import lines
from gonextdoor.samples.export import to_parquet

from .report import size

STDOUT = "-"


class Target:
    """The file and the format of samples."""

    def __init__(self, path: str, *, edges: bool = False) -> None:
        """Rejects an unknown suffix, a folder that does not exist, and a missing library."""
        self.path = path
        self.suffix = ".txt" if path == STDOUT else suffix(path)
        if self.suffix not in WRITERS:
            known = ", ".join(WRITERS)
            raise click.BadParameter(
                f"{path!r}: expected a name that ends in {known} (.txt.gz, .txt.zst), or - for text on standard output",
                param_hint="-o",
            )
        if edges and self.suffix not in (".npz", ".parquet"):
            raise click.UsageError(
                f"--edges: {self.suffix} files cannot store edge ids; pass -o with a name that ends in .npz or .parquet"
            )
        check_folder(path, "-o")
        _check_libraries(path, self.suffix)

    def write(self, samples: Any) -> str:
        """Writes the samples and reports the file."""
        WRITERS[self.suffix](samples, self.path)
        return "standard output" if self.path == STDOUT else f"{self.path} ({size(os.path.getsize(self.path))})"


def suffix(path: str) -> str:
    """The suffix that names the format: .txt for walks.txt.gz."""
    name = Path(path.partition("?")[0] if is_uri(path) else path)
    if name.suffix.lower() in (".gz", ".zst"):
        inner = Path(name.stem).suffix.lower()
        return inner if inner in (".txt", ".csv", ".tsv") else name.suffix.lower()
    return name.suffix.lower()


def check_folder(path: str, option: str) -> None:
    """Rejects a path whose folder does not exist, and a URI, and names the option."""
    if is_uri(path):
        raise click.BadParameter(
            f"{without_secrets(path)!r}: a file is written on this machine; pass a path, and copy the file to object "
            "storage. Only the folders of graphs, whose names have no suffix, are written to a URI",
            param_hint=option,
        )
    parent = Path(path).parent
    if not parent.is_dir():
        raise click.BadParameter(f"{path!r}: there is no folder {str(parent)!r}; create it first", param_hint=option)
    if os.path.isdir(path):
        raise click.BadParameter(f"{path!r} is a folder; expected the name of a file", param_hint=option)


def _check_libraries(path: str, kind: str) -> None:
    try:
        if kind == ".parquet":
            import pyarrow.parquet  # noqa: F401
    except ImportError as missing:
        hint = "pip install 'gonextdoor[parquet]'"
        raise click.BadParameter(f"{path!r}: a library is missing: {hint}", param_hint="-o") from missing


def write_array(file: IO[bytes], array: Any) -> None:
    """Writes an array as .npy. numpy's tofile does not report why a write failed, for example a full disk."""
    import numpy as np

    array = np.ascontiguousarray(array)
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
    file.write(memoryview(array).cast("B") if array.size else b"")


def _npy(samples: Any, path: str) -> None:
    with replacing(path) as file:
        write_array(file, samples.numpy())


def _layered(samples: Any) -> dict[str, Any]:
    """Concatenated samples, not padded, with their steps and recorded edges."""
    layers = samples._layers
    arrays = {
        "values": samples.values,
        "offsets": samples.offsets,
        "parents": layers.parents,
        "step_offsets": layers.ends_from,
        "step_ends": layers.ends,
    }
    if layers.recorded:
        names = ("link_offsets", "sources", "targets", "link_edges", "link_values")
        arrays |= dict(zip(names, layers.links(), strict=True))
    return arrays


def _npz(samples: Any, path: str) -> None:
    import numpy as np

    arrays = _layered(samples) if samples.layered else {"vertices": samples.numpy(), "lengths": samples.lengths}
    if samples.has_edges:
        arrays["edges"] = samples.edge_values if samples.layered else samples.edges
    arrays["seed"], arrays["first_id"] = np.uint64(samples.seed), np.uint64(samples.first_id)
    arrays["app"] = np.str_(repr(samples.app))
    if samples.vertex_names is not None:
        arrays["vertex_names"] = _storable(samples.vertex_names)
    # Not numpy.savez: its older versions leave the archive open at an error, whose finalizer then writes a traceback.
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def _storable(names: Any) -> Any:
    """The names in a form that .npy supports: text of the width of the longest name, if it fits in memory."""
    import numpy as np

    if names.dtype.kind != "O":
        return names
    try:
        memory.check(4 * len(names) * max(map(len, names), default=0))
    except MemoryError as error:
        raise MemoryError(f"{error}; .npz stores each name with the length of the longest: write .parquet") from None
    return names.astype(np.str_)


def _parquet(samples: Any, path: str) -> None:
    to_parquet(samples, path)


def _text(samples: Any, path: str) -> None:
    if path != STDOUT:
        lines.to_linesentence(samples, path)
        return
    try:
        lines.write(samples, sys.stdout.buffer)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error


WRITERS: dict[str, Callable[[Any, str], None]] = {".npy": _npy, ".npz": _npz, ".parquet": _parquet, ".txt": _text}
