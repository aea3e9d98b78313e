"""PEP 517 backend: setuptools.build_meta, plus the packages that this machine lacks for the Go part."""

from __future__ import annotations

import pathlib
import shutil
import sys
from typing import Any

from setuptools import build_meta as _base
from setuptools.build_meta import *  # noqa: F403  every other hook as it is

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import extension
import toolchain


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    toolchain.check_compiler()  # here, before a Go toolchain is downloaded
    return _base.get_requires_for_build_wheel(config_settings) + toolchain.requires()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    toolchain.check_compiler()
    return _base.get_requires_for_build_editable(config_settings) + toolchain.requires()


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    # The wheel would contain leftovers of earlier builds, including modules deleted since.
    shutil.rmtree(extension.STAGE, ignore_errors=True)
    return _base.build_wheel(wheel_directory, config_settings, metadata_directory)
