"""Checks the words of README.md, the documentation, docstrings and comments: ``python tests/vocabulary.py``.

RULES is a table of patterns with their replacements. Code and the targets of links are left out. ``--count`` prints how
often each rule matches, by kind of text. ``--at COMMIT`` reads the files of that commit.
"""

from __future__ import annotations

import argparse
import bisect
import collections
import fnmatch
import io
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

import prose

ROOT = pathlib.Path(__file__).parent.parent


class VocabularyRule(NamedTuple):
    """A pattern that prose must not contain.

    wrong and right are examples for the tests: the pattern matches all of the former and none of the latter.
    """

    name: str
    pattern: str
    use: str
    wrong: tuple[str, ...]
    right: tuple[str, ...] = ()


_NUMBER = r"(?:\d+(?:[.,]\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|many)"
_UNIT = r"(?:bytes?|bits|words|ns|us|µs|ms|MB|GB|GiB|MiB|seconds|milliseconds|microseconds|nanoseconds|microsecond)"
_NOUNS = r"(?:edges|vertices|choices|questions|searches|roots|lookups|pieces)"
_COUNTED = rf"(?:{_NOUNS}|samples|steps|tries|draws?|reads|batches|walks|numbers?|words?|times?|bytes?|bits?)"
_EACH = (
    r"(?:edge|hop|batch|vertex|node|walk|walker|step|sample|root|candidate|choice|draw|try|entry|row|transit|type|launch|"
    r"block|warp|lane|call|layer|test|thread)"
)
_NO_CLAUSE = r"(?! (?:is|are|was|has|have|had|can|may|in|of|takes?|makes?|begins?|ends?|of)\b)"
_IS = r"(?:is|are|was|were|has|have|had|can|cannot|could|does|do|did|needs?|wants?|runs?|pays?|takes?|chooses?|stops?)"
_NO_PLACE = r"(?! ?(?:[.,;:)]|$|(?:given|drawn|written|made|kept|held|split)\b|(?!need|weight|exclud|required)\w+ed\b))"
_THING = (
    r"(?:app|graph|core|machine|system|method|sampler|data|vertex|walk|walker|edge|node|row|batch|call|file|loader|driver|"
    r"hook|type|caller|user|device|GPU|hop|choices|vertices|sample|tree|link|time|weight|other|all|memory|you|lanes?|threads?)s?"
)

RULES = (
    VocabularyRule(
        "where (condition)",
        r"(?<!\bstays )(?<!\bstay )(?<!\bplace )(?<!\bplaces )(?<!\bpoint )(?<!\bpage )(?<!\bposition )(?<!\bsays )"
        r"(?<!\bshows )(?<!\breports )(?<!\bfrom )(?<!\bto )(?<!\bout )"
        r"\bwhere (?:"
        r"there (?:is|are|was|were|has|have)\b|none\b|nothing\b|no \w+ |nobody\b|fewer\b|needed\b|wanted\b|weighted\b|"
        r"computed\b|known\b|given\b|that (?:is|are|was|pays|decides)\b|any\b|one of\b|some of\b|\w+ [=<>≤≥] |"
        rf"(?:it|they|this|these|he|one|nothing|k|n) {_IS}\b{_NO_PLACE}|(?:an?|every) \w+ {_IS}\b{_NO_PLACE}"
        rf"|(?:(?:the|some|its) )?{_THING} {_IS}\b{_NO_PLACE})"
        r"|\b(?:None|only|also|not|except|whether|-1|0) where\b(?! it is\b)|\bwhere not\b"
        r"|(?:^|[.;:] )Where (?!to\b|each\b|from\b)[^.,?:;|]{3,90}, (?!and\b)",
        "if, when",
        (
            "Alias where weighted",
            "-1 where there is no vertex",
            "None where it has none",
            "also where p is 1",
            "second-order where trees are disjoint",
            "Where DGL is old, it fails.",
        ),
        (
            "the heap, where addresses are stable",
            "a walk stays where it is",
            "the folder, where they are unpacked",
            "Where graphs come from",
            "where to write",
        ),
    ),
    VocabularyRule(
        "behind",
        r"(?<!fall )(?<!falls )(?<!lag )(?<!lags )\bbehind\b(?! (?:the scenes|a proxy))",
        "after, past",
        ("-1 behind the end",),
        ("a worker that falls behind",),
    ),
    VocabularyRule(
        "law",
        r"(?<!power )(?<!power-)(?<!'s )(?<!/)(?<!by )\blaws?\b(?!\.md| of large numbers|/| returns)",
        "distribution; for the guarantee: reproducibility contract",
        ("the exact law of a walk", "This is part of the law."),
        ("law.md specifies it", "power-law graphs", "tests/law/test_walks.py"),
    ),
    VocabularyRule("all alike", r"\ball alike\b", "uniformly at random", ("drawn all alike",), ("batches look alike",)),
    VocabularyRule(
        "of its own",
        r"(?<!instead )\bof (?:its|their|his) own\b"
        r"(?=[.,;:|()]|$| (?:\(|(?:and|or|for|on|in|by|to|that|which|before|as|is|are|with|from|at)\b))",
        "separate, its",
        ("a process of its own",),
        ("apps of your own", "replace the places of their own edges"),
    ),
    VocabularyRule(
        "by name",
        r"\b(?:refused|refuses|asked for|asks for|requested|named|only|given) by name\b",
        "explicitly",
        ("Others are refused by name.", "used only by name"),
        ("columns are selected by name",),
    ),
    VocabularyRule(
        "says so", r"\b(?:says?|said|saying|tells?) so\b", "reports, raises", ("it says so and is left out",)
    ),
    VocabularyRule(
        "card",
        r"(?<!model )(?<!data )\bcards?\b",
        "GPU",
        ("fits on the card", "kinds of cards"),
        ("the cardinality of a set", "a wildcard"),
    ),
    VocabularyRule(
        "processor",
        r"(?<!co-)(?<!pre)\bprocessors?\b",
        "CPU, core; of a GPU: SM",
        ("132 processors", "2 ms of processor time"),
        ("the preprocessor", "a multiprocessor"),
    ),
    VocabularyRule(
        "first-level cache",
        r"\b(?:first|second)[- ]level cache",
        "L1 cache, L2 cache",
        ("the second-level cache",),
        ("the second level of a cache hierarchy",),
    ),
    VocabularyRule(
        "who asks",
        r"\bwho (?:asks?|calls?|wants?|made|has made|needs)\b|\bwhoever\b",
        "the caller, the user",
        ("who asks for it gets it",),
        ("users who have a GPU",),
    ),
    VocabularyRule("nobody", r"\bnobody\b", "no caller, nothing; or the passive voice", ("samples that nobody keeps",)),
    VocabularyRule(
        "told", r"\btold\b", "reported, passed, known, distinguished", ("the seed is told",), ("a tolerance",)
    ),
    VocabularyRule(
        "goes",
        r"\bgoes\b(?! (?:to (?:zero|0|infinity)|wrong|through|elsewhere)\b)|(?<!\.)\b(?-i:go) by\b",
        "passes, is written, is freed, depends on",
        ("the result goes to the file", "batches go by their ids"),
        ("the error goes to zero",),
    ),
    VocabularyRule(
        "comes",
        r"\bcomes\b(?! (?:from|with|first|last))|\bcome (?:again|before|back|after)\b",
        "is returned, follows, arrives",
        ("when a choice comes to them", "batches that come again"),
        ("the weight comes from column 3",),
    ),
    VocabularyRule(
        "stands",
        r"\bstands\b(?! (?:for|in for)\b)|\bstood\b",
        "is, is stored, is written",
        ("the column stands first",),
        ("`n` stands for the number of samples",),
    ),
    VocabularyRule(
        "lies",
        r"\blies\b(?! (?:between|within|outside|in the (?:interval|range))\b)"
        r"|\b(?:that|which|tensors|arrays|they|all) lie\b"
        r"(?! (?:between|within|outside)\b)",
        "is, is stored",
        ("the batch lies on the GPU", "tensors lie on the GPU"),
        ("the share lies between 0 and 1",),
    ),
    VocabularyRule("laid", r"\blaid\b", "arranged, stored, copied", ("where the rows are laid",)),
    VocabularyRule(
        "an edge (unit)",
        rf"(?<!whose )(?<!-)\b(?:{_UNIT}|{_NOUNS}|{_NUMBER}(?: {_COUNTED})?) an? {_EACH}\b{_NO_CLAUSE}"
        rf"|\b{_COUNTED} a second\b",
        "per edge, per hop, per batch",
        ("16 bytes an edge", "0.48 questions a step", "one draw a hop", "12 a vertex", "edges a second"),
        ("16 bytes per edge", "the edges of a batch", "one is a root", "how many seconds a call takes"),
    ),
    VocabularyRule(
        "so many",
        r"(?<!, )\bso many\b(?! \w+ that\b)",
        "n, that number of, as many",
        ("so many threads",),
        ("as many as there are", "so many vertices that no table fits"),
    ),
    VocabularyRule(
        "what is",
        r"\b(?:of|from|for|with|and|as|than|to|by|but|that) what (?:is|was|are|were)\b"
        r"|\bwhat (?:is|was|were) (?:left|made|drawn|taken|excluded|counted|said|kept|met|known of)\b",
        "a noun",
        ("a copy of what was looked at", "It returns what is known of the rows."),
        ("What is missing?", "It is clear what is wrong."),
    ),
    VocabularyRule(
        "can be had", r"\b(?:can|could|cannot) be had\b", "is available, is reproducible", ("which can be had again",)
    ),
    VocabularyRule(
        "old names",
        r"\b(?:crew|foresight|roster|woven|tally|tallies|asker|(?:the|by|with) hands|lockstepped)\b",
        "parallel expansion, capacity, id map, interleaved, visit counts, hook caller, options (docs/glossary.md)",
        ("a tally of visits", "made by hands"),
        ("a hand-written loop",),
    ),
)

# Words that the text should use. They are only counted.
WANTED = {
    "reproducib-": r"\breproducib",
    "determinis-": r"\bdeterminis",
    "distribution": r"\bdistributions?\b",
    "uniformly": r"\buniformly\b",
    "GPU": r"\bGPUs?\b",
}


class Allowed(NamedTuple):
    """A use that is right: a rule, the files as a pattern, the words around the match, and the reason."""

    rule: str
    path: str
    words: str
    why: str


ALLOWED: tuple[Allowed, ...] = (
    Allowed("processor", "kernels/host/*", "Processor", "Processor is the class that emulates an SM"),
)

SKIPPED = (
    *("_gobuild/*", "build/*", "dist/*", "wheelhouse/*", "wheels/*", "vendor/*", "demo-output/*", "kernels/bin/*"),
    *("tests/vocabulary.py", "tests/api/test_vocabulary.py"),
)


class Offence(NamedTuple):
    path: str
    line: int
    kind: str
    rule: VocabularyRule
    words: str


# Only a capital Where begins a sentence.
_COMPILED = [
    (rule, re.compile(rule.pattern, 0 if rule.name == "where (condition)" else re.IGNORECASE)) for rule in RULES
]


def offences(path: str, text: str) -> Iterator[Offence]:
    """Yields what the rules find in a file, except uses that are allowed."""
    allowed = [a for a in ALLOWED if fnmatch.fnmatch(path, a.path)]
    for kind, block in prose.blocks(path, text):
        line, starts = prose.joined(block)
        for rule, pattern in _COMPILED:
            for match in pattern.finditer(line):
                words = line[max(0, match.start() - 40) : match.end() + 40].strip()
                if not any(a.rule == rule.name and a.words.lower() in words.lower() for a in allowed):
                    number = starts[bisect.bisect_right(starts, (match.start(), sys.maxsize)) - 1][1]
                    yield Offence(path, number, kind, rule, words)


def files(commit: str | None) -> Iterator[tuple[str, str]]:
    """Yields the path and the text of each file with prose, of the working tree or of a commit."""

    def git(*arguments: str, feed: bytes = b"") -> bytes:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, input=feed).stdout

    def wanted(path: str) -> bool:
        hidden = any(part.startswith(".") for part in path.split("/"))
        return path.endswith(prose.SUFFIXES) and not hidden and not any(fnmatch.fnmatch(path, p) for p in SKIPPED)

    if commit is None:
        for path in sorted(filter(wanted, (p.relative_to(ROOT).as_posix() for p in _walk(ROOT)))):
            yield path, (ROOT / path).read_text()
        return
    paths = sorted(filter(wanted, git("ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0")))
    answer = io.BytesIO(git("cat-file", "--batch", feed="".join(f"{commit}:{p}\n" for p in paths).encode()))
    for path in paths:
        size = int(answer.readline().split()[2])
        yield path, answer.read(size).decode()
        answer.read(1)


def _walk(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    for path in folder.iterdir():
        if not path.is_dir():
            yield path
        elif not path.name.startswith(".") and f"{path.relative_to(ROOT).as_posix()}/*" not in SKIPPED:
            yield from _walk(path)


def count(commit: str | None) -> None:
    """Prints how often each rule matches, by kind of text."""
    found: collections.Counter[tuple[str, str]] = collections.Counter()
    wanted = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in WANTED.items()}
    for path, text in files(commit):
        for offence in offences(path, text):
            found[offence.rule.name, offence.kind] += 1
        for kind, block in prose.blocks(path, text):
            line, _ = prose.joined(block)
            for name, pattern in wanted.items():
                found[name, kind] += len(pattern.findall(line))

    def row(name: str, counts: list[int]) -> None:
        print(f"{name:<20}" + "".join(f"{n:>16}" for n in [*counts, sum(counts)]))

    print(f"{'':<20}" + "".join(f"{kind:>16}" for kind in (*prose.KINDS, "all")))
    for rule in RULES:
        row(rule.name, [found[rule.name, kind] for kind in prose.KINDS])
    row("all rules", [sum(found[rule.name, kind] for rule in RULES) for kind in prose.KINDS])
    print("\nwords that the text should use:")
    for name in wanted:
        row(name, [found[name, kind] for kind in prose.KINDS])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", action="store_true", help="print how often each rule matches")
    parser.add_argument("--at", metavar="COMMIT", help="read the files of a commit instead of the working tree")
    given = parser.parse_args()
    if given.count:
        count(given.at)
        return 0
    failed = 0
    for path, text in files(given.at):
        for found in offences(path, text):
            failed += 1
            print(f"{path}:{found.line}: {found.rule.name}: use {found.rule.use}: ... {found.words} ...")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
