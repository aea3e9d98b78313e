"""The folder in which results are cached for later processes, and who can have written it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

__all__ = ["folder", "only_ours", "opened_folder"]


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
        if chosen:
            path = os.path.expanduser(chosen)
        else:
            import platformdirs  # few programs need the folder

            path = platformdirs.user_cache_dir("gonextdoor", appauthor=False)
    except RuntimeError:  # no home folder
        return None
    return path if os.path.isabs(path) else None


@contextlib.contextmanager
def opened_folder(path: str) -> Iterator[int]:
    """Opens a folder of cached results and gives its descriptor. Other users cannot read it afterwards.

    Raises:
        OSError: there is none, it is a symbolic link, or another user can write to it.
    """
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if not only_ours(status):
            raise PermissionError(f"{path}: another user can write to this folder, or owns it")
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.fchmod(handle, 0o700)  # older versions made it readable for others
        yield handle
    finally:
        os.close(handle)


def only_ours(status: os.stat_result) -> bool:
    """Whether only the effective user (and root) can have written this file or folder."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
