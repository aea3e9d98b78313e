"""The code of docs/gnn.md's section on PyG runs."""

import re
from pathlib import Path


def test_the_section_runs():
    page = (Path(__file__).resolve().parents[2] / "docs" / "gnn.md").read_text(encoding="utf-8")
    section = page.split("\n## PyG\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```py\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), "docs/gnn.md", "exec"), {})
