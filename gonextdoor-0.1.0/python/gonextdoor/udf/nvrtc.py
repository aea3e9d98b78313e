"""NVRTC, the compiler for kernels compiled at run time: finds and calls it.

It comes with CUDA's toolkit, with PyTorch, or from PyPI (nvidia-cuda-nvrtc-cu12): one library and its built-in headers,
which include nothing of the host's.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
from collections.abc import Iterator, Mapping

__all__ = ["Compiler", "compiler", "identity"]

# -fmad=false: computed weights are bit-identical to the host's.
OPTIONS = ("-std=c++17", "-fmad=false", "-default-device", "-diag-suppress=111,177,550,2361")
VERSIONS = (13, 12, 11)  # of CUDA
FOLDERS = ("cu13/lib", "cuda_nvrtc/lib")  # of the wheels from PyPI, within the package nvidia


class Compiler:
    """A library of NVRTC, of a version (major, minor)."""

    def __init__(self, path: str) -> None:
        self.path, self._library = path, ctypes.CDLL(path)
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        self.version = major.value, minor.value

    def image(self, text: str, files: Mapping[str, str], architecture: str) -> bytes:
        """Compiles the source for an architecture such as "sm_90"; files are the included files by name."""
        lib, program = self._library, ctypes.c_void_p()
        names, texts = (
            (ctypes.c_char_p * len(files))(*(x.encode() for x in of)) for of in (files.keys(), files.values())
        )
        self._check(lib.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"hooks.cu", len(files), texts, names))
        try:
            options = [o.encode() for o in (f"-arch={architecture}", *OPTIONS)]
            if lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)):
                log = self._got(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
                raise RuntimeError(f"NVRTC {self.version[0]}.{self.version[1]} for {architecture}: {log}")
            return self._got(program, "CUBIN")
        finally:
            lib.nvrtcDestroyProgram(ctypes.byref(program))

    def _got(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._library, f"nvrtcGet{what}")(program, buffer))
        return buffer.raw

    def _check(self, status: int) -> None:
        if status:
            raise RuntimeError(f"NVRTC ({self.path}): {self._library.nvrtcGetErrorString(status).decode()}")


@functools.cache
def compiler(driver: int) -> Compiler:
    """The latest NVRTC whose code a driver of CUDA version driver (13000: 13.0) takes: the major version is no later.

    Raises:
        ImportError: there is none; the text says what to install.
    """
    for path in _places(driver // 1000):
        with contextlib.suppress(OSError, AttributeError, RuntimeError):
            return Compiler(path)
    raise ImportError(
        "users' functions are compiled for a GPU by NVRTC, and none was found that is not newer than the driver (CUDA "
        f"{driver // 1000}): pip install 'gonextdoor[jit]'"
    )


@functools.cache
def identity(driver: int) -> str:
    """Identifies the library that compiler() returns, without loading it."""
    for path in _places(driver // 1000):
        with contextlib.suppress(OSError):  # found by the loader, or not at all
            told = os.stat(path)
            return f"{path} {told.st_size} {told.st_mtime_ns}"
    return "by name"


def _places(latest: int) -> Iterator[str]:
    """Candidate paths of NVRTC for CUDA versions up to latest, latest first: the file that GONEXTDOOR_NVRTC names, or
    those of PyPI's wheels, of the loader, and of the toolkit."""
    named = os.environ.get("GONEXTDOOR_NVRTC")
    if named:
        yield named
        return
    wheels = importlib.util.find_spec("nvidia")
    for version in (v for v in VERSIONS if v <= latest):
        name = f"libnvrtc.so.{version}"
        for folder in (wheels.submodule_search_locations or ()) if wheels else ():
            yield from (os.path.join(folder, inside, name) for inside in FOLDERS)
        yield name
        yield from (f"/usr/local/cuda-{version}/lib64/{name}", f"/usr/local/cuda/lib64/{name}")
