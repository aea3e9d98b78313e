"""Times `make demo` from nothing: a fresh clone with empty caches of pip, Go and compiled kernels.

    python benchmarks/first_build.py [--runs 3] [--warm] [--limit 120] [--folder FOLDER]

Each run clones the committed state of this checkout to a temporary folder and runs `make demo` there, with the caches
in that folder too. It prints the seconds from the start, the duration and the CPU seconds of each part. Parts that
overlap are marked: gopy is compiled while NVRTC compiles the kernels. --warm adds a run in a second clone that keeps
the caches of Go alone. With --limit the exit code is 1 if a run from nothing takes longer.

The figures are for a machine without other load: the load average before each run is printed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What make prints when it starts a step.
STEPS = {
    r"-m venv ": "virtual environment",
    r"pip .*setuptools": "pip: build tools (setuptools, pybindgen, NVRTC)",
    r"pip .* -e ": "pip: the package (its build, NumPy, tqdm, click)",
    r"-m gonextdoor demo": "demo",
}
# Variables of the caller's shell that would change the build.
IGNORED = ("MAKEFLAGS", "GOFLAGS", "CGO_CFLAGS", "CGO_LDFLAGS", "VIRTUAL_ENV")


class Part(NamedTuple):
    """A part of a run: seconds since the epoch, and CPU seconds if they are known."""

    name: str
    start: float
    end: float
    cpu: float | None = None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs from nothing (default: 3)")
    parser.add_argument("--warm", action="store_true", help="after each, a run with Go's caches of the one before")
    parser.add_argument("--limit", type=float, help="seconds that a run from nothing may take")
    parser.add_argument("--folder", type=pathlib.Path, help="for clones and caches (default: a temporary folder)")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error(f"--runs {arguments.runs}: at least 1 run")
    late = False
    for run in range(arguments.runs):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            caches = pathlib.Path(folder, "caches")
            seconds = build(pathlib.Path(folder, "first"), caches, f"run {run + 1}, from nothing")
            late = late or (arguments.limit is not None and seconds > arguments.limit)
            if arguments.warm:
                for name in ("pip", "xdg"):  # pip makes none if it is configured so
                    shutil.rmtree(caches / name, ignore_errors=True)
                build(pathlib.Path(folder, "second"), caches, f"run {run + 1}, Go's caches warm")
            # Go's module cache is read-only, and the temporary folder could not be removed.
            subprocess.run(["chmod", "-R", "u+w", folder], check=True)
    return int(late)


def build(checkout: pathlib.Path, caches: pathlib.Path, title: str) -> float:
    """Clones to checkout, runs make demo, prints the parts and returns the seconds that it took."""
    subprocess.run(["git", "clone", "--quiet", ROOT, checkout], check=True)
    times = checkout.with_suffix(".times")
    environment = {
        **{name: value for name, value in os.environ.items() if name not in IGNORED},
        "GOCACHE": str(caches / "go"),
        "GOMODCACHE": str(caches / "modules"),
        "PIP_CACHE_DIR": str(caches / "pip"),
        "XDG_CACHE_HOME": str(caches / "xdg"),
        "GONEXTDOOR_BUILD_TIMES": str(times),
    }
    print(f"\n{title} (load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores)", flush=True)
    cpu, begun = children(), time.time()
    steps = [(begun, "make")]
    command = ["make", "demo"]
    with subprocess.Popen(
        command, cwd=checkout, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as make:
        assert make.stdout is not None
        said = []
        for line in make.stdout:
            said.append(line)
            steps += [(time.time(), name) for text, name in STEPS.items() if re.search(text, line)][:1]
    ended = time.time()
    if make.returncode:
        sys.exit("".join(said[-40:]) + f"make demo failed (status {make.returncode})")
    ends = [start for start, _ in steps[1:]] + [ended]
    parts = [Part(name, start, end) for (start, name), end in zip(steps, ends, strict=True)]
    for line in times.read_text().splitlines():
        name, start, end, seconds = line.split("\t")
        parts.append(Part(f"  {name}", float(start), float(end), float(seconds)))
    show(sorted(parts, key=lambda part: part.start), begun)
    print(f"{'total':54} {ended - begun:7.1f} {children() - cpu:7.1f}", flush=True)
    return ended - begun


def show(parts: list[Part], begun: float) -> None:
    print(f"{'part':46} {'from':>7} {'seconds':>7} {'CPU':>7}")
    for part in parts:
        inner = part.name.startswith("  ")
        beside = [p for p in parts if inner and p is not part and p.name.startswith("  ")]
        overlaps = "  *" if any(p.start < part.end and part.start < p.end for p in beside) else ""
        cpu = "" if part.cpu is None else f"{part.cpu:.1f}"
        print(f"{part.name:46} {part.start - begun:7.1f} {part.end - part.start:7.1f} {cpu:>7}{overlaps}")
    if any(part.cpu is not None for part in parts):
        print("* at the same time as another part")


def children() -> float:
    """CPU seconds of the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
