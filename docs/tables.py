"""Writes the tables of results into the pages of the site: a hook of mkdocs (mkdocs.yml).

A paragraph that is a link to a .csv file, as ``[Walks](results/cpu/walks.csv)``, becomes the table of that file, with
the link below it. In the repository the link leads to the file, which GitHub shows as a table.
"""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"^\[([^\]]+)\]\(([\w./-]+\.csv)\)$", re.MULTILINE)


def linked(markdown: str) -> list[str]:
    """The files whose tables a page shows."""
    return [path for _, path in LINK.findall(markdown)]


def cell(text: str) -> str:
    """A cell of a Markdown table that shows the text; `code` and **bold** have their meaning, and 10^-9 is a power."""
    parts = re.split(r"(`[^`]*`)", text.replace("\n", " "))
    for i in range(0, len(parts), 2):
        plain = re.sub(
            r"([\[\]\\_<>|])",
            lambda found: f"&#{ord(found[1])};",
            html.escape(parts[i], quote=False).replace("&lt;", "<").replace("&gt;", ">"),
        )
        parts[i] = re.sub(r"\b(10|2)\^(-?\d+)", r"\1<sup>\2</sup>", plain)
    return "".join(part.replace("|", "\\|") for part in parts)


def table(path: Path) -> str:
    """The Markdown table of a file. Raises ValueError if its rows differ in length."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if {len(row) for row in rows} != {len(rows[0])}:
        raise ValueError(f"{path}: rows with {sorted({len(row) for row in rows})} cells, expected {len(rows[0])}")
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def with_tables(markdown: str, folder: Path) -> str:
    """The text of a page in a folder, with its tables. Long ones are closed until the reader opens them."""

    def written(link: re.Match[str]) -> str:
        rows = table(folder / link[2])
        shown = f"{rows}\n\n<small>{link[0]}</small>"
        if (number := rows.count("\n") - 1) <= 40:
            return shown
        return f'<details markdown="1"><summary>{link[1]}: {number} rows</summary>\n\n{shown}\n\n</details>'

    return LINK.sub(written, markdown)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for every page."""
    path = page.file.abs_src_path  # None: a page that another hook has written
    return with_tables(markdown, Path(path).parent) if path else markdown
