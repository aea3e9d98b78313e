"""Records how long the parts of a build take.

With GONEXTDOOR_BUILD_TIMES=FILE each part appends a line to FILE: its name, when it began and when it ended in seconds
since the epoch, and the CPU seconds that it took, separated by tabs. A file, because pip hides the output of builds.
benchmarks/first_build.py reads it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def part(name: str) -> Iterator[None]:
    """Records the body of the with statement as the part called name.

    Its CPU seconds are those of this process and of the child processes that it waited for.
    """
    start, cpu = time.time(), _cpu()
    try:
        yield
    finally:
        _record(name, start, _cpu() - cpu)


def wait(name: str, start: float, process: subprocess.Popen[bytes]) -> int:
    """Waits for a process, which began at start, and records it as the part called name. Returns its exit status."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    _record(name, start, usage.ru_utime + usage.ru_stime)
    return process.returncode


def _record(name: str, start: float, cpu: float) -> None:
    file = os.environ.get("GONEXTDOOR_BUILD_TIMES")
    if file:
        with open(file, "a") as out:
            out.write(f"{name}\t{start:.2f}\t{time.time():.2f}\t{cpu:.2f}\n")


def _cpu() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
