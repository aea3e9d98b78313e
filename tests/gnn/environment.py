"""Puts torch, DGL and PyG into the virtual environment that runs this, from PyPI alone, for the tests of the adapters.

    python tests/gnn/environment.py             torch 2.2.1, DGL 2.1.0 with GraphBolt, PyG 2.8.1
    python tests/gnn/environment.py --newest    torch 2.15.0, DGL 2.1.0 without GraphBolt, PyG 2.8.1
    python tests/gnn/environment.py --check     whether this Python is one that they have wheels for

PyPI's torch for Linux is the CUDA build and wants 3 GB of libraries that a machine without a GPU never calls. So torch
is installed without what it depends on, and each library that it misses becomes a small one whose functions answer "no
CUDA device". DGL's GraphBolt is compiled for torch 2.2.1 at most; beside a newer one an empty module takes its place.
For tests only: nothing of this is shipped. Standard library only; needs gcc and readelf.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from dataclasses import dataclass

PYTHONS = ((3, 11), (3, 12))

# What torch, DGL and PyG import but do not bring: torch and DGL come without what they depend on, and some of it they
# do not declare.
TORCH_NEEDS = ("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec")
DGL_NEEDS = ("packaging", "pandas", "pydantic", "pyyaml", "psutil", "requests", "scipy", "tqdm")
TEST_NEEDS = ("pytest>=8", "pytest-timeout>=2.3", "hypothesis>=6.100", "llvmlite>=0.44", "matplotlib>=3.6")
COMMON = (*TORCH_NEEDS, *DGL_NEEDS, *TEST_NEEDS, "torch-geometric==2.8.1")
DGL = "dgl==2.1.0"
TORCHDATA = "torchdata==0.7.1"  # the last that GraphBolt can import with this torch
NEWEST_TORCHDATA = "torchdata==0.11.0"  # for its StatefulDataLoader

NO_GRAPHBOLT = '''"""Stands for GraphBolt, which is not compiled for this torch: DGL always imports it."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})
'''

NO_DEVICE = 100  # cudaErrorNoDevice and CUDA_ERROR_NO_DEVICE
OF_CUDA = re.compile(r"(cu|__cu|nv|nccl)", re.IGNORECASE)  # names of functions that carry no version


@dataclass
class Linkage:
    """What the dynamic section of some libraries asks for and offers."""

    needed: set[str]  # names of libraries
    wanted: set[tuple[str, str]]  # functions that they take from elsewhere, with the version or ""
    offered: set[str]
    library_of: dict[str, str]  # of a version: the library that has it


def linkage(files: list[pathlib.Path]) -> Linkage:
    found = Linkage(set(), set(), set(), {})
    for file in files:
        command = ["readelf", "--wide", "--dynamic", "--version-info", "--dyn-syms", str(file)]
        owner = ""
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            if name := re.search(r"\(NEEDED\).*\[(.+)\]", line):
                found.needed.add(name[1])
            elif name := re.search(r"\bFile: (\S+)", line):
                owner = name[1]
            elif (name := re.search(r"\bName: (\S+)\s+Flags:", line)) and owner:
                found.library_of[name[1]] = owner
            elif symbol := re.match(
                r"\s*\d+: [0-9a-f]+\s+\S+\s+\S+\s+\S+\s+\S+\s+(\S+)\s+([\w.$]+)(?:@@?(\S+))?", line
            ):
                section, function, version = symbol[1], symbol[2], symbol[3] or ""
                if section == "UND":
                    found.wanted.add((function, version))
                else:
                    found.offered.add(function)
    return found


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def stub_cuda(folder: pathlib.Path) -> tuple[int, int]:
    """Puts a library of stubs into folder for each that its libraries miss. How many, and of how many functions."""
    files = sorted(file for file in folder.glob("*.so*") if file.is_file())
    asked = linkage(files)
    missing = sorted(name for name in asked.needed if not (folder / name).exists() and not loads(name))
    functions: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in missing}
    count = 0
    for function, version in sorted(asked.wanted):
        if version:
            owner = asked.library_of.get(version)
        else:  # functions of CUDA without a version go to the first stub; there is none if an earlier run made them all
            owner = missing[0] if missing and OF_CUDA.match(function) else None
        if owner in functions and function not in asked.offered:
            functions[owner][version].append(function)
            count += 1
    for name in missing:
        compile_stub(folder / name, functions[name])
    return len(missing), count


def compile_stub(library: pathlib.Path, functions: dict[str, list[str]]) -> None:
    """functions: by version. The versions too must be there for the loader to be content."""
    with tempfile.TemporaryDirectory() as work:
        source, versions = pathlib.Path(work, "stub.c"), pathlib.Path(work, "versions")
        names = sorted(name for of_version in functions.values() for name in of_version)
        source.write_text("".join(f"long {name}(void) {{ return {NO_DEVICE}; }}\n" for name in names) + "\n")
        tell = [f"{version} {{ {'; '.join(of)}; }};\n" for version, of in sorted(functions.items()) if version]
        versions.write_text("".join(tell))
        script = [f"-Wl,--version-script={versions}"] if tell else []
        name = f"-Wl,-soname,{library.name}"
        command = ["gcc", "-shared", "-fPIC", "-fno-builtin", "-w", name, *script, "-o", str(library), str(source)]
        subprocess.run(command, check=True)


def check() -> None:
    """Raises SystemExit, with the reason, if the frameworks are not available."""
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        raise SystemExit(f"DGL has wheels for Linux on x86-64; this is {sys.platform} on {platform.machine()}")
    if sys.version_info[:2] not in PYTHONS:
        wants = " or ".join(f"{major}.{minor}" for major, minor in PYTHONS)
        raise SystemExit(f"DGL and torch have wheels for Python {wants}; this is {platform.python_version()}")
    for tool in ("gcc", "readelf"):
        if shutil.which(tool) is None:
            raise SystemExit(f"without {tool} torch cannot be made to import where CUDA's libraries are not")


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *arguments]
    if status := subprocess.run(command).returncode:
        raise SystemExit(status)  # pip has said why


def install(newest: bool) -> None:
    """torch last: it would be named as broken by every later call of pip."""
    if sys.prefix == sys.base_prefix:
        raise SystemExit(f"{sys.executable} is not in a virtual environment")
    print(f"+ pip install {'torch 2.15.0' if newest else 'torch 2.2.1'}, DGL, PyG   (some 2 GB)", flush=True)
    pip(*COMMON, "numpy" if newest else "numpy<2")
    pip("--no-deps", DGL, *((NEWEST_TORCHDATA, "torch==2.15.0") if newest else (TORCHDATA, "torch==2.2.1")))
    packages = pathlib.Path(sysconfig.get_path("purelib"))
    libraries, functions = stub_cuda(packages / "torch" / "lib")
    if newest:
        (packages / "dgl" / "graphbolt" / "__init__.py").write_text(NO_GRAPHBOLT)
    works = "import torch, dgl, torch_geometric; assert not torch.cuda.is_available()"
    environment = {**os.environ, "DGLBACKEND": "pytorch"}
    if status := subprocess.run([sys.executable, "-W", "ignore", "-c", works], env=environment).returncode:
        raise SystemExit(status)
    if libraries:
        print(f"torch without CUDA: {libraries} libraries with {functions} functions stand for those that it misses")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--newest", action="store_true", help="torch 2.15.0 instead of 2.2.1")
    parser.add_argument("--check", action="store_true", help="install nothing")
    asked = parser.parse_args()
    check()
    if not asked.check:
        install(asked.newest)


if __name__ == "__main__":
    main()
