"""Installs wheels in fresh environments and samples with them: python build_backend/smoke.py [WHEEL ...]

Each wheel (default: all in dist/) is installed with its dependencies from PyPI in a new environment of
the Python that it is for. There it samples walks and a mini-batch on a generated graph, and runs gonextdoor doctor. All
wheels must give the same samples. A wheel for aarch64 runs under qemu-aarch64, with a Python that arm64.py downloads.
Without qemu it does not run, which the output reports.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

import arm64
import pythons
import toolchain

PROGRAM = """
import hashlib, json, platform, numpy
import gonextdoor as gnd

def digest(arrays):
    return hashlib.sha256(b"".join(numpy.asarray(a, numpy.int64).tobytes() for a in arrays)).hexdigest()[:16]

graph = gnd.rmat(10, 8, seed=1)
walks = gnd.sample(graph, gnd.apps.Node2Vec(p=0.5, q=2.0, length=20), seed=7, device="cpu").numpy()
sampler = gnd.PGSampler([5, 3], seed=7, device="cpu")
inputs, outputs, blocks = sampler.sample(graph, range(100))
assert walks.shape == (graph.num_vertices, 21) and len(blocks) == 2
batch = [inputs, outputs, *(array for block in blocks for array in (block.indptr, block.indices, block.edge_ids))]
print(json.dumps({
    "machine": platform.machine(), "python": platform.python_version(), "numpy": numpy.__version__,
    "walks": digest([walks]), "batch": digest(batch), "file": gnd.__file__,
}))
"""
NUMPY_TAGS = ("manylinux_2_17", "manylinux2014", "manylinux_2_27", "manylinux_2_28")


class Outcome(NamedTuple):
    """What a wheel sampled."""

    walks: str
    batch: str


def native(wheel: pathlib.Path, python: pythons.Python, folder: pathlib.Path) -> Outcome:
    """Installs a wheel in a new virtual environment, and samples there."""
    _run([python.command, "-m", "venv", "--without-pip", str(folder)])
    command = [str(folder / "bin" / "python"), "-I"]
    _run([*_pip("--python", command[0]), "install", "--quiet", "--no-compile", str(wheel)])
    return _try(command, folder, dict(os.environ))


def emulated(wheel: pathlib.Path, root: pathlib.Path, version: str, folder: pathlib.Path) -> Outcome:
    """Installs a wheel for aarch64 in a folder, and samples with the Python of a root folder under qemu-aarch64."""
    platforms = [word for tag in NUMPY_TAGS for word in ("--platform", f"{tag}_aarch64")]
    target = ["--target", str(folder), "--python-version", version, "--implementation", "cp", "--only-binary=:all:"]
    _run([*_pip(), "install", "--quiet", "--no-compile", *target, *platforms, str(wheel)])
    # A CPU without pointer authentication, which qemu emulates slowly and Debian's packages use if it is there.
    qemu = ["qemu-aarch64", "-cpu", "cortex-a72", "-L", str(root)]
    # -s: without the user's packages. Not -I, which would ignore PYTHONPATH.
    command = [*qemu, str(root / f"usr/bin/python{version}"), "-s", "-P"]
    command = command if version != "3.10" else command[:-1]  # -P is new in Python 3.11
    return _try(command, folder, {**os.environ, "PYTHONPATH": str(folder), "PYTHONHOME": str(root / "usr")})


def _pip(*options: str) -> list[str]:
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", *options]


def _try(command: list[str], folder: pathlib.Path, env: dict[str, str]) -> Outcome:
    """Samples with a Python that has the package in a folder, and runs gonextdoor doctor."""
    answer = json.loads(_run([*command, "-c", PROGRAM], folder, env))
    if not pathlib.Path(answer["file"]).is_relative_to(folder):
        raise SystemExit(f"gonextdoor: {answer['file']} was imported, not the installed wheel")
    if "FAULT" in _run([*command, "-m", "gonextdoor", "doctor"], folder, env):
        raise SystemExit("gonextdoor: gonextdoor doctor reports a fault")
    print(
        f"    Python {answer['python']}, NumPy {answer['numpy']}, {answer['machine']}: walks {answer['walks']}, "
        f"batch {answer['batch']}; doctor reports no fault",
        flush=True,
    )
    return Outcome(answer["walks"], answer["batch"])


def _run(command: list[str], cwd: pathlib.Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        shown = " ".join(word if len(word) < 200 else "..." for word in command)
        raise SystemExit(f"gonextdoor: failed with status {done.returncode}: {shown}\n{done.stdout}{done.stderr}")
    return done.stdout


def try_wheel(wheel: pathlib.Path, installed: list[pythons.Python]) -> Outcome | str:
    """What a wheel sampled, or why it cannot run on this machine. Installed Pythons precede those found by version."""
    found = re.search(r"-cp3(\d+)-cp3\d+-\S*_(x86_64|aarch64)\.whl$", wheel.name)
    if not found:
        raise SystemExit(f"gonextdoor: {wheel.name} is not the name of a wheel of this package")
    version, machine = f"3.{found[1]}", found[2]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder).resolve() / "environment"
        if machine == platform.machine():
            fitting = [python for python in installed if python.version == version] or pythons.find([version])
            return native(wheel, fitting[0], place)
        try:
            root = arm64.root(version)
        except arm64.Unavailable as why:
            return str(why)
        return emulated(wheel, root, version, place)


def main() -> None:
    parser = argparse.ArgumentParser(description="Installs wheels in fresh environments and samples with them.")
    parser.add_argument("wheels", nargs="*", type=pathlib.Path, help="default: all in dist/")
    parser.add_argument(
        "--pythons", nargs="*", default=[], metavar="X.Y", help="versions or commands, used if they fit"
    )
    arguments = parser.parse_args()
    installed, _ = pythons.look(arguments.pythons)  # a wheel without its Python is an error below
    wheels = arguments.wheels or sorted((toolchain.ROOT / "dist").glob("*.whl"))
    if not wheels:
        raise SystemExit("gonextdoor: no wheels in dist/: make wheels")
    outcomes: dict[str, Outcome] = {}
    for wheel in wheels:
        print(f"{wheel.name}  ({wheel.stat().st_size / 1e6:.1f} MB)", flush=True)
        outcome = try_wheel(wheel.resolve(), installed)
        if isinstance(outcome, Outcome):
            outcomes[wheel.name] = outcome
        else:
            print(f"    not run: {outcome}", flush=True)
    if len(set(outcomes.values())) > 1:
        lines = (f"{outcome.walks} {outcome.batch} {name}" for name, outcome in outcomes.items())
        raise SystemExit("\n".join(["gonextdoor: the wheels give different samples (walks, batch, wheel):", *lines]))
    print(f"{len(outcomes)} of {len(wheels)} wheels ran, with the same samples; {len(wheels) - len(outcomes)} not run")


if __name__ == "__main__":
    main()
