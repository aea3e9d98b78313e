"""Measure: runs both sides of a comparison alternately, so that other load affects both equally."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable

from gonextdoor.cli import machine

Side = Callable[[], float]  # one run; returns its figure


def parser(about: str | None, repetitions: int = 5) -> argparse.ArgumentParser:
    """The options of all benchmarks."""
    options = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--reps", type=int, default=repetitions, help="runs of each side (default %(default)s)")
    options.add_argument(
        "--threads", default="1,2", help="numbers of threads, with commas between (default %(default)s)"
    )
    return options


def threads(text: str) -> list[int]:
    """The numbers of --threads."""
    return [int(part) for part in text.split(",")]


def head() -> None:
    """The machine and the columns of the table."""
    print(machine.summary())
    print(f"{'':<34}{'threads':>8}  {'ours':>9}  {'theirs':>9}  {'ratio':>6}   ratios of the pairs", flush=True)


def compare(what: str, n: int, ours: Side, theirs: Side, repetitions: int, unit: str, *, lower: bool = False) -> float:
    """Runs the sides in turn, the first pair unmeasured, and prints the medians and the median ratio of the pairs.

    A ratio above 1 means that ours is better: figures are rates, or times where ``lower`` is better.
    """
    pairs = []
    for run in range(repetitions + 1):
        pair = ours(), theirs()
        if run:
            pairs.append(pair)
    ratios = [b / a if lower else a / b for a, b in pairs]
    ratio = statistics.median(ratios)
    mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    print(f"{what:<34}{n:>8}  {mine:>9.4g}  {other:>9.4g}  {ratio:>6.2f}   {spread}   {unit}", flush=True)
    return ratio


def alone(what: str, n: int | str, side: Side, repetitions: int, unit: str) -> float:
    """Runs one side and prints its median, least and most."""
    side()
    figures = [side() for _ in range(repetitions)]
    middle = statistics.median(figures)
    print(f"{what:<34}{n:>8}  {middle:>9.4g}   {min(figures):.4g} to {max(figures):.4g}   {unit}", flush=True)
    return middle
