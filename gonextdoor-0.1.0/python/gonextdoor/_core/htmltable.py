"""HTML for notebooks: a title, a small picture and a table of facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

__all__ = ["grid", "panel", "table"]

LONGEST = 400  # characters of a value


def table(facts: Mapping[str, str]) -> str:
    """A small HTML table of names and values."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(_cut(value))}</td></tr>" for name, value in facts.items())
    return f"<table>{rows}</table>"


def grid(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A title, and an HTML table with a row of heads."""
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(_cut(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div><strong>{escape(_cut(title))}</strong><table><tr>{heads}</tr>{body}</table></div>"


def panel(title: str, facts: Mapping[str, str], picture: str = "", caption: str = "") -> str:
    """A title, a table and a picture next to the table.

    Args:
        title: the title, as text.
        facts: names and values, as text.
        picture: inline SVG, as ``gonextdoor._core.svg`` makes it, or "".
        caption: what the picture shows.
    """
    if picture:
        style = "font-size:85%;opacity:0.75;text-align:center"
        text = f'<figcaption style="{style}">{escape(caption)}</figcaption>' if caption else ""
        picture = f'<figure style="margin:0">{picture}{text}</figure>'
    style = "display:flex;flex-wrap:wrap;gap:1.5em;align-items:center"
    return f'<div style="{style}"><div><strong>{escape(_cut(title))}</strong>{table(facts)}</div>{picture}</div>'


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
