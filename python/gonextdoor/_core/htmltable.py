"""Small HTML tables for notebooks."""

from __future__ import annotations

from html import escape

__all__ = ["table"]


def table(facts: dict[str, str]) -> str:
    """A small HTML table of names and values."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
    return f"<table>{rows}</table>"
