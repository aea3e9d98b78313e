"""Command: the parts that all commands share: --quiet, --debug, examples in the help, errors as one line."""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import Any

import click

from gonextdoor.errors import InputWarning

from .report import WIDTH


class StdoutClosed(Exception):
    """The reader of standard output has closed it (``| head``)."""


class Failure(click.ClickException):
    """An error while the command ran, shown as one line; exit code 1."""

    def __init__(self, error: Exception) -> None:
        super().__init__(_text(error))

    def show(self, file: Any = None) -> None:
        click.echo(f"gonextdoor: error: {self.format_message()}", err=True)


class Command(click.Command):
    """A command with an example, --quiet and --debug."""

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.params += [
            click.Option(["-q", "--quiet"], is_flag=True, help="No progress and no report; the seed is still printed."),
            click.Option(["--debug"], is_flag=True, help="Show the Python traceback of an error."),
        ]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.example:
            with formatter.section("Example"):
                for line in self.example.strip().splitlines():
                    formatter.write(f"  {line.strip()}\n")

    def invoke(self, ctx: click.Context) -> Any:
        debug = ctx.params.pop("debug")
        try:
            with warnings.catch_warnings():
                _show_warnings()
                return super().invoke(ctx)
        except BrokenPipeError as closed:
            raise StdoutClosed from closed
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if debug:
                traceback.print_exc()
            raise Failure(error) from error


def _show_warnings() -> None:
    """Shows the library's warnings as lines of a report; Python's options and environment keep their meaning."""

    def show(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, InputWarning):
            click.echo(f"{'warning':<{WIDTH}} {message}", err=True)
        else:
            shown(message, category, *rest, **more)

    shown = warnings.showwarning
    warnings.showwarning = show
    if not sys.warnoptions:
        warnings.simplefilter("always", InputWarning)


def _text(error: Exception) -> str:
    """The text of an error, with its kind if the text is not clear without it."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    text = str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    if isinstance(error, (ValueError, TypeError, IndexError, ImportError, OSError, RuntimeError)) and text:
        return text
    return f"{type(error).__name__}: {text} (--debug shows where)"
