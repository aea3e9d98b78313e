"""Runs command lines as a user does.

Starting Python and importing NumPy costs most of a command's time. A short run therefore calls main() in this process,
with the standard streams redirected, in 15 tests of 16. In the sixteenth, which changes daily, and in a full run, each
command is a separate process.
"""

import io
import os
import subprocess
import sys
import tempfile
import traceback
import zlib

import daily
import pytest
from gonextdoor.cli import main


def run(*arguments, cwd=None, apart=False, **options):
    """Runs a command line, always in a separate process if apart."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    if apart or options or daily.FULL or zlib.crc32(test.encode()) % 16 == daily.SEED % 16:
        command = [sys.executable, "-m", "gonextdoor", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, **options)
    return _run_here([str(argument) for argument in arguments], cwd or os.getcwd())


def _run_here(arguments, cwd):
    """run() in this process, whose standard output and error are files meanwhile."""
    before, streams = os.getcwd(), (sys.stdout, sys.stderr)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            os.chdir(cwd)
            sys.stdout, sys.stderr = (io.TextIOWrapper(file, "utf-8", write_through=True) for file in (out, err))
            code = _code(arguments)
        finally:
            texts = []
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
                stream.seek(0)
                texts.append(stream.read())
                stream.detach()
            sys.stdout, sys.stderr = streams
            os.chdir(before)
    return subprocess.CompletedProcess(arguments, code, *texts)


def _code(arguments):
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code
    except Exception:
        traceback.print_exc()
        return 1


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
