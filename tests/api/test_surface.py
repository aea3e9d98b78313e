"""The surface of the package: the stub of the extension, public names, and the order in which modules are imported."""

from __future__ import annotations

import ast
import graphlib
import importlib
import inspect
import pathlib
import re
import subprocess
import sys
from collections.abc import Collection, Iterator

import pytest
from gonextdoor._core import adapters

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


# Which folders, and modules outside of folders, may import which. A row imports from itself and from rows above it, so
# imports run one way. Modules at the top are public ones.
_BASE = ("_version", "errors", "rng")
_GRAPH = (*_BASE, "_core", "device", "graph", "apps")
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "_version": (),
    "errors": (),
    "rng": (),
    "_core": ("errors", "rng"),
    "device": ("_core", "errors"),
    "pipeline": ("_core", "errors"),
    "graph": ("_core", "device", "errors"),
    "apps": ("_core",),
    "udf": ("_version", "_core", "apps", "rng"),
    "samples": _GRAPH,
    "sampling": (*_GRAPH, "samples"),
    "pagerank": (*_GRAPH, "sampling"),
    "features": _GRAPH,
    "neighbor": (*_GRAPH, "pipeline", "features"),
    "storage": _GRAPH,
    "partition": (*_GRAPH, "samples", "neighbor", "storage"),
    "ranges": (*_GRAPH, "partition", "storage", "samples", "sampling", "pagerank", "neighbor"),
    "plot": (*_GRAPH, "samples", "neighbor", "pipeline"),
    "saint": ("_core", "apps", "graph", "samples"),
    "embeddings": ("_core", "apps", "graph", "neighbor", "samples", "sampling"),
    "__init__": (*_GRAPH, "udf", "samples", "sampling", "pagerank", "neighbor"),
    "standin": (),  # PyG imports it in place of pyg-lib
    "pyg": (
        *_GRAPH,
        "pipeline",
        "features",
        "neighbor",
        "samples",
        "sampling",
        "pagerank",
        "saint",
        "partition",
    ),
    "dgl": (*_GRAPH, "features", "neighbor", "partition", "pipeline", "samples", "sampling"),
    "ray": (*_GRAPH, "storage", "ranges", "partition"),
    "cli": ("__init__", *_GRAPH, "udf", "samples", "sampling", "storage", "partition", "embeddings"),
    "__main__": ("cli",),
}

# Imports inside functions: of modules that need an optional package, or that are rarely used and slow to import.
LAZY = {
    ("__init__", "embeddings"),  # by gonextdoor.__getattr__
    ("__init__", "features"),
    ("__init__", "plot"),
    ("__init__", "ranges"),
    ("__init__", "saint"),
    ("cli.bench", "cli.costs"),
    ("cli.cluster", "ray"),
    ("cli.cluster", "ray.framework"),
    ("cli.doctor", "udf.nvrtc"),
    ("cli.embed", "embeddings"),
    ("device.array", "device.dlpack"),  # loads ctypes
    ("device.interop", "device.dlpack"),
    ("dgl", "dgl.graphbolt"),  # needs torchdata
    ("dgl", "dgl.graphboltfeature"),
    ("graph.reading", "graph.dataset"),  # only Parquet needs it and streaming
    ("graph.reading", "graph.sparse"),
    ("graph.reading", "graph.streaming"),
    ("graph.tables", "graph.arrow"),
    ("graph.tables", "graph.frames"),  # imports pandas
    ("neighbor.rows", "features"),  # only loaders with features need it
    ("neighbor.rows", "features.loading"),
    ("samples.exports", "samples.file"),  # imports zipfile
    ("udf.app", "udf.bound.choice"),
    ("udf.app", "udf.bound.graphfacts"),
    ("udf.app", "udf.image"),
    ("udf.app", "udf.locate"),
    ("udf.app", "udf.tabled"),
    ("udf.app", "udf.temporal"),
    ("udf.app", "udf.uniform"),
    ("udf.build", "udf.compile"),  # imports llvmlite
    ("udf.build", "udf.kernels"),
    ("udf.build", "udf.objectfile"),
}


def _modules() -> dict[str, pathlib.Path]:
    """The modules of the package by dotted name, a folder's own by that of the folder."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)] = path
    return found


def _imports(name: str, path: pathlib.Path, modules: Collection[str]) -> Iterator[tuple[str, bool]]:
    """The modules of the package that a module imports, and whether it does so inside a function. Imports for type
    checkers alone are left out."""
    tree = ast.parse(path.read_text())
    skipped: set[ast.AST] = set()
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            skipped.update(child for part in node.body for child in ast.walk(part))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inside.update(ast.walk(node))
    package = ["gonextdoor", *name.split(".")] if name != "__init__" else ["gonextdoor"]
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(tree):
        if node in skipped:
            continue
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) + 1 - node.level]] if node.level else []
            base += node.module.split(".") if node.module else []
            names = [".".join([*base, alias.name]) for alias in node.names]
        for full in names:
            if full.partition(".")[0] != "gonextdoor":
                continue
            parts = full.split(".")[1:]
            while parts and ".".join(parts) not in modules:
                parts.pop()
            if (target := ".".join(parts) or "__init__") != name and "_gonextdoor" not in full:
                yield target, node in inside


def test_imports_run_one_way() -> None:
    """Folders import from folders above them in MAY_IMPORT alone, and inside functions only what LAZY names."""
    above: set[str] = set()
    for row, allowed in MAY_IMPORT.items():
        assert set(allowed) <= above, f"{row} may import what is not above it: {set(allowed) - above}"
        above.add(row)
    modules = _modules()
    lazy = {("__init__", name) for name in ("embeddings", "features", "plot", "ranges", "saint")}
    for name, path in modules.items():
        row = name.partition(".")[0]
        assert row in MAY_IMPORT, f"{name} has no row in MAY_IMPORT"
        for target, inside in _imports(name, path, modules):
            if inside:
                lazy.add((name, target))
                continue
            other = target.partition(".")[0]
            assert other == row or other in MAY_IMPORT[row], f"{name} imports {target}"
    assert lazy == LAZY, f"not in LAZY: {lazy - LAZY}; no longer there: {LAZY - lazy}"


def test_no_modules_import_each_other() -> None:
    modules = _modules()
    graph = {
        name: {target for target, inside in _imports(name, path, modules) if not inside}
        for name, path in modules.items()
    }
    graph["cli"].discard("__init__")
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


def test_the_adapters_exist() -> None:
    for function, module in adapters.MODULES.items():
        path = _modules()[module.removeprefix("gonextdoor.")]
        functions = [node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
        assert function in functions, module


def public_modules() -> list[str]:
    """The modules that the reference names as public."""
    index = (pathlib.Path(__file__).parents[2] / "docs" / "reference" / "index.md").read_text()
    return re.findall(r"`(?:dir\()?(gonextdoor(?:\.\w+)?)", index.split("\n\n")[1])


@pytest.mark.parametrize("name", public_modules())
def test_dir_shows_the_public_names_alone(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as missing:
        assert name in ("gonextdoor.pyg", "gonextdoor.dgl", "gonextdoor.ray"), missing
        pytest.skip(str(missing))  # tests/gnn has PyG and DGL
    assert dir(module) == sorted(module.__all__)
    for one in module.__all__:
        assert hasattr(module, one), one


def test_every_module_of_the_reference_is_public() -> None:
    """Modules that the package shows, and the adapters, are those that the reference names."""
    shown = {f"gonextdoor.{name}" for name in gonextdoor.__all__ if inspect.ismodule(getattr(gonextdoor, name))}
    adapters = {"gonextdoor", "gonextdoor.errors", "gonextdoor.pyg", "gonextdoor.dgl", "gonextdoor.ray"}
    assert sorted(public_modules()) == sorted(shown | adapters)


def test_public_modules_are_there_after_the_import() -> None:
    code = (
        "import gonextdoor as gnd; "
        "print(gnd.saint.coefficients.__name__, gnd.plot.plot.__name__, gnd.features.open.__name__, "
        "gnd.ranges.Ranges.__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.stdout == "coefficients plot open Ranges\n", run.stderr


def test_import_loads_no_optional_package_and_no_adapter() -> None:
    code = "import sys, gonextdoor; print(*sorted(name for name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    loaded = set(run.stdout.split())
    for package in (
        "torch",
        "dgl",
        "pandas",
        "pyarrow",
        "scipy",
        "matplotlib",
        "networkx",
        "click",
        "cloup",
        "llvmlite",
        "tqdm",
        "ray",
        "fsspec",
    ):
        assert package not in loaded, package
    for module in ("pyg", "dgl", "ray", "cli", "embeddings", "features", "plot", "ranges", "saint", "storage"):
        assert f"gonextdoor.{module}" not in loaded, module
