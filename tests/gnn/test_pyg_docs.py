"""The code for PyG of docs/gnn.md, of the how-to page and of the tutorial runs, and prints what the page shows."""

import re
from pathlib import Path

import docpages


def test_the_section_runs():
    page = (Path(__file__).resolve().parents[2] / "docs" / "gnn.md").read_text(encoding="utf-8")
    section = page.split("\n## PyG\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```py\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), "docs/gnn.md", "exec"), {})


def test_the_how_to_page_prints_what_it_shows():
    assert docpages.run_page("docs/howto/pyg-without-pyg-lib.md", "py") == 2


def test_the_tutorial_prints_what_it_shows():
    assert docpages.run_page("docs/tutorials/pyg.md", "py") == 3
