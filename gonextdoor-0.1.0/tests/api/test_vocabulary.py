"""tests/vocabulary.py: the examples of each rule, and which text of a file it reads."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
import vocabulary


def found(path: str, text: str) -> list[tuple[int, str]]:
    """Returns the line and the rule of each offence in a file."""
    return sorted((offence.line, offence.rule.name) for offence in vocabulary.offences(path, text))


@pytest.mark.parametrize("rule", vocabulary.RULES, ids=lambda rule: rule.name)
def test_the_examples_of_each_rule(rule: vocabulary.VocabularyRule) -> None:
    for words in rule.wrong:
        assert rule.name in [name for _, name in found("page.md", words)], words
    for words in rule.right:
        assert rule.name not in [name for _, name in found("page.md", words)], words


def test_markdown_is_read_without_code_and_targets() -> None:
    page = """# A title
A long sentence that has a process of
its own; `nobody` and [laws](https://nobody.example/law) are code and a target.

```python
nobody = "the law"
```

- an item that nobody reads
"""
    assert found("page.md", page) == [(2, "of its own"), (3, "law"), (9, "nobody")]


def test_docstrings_and_comments_of_python() -> None:
    code = '''"""A module that nobody reads."""

def f(nobody: str = "nobody", law: str = "the law") -> None:
    """Returns it.

    The page ``nobody`` has an example:

    >>> nobody()
    'nobody'

    Args:
        law: told
            to f.
    """
    g("# nobody")  # nobody
    # a process of
    # its own
    # noqa: nobody
'''
    assert found("a.py", code) == [(1, "nobody"), (12, "law"), (12, "told"), (15, "nobody"), (16, "of its own")]


@pytest.mark.parametrize("path", ["a.go", "a.cuh"])
def test_comments_of_go_and_cuda(path: str) -> None:
    code = """// Package a has a process of
// its own.
//
//go:generate nobody
//	nobody := law
func f() { g("// nobody", '"', '\\n') } // nobody
/* The law
   that nobody reads. */
"""
    wanted = [(1, "of its own"), (6, "nobody"), (7, "law"), (8, "nobody")]
    assert found(path, code) == wanted
    raw = found(path, "x := `// nobody` // told\n")
    assert raw == ([(1, "told")] if path == "a.go" else [(1, "nobody"), (1, "told")])


def test_allowed_uses_match_only_their_words() -> None:
    assert found("kernels/host/a.cc", "// Processor runs blocks.") == []
    assert found("kernels/driver/a.cuh", "// Processor runs blocks.") == [(1, "processor")]


def test_the_command_reads_a_commit(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> None:
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *names, *arguments], cwd=tmp_path, check=True, capture_output=True)

    page = tmp_path / "page.md"
    page.write_text("Text that nobody reads.\n")
    git("init")
    git("add", ".")
    git("commit", "-m", "page")
    page.write_text("Text that is read.\n")
    monkeypatch.setattr(vocabulary, "ROOT", tmp_path)
    for arguments, code in (["--at", "HEAD"], 1), ([], 0):
        monkeypatch.setattr(sys, "argv", ["vocabulary.py", *arguments])
        assert vocabulary.main() == code


def test_the_command_counts(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.md").write_text("Text that nobody reads, and nobody writes.\n")
    (tmp_path / "a.go").write_text("// f is reproducible; nobody calls it.\n")
    monkeypatch.setattr(vocabulary, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["vocabulary.py", "--count"])
    assert vocabulary.main() == 0
    rows = {line.split("  ")[0]: line.split()[-6:] for line in capsys.readouterr().out.splitlines() if line}
    assert rows["nobody"] == ["2", "0", "0", "1", "0", "3"]
    assert rows["reproducib-"] == ["0", "0", "0", "1", "0", "1"]
