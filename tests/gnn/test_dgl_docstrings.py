"""Every public name of gonextdoor.dgl has a docstring with an example that runs and prints what it shows."""

import subprocess
import sys

import docstrings
import gonextdoor.dgl
import pytest

PUBLIC = {f"gonextdoor.dgl.{name}": getattr(gonextdoor.dgl, name) for name in gonextdoor.dgl.__all__}


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name, tmp_path, monkeypatch, request):
    if name.endswith("PGNeighborSampler"):
        request.getfixturevalue("graphbolt")
    if name.endswith(".install"):  # changes DGL, so it has a process
        code = (
            "import doctest, gonextdoor as gnd, gonextdoor.dgl; doctest.run_docstring_examples(gnd.dgl.install, vars())"
        )
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr + done.stdout
        return
    docstrings.run(name, docstrings.docstring(name, PUBLIC[name], {}), tmp_path, monkeypatch)


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_are_complete(name):
    docstrings.check_complete(name, PUBLIC[name])


def test_dir_shows_the_public_names_alone():
    assert dir(gonextdoor.dgl) == sorted(gonextdoor.dgl.__all__)
