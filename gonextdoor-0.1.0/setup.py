"""Builds the Go core into the package as gonextdoor._gonextdoor; everything else is in pyproject.toml."""

import pathlib
import sys

from setuptools import Extension, setup

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "build_backend"))
from extension import STAGE, BuildGo

setup(
    ext_modules=[Extension("gonextdoor._gonextdoor", sources=[])],
    cmdclass={"build_ext": BuildGo},
    options={"build": {"build_base": str(STAGE)}},
)
