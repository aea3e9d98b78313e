"""The prose of source files: paragraphs of Markdown, docstrings and comments, without code and the targets of links."""

from __future__ import annotations

import ast
import bisect
import io
import pathlib
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator

Line = tuple[int, str]

SUFFIXES = (".md", ".py", ".go", ".s", ".cu", ".cuh", ".cc", ".h", ".c")
KINDS = ("markdown", "docstring", "python comment", "go comment", "cuda comment")

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


def blocks(path: str, text: str) -> Iterator[tuple[str, list[Line]]]:
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
    for kind, parts in found:
        yield from ((kind, block) for block in parts if block)


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
