"""Divides the long pages of the reference: a hook of mkdocs (mkdocs.yml).

A page of docs/reference with sections (``## Walks``) becomes an index, and each section a page: the section Walks of
reference/apps.md is reference/apps/walks.html. The index lists the names of each page with their members, each with the
anchor that it had when all were on one page.
"""

from __future__ import annotations

import re
from typing import Any

from mkdocs.structure.files import File, Files

SECTION = re.compile(r"^## (.+)\n", re.MULTILINE)
HEADING = re.compile(r'<h(\d) id="(gonextdoor\.[^"]+)"')
PAGES: dict[str, dict[str, str]] = {}  # of each divided page: the pages of its sections and their titles


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Adds the pages of the sections, also to the navigation."""
    PAGES.clear()
    for file in files.documentation_pages():
        if file.src_uri.startswith("reference/"):
            _, *parts = SECTION.split(file.content_string)
            for title, text in zip(parts[::2], parts[1::2], strict=True):
                path = f"{file.src_uri[:-3]}/{re.sub('[^a-z]+', '-', title.lower())}.md"
                PAGES.setdefault(file.src_uri, {})[path] = title
                files.append(File.generated(config, path, content=f"# {title}\n{text}"))
    for section in config.nav:
        for pages in section.values():
            for i, entry in enumerate(pages if isinstance(pages, list) else ()):
                for title, page in entry.items():
                    if page in PAGES:
                        below = [{section: path} for path, section in PAGES[page].items()]
                        pages[i] = {title: [{"Overview": page}, *below]}
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leaves of a divided page its introduction, and a place for the names of each section."""
    if page.file.src_uri not in PAGES:
        return markdown
    folder = page.file.src_uri.rpartition("/")[0] + "/"
    paths = {path: path.removeprefix(folder) for path in PAGES[page.file.src_uri]}
    sections = [f"## [{title}]({paths[path]})\n\n<!-- {path} -->" for path, title in PAGES[page.file.src_uri].items()]
    return "\n\n".join([SECTION.split(markdown)[0], *sections])


def on_env(env: Any, files: Files, **_: Any) -> Any:
    """Writes the names, which are known when all pages are rendered."""
    for index, paths in PAGES.items():
        page = files.src_uris[index].page
        for path in paths:
            file = files.src_uris[path]
            listed = names(file.page.content, file.url_relative_to(page.file))
            page.content = page.content.replace(f"<!-- {path} -->", listed)
    return env


def names(content: str, url: str) -> str:
    """The HTML list of the names that have a heading on a page, each with its members in one item."""
    lines: list[list[str]] = []
    found = HEADING.findall(content)
    top = min(level for level, _ in found)
    for level, anchor in found:
        name = anchor.rpartition(".")[2]
        if level == top:  # partition.sample.sample is partition.sample
            name = re.sub(r"(\.\w+)\1$", r"\1", anchor).removeprefix("gonextdoor.")
        link = f'<a id="{anchor}" href="{url}#{anchor}"><code>{name}</code></a>'
        if level == top:
            lines.append([link])
        else:
            lines[-1].append(link)
    items = (": ".join([line[0], ", ".join(line[1:])]) if line[1:] else line[0] for line in lines)
    return "<ul>\n" + "\n".join(f"<li>{item}</li>" for item in items) + "\n</ul>"
