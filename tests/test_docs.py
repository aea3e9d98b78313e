"""The documentation is true: its Python runs, its command lines run, its tables agree with the package."""

import dataclasses
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import gonextdoor as gnd

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(page.relative_to(ROOT).as_posix() for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
RUNS = ["README.md", "docs/law.md", "docs/limits.md"]  # pages that must have Python to run


def blocks(page: str, language: str) -> list[str]:
    """The page's code blocks of a language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def rows(page: str, header: str) -> list[list[str]]:
    """The cells of the table whose header begins so."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(header))
    found = []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return found


@pytest.mark.parametrize("page", PAGES)
def test_python_runs(page, tmp_path, monkeypatch):
    code = blocks(page, "python")
    assert code or page not in RUNS
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in code:  # the blocks of a page are one program
        exec(compile(block, page, "exec"), names)


def test_notebook_runs(tmp_path, monkeypatch):
    """Its code as one program; nbclient would add a kernel, and nothing that is ours."""
    pytest.importorskip("matplotlib").use("Agg")
    cells = json.loads((ROOT / "notebooks" / "quickstart.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in code:
        exec(compile(cell, "quickstart.ipynb", "exec"), names)
    assert names["walks"].numpy().shape == (names["graph"].num_vertices, 41)


def test_command_lines_run(tmp_path):
    lines = [line[2:] for block in blocks("docs/cli.md", "console") for line in block.splitlines()]
    assert len(lines) > 5
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "gonextdoor"
        done = subprocess.run(
            [sys.executable, "-m", "gonextdoor", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_known_answers():
    names = {}
    for block in blocks("docs/law.md", "python")[:2]:
        exec(block, names)
    table = rows("docs/law.md", "| seed | purpose |")
    assert len(table) >= 10
    for row in table:
        seed, purpose, stream, id, key, *words = (int(cell, 0) for cell in row)
        assert names["stream"](seed, purpose) == stream
        assert names["key"](stream, id) == key
        assert [names["word"](key, slot) for slot in (0, 1, 256)] == words


def test_known_answers_are_the_package_s():
    for row in rows("docs/law.md", "| seed | purpose |"):
        seed, purpose, stream, id, key, *words = (int(cell, 0) for cell in row)
        assert gnd.rng.stream(seed, purpose) == stream
        assert gnd.rng.key(stream, id) == key
        assert [gnd.rng.word(key, slot) for slot in (0, 1, 256)] == words


def apps() -> dict[str, type]:
    return {name: x for name, x in vars(gnd.apps).items() if isinstance(x, type) and dataclasses.is_dataclass(x)}


def test_table_of_apps_agrees():
    table = {row[0]: row[1] for row in rows("docs/apps.md", "| app |")}
    assert set(table) == set(apps())
    for name, app in apps().items():
        shown = re.findall(r"`([^`]*)`", table[name])
        fields = [
            field.name if field.default is dataclasses.MISSING else f"{field.name}={field.default!r}".replace("'", '"')
            for field in dataclasses.fields(app)
        ]
        assert shown == fields, name


def test_readme_names_every_app():
    assert {row[0] for row in rows("README.md", "| app |")} == set(apps())


def test_every_app_has_its_words_in_the_law():
    named = {row[0] for row in rows("docs/law.md", "| app | choice |")}
    assert set(apps()) <= named


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8")):
        assert ((ROOT / page).parent / link).exists(), link


def test_commands_are_listed():
    from gonextdoor.cli import group

    listed = {row[0].split()[0].strip("`") for row in rows("docs/cli.md", "| command |")}
    assert listed == set(group.commands)
