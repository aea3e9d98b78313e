"""Draws the bar chart of the README from benchmarks/results/peers.json, for light and dark backgrounds.

    python benchmarks/chart.py

Each bar is a median ratio of interleaved pairs if the file has one, otherwise the ratio of the two figures. The files
are docs/assets/peers-light.svg and docs/assets/peers-dark.svg. They depend on the data alone, not on the time or the
machine.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
COLOURS = {"light": ("#1f2328", "#3949ab", "#d0d7de"), "dark": ("#e6edf3", "#9fa8da", "#30363d")}  # text, bars, grid


def main() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    import svgfile

    data = json.loads((ROOT / "benchmarks/results/peers.json").read_text())
    rows = sorted(data["rows"], key=ratio)
    for theme, (text, bars, grid) in COLOURS.items():
        style = {
            "font.size": 11, "text.color": text, "axes.labelcolor": text,
            "xtick.color": text, "ytick.color": text,
        }  # fmt: skip
        with mpl.rc_context(style):
            figure = draw(rows, data["title"], bars, grid)
            path = ROOT / f"docs/assets/peers-{theme}.svg"
            svgfile.write(path, figure, transparent=True)
            plt.close(figure)
            print(path.relative_to(ROOT))


def ratio(row: dict[str, Any]) -> float:
    """How many times faster gonextdoor is in a row; figures in ms are times, all others are rates."""
    faster = row["theirs"] / row["ours"] if row["unit"].startswith("ms") else row["ours"] / row["theirs"]
    return float(row.get("ratio", faster))


def draw(rows: list[dict[str, Any]], title: str, bars: str, grid: str) -> Any:
    """One horizontal bar per row, on a logarithmic axis."""
    figure, axes = plt.subplots(figsize=(8, 0.55 + 0.62 * len(rows)), layout="constrained")
    values = [ratio(row) for row in rows]
    axes.barh(range(len(rows)), values, height=0.5, color=bars)
    for i, (row, value) in enumerate(zip(rows, values, strict=True)):
        axes.text(value * 1.06, i, f"{value:.0f}x", va="center", fontweight="bold")
        axes.text(1.05, i + 0.38, row["task"], va="center", fontsize=8.5, alpha=0.85)
    axes.set_yticks(range(len(rows)), [row["peer"] for row in rows])
    axes.set_xscale("log")
    axes.set_xlim(1, max(values) * 1.8)
    axes.set_ylim(-0.5, len(rows) - 0.3)
    axes.set_xticks([1, 10, 100], ["1x", "10x", "100x"])
    axes.minorticks_off()
    axes.grid(axis="x", color=grid)
    axes.set_axisbelow(True)
    axes.set_xlabel("times faster (logarithmic axis)")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_title(title, loc="left", fontsize=12)
    return figure


if __name__ == "__main__":
    main()
