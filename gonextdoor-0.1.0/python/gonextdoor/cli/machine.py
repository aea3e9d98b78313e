"""Machine: the CPU, memory and settings that determine the speed of sampling."""

from __future__ import annotations

import platform
from pathlib import Path

from gonextdoor._core.arguments import cores

CPUINFO = Path("/proc/cpuinfo")
MEMINFO = Path("/proc/meminfo")
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
FEATURES = ("sse4_2", "avx2", "bmi2", "avx512f", "asimd", "sve")


def cpu() -> str:
    """The name of the CPU."""
    for line in _lines(CPUINFO):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def features() -> list[str]:
    """The relevant instruction sets of the CPU; empty if the system does not report them."""
    for line in _lines(CPUINFO):
        if line.startswith(("flags", "Features")):
            flags = set(line.partition(":")[2].split())
            return [feature for feature in FEATURES if feature in flags]
    return []


def memory() -> tuple[int, int] | None:
    """Bytes of memory in the machine and bytes that are available; None if the system does not report them."""
    found = {}
    for line in _lines(MEMINFO):
        name, _, value = line.partition(":")
        if name in ("MemTotal", "MemAvailable"):
            found[name] = int(value.split()[0]) * 1024
    return (found["MemTotal"], found["MemAvailable"]) if len(found) == 2 else None


def huge_pages() -> str | None:
    """The setting of transparent huge pages: always, madvise or never; None if there is none."""
    for line in _lines(HUGE_PAGES):
        return line.partition("[")[2].partition("]")[0]
    return None


def summary() -> str:
    """The machine in one line, for the head of a table of measurements."""
    held = memory()
    parts = [cpu(), f"{cores()} cores", " ".join(features())]
    if held:
        parts.append(f"{held[0] / 2**30:.0f} GiB")
    parts += [
        f"huge pages {huge_pages()}",
        f"{platform.system()} {platform.release()}",
        f"Python {platform.python_version()}",
    ]
    return ", ".join(part for part in parts if part)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
