"""Prints what make check tests besides tests/api: the Go packages and the tests of files that changed.

    python tests/changed.py go       ./gonextdoor/plan ./gonextdoor/rng ...
    python tests/changed.py python   tests/features tests/law/test_rng.py ...

Files count that differ from the merge base with main, committed or not, and those that git does not ignore.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASES = ("origin/main", "main")
OTHER_TARGETS = ("tests/api", "tests/gnn")  # run as a whole by make check; need PyG and DGL


def git(*words: str) -> list[str]:
    """The lines that git prints, or none if it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def files() -> list[str]:
    """The changed files that exist, by their paths in the repository."""
    base = next((found[0] for name in BASES if (found := git("merge-base", "HEAD", name))), "HEAD")
    changed = {*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")}
    return sorted(file for file in changed if (ROOT / file).exists())


def go_packages(changed: list[str]) -> list[str]:
    """The packages of changed Go and assembly files, and of changed test data."""
    folders = {
        Path(file.partition("/testdata/")[0] if "/testdata/" in file else Path(file).parent)
        for file in changed
        if file.endswith((".go", ".s")) or "/testdata/" in file
    }
    return sorted(f"./{folder}" for folder in folders if any((ROOT / folder).glob("*_test.go")))


def python_tests(changed: list[str]) -> list[str]:
    """The changed files of tests, and the folder of tests of each changed subpackage."""
    found = set()
    for file in map(Path, changed):
        if file.parts[0] == "tests" and file.name.startswith("test_"):
            found.add(file)
        elif file.parts[:2] == ("python", "gonextdoor") and len(file.parts) > 3:
            found.add(Path("tests") / file.parts[2])
    return sorted(
        str(path)
        for path in found
        if (ROOT / path).exists() and not str(path).startswith(OTHER_TARGETS) and path.parent not in found
    )


if __name__ == "__main__":
    print(*{"go": go_packages, "python": python_tests}[sys.argv[1]](files()))
