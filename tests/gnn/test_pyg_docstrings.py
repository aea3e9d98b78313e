"""Every public name of gonextdoor.pyg has a docstring with an example that runs and prints what it shows."""

import docstrings
import gonextdoor.pyg
import pytest

PUBLIC = {f"gonextdoor.pyg.{name}": getattr(gonextdoor.pyg, name) for name in gonextdoor.pyg.__all__}


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name, tmp_path, monkeypatch):
    docstrings.run(name, docstrings.docstring(name, PUBLIC[name], {}), tmp_path, monkeypatch)


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_are_complete(name):
    docstrings.check_complete(name, PUBLIC[name])


def test_dir_shows_the_public_names_alone():
    assert dir(gonextdoor.pyg) == sorted(gonextdoor.pyg.__all__)
