"""Ray, if a version is installed that this package supports.

Ray Data is imported when it is first used, as ``ray.data``: actors that have a part of a graph do not need it, and
start sooner without it.
"""

from __future__ import annotations

import importlib.util
import re

OLDEST = (2, 40)  # versions before were not tried
NEEDED = ("pandas", "pyarrow", "fsspec")  # by Ray Data

try:
    import ray
except ImportError as why:
    raise ImportError(f"gonextdoor.ray needs Ray Data ({why}): pip install 'gonextdoor[ray]'") from why


def check(version: str) -> None:
    """Raises an ImportError if this version of Ray is too old, or Ray Data lacks a package."""
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ImportError(
            f"gonextdoor.ray needs Ray {oldest} or later, found {version}: pip install --upgrade 'gonextdoor[ray]'"
        )
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ImportError(f"gonextdoor.ray needs Ray Data, which lacks {missing[0]}: pip install 'gonextdoor[ray]'")


check(ray.__version__)

from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402 (of a version that has it)

__all__ = ["NodeAffinitySchedulingStrategy", "ray"]
