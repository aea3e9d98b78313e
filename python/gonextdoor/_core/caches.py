"""The folder in which results are cached for later processes."""

from __future__ import annotations

import os

import platformdirs

__all__ = ["folder"]


def folder() -> str | None:
    """The cache folder: GONEXTDOOR_CACHE, or ``gonextdoor`` in the user's cache folder.

    Returns:
        An absolute path, or None if nothing is kept: GONEXTDOOR_CACHE is "off" or relative, or the user has no home
        folder. A relative path would name a folder that anyone may have prepared.
    """
    chosen = os.environ.get("GONEXTDOOR_CACHE")
    if chosen == "off":
        return None
    try:
        path = os.path.expanduser(chosen) if chosen else platformdirs.user_cache_dir("gonextdoor", appauthor=False)
    except RuntimeError:  # no home folder
        return None
    return path if os.path.isabs(path) else None
