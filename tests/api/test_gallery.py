"""docs/gallery.md is what docs/gallery.py writes, and its pictures are small and well-formed."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import corpus
import daily
import pytest

pytest.importorskip("matplotlib")

DOCS = corpus.ROOT / "docs"
LARGEST = 60_000  # bytes of a picture


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder that the script wrote to."""
    folder = tmp_path_factory.mktemp("gallery")
    done = subprocess.run([sys.executable, DOCS / "gallery.py", folder], capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr
    return folder


def pictures(folder):
    return {path.name for path in (folder / "assets" / "gallery").iterdir()}


def test_the_page_is_the_script_s(written):
    assert (written / "gallery.md").read_text(encoding="utf-8") == (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert pictures(written) == pictures(DOCS)


def test_the_page_shows_every_picture():
    shown = re.findall(r"\]\(assets/gallery/([^)]*)\)", (DOCS / "gallery.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(pictures(DOCS))


def test_pictures_are_small_and_well_formed(written):
    for folder in (written, DOCS):
        for path in (folder / "assets" / "gallery").iterdir():
            assert path.stat().st_size < LARGEST, path.name
            assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("run", daily.share(["second"], 4, "pictures"))
def test_pictures_have_neither_date_nor_random_ids(written, tmp_path, run):
    again = subprocess.run([sys.executable, DOCS / "gallery.py", tmp_path], capture_output=True, text=True, timeout=150)
    assert again.returncode == 0, again.stderr
    for path in (written / "assets" / "gallery").iterdir():
        assert path.read_bytes() == (tmp_path / "assets" / "gallery" / path.name).read_bytes(), path.name
        assert b"dc:date" not in path.read_bytes()
