"""gonextdoor doctor: checks the installation."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import sys
from dataclasses import dataclass
from typing import Any

import click

import gonextdoor as gnd
from gonextdoor import __version__
from gonextdoor._core import native
from gonextdoor._core.arguments import cores
from gonextdoor.device.devices import named

from . import machine
from .command import Command
from .report import size

LIBRARIES = {
    "numpy": "",
    "scipy": "Graph.from_scipy",
    "pandas": "Graph.from_pandas, Samples.to_pandas",
    "pyarrow": "Parquet",
    "networkx": "Graph.from_networkx",
    "matplotlib": "Samples.plot",
    "zstandard": "writing .zst",
    "gensim": "training on Samples.sentences",
    "torch": "",
    "dgl": "",
    "torch_geometric": "",
}
PLUGIN = "gonextdoor-pyg"


@dataclass(frozen=True)
class Finding:
    """One line of the report. A fault makes the exit code 1; a note is something missing that is optional."""

    word: str
    text: str
    fault: bool = False
    note: bool = False

    @property
    def state(self) -> str:
        return "FAULT" if self.fault else "note" if self.note else "ok"


@click.command(
    cls=Command, short_help="Check the installation.", quiet="Print only faults.", example="gonextdoor doctor"
)
@click.pass_context
def doctor(context: click.Context, quiet: bool) -> None:
    """Check the installation and report settings that affect performance.

    The exit code is 0 if sampling works and 1 if not.
    """
    # Otherwise the driver compiles PTX at the first launch of each kernel, and the report would not show errors.
    os.environ.setdefault("CUDA_MODULE_LOADING", "EAGER")
    findings = [*software(), *hardware()]
    for finding in findings:
        if not quiet or finding.fault:
            click.echo(f"{finding.state:<6} {finding.word:<12} {finding.text}")
    if any(finding.fault for finding in findings):
        context.exit(1)


def software() -> list[Finding]:
    """The package, Python, the compiled core, the libraries."""
    found = [
        Finding("gonextdoor", __version__),
        Finding("Python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"),
        _extension(),
        _sampling(),
    ]
    present, missing = [], []
    for name, purpose in LIBRARIES.items():
        if importlib.util.find_spec(name) is None:
            missing += [f"{name} ({purpose})"] if purpose else []
            continue
        version = _version(name)
        present.append(f"{name} {version}" if version else name)
    found.append(Finding("libraries", ", ".join(present)))
    if importlib.util.find_spec("torch_geometric") is not None:
        found.append(_pyg_lib())
    if missing:
        found.append(Finding("missing", f"{', '.join(missing)}; all are optional", note=True))
    return found


def _pyg_lib() -> Finding:
    """Which operators PyG's own loaders call in the programs of this environment."""
    otherwise = "python -m gonextdoor.pyg program.py, or gonextdoor.pyg.install()"
    plugin = _version(PLUGIN)
    if importlib.util.find_spec("pyg_lib") is not None:
        ignored = f"; {PLUGIN} has no effect" if plugin else ""
        return Finding("pyg-lib", f"installed, and PyG uses it{ignored}", note=bool(plugin))
    if plugin is None:
        return Finding(
            "pyg-lib", f"missing; gonextdoor stands in by {otherwise}, or by the package {PLUGIN}", note=True
        )
    if os.environ.get("GONEXTDOOR_PYG") == "0":
        return Finding("pyg-lib", f"{PLUGIN} is turned off by GONEXTDOOR_PYG=0; use {otherwise}", note=True)
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") != "1":
        return Finding("pyg-lib", f"TORCH_DEVICE_BACKEND_AUTOLOAD turns {PLUGIN} off; use {otherwise}", note=True)
    torch = _version("torch") or "0"
    if tuple(map(int, re.findall(r"\d+", torch)[:2])) < (2, 5):
        return Finding("pyg-lib", f"torch {torch} does not load {PLUGIN}, which needs 2.5; use {otherwise}", note=True)
    if plugin != __version__:
        text = f"gonextdoor stands in, by {PLUGIN} {plugin}: pip install {PLUGIN}=={__version__}, as gonextdoor has"
        return Finding("pyg-lib", text, note=True)
    return Finding("pyg-lib", f"gonextdoor stands in, by {PLUGIN} {plugin}")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _extension() -> Finding:
    spec = importlib.util.find_spec("gonextdoor._gonextdoor")
    if spec is None or spec.origin is None:
        return Finding(
            "core", "the compiled extension is missing; install with: pip install . (or make ext)", fault=True
        )
    return Finding("core", spec.origin)


def _sampling() -> Finding:
    """Samples a small graph twice, with different numbers of threads."""
    try:
        graph = gnd.rmat(8, 4, seed=1)
        walks = [gnd.sample(graph, gnd.apps.DeepWalk(10), seed=1, threads=n).numpy() for n in (1, 2)]
    except Exception as error:  # any error is a finding
        return Finding("sampling", f"failed: {type(error).__name__}: {error}", fault=True)
    if (walks[0] != walks[1]).any():
        return Finding("sampling", "walks on 1 and on 2 threads differ; please report this as a bug", fault=True)
    return Finding("sampling", "works; walks on 1 and on 2 threads are the same")


def hardware() -> list[Finding]:
    """The CPU, memory, GPUs."""
    features = " ".join(machine.features()) or "features unknown"
    found = [
        Finding("CPU", f"{machine.cpu()} ({platform.machine()}): {features}"),
        Finding("threads", f"{cores()} available to this process"),
    ]
    held = machine.memory()
    if held:
        found.append(Finding("memory", f"{size(held[0])}, {size(held[1])} free"))
    found.append(Finding("huge pages", HUGE_PAGES.get(machine.huge_pages(), "unknown on this system")))
    return [*found, *gpus()]


def gpus() -> list[Finding]:
    """Checks the driver, each GPU, the kernels of this build and the compiler of user apps."""
    try:
        report = json.loads(native.call("Doctor"))
    except Exception as error:  # as above
        return [Finding("GPU", f"failed: {type(error).__name__}: {error}", fault=True)]
    kernels = _kernels(report)
    if report["Reason"]:
        return [Finding("GPU", f"none, sampling uses the CPU: {report['Reason']}", note=True), *kernels]
    other = os.environ.get("GONEXTDOOR_LIBCUDA")
    speaks = f"speaks CUDA {report['Driver'] // 1000}.{report['Driver'] % 1000 // 10}"
    found = [Finding("GPU driver", f"{speaks}; GONEXTDOOR_LIBCUDA={other}" if other else speaks)]
    for gpu in report["Devices"]:
        name = named((gpu["ID"],))
        if gpu["Reason"]:
            found.append(Finding(name, gpu["Reason"], fault=True))
            continue
        facts = f"sm_{gpu['SM']}, {gpu['Multiprocessors']} SMs, {size(gpu['L2'])} of L2 cache"
        held = f"{size(gpu['Total'])} of memory, {size(gpu['Free'])} free"
        found.append(Finding(name, f"{gpu['Name']} ({facts}): {held}; works"))
    return [*found, *kernels, _compiler(report["Driver"])]


def _kernels(report: dict[str, Any]) -> list[Finding]:
    """The targets of this build's kernels, and how each usable GPU gets their code."""
    if not report["Kernels"]:
        return [Finding("kernels", "none: this build has no GPU code (docs/building.md)", fault=not report["Reason"])]
    found = [Finding("kernels", f"{len(report['Kernels'])} files for {' '.join(report['Targets'])}")]
    for gpu in report["Devices"]:
        if gpu["Reason"]:
            continue
        if gpu["Code"].startswith("sm_"):
            text = f"machine code of this build ({gpu['Code']}), loaded in {gpu['Seconds']:.2f} s"
        else:
            text = (
                f"compiled from PTX ({gpu['Code']}) by the driver, which caches the result: {gpu['Seconds']:.2f} s "
                f"this time; a build with GONEXTDOOR_CUDA_ARCHS={gpu['SM']},ptx or all avoids this step"
            )
        found.append(Finding("kernels", f"{named((gpu['ID'],))}: {text}"))
    return found


def _compiler(driver: int) -> Finding:
    from gonextdoor.udf import nvrtc

    try:
        found = nvrtc.compiler(driver)
    except ImportError:
        return Finding(
            "NVRTC", "missing; required only to run your own apps on a GPU: pip install 'gonextdoor[jit]'", note=True
        )
    return Finding("NVRTC", f"{found.version[0]}.{found.version[1]}, compiles your own apps ({found.path})")


HUGE_PAGES: dict[str | None, str] = {
    "always": "always",
    "madvise": "on request, and gonextdoor requests them",
    "never": "off, which slows down sampling of large graphs "
    "(to enable, as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled)",
}
