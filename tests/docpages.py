"""The code blocks of documentation pages, and the outputs that the pages show for them."""

import contextlib
import io
import linecache
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def page_blocks(page: str, language: str) -> list[tuple[str, str | None]]:
    """The page's code blocks of a language, each with the ``output`` block directly after it, or None."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```\n(?:```output\n(.*?)^```)?", text + "\n", re.MULTILINE | re.DOTALL)
    return [(match[1], match[2]) for match in found]


def run_page(page: str, language: str) -> int:
    """Runs the blocks of a page as one program, checks the outputs that the page shows, and returns their number."""
    names: dict[str, object] = {}
    checked = 0
    for number, (code, shown) in enumerate(page_blocks(page, language)):
        file = f"{page}, block {number}"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)  # the source of users' hooks
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, file, "exec"), names)
        if shown is not None:
            assert printed.getvalue() == shown, file
            checked += 1
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    return checked
