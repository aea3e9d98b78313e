"""Runs the notebooks of this folder, and stores their outputs or compares them with those stored.

    python notebooks/run.py                   run all notebooks and store their outputs
    python notebooks/run.py walks own-app     only these
    python notebooks/run.py --check           store nothing; fail if a cell fails or prints another text than stored

nbclient runs the cells in a Jupyter kernel if it and ipykernel are installed. Otherwise, and with --plain, the cells
run in this process, and texts and matplotlib figures are captured.

The metadata of a notebook lists what it requires under "gonextdoor": "modules" to import, a folder of "data", and
"device": "cuda". A notebook whose requirements are not met is skipped with the reason; if it was named on the command
line, this is an error. A cell with "varies" in its metadata must run but may print another text: it shows a time, or
numbers that differ between versions of other packages.
"""

from __future__ import annotations

import argparse
import ast
import base64
import contextlib
import importlib.util
import io
import json
import linecache
import os
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
DATA = FOLDER.parents[1] / "shared" / "data"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
VARIES = "varies"

Cell = dict[str, Any]
Notebook = dict[str, Any]


def load(path: Path) -> Notebook:
    return json.loads(path.read_text(encoding="utf-8"))


def missing(notebook: Notebook) -> str | None:
    """What the notebook requires and this machine does not have, or None."""
    needs = notebook["metadata"].get("gonextdoor", {})
    for module in needs.get("modules", []):
        if importlib.util.find_spec(module) is None:
            return f"the module {module}"
    if data := needs.get("data"):
        os.environ.setdefault(data.upper(), str(DATA / data))
        if not Path(os.environ[data.upper()]).is_dir():
            return f"the data set {data}; set {data.upper()} to its folder"
    if needs.get("device") == "cuda" and not os.path.exists("/dev/nvidiactl"):
        return "an NVIDIA GPU"
    return None


def text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


# ---- running


def run(notebook: Notebook, name: str, plain: bool) -> list[Cell]:
    """Runs all cells in an empty folder and returns them with their new outputs."""
    with tempfile.TemporaryDirectory() as folder:
        if plain or not all(importlib.util.find_spec(module) for module in ("nbclient", "ipykernel")):
            cells = run_here(notebook["cells"], name, folder)
        else:
            cells = run_kernel(notebook, folder)
    return [cleaned(cell) for cell in cells]


def run_kernel(notebook: Notebook, folder: str) -> list[Cell]:
    import nbclient
    import nbformat
    from jupyter_client.manager import AsyncKernelManager

    loaded = nbformat.reads(json.dumps(notebook), as_version=4)
    sockets = str(Path(folder, ".kernel"))  # instead of network ports
    kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=sockets)
    nbclient.NotebookClient(loaded, km=kernel, timeout=900, resources={"metadata": {"path": folder}}).execute()
    return json.loads(nbformat.writes(loaded))["cells"]


def run_here(cells: list[Cell], name: str, folder: str) -> list[Cell]:
    """Runs the cells as one program in this process."""
    os.environ["MPLBACKEND"] = "agg"
    figures()  # closes those of the process
    before = os.getcwd()
    names: dict[str, Any] = {"__name__": "__main__"}
    done = []
    count = 0
    os.chdir(folder)
    try:
        for cell in cells:
            if cell["cell_type"] == "code":
                count += 1
                outputs = run_cell(text(cell["source"]), f"{name}, cell {count}", names, count)
                cell = {**cell, "execution_count": count, "outputs": outputs}
            done.append(cell)
    finally:
        os.chdir(before)
    return done


def run_cell(source: str, file: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # the source of users' hooks
    tree = ast.parse(source, file)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    value = None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, file, "exec"), names)
        if last is not None:
            value = eval(compile(last, file, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue()})
    if value is not None and not source.rstrip().endswith(";"):
        data = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_()
        outputs.append({"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}})
    return outputs + figures()


def figures() -> list[dict[str, Any]]:
    """The open matplotlib figures as outputs. Closes them."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    from matplotlib import pyplot

    outputs = []
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        png = io.BytesIO()
        figure.savefig(png, format="png", bbox_inches="tight")
        data = {"image/png": base64.b64encode(png.getvalue()).decode(), "text/plain": repr(figure)}
        outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
    pyplot.close("all")
    return outputs


# ---- storing


def cleaned(cell: Cell) -> Cell:
    """The cell without times and other facts about the run, with texts as lists of lines."""
    kept: Cell = {"cell_type": cell["cell_type"]}
    if cell["cell_type"] == "code":
        kept["execution_count"] = cell["execution_count"]
    kept |= {"id": cell["id"], "metadata": {VARIES: True} if cell["metadata"].get(VARIES) else {}}
    if cell["cell_type"] == "code":
        kept["outputs"] = [cleaned_output(output) for output in merged(cell["outputs"])]
    kept["source"] = text(cell["source"]).splitlines(keepends=True)
    return kept


def merged(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The outputs, with consecutive texts of one stream joined."""
    result: list[dict[str, Any]] = []
    for output in outputs:
        if result and output["output_type"] == "stream" and output.get("name") == result[-1].get("name"):
            result[-1] = {**result[-1], "text": text(result[-1]["text"]) + text(output["text"])}
        else:
            result.append(output)
    return result


def cleaned_output(output: dict[str, Any]) -> dict[str, Any]:
    output = dict(output)
    if "text" in output:
        output["text"] = text(output["text"]).splitlines(keepends=True)
    if "data" in output:
        output["metadata"] = {}
        output["data"] = {
            kind: smaller(text(value)) if kind == "image/png" else text(value).splitlines(keepends=True)
            for kind, value in output["data"].items()
        }
    return output


def smaller(png: str) -> str:
    """A PNG image in base64 without metadata, in 256 colours if Pillow is there and has reduced them."""
    image = base64.b64decode(png)
    if importlib.util.find_spec("PIL"):
        from PIL import Image

        reduced = io.BytesIO()
        Image.open(io.BytesIO(image)).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(
            reduced, "PNG", optimize=True
        )
        image = reduced.getvalue()
    kept, at = [image[:8]], 8
    while at < len(image):
        (length,) = struct.unpack(">I", image[at : at + 4])
        if image[at + 4 : at + 8] not in (b"tEXt", b"iTXt", b"zTXt", b"tIME"):
            kept.append(image[at : at + 12 + length])
        at += 12 + length
    return base64.b64encode(b"".join(kept)).decode()


def store(path: Path, notebook: Notebook, cells: list[Cell]) -> None:
    extra = {key: value for key, value in notebook["metadata"].items() if key == "gonextdoor"}
    whole = {"cells": cells, "metadata": {**extra, **METADATA}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


# ---- comparing


def shown(cell: Cell) -> list[str]:
    """The texts of a cell's outputs, and a word for each figure."""
    found = []
    for output in merged(cell.get("outputs", [])):
        if output["output_type"] == "stream":
            found.append(text(output["text"]))
        elif "image/png" in output["data"]:
            found.append("figure")
        else:
            found.append(text(output["data"]["text/plain"]))
    return found


def differences(stored: list[Cell], new: list[Cell]) -> list[str]:
    """A message per cell whose outputs differ from those stored."""
    messages = []
    for number, (old, cell) in enumerate(zip(stored, new, strict=True)):
        if not old["metadata"].get(VARIES) and shown(old) != shown(cell):
            messages.append(f"cell {number} shows\n{''.join(shown(cell))}\ninstead of\n{''.join(shown(old))}")
    return messages


def main(arguments: list[str] | None = None) -> int:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # otherwise the order of float sums may vary
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="notebooks, without .ipynb (default: all)")
    parser.add_argument("--check", action="store_true", help="compare with the stored outputs and store nothing")
    parser.add_argument("--plain", action="store_true", help="run the cells in this process, without Jupyter")
    parser.add_argument("--output", type=Path, default=FOLDER, help="the folder to store the notebooks in")
    given = parser.parse_args(arguments)
    paths = [FOLDER / f"{name}.ipynb" for name in given.names] or sorted(FOLDER.glob("*.ipynb"))
    failed = False
    for path in paths:
        notebook = load(path)
        if reason := missing(notebook):
            print(f"{path.stem}: {'failed' if given.names else 'skipped'}: it needs {reason}", flush=True)
            failed |= bool(given.names)
            continue
        begin = time.perf_counter()
        cells = run(notebook, path.name, given.plain)
        print(f"{path.stem}: {time.perf_counter() - begin:.1f} s", flush=True)
        if given.check:
            for message in differences(notebook["cells"], cells):
                print(f"{path.stem}: {message}", file=sys.stderr)
                failed = True
        else:
            store(given.output / path.name, notebook, cells)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
