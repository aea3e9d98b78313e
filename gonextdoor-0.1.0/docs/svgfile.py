"""Writes the pictures of the documentation: SVG files of one line, with text as text, without dates and random ids."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl

STYLE = {"svg.fonttype": "none", "svg.hashsalt": "gonextdoor"}


def write(path: Path, figure: Any, **options: Any) -> None:
    """Writes a figure to `path`; `options` are those of `Figure.savefig`."""
    held = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(held, format="svg", metadata={"Date": None, "Creator": None}, **options)
    path.write_text(compact(held.getvalue()), encoding="utf-8")


def compact(text: str) -> str:
    """The SVG without comments, metadata and line breaks, with two decimals: 1/100 of a point."""
    text = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), text)
    text = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font: \1 sans-serif", text)
    text = re.sub(r">\s+<", "><", text)
    return re.sub(r"\s+", " ", text).strip() + "\n"
