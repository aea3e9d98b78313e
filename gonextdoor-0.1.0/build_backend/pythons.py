"""Finds installed Pythons by version: on PATH, or in the folder of pyenv."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
from typing import NamedTuple

ASK = """
import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
print(*sys.version_info[:2], sysconfig.get_config_var("EXT_SUFFIX"), os.path.isfile(header))
"""
VERSION = r"3\.\d+"


class Python(NamedTuple):
    """An installed CPython."""

    command: str
    version: str  # such as "3.13"
    suffix: str  # of extension modules, such as ".cpython-313-x86_64-linux-gnu.so"
    headers: bool  # whether its C headers are installed

    @property
    def tag(self) -> str:
        """Its tag in the names of wheels, such as "cp313"."""
        return f"cp{self.version.replace('.', '')}"


def look(wanted: list[str], headers: bool = False) -> tuple[list[Python], list[str]]:
    """Returns the installed Pythons among the wanted ones, each a version or a command, and the names of the others.

    With headers, a Python without its C headers counts as not installed.
    """
    found = {name: _find(name) for name in wanted}
    missing = [name for name, python in found.items() if python is None or (headers and not python.headers)]
    return [python for name, python in found.items() if python and name not in missing], missing


def find(wanted: list[str], headers: bool = False) -> list[Python]:
    """Like look, but all of them must be installed.

    Raises:
        SystemExit: one of them is not installed. The message says how to install it.
    """
    found, missing = look(wanted, headers)
    if missing:
        raise SystemExit(f"gonextdoor: {absent(missing, headers)}\n{_advice(missing)}")
    return found


def absent(missing: list[str], headers: bool = False) -> str:
    """A line that names Pythons that were not found."""
    what = "Python with C headers" if headers else "Python"
    return f"no {what} found for {', '.join(missing)} (looked on PATH and in pyenv's folder)"


def _advice(missing: list[str]) -> str:
    """How to install Pythons, or to do without them."""
    versions = [name for name in missing if re.fullmatch(VERSION, name)] or ["3.13"]
    packages = " ".join(f"python{version}-dev python{version}-venv" for version in versions)
    return (
        f"  with pyenv:     pyenv install {' '.join(versions)}\n"
        f"  Debian, Ubuntu: sudo apt install {packages}   (if the release has these versions)\n"
        f"  elsewhere:      make wheels WHEEL_PYTHONS='3.12 /path/to/python{versions[-1]}'\n"
        "To build the wheels of the other versions only: make wheels WHEEL_MISSING=skip"
    )


def _find(name: str) -> Python | None:
    version = name if re.fullmatch(VERSION, name) else ""
    commands = [f"python{version}"] if version else [name]
    if version:
        root = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
        commands += map(str, sorted(root.glob(f"versions/{version}.*/bin/python{version}"), reverse=True))
    for command in commands:
        path = shutil.which(command)
        # pyenv's commands on PATH exist for every installed version, but run only the selected ones.
        done = path and subprocess.run([path, "-c", ASK], capture_output=True, text=True)
        if path and done and done.returncode == 0:
            major, minor, suffix, headers = done.stdout.split()
            if not version or version == f"{major}.{minor}":
                return Python(path, f"{major}.{minor}", suffix, headers == "True")
    return None
