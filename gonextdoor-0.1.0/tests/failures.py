"""Extracts failures from the output of a test runner or a linter: a line with the name and the error of each.

Reads the output of pytest, go test, ruff, mypy, gofmt, go vet and staticcheck.
"""

from __future__ import annotations

import re
from collections import defaultdict

WIDTH = 180  # characters of a line

# pytest: the title of a failure, the first line of its error, and its line in the summary.
TITLE = re.compile(r"_+ (?:ERROR (?:at \w+ of|collecting) )?([^_\s].*?) _+$")
ERROR = re.compile(r"E   +(\S.*)")
SUMMARY = re.compile(r"(FAILED|ERROR) (\S+?\.py(?:::.*?)?)(?: - (.*))?$")
# pytest-timeout and faulthandler end the process, so that there is no summary, and print stacks.
STACK = re.compile(r"\+{3,} (Timeout) \+{3,}|(Fatal Python error: .*)")
FRAME = re.compile(r'\s*File "(?:.*/)?(tests/[^"]+)", line (\d+),? in (test_\w+)')

# go test: the title of a failure, a package, the end of a process.
GO_TITLE = re.compile(r"\s*--- FAIL: (\S+)")
GO_PACKAGE = re.compile(r"FAIL\t(\S.*)")
GO_END = re.compile(r"(panic|fatal error): ")
SEED_ONLY = re.compile(r".*: one case in \d+, \w+=\d+$")  # which cases the test has; not an error

# Compilers and linters.
PLACE = re.compile(r"(?:vet: )?\S+\.(?:go|py|pyi):\d+(?::\d+)?: \S")
RUFF_PLACE = re.compile(r"\s*--> (\S+:\d+:\d+)")
UNFORMATTED = re.compile(r"Would reformat: |gofmt -w would change:")

OF_MAKE = re.compile(r"make(\[\d+\])?: ")


def found(lines: list[str]) -> list[str]:
    """Returns the failures in the output of one program; its last lines if none is recognized."""
    entries = of_pytest(lines) or of_go(lines) + of_linters(lines)
    if not entries:
        entries = [line.strip() for line in lines if line.strip() and not OF_MAKE.match(line)][-5:]
    return [entry if len(entry) <= WIDTH else entry[: WIDTH - 1] + "…" for entry in dict.fromkeys(entries)]


def of_pytest(lines: list[str]) -> list[str]:
    """Returns each line of pytest's summary with the first line of the error, which the summary shortens or omits."""
    errors: defaultdict[str, list[str]] = defaultdict(list)  # by title: files may have tests of the same name
    entries, title, stack = [], "", ""
    for line in lines:
        if match := TITLE.match(line):
            title = match[1]
        elif title and (match := ERROR.match(line)):
            errors[title].append(match[1])
            title = ""
        elif match := SUMMARY.match(line):
            word, name, message = match.groups()
            known = errors[name.partition("::")[2].replace("::", ".") or name]
            message = known.pop(0) if known else message
            entries.append(f"{word} {name}" + (f" - {message}" if message else ""))
        elif match := STACK.search(line):
            stack = match[1] or match[2]
        elif stack and (match := FRAME.match(line)):
            entries.append(f"{stack}: {match[1]}:{match[2]} in {match[3]}")
            stack = ""
    return entries


def of_go(lines: list[str]) -> list[str]:
    """Returns the tests that fail with the first line that each has logged, and the packages."""
    entries: list[str] = []
    test = ""  # that has no message yet
    for line in lines:
        if match := GO_TITLE.match(line):
            if test and not match[1].startswith(f"{test}/"):
                entries.append(f"--- FAIL: {test}")
            test = match[1]
            continue
        if test and line[:1].isspace() and not line.lstrip().startswith("--- ") and not SEED_ONLY.match(line):
            entries.append(f"--- FAIL: {test}: {line.strip()}")
            test = ""
        if match := GO_PACKAGE.match(line):
            entries.append(f"FAIL {match[1]}".replace("\t", " "))
        elif GO_END.match(line):
            entries.append(line)
    return entries + ([f"--- FAIL: {test}"] if test else [])


def of_linters(lines: list[str]) -> list[str]:
    """Returns the lines that name a place in a source file."""
    entries, before = [], ""
    for line in lines:
        if match := RUFF_PLACE.match(line):
            entries.append(f"{match[1]}: {before}")
        elif before.startswith("gofmt -w") or PLACE.match(line) or UNFORMATTED.match(line):
            entries.append(line)
        before = line
    return entries
