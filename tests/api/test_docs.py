"""The documentation is true: its Python runs, its tables agree with the package. docs/cli.md: see test_cli_docs.py."""

import dataclasses
import re
from pathlib import Path

import corpus
import docpages
import pytest

import gonextdoor as gnd

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for page in [
        ROOT / "README.md",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "howto").glob("*.md"),
        *(ROOT / "docs" / "tutorials").glob("*.md"),
    ]
)
RUNS = [
    "README.md",
    "docs/device-choice.md",
    "docs/features.md",
    "docs/gallery.md",
    "docs/gnn-accuracy.md",
    "docs/gnn-processes.md",
    "docs/gnn.md",
    "docs/graph.md",
    "docs/howto/dataframes.md",
    "docs/howto/epochs.md",
    "docs/howto/personalised-pagerank.md",
    "docs/howto/string-ids.md",
    "docs/ray.md",
    "docs/reproducibility.md",
    "docs/limits.md",
    "docs/partition-internals.md",
    "docs/partition.md",
    "docs/tutorials/embeddings.md",
    "docs/tutorials/your-own-app.md",
    "docs/your-own-apps.md",
]  # pages that must have Python to run
NEEDS = {
    "README.md": ["networkx"],
    "docs/gallery.md": ["matplotlib"],
    "docs/ray.md": ["pyarrow", "dask"],
    "docs/howto/dataframes.md": ["pandas", "pyarrow", "polars", "duckdb"],
    "docs/howto/personalised-pagerank.md": ["networkx", "scipy"],
    "docs/tutorials/embeddings.md": ["networkx", "scipy", "gensim"],
    "docs/tutorials/your-own-app.md": ["llvmlite"],
    "docs/your-own-apps.md": ["llvmlite"],
}


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
    assert docpages.page_blocks(page, "python") or page not in RUNS
    for package in NEEDS.get(page, []):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    shown = docpages.run_page(page, "python")
    shows = page in RUNS and page.startswith(("docs/howto/", "docs/tutorials/"))
    assert shown or not shows, "a how-to page or tutorial shows what its code prints"


CODE = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_code_is_not_cut(path):
    """A page of the site is wide enough for 88 columns of code."""
    blocks = re.findall(r"^```[\w-]*\n.*?^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert not [line for block in blocks for line in block.splitlines() if len(line) > 88]


def test_outputs_follow_code():
    """An output block that follows no code would not be compared with anything."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        found = [block for lang in ("python", "py", "console") for block in docpages.page_blocks(page, lang)]
        pairs = sum(shown is not None for _, shown in found)
        assert len(re.findall(r"^```output$", text, re.MULTILINE)) == pairs, page


def test_known_answers():
    names = {}
    for block in blocks("docs/reproducibility.md", "python")[:3]:
        exec(block, names)
    table = rows("docs/reproducibility.md", "| seed | purpose |")
    assert len(table) >= 10
    for row in table:
        seed, purpose, stream, id, key, *words = (int(cell, 0) for cell in row)
        assert names["stream"](seed, purpose) == stream
        assert names["key"](stream, id) == key
        assert [names["word"](key, slot) for slot in (0, 1, 256)] == words
        assert names["number"](stream, id % 2**32) == gnd.rng.number(stream, id % 2**32)


def test_known_answers_are_the_package_s():
    for row in rows("docs/reproducibility.md", "| seed | purpose |"):
        seed, purpose, stream, id, key, *words = (int(cell, 0) for cell in row)
        assert gnd.rng.stream(seed, purpose) == stream
        assert gnd.rng.key(stream, id) == key
        assert [gnd.rng.word(key, slot) for slot in (0, 1, 256)] == words


def apps() -> dict[str, type]:
    return {name: x for name, x in vars(gnd.apps).items() if isinstance(x, type) and dataclasses.is_dataclass(x)}


APP_PAGES = ["docs/apps-walks.md", "docs/apps-trees.md", "docs/apps-subgraphs.md"]


def page_of(app: str) -> str:
    """The page with the table of an app."""
    return next(page for page in APP_PAGES if f"\n| {app} | |\n" in (ROOT / page).read_text(encoding="utf-8"))


FACTS = ["parameters", "one sample is", "distribution", "selector", "source", "tested"]


@pytest.mark.parametrize("name", apps())
def test_every_app_has_its_table(name):
    table = rows(page_of(name), f"| {name} |")
    assert [row[0] for row in table] == FACTS
    facts = dict(table)
    assert all(facts.values())
    assert re.findall(r"`([^`]*)`", facts["parameters"]) == [
        field.name if field.default is dataclasses.MISSING else f"{field.name}={field.default!r}".replace("'", '"')
        for field in dataclasses.fields(apps()[name])
    ]
    assert re.search(r"\b\d+ tests?\b.*detects 0\.\d+", facts["tested"])
    assert re.search(r"\d", facts["source"]), "a source has its year"


def test_every_section_of_an_app_is_one():
    found = [(ROOT / page).read_text(encoding="utf-8") for page in APP_PAGES]
    named = re.findall(r"^#{2,3} (\w+)\n\n\| \1 \|", "\n".join(found), re.MULTILINE)
    assert sorted(named) == sorted(apps())


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
@pytest.mark.parametrize("weighted", [False, True])
def test_selectors_are_those_in_the_tables(app, weighted):
    told = dict(rows(page_of(type(app).__name__), f"| {type(app).__name__} |"))["selector"]
    used = gnd.sample(corpus.graph(weighted=weighted), app, 1, seed=1).selector
    assert set(re.findall(r"[A-Z]\w+", used)) <= set(re.findall(r"[A-Z]\w+", told)), used


def test_every_app_is_listed_with_a_link_to_its_section():
    table = rows("docs/apps.md", "| app |")
    names = _in_order(table)
    assert [f"docs/{row[0].partition('](')[2]}" for row in table] == [f"{page_of(x)}#{x.lower()})" for x in names]
    assert set(names) == set(apps())
    assert all(re.search(r"\d", source) for _, _, source in table)


def test_the_readme_shows_some_apps_and_their_number():
    listed = [[cells[0].replace("](", "](docs/"), *cells[1:]] for cells in rows("docs/apps.md", "| app |")]
    assert all(row in listed for row in rows("README.md", "| app |"))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"[All {len(apps())} apps](docs/apps.md#all-apps)" in text
    assert f"| apps (walks, layers, subgraphs, ...) | {len(apps())} |" in text


def _in_order(table: list[list[str]]) -> list[str]:
    return [re.sub(r"\W.*", "", row[0].lstrip("[")) for row in table]


def test_every_app_has_its_words_in_the_contract():
    named = {row[0] for row in rows("docs/reproducibility-words.md", "| app | choice |")}
    assert set(apps()) <= named


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for path, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", (ROOT / page).read_text(encoding="utf-8")):
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), path
        if target.suffix == ".svg":  # mkdocs-material shows such an image only on a light or a dark background
            assert anchor in {"", "only-light", "only-dark"}, f"{path}#{anchor}"
        else:
            assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_commands_are_listed():
    from gonextdoor.cli import group

    listed = {row[0].split()[0].strip("`") for row in rows("docs/cli.md", "| command |")}
    assert listed == set(group.commands)
