"""The docstrings of public names: where they are, whether they are complete, and their examples as tests."""

import ast
import doctest
import inspect
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd

PACKAGE = Path(gnd.__file__).resolve().parent


def constants() -> dict[str, str]:
    """The docstrings of module-level names: the string after each assignment."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for one, after in itertools.pairwise(body):
            if not isinstance(one, ast.Assign) or not isinstance(after, ast.Expr):
                continue
            if isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
                names = [name.id for target in one.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
                found |= dict.fromkeys(names, inspect.cleandoc(after.value.value))
    return found


def docstring(name: str, thing: Any, of_constants: dict[str, str]) -> str:
    """The docstring of a public name; empty if it has none. Instances do not have that of their class."""
    if inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing) or isinstance(thing, property):
        return inspect.getdoc(thing) or ""
    return of_constants.get(name.rpartition(".")[2], "")


def members(name: str, cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that this package defines, with their qualified names."""
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] == "gonextdoor":
            for attribute, thing in vars(base).items():
                if not attribute.startswith("_") and (
                    inspect.isroutine(thing) or isinstance(thing, (property, classmethod, staticmethod))
                ):
                    yield f"{name}.{attribute}", getattr(cls, attribute)


def fields(cls: type) -> list[str]:
    """The public slots of a class, which hold data."""
    return [name for name in dir(cls) if not name.startswith("_") and inspect.ismemberdescriptor(getattr(cls, name))]


def check_arguments(name: str, thing: Any, text: str) -> None:
    """Fails if the entries of ``Args:`` are not the parameters, one entry each, in their order."""
    section = re.search(r"^Args:\n((?:    .*\n|\n)+)", text + "\n", re.MULTILINE)
    if section is None:
        return
    entries = re.findall(r"^    ([\w*][\w*, ]*):", section[1], re.MULTILINE)
    shared = getattr(getattr(thing, "__init__", thing), "options", None) or getattr(thing, "options", ())
    assert all(re.search(rf"\b{option}\b", section[1]) for option in shared), name  # named in the entry of keywords
    known = [p.lstrip("*") for p in inspect.signature(thing).parameters if p not in ("self", "cls", *shared)]
    assert [entry.lstrip("*") for entry in entries] == known, name


def check_raises(name: str, text: str) -> None:
    """Fails if an entry of ``Raises:`` is not one exception with a description."""
    section = re.search(r"^Raises:\n((?:    .*\n|\n)+)", text + "\n", re.MULTILINE)
    for line in re.findall(r"^    (\S.*)$", section[1] if section else "", re.MULTILINE):
        assert re.match(r"\w+(Error|Interrupt): \S", line), f"{name}: {line}"


def run(name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the examples of a docstring in an empty folder; skips if a package that they import is missing."""
    packages = set(re.findall(r">>> (?:import|from) ([\w.]+)", text)) | {"llvmlite"} & {_NEEDS.get(name)}
    if "plot" in name:
        packages.add("matplotlib")
    for package in sorted(packages):
        pytest.importorskip(package)
    if "plot" in name:
        pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(text, {"gnd": gnd, "np": np}, name, None, 0)
    assert examples.examples, f"{name} has no example"
    report: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(examples, out=report.append).failed
    assert not failed, "".join(report)


_NEEDS = {"gonextdoor.App": "llvmlite"}  # packages that examples need without importing them


def check_complete(name: str, thing: Any) -> None:
    """Fails if the docstring of a public name, or of one of its methods and properties, lacks an entry."""
    for part, value in [(name, thing), *(members(name, thing) if inspect.isclass(thing) else [])]:
        text = docstring(part, value, {})
        assert text.strip(), part
        check_arguments(part, value, text)
        check_raises(part, text)
