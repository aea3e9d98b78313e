"""Lets PyG find gonextdoor's stand-in for pyg-lib. ``import torch`` calls ``autoload``, from torch 2.5 on.

Environment variables:
    GONEXTDOOR_PYG: 0 turns this off.
"""

import importlib.machinery
import importlib.util
import os
import sys

__all__ = ["autoload"]


def autoload():
    """Appends a finder for the module pyg_lib: a real one is found before. It imports nothing and never raises."""
    if os.environ.get("GONEXTDOOR_PYG") != "0":
        sys.meta_path.append(Finder)


class Finder:
    """Finds ``pyg_lib`` in the folder of gonextdoor that has it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Returns the stand-in's spec; None for all other modules, and if gonextdoor is missing or has none."""
        if name != "pyg_lib":
            return None
        found = importlib.util.find_spec("gonextdoor")  # finds it without importing it
        if found is None or found.origin is None:
            return None
        folder = os.path.join(os.path.dirname(found.origin), "standin")
        return importlib.machinery.PathFinder.find_spec(name, [folder])
