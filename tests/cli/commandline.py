"""The command line, run as a user runs it: a process of its own."""

import os
import subprocess
import sys

import pytest


def run(*arguments, cwd=None, **options):
    command = [sys.executable, "-m", "gonextdoor", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, **options)


def ok(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done


def refused(code, *arguments, **options):
    """The one-line message of a refusal."""
    done = run(*arguments, **options)
    assert done.returncode == code, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stderr


LIBRARIES = {".parquet": "pyarrow", ".zst": "zstandard", ".npz": "scipy"}


def needs(name):
    """Skips the test where the library of a file's format is not installed."""
    library = LIBRARIES.get(os.path.splitext(name)[1])
    if library:
        pytest.importorskip(library)
