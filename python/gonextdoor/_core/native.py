"""The only module that imports the compiled extension: its functions, errors and handles, and forks.

A Go runtime does not survive fork(). A forked child therefore loads a second, private copy of the extension at its
first call, from memory (Linux's memfd), and recreates its objects there. The copy's number is the generation: a handle
of an older copy is never passed to a newer one, and never released.
"""

from __future__ import annotations

import abc
import contextlib
import importlib.machinery
import importlib.util
import os
import sys
import threading
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import _gonextdoor as _first
from ..errors import DeviceError, FormatError, InternalError

ABI = 1  # the version of the exported functions; see pybind.Abi

_KINDS: dict[str, type[Exception]] = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "IndexError": IndexError,
    "MemoryError": MemoryError,
    "FormatError": FormatError,
    "DeviceError": DeviceError,
    "RuntimeError": RuntimeError,
    "ZeroDivisionError": ZeroDivisionError,
}

_generation = 0
_module: ModuleType | None = _first
_functions: dict[str, Callable[..., Any]] = {}
_lock = threading.RLock()


def call(name: str, *args: Any) -> Any:
    """Calls a Go function by name. Its error is raised as the Python class that the error names."""
    function = _functions.get(name) or _function(name)
    try:
        return function(*args)
    except RuntimeError as error:
        raise translated(str(error)) from None


def translated(text: str) -> BaseException:
    """The exception for an error of the Go side: "Kind|text", or "OSError|errno|text\\x1fpath"."""
    kind, _, rest = text.partition("|")
    if kind in _KINDS:
        return _KINDS[kind](rest)
    if kind == "KeyboardInterrupt":
        return KeyboardInterrupt()
    if kind == "OSError":
        number, _, rest = rest.partition("|")
        rest, _, path = rest.partition("\x1f")
        return OSError(int(number), rest, path) if path else OSError(int(number), rest)
    return InternalError(rest if kind == "InternalError" else text)


def generation() -> int:
    """The number of the extension's copy in this process: 0, and one higher after each fork."""
    return _generation


def _function(name: str) -> Callable[..., Any]:
    global _module
    with _lock:
        if _module is None:
            _module = _private_copy()
        function: Callable[..., Any] = getattr(_module, f"pybind_{name}")
        _functions[name] = function
        return function


def _private_copy() -> ModuleType:
    """Loads the extension once more, with a separate Go runtime.

    The dynamic loader identifies libraries by name and by inode. So the copy is a file in memory, whose name contains
    the process id. Its descriptor stays open, so that a child of the child gets another one.
    """
    try:
        memory = os.memfd_create("gonextdoor")
        with open(_first.__file__, "rb") as file:
            size, done = os.fstat(file.fileno()).st_size, 0
            while done < size:
                done += os.sendfile(memory, file.fileno(), done, size - done)
        path = f"/proc/{os.getpid()}/fd/{memory}"
        name = _first.__name__
        loader = importlib.machinery.ExtensionFileLoader(name, path)
        spec = importlib.util.spec_from_file_location(name, path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except (OSError, ImportError, AttributeError) as error:
        raise RuntimeError(
            f"gonextdoor cannot be used in this forked process ({error}): start workers by 'spawn' or 'forkserver'"
        ) from error
    return module


def give_back(name: str, number: int, generation: int, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
    """Calls a Go function that releases an object; for finalizers.

    Does nothing in a forked child for an object of the parent, nor once the interpreter is finalizing, when this
    module's names may be gone. Never raises.
    """
    if _finalizing():
        return
    try:
        if generation == _generation:
            call(name, number)
    except Exception:
        return


class Held(abc.ABC):
    """A handle of a Go object, by number; the object is dropped when the handle is deleted."""

    __slots__ = ("__weakref__", "_drop", "_generation", "_number")

    def __init__(self, number: int, drop: str) -> None:
        self._number, self._drop = number, drop
        self._generation = _generation

    @abc.abstractmethod
    def remade(self) -> int:
        """Recreates the object in a forked child, where the old number is invalid, and returns its number there."""

    @property
    def number(self) -> int:
        """The number in this process."""
        if self._generation != _generation:
            with _lock:
                if self._generation != _generation:
                    self._number = self.remade()
                    self._generation = _generation
        return self._number

    def __del__(self, _give_back: Callable[[str, int, int], None] = give_back) -> None:
        if hasattr(self, "_drop"):  # absent if the constructor failed
            _give_back(self._drop, self._number, self._generation)


class HeldText(Held):
    """A handle of a Go object that is created from texts alone, so that a forked child can recreate it."""

    __slots__ = ("_make", "_texts")

    def __init__(self, make: str, drop: str, *texts: str) -> None:
        super().__init__(call(make, *texts), drop)
        self._make, self._texts = make, texts

    def remade(self) -> int:
        number: int = call(self._make, *self._texts)
        return number


before_fork: weakref.WeakSet[Any] = weakref.WeakSet()  # objects whose prepare_fork() is called before each fork


def _before_fork() -> None:
    for held in list(before_fork):
        with contextlib.suppress(Exception):
            held.prepare_fork()


def _in_child() -> None:
    global _generation, _module, _lock
    _generation += 1
    _module = None
    _lock = threading.RLock()  # another thread may have held the old one
    _functions.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)

if call("Abi") != ABI:
    raise ImportError(
        f"{_first.__file__} is of another version: expected surface {ABI}, found {call('Abi')}; build it again"
    )
