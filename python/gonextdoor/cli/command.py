"""Command: the parts that all commands share: groups of options, --quiet, --debug, examples, errors as one line."""

from __future__ import annotations

import errno
import re
import sys
import traceback
import warnings
from typing import Any

import click
import cloup

from gonextdoor._core.synonyms import meanings
from gonextdoor.errors import InputWarning

from .parameters import parameter_names
from .report import WIDTH

QUIET = "Suppress progress and summary output."
QUIET_BUT_SEED = "Suppress progress and summary output, except for the seed."
READING = "Reading FILE"  # the group of the options of GraphInput


class StdoutClosed(Exception):
    """The reader of standard output has closed it (``| head``)."""


class Failure(click.ClickException):
    """An error while the command ran, shown as one line; exit code 1."""

    def __init__(self, error: Exception, ctx: click.Context) -> None:
        super().__init__(spelled(_text(error), ctx))

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
        known = {name for option in self.params for name in (*option.opts, *option.secondary_opts)}
        words = any(argument.name in ("parameters", "words") for argument in self.params)
        try:
            return super().parse_args(ctx, _worded(args, known) if words else args)
        except click.NoSuchOption as error:  # it may be the name of a parameter in another library
            meant = meanings(error.option_name.lstrip("-").replace("-", "_"))
            found = next((f"--{name}" for name in meant if f"--{name}" in known), None)
            if found is None and words:
                found = next((f"{name}=VALUE" for name in meant if name in parameter_names()), None)
            if found is not None:
                raise click.UsageError(f"No such option '{error.option_name}'. Did you mean '{found}'?", ctx) from error
            others = _commands_with(ctx, error.option_name)
            if error.possibilities or not others:
                raise
            text = f"No such option '{error.option_name}'; it is one of gonextdoor {', '.join(others)}"
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
                _show_warnings(ctx)
                return super().invoke(ctx)
        except BrokenPipeError as closed:
            raise StdoutClosed from closed
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if debug:
                traceback.print_exc()
            raise Failure(error, ctx) from error


def _worded(args: list[str], known: set[str]) -> list[str]:
    """The arguments, with each --key value or --key=value that is no option of the command as the word key=value."""
    made, rest = [], iter(args)
    for word in rest:
        option, equals, value = word.partition("=")
        name = option[2:].replace("-", "_")
        if option.startswith("--") and option not in known and name in parameter_names():
            value = value if equals else next(rest, "")
            word = f"{name}={value}"
        made.append(word)
    return made


def _commands_with(ctx: click.Context, option: str) -> list[str]:
    """The other commands that have an option."""
    group = ctx.find_root().command
    commands = group.commands.values() if isinstance(group, click.Group) else ()
    return [str(one.name) for one in commands if any(option in parameter.opts for parameter in one.params)]


def spelled(text: str, ctx: click.Context) -> str:
    """An error or a warning of the library with arguments as options of the command, such as --ids text."""

    def option(found: re.Match[str]) -> str:
        name, value = f"--{found[1].replace('_', '-')}", found[2]
        if name not in known:
            return found[0]
        if value in ("True", "False"):
            no = f"--no-{found[1]}"
            return name if value == "True" else no if no in known else found[0]
        return f"{name} {value[1:-1]}" if len(value) > 2 else name

    known = {name for parameter in ctx.command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    text = re.sub(
        r"make it with Graph\.from_edges\(\.\.\., \w+=\) or gonextdoor\.read\(\.\.\., (\w+)=\)",
        r"pass --\1 COLUMN",
        text,
    )
    text = text.replace("/dev/stdin", "standard input")
    return re.sub(r"\b(\w+)=('[^']*'|\"[^\"]*\"|True|False)", option, text)


def _show_warnings(ctx: click.Context) -> None:
    """Shows the library's warnings as lines of a report; Python's options and environment keep their meaning."""

    def show(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, InputWarning):
            click.echo(f"{'warning':<{WIDTH}} {spelled(str(message), ctx)}", err=True)
        else:
            shown(message, category, *rest, **more)

    shown = warnings.showwarning
    warnings.showwarning = show
    if not sys.warnoptions:
        warnings.simplefilter("always", InputWarning)


def _text(error: Exception) -> str:
    """The text of an error, with its kind if the text is not clear without it."""
    if isinstance(error, OSError) and error.strerror:
        unnamed = "standard output: " if error.errno == errno.ENOSPC else ""  # files are named
        return f"{error.filename}: {error.strerror}" if error.filename else unnamed + error.strerror
    text = str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    if isinstance(error, (ValueError, TypeError, IndexError, ImportError, OSError, RuntimeError)) and text:
        return text
    return f"{type(error).__name__}: {text} (--debug shows the traceback)"
