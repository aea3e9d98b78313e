"""Report: the messages of a command about its work, on standard error."""

from __future__ import annotations

import click

from gonextdoor._core.arguments import without_secrets

WIDTH = 8  # of the word that begins a line


class Report:
    """Lines of a word and a text. A quiet report shows only the seed, which could not be determined later."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def line(self, word: str, text: str) -> None:
        if not self.quiet:
            self.always(word, text)

    def always(self, word: str, text: str) -> None:
        click.echo(f"{word:<{WIDTH}} {without_secrets(text)}", err=True)


def count(n: int, noun: str) -> str:
    """A number with its noun, as "1 vertex", "7,115 vertices"."""
    return f"{n:,} {noun if n == 1 else _several(noun)}"


def _several(noun: str) -> str:
    return "vertices" if noun == "vertex" else noun + "s"


def duration(seconds: float) -> str:
    """A duration with the digits that matter."""
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def rate(n: int, seconds: float, noun: str) -> str:
    """A rate in millions per second."""
    return f"{n / max(seconds, 1e-9) / 1e6:.3g} M {_several(noun)}/s"


def size(n: int) -> str:
    """A number of bytes."""
    value = float(n)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
        value /= 1000
    raise AssertionError
