"""PEP 517 backend: setuptools.build_meta, plus what this machine lacks for the Go part."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

from setuptools import build_meta as _base
from setuptools.build_meta import *  # noqa: F403  every other hook as it is

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import toolchain


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    toolchain.check_compiler()  # here, before a Go toolchain is downloaded
    return _base.get_requires_for_build_wheel(config_settings) + toolchain.requires()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    toolchain.check_compiler()
    return _base.get_requires_for_build_editable(config_settings) + toolchain.requires()
