"""Ray, if a version is installed that this package supports."""

from __future__ import annotations

import re

OLDEST = (2, 40)  # versions before were not tried

try:
    import ray
    import ray.data
except ImportError as why:
    raise ImportError(f"gonextdoor.ray needs Ray Data ({why}): pip install 'gonextdoor[ray]'") from why


def check(version: str) -> None:
    """Raises an ImportError if this version of Ray is too old."""
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ImportError(
            f"gonextdoor.ray needs Ray {oldest} or later, found {version}: pip install --upgrade 'gonextdoor[ray]'"
        )


check(ray.__version__)

__all__ = ["ray"]
