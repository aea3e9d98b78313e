"""The notebooks run and print the texts that they show; stored outputs are small. tests/gnn runs the one with PyG."""

import base64
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LARGEST_FIGURE = 60_000


def runner():
    spec = importlib.util.spec_from_file_location("notebook_runner", ROOT / "notebooks" / "run.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


RUN = runner()


def notebook(*sources, varies=False):
    """A notebook of these code cells."""
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{i}",
            "metadata": {"varies": varies},
            "outputs": [],
            "source": source,
        }
        for i, source in enumerate(sources)
    ]
    return {"cells": cells, "metadata": dict(RUN.METADATA), "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_and_prints_what_it_shows(path):
    if reason := RUN.missing(RUN.load(path)):
        pytest.skip(f"{path.name} needs {reason}")
    command = [sys.executable, str(ROOT / "notebooks" / "run.py"), "--check", path.stem]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_notebooks():
    assert {"walks", "pyg", "own-app"} <= {path.stem for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_is_stored_as_executed_without_metadata(path):
    stored = RUN.load(path)
    assert stored["metadata"].keys() == {"gonextdoor", "kernelspec", "language_info"}
    code = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert all(cell["metadata"].keys() <= {"varies"} for cell in code)
    assert sum(bool(cell["outputs"]) for cell in code) > len(code) / 2
    assert all(len(line.rstrip()) <= 88 for cell in code for line in cell["source"]), "cut on the site"
    for output in (output for cell in code for output in cell["outputs"]):
        assert output["output_type"] in ("stream", "execute_result", "display_data")
        assert output.get("name", "stdout") == "stdout", "a warning"
        assert not re.search(r" at 0x[0-9a-f]+|/(root|home|work|tmp)/", json.dumps(output))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_figures_are_small(path):
    sizes = [
        len(base64.b64decode(output["data"]["image/png"]))
        for cell in RUN.load(path)["cells"]
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert sizes or path.stem == "gpu"
    assert all(size < LARGEST_FIGURE for size in sizes), sizes


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_is_a_page_of_the_site(path):
    assert f"notebooks/{path.name}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"({path.name})" in (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")


def test_plain_run_stores_texts_and_results():
    sources = ["x = 6\nprint('six')\nx * 7", "x", "x;", "def f():\n    return 1\nf()"]
    cells = RUN.run(notebook(*sources), "here", plain=True)
    assert [RUN.shown(cell) for cell in cells] == [["six\n", "42"], ["6"], [], ["1"]]


def test_plain_run_stores_figures():
    pytest.importorskip("matplotlib")
    cells = RUN.run(notebook("import matplotlib.pyplot as plt\nplt.plot([1, 2]);"), "here", plain=True)
    assert RUN.shown(cells[0]) == ["figure"]
    image = base64.b64decode(cells[0]["outputs"][0]["data"]["image/png"])
    assert image.startswith(b"\x89PNG") and b"IEND" in image and b"tEXt" not in image


def test_plain_run_stores_no_figures_of_the_process():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.figure()
    assert RUN.shown(RUN.run(notebook("1"), "here", plain=True)[0]) == ["1"]


def test_plain_run_finds_the_source_of_hooks():
    pytest.importorskip("llvmlite")
    code = (
        "import gonextdoor as gnd\n"
        "def even(ctx, edge, dst):\n    return dst % 2 == 0\n"
        "app = gnd.App(edge_bias=even, steps=3)\n"
        "steps = gnd.sample(gnd.rmat(6, seed=1), app, seed=1).numpy()[:, 1:]\n"
        "steps = steps[steps >= 0]\n"
        "len(steps) > 50 and bool((steps % 2 == 0).all())"
    )
    assert RUN.shown(RUN.run(notebook(code), "here", plain=True)[0]) == ["True"]


def test_a_failing_cell_fails():
    with pytest.raises(ZeroDivisionError):
        RUN.run(notebook("1 / 0"), "here", plain=True)


@pytest.mark.parametrize("varies, found", [(False, 1), (True, 0)])
def test_another_text_is_a_difference(varies, found):
    stored = RUN.run(notebook("print(1)", varies=varies), "here", plain=True)
    other = RUN.run(notebook("print(2)", varies=varies), "here", plain=True)
    assert RUN.differences(stored, stored) == []
    assert len(RUN.differences(stored, other)) == found


def test_check_fails_if_a_text_differs(tmp_path):
    shutil.copy(ROOT / "notebooks" / "run.py", tmp_path)
    RUN.store(tmp_path / "one.ipynb", notebook(), RUN.run(notebook("print(1)"), "one", plain=True))
    command = [sys.executable, str(tmp_path / "run.py"), "--check", "--plain"]
    assert subprocess.run(command, capture_output=True).returncode == 0
    changed = (tmp_path / "one.ipynb").read_text(encoding="utf-8").replace('"1\\n"', '"3\\n"')
    (tmp_path / "one.ipynb").write_text(changed, encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "cell 0 shows\n1" in done.stderr


def test_missing_requirements_are_named(monkeypatch):
    needs = notebook("1")
    needs["metadata"]["gonextdoor"] = {"modules": ["no_such_module"]}
    assert RUN.missing(needs) == "the module no_such_module"
    monkeypatch.setenv("AIRPORTS", str(ROOT / "no such folder"))
    needs["metadata"]["gonextdoor"] = {"data": "airports"}
    assert RUN.missing(needs) == "the data set airports; set AIRPORTS to its folder"
    assert RUN.missing(notebook("1")) is None
