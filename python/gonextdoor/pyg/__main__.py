"""python -m gonextdoor.pyg program.py arguments: runs a program of PyG after ``install()``."""

from __future__ import annotations

import os
import runpy
import sys

from .install import install


def main() -> None:
    """Runs the program as ``python program.py arguments`` does."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit("usage: python -m gonextdoor.pyg program.py [arguments]")
    program = sys.argv[1]
    if not os.path.exists(program):
        raise SystemExit(f"python -m gonextdoor.pyg: there is no program {program!r}")
    install()
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
