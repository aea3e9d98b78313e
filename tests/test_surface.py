"""The stub of the extension, and that everything else reaches it through one file."""

from __future__ import annotations

import ast
import inspect
import pathlib

import gonextdoor
from gonextdoor import _gonextdoor

PACKAGE = pathlib.Path(gonextdoor.__file__).parent


def test_the_stub_names_every_function_with_its_parameters() -> None:
    stub = ast.parse((PACKAGE / "_gonextdoor.pyi").read_text())
    named = {f.name: len(f.args.args) for f in stub.body if isinstance(f, ast.FunctionDef)}
    there = {name for name in dir(_gonextdoor) if name.startswith("pybind_")}
    assert set(named) == there
    for name, count in named.items():
        text = inspect.getdoc(getattr(_gonextdoor, name)) or ""
        assert text.count("type: ") == count, name


def test_only_one_file_sees_the_extension() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path == PACKAGE / "_core" / "native.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                seen = [node.module or "", *(alias.name for alias in node.names)]
            elif isinstance(node, ast.Import):
                seen = [alias.name for alias in node.names]
            else:
                continue
            assert not any(name.endswith("_gonextdoor") for name in seen), path


def test_every_public_name_has_a_docstring() -> None:
    for name in gonextdoor.__all__:
        thing = getattr(gonextdoor, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for attribute, value in vars(thing).items():
                if not attribute.startswith("_") and (callable(value) or isinstance(value, (property, classmethod))):
                    assert inspect.getdoc(value), f"{name}.{attribute}"
