"""Runs targets of the Makefile side by side: as many at a time as there are lanes, each line with its target before it.

    python tests/lanes.py --make make --lanes 2 lint-go lint-python test-go test-python --then test-quiet

A target begins when a lane is free, in the order given; those after --then run alone, at the end. All of them run
though one fails. The last lines say which failed and how long each took; the exit code is 1 if any failed.
"""

from __future__ import annotations

import argparse
import queue
import shlex
import subprocess
import sys
import threading
import time

import daily

OUTPUT = threading.Lock()  # lines of two targets do not mix


def run(make: list[str], target: str, results: dict[str, tuple[int, float]]) -> None:
    """Runs a target, prints its lines as they come, and notes its exit code and its seconds."""
    began = time.monotonic()
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
        with OUTPUT:
            print(f"{target}: {line.rstrip()}", flush=True)
    results[target] = child.wait(), time.monotonic() - began


def side_by_side(make: list[str], targets: list[str], lanes: int, results: dict[str, tuple[int, float]]) -> None:
    """Runs the targets, so many at a time."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for target in targets:
        waiting.put(target)

    def lane() -> None:
        while True:
            try:
                target = waiting.get_nowait()
            except queue.Empty:
                return
            run(make, target, results)

    threads = [threading.Thread(target=lane) for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", default="make", help="the command that runs a target")
    parser.add_argument("--lanes", type=int, default=2)
    parser.add_argument("--then", nargs="*", default=[], help="targets that run alone, at the end")
    parser.add_argument("targets", nargs="+")
    options = parser.parse_args()
    seed = f"{daily.VARIABLE}={daily.SEED}"
    print(f"{seed} chooses what is run of the large corpora", flush=True)

    began = time.monotonic()
    make, results = shlex.split(options.make), {}
    side_by_side(make, options.targets, options.lanes, results)
    side_by_side(make, options.then, 1, results)

    print(f"\n{time.monotonic() - began:.0f} s, {seed}")
    for target, (code, seconds) in results.items():
        print(f"  {target:<12} {'passed' if code == 0 else 'FAILED'} {seconds:6.0f} s")
    return int(any(code for code, _ in results.values()))


if __name__ == "__main__":
    sys.exit(main())
