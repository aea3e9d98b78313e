"""Options that several commands have in common, in the groups of their help, and their completion in a shell."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click
import cloup

from gonextdoor.device.devices import among
from gonextdoor.errors import DeviceError

F = TypeVar("F", bound=Callable[..., Any])

LARGEST_SEED = 2**64 - 1

# A path, which the shell completes. The commands check it, since their messages say more.
PATH = click.Path(allow_dash=True, readable=False)


class WholeNumber(click.IntRange):
    """A whole number in a range; the error names the value and the range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number: int = super().convert(value, param, ctx)
        except click.BadParameter:
            end = "" if self.max is None else f" to {'2^64 - 1' if self.max == LARGEST_SEED else self.max}"
            least = f"of at least {self.min}" if not end else f"from {self.min}{end}"
            self.fail(f"{value!r}: expected a whole number {least}", param, ctx)
        return number


seed = cloup.option(
    "--seed",
    type=WholeNumber(0, LARGEST_SEED),
    metavar="N",
    help="Random seed. Default: a new random one, which is printed.",
)
threads = cloup.option(
    "--threads",
    type=WholeNumber(1),
    metavar="N",
    help="Number of CPU threads. Default: all cores. The samples are the same for any number.",
)
device = cloup.option(
    "--device",
    metavar="DEVICE",
    default="auto",
    show_default=True,
    help="cpu, cuda, cuda:1, or several GPUs separated by commas; auto uses a GPU if it is expected to be faster. The "
    "samples are the same on every device.",
)
output = cloup.option(
    "-o",
    "--output",
    type=PATH,
    default="-",
    metavar="OUT",
    help="Output file: .npy, .npz, .parquet or .txt (.txt.gz, .txt.zst). Default: -, text on standard output.",
)
repeat = cloup.option(
    "--repeat", type=WholeNumber(1), metavar="N", default=1, show_default=True, help="Number of samples per root."
)
roots = cloup.option(
    "--roots",
    type=PATH,
    metavar="FILE|N",
    help="Start vertices: a text file with one original name per line, a .npy array of vertex numbers, or the number N "
    "of random vertices. Default: every vertex once. For apps that choose their own vertices, N is the number of "
    "samples (default: 1).",
)
batch = cloup.option(
    "--batch",
    type=WholeNumber(1),
    metavar="N",
    help="Number of roots per sample, taken in order from the file or from all vertices. If --roots is a number, it is "
    "the number of samples, and each starts from N random vertices.",
)
edges = cloup.option("--edges", is_flag=True, help="Also write edge ids (.npz, .parquet and --ray only).")

_ray = cloup.option(
    "--ray",
    metavar="ADDRESS",
    help="Sample on a Ray cluster: its address, auto for the one of this machine, or local to start one here. "
    "--threads is the number of CPUs of each actor.",
)
_resume = cloup.option("--resume", is_flag=True, help="With --ray: write only the files that are missing in OUT.")
_names = cloup.option(
    "--names", is_flag=True, help="With --ray: write original vertex names, as .parquet has them, instead of numbers."
)


def cluster(command: F) -> F:
    """The options of a command that can run on a cluster."""
    return cloup.option_group("Cluster", _ray, _resume, _names)(command)


def devices(text: str) -> str | list[str]:
    """The device argument for the text of the option."""
    return text.split(",") if "," in text else text


def check_device(text: str) -> None:
    """Rejects text that names no device, and GPUs that this process does not see."""
    try:
        among(devices(text))
    except (ValueError, TypeError) as refusal:
        raise click.BadParameter(
            f"{text!r}: expected auto, cpu, cuda, cuda:1, or different GPUs separated by commas, such as cuda:0,cuda:1",
            param_hint="--device",
        ) from refusal
    except DeviceError as refusal:
        text = re.sub(r"^device = .*?: ", f"--device {text}: ", str(refusal)).replace('device="cpu"', "--device cpu")
        raise DeviceError(text) from refusal


def planned(command: F) -> F:
    """The options of a command that explains what another one would sample."""
    command = cloup.option_group("Execution", device, threads)(command)
    return cloup.option_group("Samples", roots, repeat, batch)(command)


def sampling(*more: Callable[[Any], Any]) -> Callable[[F], F]:
    """The options of every command that samples, and more options of its samples."""

    def add(command: F) -> F:
        command = cloup.option_group("Execution", device, threads)(command)
        command = cloup.option_group("Samples", roots, repeat, *more, seed)(command)
        return cloup.option_group("Output", output, edges)(command)

    return add
