"""Finds installed Pythons by version: on PATH, or in the folder of pyenv."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
from typing import NamedTuple

ASK = "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_config_var('EXT_SUFFIX'))"


class Python(NamedTuple):
    """An installed CPython."""

    command: str
    version: str  # such as "3.13"
    suffix: str  # of extension modules, such as ".cpython-313-x86_64-linux-gnu.so"

    @property
    def tag(self) -> str:
        """Its tag in the names of wheels, such as "cp313"."""
        return f"cp{self.version.replace('.', '')}"


def find(wanted: list[str]) -> list[Python]:
    """Returns the wanted Pythons, each a version or a command.

    Raises:
        SystemExit: one of them is not installed.
    """
    found = {name: _find(name) for name in wanted}
    missing = [name for name, python in found.items() if python is None]
    if missing:
        raise SystemExit(
            f"gonextdoor: no Python {', '.join(missing)} found on PATH or in pyenv's folder; install it, "
            "or choose others: make wheels WHEEL_PYTHONS='3.12 3.13'"
        )
    return [python for python in found.values() if python]


def _find(name: str) -> Python | None:
    version = name if re.fullmatch(r"3\.\d+", name) else ""
    commands = [f"python{version}"] if version else [name]
    if version:
        root = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
        commands += map(str, sorted(root.glob(f"versions/{version}.*/bin/python{version}"), reverse=True))
    for command in commands:
        path = shutil.which(command)
        # pyenv's commands on PATH exist for every installed version, but run only the selected ones.
        done = path and subprocess.run([path, "-c", ASK], capture_output=True, text=True)
        if path and done and done.returncode == 0:
            major, minor, suffix = done.stdout.split()
            if not version or version == f"{major}.{minor}":
                return Python(path, f"{major}.{minor}", suffix)
    return None
