"""Runs targets of the Makefile side by side: as many at a time as there are lanes, each line with its target before it.

    python tests/lanes.py --make make --lanes 2 test-go test-python lint-go lint-python --then test-quiet

A target begins when a lane is free, in the order given; those after --then run alone, at the end. All of them run even
if one fails. The last lines are the wall time and the CPU time of each target, then the failures of those that failed.
The exit code is 1 if any failed.
"""

from __future__ import annotations

import argparse
import os
import queue
import shlex
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import daily
import failures

OUTPUT = threading.Lock()  # lines of two targets do not mix
MOST_FAILURES = 8  # printed at the end, for all targets together: CI shows the last 2,000 characters of a log


@dataclass
class Result:
    """How a target ended."""

    target: str
    code: int
    wall: float  # seconds
    cpu: float  # seconds, of all its processes
    failures: list[str]

    def __str__(self) -> str:
        word = "FAILED" if self.code else "passed"
        return f"{self.target:<12} {word} {self.wall:6.0f} s, CPU {self.cpu:4.0f} s"


def run(make: list[str], target: str) -> Result:
    """Runs a target and prints its lines as they come."""
    began, lines = time.monotonic(), []
    child = subprocess.Popen(
        [*make, "--no-print-directory", target],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert child.stdout is not None
    for line in child.stdout:
        lines.append(line.rstrip())
        with OUTPUT:
            print(f"{target}: {line.rstrip()}", flush=True)
    _, status, usage = os.wait4(child.pid, 0)  # Popen.wait does not give the usage
    child.returncode = os.waitstatus_to_exitcode(status)
    wall, cpu = time.monotonic() - began, usage.ru_utime + usage.ru_stime
    return Result(target, child.returncode, wall, cpu, failures.found(lines) if child.returncode else [])


def side_by_side(make: list[str], targets: list[str], lanes: int) -> list[Result]:
    """Runs the targets, at most `lanes` at a time, and returns the results in the order in which they end."""
    results: list[Result] = []
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for target in targets:
        waiting.put(target)

    def lane() -> None:
        while True:
            try:
                target = waiting.get_nowait()
            except queue.Empty:
                return
            results.append(run(make, target))

    threads = [threading.Thread(target=lane) for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def report_failures(failed: list[Result], seed: str) -> None:
    """Prints the failures of each target, fewer of each if more targets failed."""
    for result in failed:
        most = max(2, MOST_FAILURES // len(failed))
        print(f"\nFAILED {result.target}   (again: make {result.target} {seed})")
        for line in result.failures[:most]:
            print(f"  {line}")
        if len(result.failures) > most:
            print(f"  and {len(result.failures) - most} more")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", default="make", help="the command that runs a target")
    parser.add_argument("--lanes", type=int, default=2)
    parser.add_argument("--then", nargs="*", default=[], help="targets that run alone, at the end")
    parser.add_argument("targets", nargs="+")
    options = parser.parse_args()
    seed = f"{daily.VARIABLE}={daily.SEED}"
    print(f"{seed} chooses the share of the large corpora", flush=True)

    began, make = time.monotonic(), shlex.split(options.make)
    results = side_by_side(make, options.targets, options.lanes) + side_by_side(make, options.then, 1)

    print(f"\n{time.monotonic() - began:.0f} s, {seed}")
    for result in results:
        print(f"  {result}")
    failed = [result for result in results if result.code]
    report_failures(failed, seed)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
