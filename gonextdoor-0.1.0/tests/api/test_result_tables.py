"""The tables of results in the pages of the site: docs/tables.py writes them from docs/results."""

import csv
import re
import sys
from collections import Counter
from pathlib import Path

import corpus
import pytest

DOCS = corpus.ROOT / "docs"
sys.path.insert(0, str(DOCS))
import tables  # noqa: E402

PAGES = {page: page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("*.md"))}


def test_every_file_is_on_one_page():
    shown = Counter(DOCS / path for text in PAGES.values() for path in tables.linked(text))
    assert shown == Counter(DOCS.glob("results/**/*.csv"))


@pytest.mark.parametrize(
    "page", [page for page, text in PAGES.items() if tables.linked(text)], ids=lambda page: page.name
)
def test_pages_have_every_row(page: Path):
    text = tables.with_tables(PAGES[page], DOCS)
    for path in tables.linked(PAGES[page]):
        with (DOCS / path).open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        above = text[: text.index(f"]({path})</small>")]
        lines = above[: above.rindex("\n\n")].splitlines()[-len(rows) - 2 :]
        assert lines[1] == "|" + "---|" * len(header)
        for row, line in zip([header, *rows], [lines[0], *lines[2:]], strict=True):
            assert line == "| " + " | ".join(map(tables.cell, row)) + " |"


def test_cells_are_shown_as_they_are():
    assert tables.cell("a|b [0] <nil>\nx_y") == "a&#124;b &#91;0&#93; &#60;nil&#62; x&#95;y"
    assert tables.cell("p <= 10^-912, `[a|b]`") == "p &#60;= 10<sup>-912</sup>, `[a\\|b]`"


def test_rows_of_other_lengths_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1\n")
    with pytest.raises(ValueError, match=r"a\.csv: rows with \[1, 2\] cells, expected 2"):
        tables.with_tables("[A](a.csv)", tmp_path)


def test_the_summary_counts_the_mutants():
    rows = [
        sum(1 for _ in csv.reader(path.open(encoding="utf-8", newline=""))) - 1
        for path in DOCS.glob("results/mutants/*.csv")
    ]
    proof = PAGES[DOCS / "proof.md"]
    _, _, table = proof.partition("| faults in | number |")
    counts = [int(number) for number in re.findall(r"^\| [^|]+ \| (\d+) \|", table, re.MULTILINE)]
    assert sum(counts) == sum(rows)
    assert f"each of the {sum(rows)} faults" in proof
