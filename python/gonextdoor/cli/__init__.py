"""The command line, ``gonextdoor`` and ``python -m gonextdoor``: one module per command. Entry point."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import click
import cloup

from gonextdoor import __version__

from .apps import apps
from .bench import bench
from .command import StdoutClosed
from .convert import convert
from .demo import demo
from .doctor import doctor
from .embed import embed
from .explain import explain
from .generate import generate
from .info import info
from .khop import khop
from .partition import partition
from .plot import plot
from .sample import sample
from .walk import walk

INTERRUPTED = 130  # as shells report a program that SIGINT ended
TERMINATED = 143


class _Group(cloup.Group):
    """Lists the commands in the order in which a user needs them, not alphabetically."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not any(error.option_name in option.opts for one in self.commands.values() for option in one.params):
                raise
            text = f"{error.option_name} is an option of the commands: pass it after the command"
            raise click.UsageError(text, ctx) from error

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if not os.path.exists(args[0]):
                raise
            text = f"{args[0]!r} is a file: the command is first, such as gonextdoor info {args[0]}"
            raise click.UsageError(text, ctx) from error

    def list_sections(self, ctx: click.Context, include_default_section: bool = True) -> list[cloup.Section]:
        return [cloup.Section("Commands", list(self.commands.values()))]


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="To get started, run: gonextdoor demo",
)
@click.version_option(__version__, "-V", "--version", prog_name="gonextdoor")
@click.pass_context
def group(context: click.Context) -> None:
    """Sample large graphs: random walks, k-hop neighbourhoods and user-defined samplers.

    Sampling is reproducible: a given seed gives the same samples with any number of threads and on every device. Run
    'gonextdoor COMMAND --help' for the options of a command and an example.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (
    info,
    walk,
    khop,
    sample,
    embed,
    explain,
    plot,
    apps,
    convert,
    partition,
    generate,
    doctor,
    bench,
    demo,
):
    group.add_command(_command)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit code: 0 done, 1 error, 2 wrong usage, 130 Ctrl-C."""
    with contextlib.suppress(ValueError):  # not in the main thread: the caller handles signals
        signal.signal(signal.SIGTERM, _terminate)
    try:
        code = group.main(args=argv, prog_name="gonextdoor", standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        click.echo("gonextdoor: interrupted", err=True)
        return INTERRUPTED
    except click.ClickException as refusal:
        refusal.show()
        return refusal.exit_code
    except (StdoutClosed, BrokenPipeError):
        _drop_stdout()
        return 0
    except OSError as error:  # an error of standard output: commands convert all others to a Failure
        _drop_stdout()
        click.echo(f"gonextdoor: error: standard output: {error.strerror}", err=True)
        return 1
    return code if isinstance(code, int) else 0


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)  # an exception, so that temporary files are removed


def _drop_stdout() -> None:
    """Discards further output, if standard output is closed or full. Python would otherwise report an error at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
