"""Command: the parts that all commands share: groups of options, --quiet, --debug, examples, errors as one line."""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import Any

import click
import cloup

from gonextdoor._core.synonyms import meanings
from gonextdoor.errors import InputWarning

from .report import WIDTH

QUIET = "Suppress progress and summary output."
QUIET_BUT_SEED = "Suppress progress and summary output, except for the seed."
READING = "Reading FILE"  # the group of the options of GraphInput


class StdoutClosed(Exception):
    """The reader of standard output has closed it (``| head``)."""


class Failure(click.ClickException):
    """An error while the command ran, shown as one line; exit code 1."""

    def __init__(self, error: Exception) -> None:
        super().__init__(_text(error))

    def show(self, file: Any = None) -> None:
        click.echo(f"gonextdoor: error: {self.format_message()}", err=True)


class Command(cloup.Command):
    """A command with an example, --quiet and --debug.

    Args:
        args, kwargs: as for click.Command.
        example: command lines for the help.
        quiet: the help of --quiet.
    """

    def __init__(self, *args: Any, example: str = "", quiet: str = QUIET, **kwargs: Any) -> None:
        common = [
            click.Option(["-q", "--quiet"], is_flag=True, help=quiet),
            click.Option(["--debug"], is_flag=True, help="Show the Python traceback if an error occurs."),
        ]
        super().__init__(*args, **(kwargs | {"params": [*(kwargs.get("params") or ()), *common]}))
        self.example = example
        self.option_groups.sort(key=lambda group: group.title == READING)  # the least used options are last

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:  # it may be the name of a parameter in another library
            known = {name for option in self.params for name in option.opts}
            meant = [f"--{name}" for name in meanings(error.option_name.lstrip("-").replace("-", "_"))]
            found = next((option for option in meant if option in known), None)
            if found is None:
                raise
            text = f"No such option '{error.option_name}'. Did you mean '{found}'?"
            raise click.UsageError(text, ctx) from error

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
    return f"{type(error).__name__}: {text} (--debug shows the traceback)"
