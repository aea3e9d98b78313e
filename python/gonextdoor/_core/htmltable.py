"""HTML for notebooks: a title, a small picture and a table of facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["escaped", "grid", "panel", "table"]

LONGEST = 400  # characters of a value


def table(facts: Mapping[str, str]) -> str:
    """A small HTML table of names and values."""
    rows = "".join(f"<tr><th>{escaped(name)}</th><td>{escaped(_cut(value))}</td></tr>" for name, value in facts.items())
    return f"<table>{rows}</table>"


def grid(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A title, and an HTML table with a row of heads."""
    heads = "".join(f"<th>{escaped(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{escaped(_cut(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div><strong>{escaped(_cut(title))}</strong><table><tr>{heads}</tr>{body}</table></div>"


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
        text = f'<figcaption style="{style}">{escaped(caption)}</figcaption>' if caption else ""
        picture = f'<figure style="margin:0">{picture}{text}</figure>'
    style = "display:flex;flex-wrap:wrap;gap:1.5em;align-items:center"
    return f'<div style="{style}"><div><strong>{escaped(_cut(title))}</strong>{table(facts)}</div>{picture}</div>'


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def escaped(text: str) -> str:
    """The text as HTML."""
    from html import escape  # few programs show tables, and its entities take 2 ms to import

    return escape(text)
