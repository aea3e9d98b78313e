"""Checks the words of README.md, the documentation, docstrings and comments: ``python tests/vocabulary.py``.

RULES is a table of patterns with their replacements. Code and the targets of links are left out. ``--count`` prints how
often each rule matches, by kind of text. ``--at COMMIT`` reads the files of that commit.
"""

from __future__ import annotations

import argparse
import ast
import bisect
import collections
import fnmatch
import io
import pathlib
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parent.parent

Line = tuple[int, str]


class Rule(NamedTuple):
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
_NO_PLACE = r"(?! ?(?:[.,;:)]|$|given\b|stored\b|drawn\b|sampled\b|written\b|split\b|made\b|kept\b|held\b))"
_THING = (
    r"(?:app|graph|core|machine|system|method|sampler|data|vertex|walk|walker|edge|node|row|batch|call|file|loader|driver|"
    r"hook|type|caller|user|device|GPU|hop|choices|vertices|sample|tree|link|time|weight|other|all|memory|you|lanes?|threads?)s?"
)

RULES = (
    Rule(
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
            "Where graphs come from",
            "where to write",
        ),
    ),
    Rule(
        "behind",
        r"(?<!fall )(?<!falls )(?<!lag )(?<!lags )\bbehind\b(?! (?:the scenes|a proxy))",
        "after, past",
        ("-1 behind the end",),
        ("a worker that falls behind",),
    ),
    Rule(
        "law",
        r"(?<!power )(?<!power-)(?<!'s )(?<!/)(?<!by )\blaws?\b(?!\.md| of large numbers|/| returns)",
        "distribution; for the guarantee: reproducibility contract",
        ("the exact law of a walk", "This is part of the law."),
        ("law.md specifies it", "power-law graphs", "tests/law/test_walks.py"),
    ),
    Rule("all alike", r"\ball alike\b", "uniformly at random", ("drawn all alike",), ("batches look alike",)),
    Rule(
        "of its own",
        r"(?<!instead )\bof (?:its|their|his) own\b"
        r"(?=[.,;:|()]|$| (?:\(|(?:and|or|for|on|in|by|to|that|which|before|as|is|are|with|from|at)\b))",
        "separate, its",
        ("a process of its own",),
        ("apps of your own", "replace the places of their own edges"),
    ),
    Rule(
        "by name",
        r"\b(?:refused|refuses|asked for|asks for|requested|named|only|given) by name\b",
        "explicitly",
        ("Others are refused by name.", "used only by name"),
        ("columns are selected by name",),
    ),
    Rule("says so", r"\b(?:says?|said|saying|tells?) so\b", "reports, raises", ("it says so and is left out",)),
    Rule(
        "card",
        r"(?<!model )(?<!data )\bcards?\b",
        "GPU",
        ("fits on the card", "kinds of cards"),
        ("the cardinality of a set", "a wildcard"),
    ),
    Rule(
        "processor",
        r"(?<!co-)(?<!pre)\bprocessors?\b",
        "CPU, core; of a GPU: SM",
        ("132 processors", "2 ms of processor time"),
        ("the preprocessor", "a multiprocessor"),
    ),
    Rule(
        "first-level cache",
        r"\b(?:first|second)[- ]level cache",
        "L1 cache, L2 cache",
        ("the second-level cache",),
        ("the second level of a cache hierarchy",),
    ),
    Rule(
        "who asks",
        r"\bwho (?:asks?|calls?|wants?|made|has made|needs)\b|\bwhoever\b",
        "the caller, the user",
        ("who asks for it gets it",),
        ("users who have a GPU",),
    ),
    Rule("nobody", r"\bnobody\b", "no caller, nothing; or the passive voice", ("samples that nobody keeps",)),
    Rule("told", r"\btold\b", "reported, passed, known, distinguished", ("the seed is told",), ("a tolerance",)),
    Rule(
        "goes",
        r"\bgoes\b(?! (?:to (?:zero|0|infinity)|wrong|through|elsewhere)\b)|(?<!\.)\b(?-i:go) by\b",
        "passes, is written, is freed, depends on",
        ("the result goes to the file", "batches go by their ids"),
        ("the error goes to zero",),
    ),
    Rule(
        "comes",
        r"\bcomes\b(?! (?:from|with|first|last))|\bcome (?:again|before|back|after)\b",
        "is returned, follows, arrives",
        ("when a choice comes to them", "batches that come again"),
        ("the weight comes from column 3",),
    ),
    Rule(
        "stands",
        r"\bstands\b(?! (?:for|in for)\b)|\bstood\b",
        "is, is stored, is written",
        ("the column stands first",),
        ("`n` stands for the number of samples",),
    ),
    Rule(
        "lies",
        r"\blies\b(?! (?:between|within|outside|in the (?:interval|range))\b)"
        r"|\b(?:that|which|tensors|arrays|they|all) lie\b"
        r"(?! (?:between|within|outside)\b)",
        "is, is stored",
        ("the batch lies on the GPU", "tensors lie on the GPU"),
        ("the share lies between 0 and 1",),
    ),
    Rule("laid", r"\blaid\b", "arranged, stored, copied", ("where the rows are laid",)),
    Rule(
        "an edge (unit)",
        rf"(?<!whose )(?<!-)\b(?:{_UNIT}|{_NOUNS}|{_NUMBER}(?: {_COUNTED})?) an? {_EACH}\b{_NO_CLAUSE}"
        rf"|\b{_COUNTED} a second\b",
        "per edge, per hop, per batch",
        ("16 bytes an edge", "0.48 questions a step", "one draw a hop", "12 a vertex", "edges a second"),
        ("16 bytes per edge", "the edges of a batch", "one is a root", "how many seconds a call takes"),
    ),
    Rule(
        "so many",
        r"(?<!, )\bso many\b(?! \w+ that\b)",
        "n, that number of, as many",
        ("so many threads",),
        ("as many as there are", "so many vertices that no table fits"),
    ),
    Rule(
        "what is",
        r"\b(?:of|from|for|with|and|as|than|to|by|but|that) what (?:is|was|are|were)\b"
        r"|\bwhat (?:is|was|were) (?:left|made|drawn|taken|excluded|counted|said|kept|met|known of)\b",
        "a noun",
        ("a copy of what was looked at", "It returns what is known of the rows."),
        ("What is missing?", "It is clear what is wrong."),
    ),
    Rule(
        "can be had", r"\b(?:can|could|cannot) be had\b", "is available, is reproducible", ("which can be had again",)
    ),
    Rule(
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

# Files and kinds of text whose offences are printed without failing. Rows leave this table once the text is clean.
REPORTED: tuple[tuple[str, str], ...] = (
    ("python/*", "docstring"),
    ("docs/law.md", "markdown"),
    ("docs/proof.md", "markdown"),
    ("docs/performance.md", "markdown"),
)

SKIPPED = (
    *("_gobuild/*", "build/*", "dist/*", "wheelhouse/*", "wheels/*", "vendor/*", "demo-output/*", "kernels/bin/*"),
    *("tests/vocabulary.py", "tests/api/test_vocabulary.py"),
)
SUFFIXES = (".md", ".py", ".go", ".s", ".cu", ".cuh", ".cc", ".h", ".c")
KINDS = ("markdown", "docstring", "python comment", "go comment", "cuda comment")

# ---- extraction of prose

_CODE = "\N{SECTION SIGN}"  # a word that stands for code, so that sentences stay sentences
_INLINE = re.compile(r"(`+).+?\1")
_TARGET = re.compile(r"(?<=\])\([^)\s]*(?: \"[^\"]*\")?\)|(?<=\])\[[^\]]*\]|<[^<>]+>|https?://\S+|\{[^{}]*\}")
_NATIVE = re.compile(
    r'"(?:\\.|[^"\\\n])*"' r"|'(?:\\[^\n']+|\\'|[^'\\\n])'" r"|(?P<raw>`[^`]*`)" r"|(?P<comment>//[^\n]*|/\*.*?\*/)",
    re.DOTALL,
)
_NATIVE_CXX = re.compile(_NATIVE.pattern.replace("`[^`]*`", "(?!)"), re.DOTALL)


def markdown(text: str) -> Iterator[list[Line]]:
    """Yields the paragraphs, headings, list items and table rows without code and link targets."""
    block: list[Line] = []
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip().lstrip("> ")
        if fence or bare.startswith(("```", "~~~")):
            if not fence:
                fence = bare[:3]
            elif bare.startswith(fence):
                fence = ""
            yield block
            block = []
        elif not bare or re.match(r"[|#]|[-*+] |\d+\. ", bare):
            yield block
            block = [(number, bare.lstrip("#|-*+ "))] if bare else []
        else:
            block.append((number, bare))
    yield block


def docstrings(text: str) -> Iterator[list[Line]]:
    """Yields the paragraphs of docstrings without doctests and literal blocks."""
    source = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        ):
            continue
        block: list[Line] = []
        literal, fenced, example = -1, False, False
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            line = source[number - 1]
            bare, indent = line.strip(), len(line) - len(line.lstrip())
            if bare.startswith("```"):
                fenced = not fenced
            if not bare or fenced or bare.startswith("```"):
                example = example and bool(bare)
                yield block
                block = []
                continue
            if literal >= 0 and indent > literal:
                continue
            literal = indent if bare.endswith("::") else -1
            example = example or bare.startswith((">>>", '""">>>'))
            if not example:
                block.append((number, bare.strip('"')))
        yield block


def comments(text: str) -> Iterator[list[Line]]:
    """Yields the comments of Python code; those on consecutive lines are one block."""
    block: list[Line] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or re.match(r"#!|# (?:noqa|type:|fmt:)", token.string):
            continue
        number = token.start[0]
        alone = not token.line[: token.start[1]].strip()
        if not (alone and block and block[-1][0] == number - 1):
            yield block
            block = []
        block.append((number, token.string.lstrip("# ")))
        if not alone:
            yield block
            block = []
    yield block


def native(text: str, pattern: re.Pattern[str]) -> Iterator[list[Line]]:
    """Yields the comments of Go, C++ or CUDA code; those on consecutive lines are one block."""
    ends = [i for i, c in enumerate(text) if c == "\n"]
    block: list[Line] = []
    for match in pattern.finditer(text):
        found = match["comment"]
        if found is None or found.startswith("//go:"):
            continue
        first = bisect.bisect_left(ends, match.start())
        alone = not text[(ends[first - 1] + 1 if first else 0) : match.start()].strip()
        body = found[2:-2] if found.startswith("/*") else found[2:]
        lines = [(first + 1 + i, part.strip(" */")) for i, part in enumerate(body.split("\n"))]
        code = body.startswith(("\t", "   "))  # preformatted in Go's doc comments
        if code or not (alone and block and block[-1][0] == lines[0][0] - 1) or not lines[0][1]:
            yield block
            block = []
        if not code:
            block.extend(lines)
        if not alone:
            yield block
            block = []
    yield block


def prose(path: str, text: str) -> Iterator[tuple[str, list[Line]]]:
    """Yields the blocks of prose of a file, each with its kind."""
    suffix = pathlib.PurePath(path).suffix
    if suffix == ".md":
        found: Iterable[tuple[str, Iterator[list[Line]]]] = [("markdown", markdown(text))]
    elif suffix == ".py":
        found = [("docstring", docstrings(text)), ("python comment", comments(text))]
    elif suffix in (".go", ".s"):
        found = [("go comment", native(text, _NATIVE))]
    elif suffix in (".cu", ".cuh", ".cc", ".h", ".c"):
        found = [("cuda comment", native(text, _NATIVE_CXX))]
    else:
        return
    for kind, blocks in found:
        yield from ((kind, block) for block in blocks if block)


# ---- the check


class Offence(NamedTuple):
    path: str
    line: int
    kind: str
    rule: Rule
    words: str


def joined(block: list[Line]) -> tuple[str, list[tuple[int, int]]]:
    """Returns the text of a block in one line without code and targets, and the offset and number of each line."""
    text, starts = "", []
    for number, line in block:
        # A mark at the start of each line keeps its offset when inline code and targets that span lines are removed.
        text += f"\0{line} "
        starts.append(number)

    def kept(word: str) -> Callable[[re.Match[str]], str]:
        return lambda match: word + "\0" * match[0].count("\0")

    text = _TARGET.sub(kept(""), _INLINE.sub(kept(_CODE), text))
    first, *rest = text.split("\0")
    lines, at, line_text = [], 0, first
    for number, part in zip(starts, rest, strict=True):
        lines.append((at, number))
        line_text += part
        at += len(part)
    return line_text.rstrip(), lines


# Only a capital Where begins a sentence.
_COMPILED = [
    (rule, re.compile(rule.pattern, 0 if rule.name == "where (condition)" else re.IGNORECASE)) for rule in RULES
]


def offences(path: str, text: str) -> Iterator[Offence]:
    """Yields what the rules find in a file, except uses that are allowed."""
    allowed = [a for a in ALLOWED if fnmatch.fnmatch(path, a.path)]
    for kind, block in prose(path, text):
        line, starts = joined(block)
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
        return path.endswith(SUFFIXES) and not hidden and not any(fnmatch.fnmatch(path, p) for p in SKIPPED)

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
        for kind, block in prose(path, text):
            line, _ = joined(block)
            for name, pattern in wanted.items():
                found[name, kind] += len(pattern.findall(line))

    def row(name: str, counts: list[int]) -> None:
        print(f"{name:<20}" + "".join(f"{n:>16}" for n in [*counts, sum(counts)]))

    print(f"{'':<20}" + "".join(f"{kind:>16}" for kind in (*KINDS, "all")))
    for rule in RULES:
        row(rule.name, [found[rule.name, kind] for kind in KINDS])
    row("all rules", [sum(found[rule.name, kind] for rule in RULES) for kind in KINDS])
    print("\nwords that the text should use:")
    for name in wanted:
        row(name, [found[name, kind] for kind in KINDS])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", action="store_true", help="print how often each rule matches")
    parser.add_argument("--at", metavar="COMMIT", help="read the files of a commit instead of the working tree")
    parser.add_argument("--all", action="store_true", help="fail on offences that are only reported, too")
    given = parser.parse_args()
    if given.count:
        count(given.at)
        return 0
    failed, reported = 0, collections.Counter[str]()
    for path, text in files(given.at):
        for found in offences(path, text):
            row = next((r for r in REPORTED if fnmatch.fnmatch(path, r[0]) and found.kind == r[1]), None)
            if row and not given.all:
                reported[f"{row[0]} ({row[1]})"] += 1
                continue
            failed += 1
            print(f"{path}:{found.line}: {found.rule.name}: use {found.rule.use}: ... {found.words} ...")
    for name, times in reported.items():
        print(f"tests/vocabulary.py: {times} in {name}, not an error yet (--all shows them)")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
