"""The only module that imports the compiled extension: its functions, errors and handles, finalizers, and forks.

A Go runtime does not survive fork(). A forked child therefore loads a second, private copy of the extension at its
first call, from memory (Linux's memfd), and recreates its objects there. The copy's number is the generation: a handle
of an older copy is never passed to a newer one, and never released.
"""

from __future__ import annotations

import abc
import contextlib
import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import threading
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import _gonextdoor as _first
from ..errors import DeviceError, FormatError, InternalError

PREFIX = "pybind_"  # of the names of exported functions
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

generation = 0  # the number of the extension's copy in this process: 0, and one higher after each fork
_module: ModuleType | None = _first
_functions: dict[str, Callable[..., Any]] = {}
_lock = threading.RLock()


def call(name: str, *args: Any) -> Any:
    """Calls a Go function by name. Its error is raised as the Python class that the error names."""
    try:
        return (_functions.get(name) or function(name))(*args)
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


def function(name: str) -> Callable[..., Any]:
    """An exported Go function, which is called through C. It raises RuntimeErrors, which ``translated`` converts."""
    global _module
    if (known := _functions.get(name)) is not None:
        return known
    with _lock:
        if _module is None:
            _module = _private_copy()
        found: Callable[..., Any] = getattr(_module, PREFIX + name)
        _functions[name] = found
        return found


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


_library = ctypes.PyDLL(_first.__file__)  # loaded already; calls keep the interpreter's lock
_copies = ctypes.c_longlong.in_dll(_library, "gonextdoor_generation")  # the number of the copy, for finalizers
_types = ctypes.PYFUNCTYPE(ctypes.py_object)(("gonextdoor_finalizers", _library))
_to_its_end = ctypes.PYFUNCTYPE(*[ctypes.py_object] * 2)(("gonextdoor_to_its_end", _library))
_forget = ctypes.PYFUNCTYPE(*[ctypes.py_object] * 4)(("gonextdoor_forget", _library))

if TYPE_CHECKING:

    class Owner:
        """An object that is released without Python code, in which Ctrl-C would be lost.

        When it is deleted, its function ``_drop``, written in C, is called for ``_number``, unless ``_generation`` is
        that of another copy of the extension. None: any.
        """

        __slots__ = ()

    class Closing:
        """An object whose method ``_end`` is called when it is deleted.

        If the handler of a signal raises an exception meanwhile, as that of Ctrl-C does, ``_end`` is called again, and
        the exception is raised afterwards. ``_end`` must raise none itself.
        """

        __slots__ = ()
else:
    Owner, Closing = _types()


def uninterrupted(function: Callable[[], object]) -> Callable[[], None]:
    """A callable for hooks of ``atexit`` and forks, whose exceptions are lost. It calls a function as ``Closing`` calls
    ``_end``."""
    return functools.partial(_to_its_end, function)


def forgetting(table: weakref.ref[Any], key: Any, value: Any) -> weakref.ref[Any]:
    """A weak reference to a value, whose end removes the key from a dict without Python code."""
    return weakref.ref(value, functools.partial(_forget, table, key))


class Held(Owner, abc.ABC):
    """A handle of a Go object, by number; the object is dropped when the handle is deleted."""

    __slots__ = ("__weakref__", "_drop", "_generation", "_number")

    def __init__(self, number: int, drop: str) -> None:
        self._number, self._drop = number, function(drop)
        self._generation = generation

    @abc.abstractmethod
    def remade(self) -> int:
        """Recreates the object in a forked child, where the old number is invalid, and returns its number there."""

    @property
    def number(self) -> int:
        """The number in this process."""
        if self._generation != generation:
            with _lock:
                if self._generation != generation:
                    self._number = self.remade()
                    self._drop = function(self._drop.__name__.removeprefix(PREFIX))
                    self._generation = generation
        return self._number


class HeldText(Held):
    """A handle of a Go object that is created from texts alone, so that a forked child can recreate it."""

    __slots__ = ("_make", "_texts")

    def __init__(self, make: str, drop: str, *texts: str) -> None:
        super().__init__(call(make, *texts), drop)
        self._make, self._texts = make, texts

    def remade(self) -> int:
        number: int = call(self._make, *self._texts)
        return number


class WeakValues(dict[Any, "weakref.ref[Any]"]):
    """Objects by keys, without references to them; as ``weakref.WeakValueDictionary``, but without Python code when an
    object ends."""

    __slots__ = ("__weakref__",)

    def of(self, key: Any) -> Any:
        """The object of a key; None if there is none."""
        reference = self.get(key)
        return None if reference is None else reference()

    def put(self, key: Any, value: Any) -> None:
        """Sets the object of a key."""
        self[key] = forgetting(weakref.ref(self), key, value)

    def put_first(self, key: Any, value: Any) -> Any:
        """Sets the object of a key unless it has one, and returns the one that it has. Safe for concurrent use."""
        found = self.setdefault(key, forgetting(weakref.ref(self), key, value))()
        return value if found is None else found

    def add(self, value: Any) -> None:
        """Adds an object under its id."""
        self.put(id(value), value)

    def present(self) -> list[Any]:
        """The objects that exist."""
        return [value for reference in list(self.values()) if (value := reference()) is not None]


before_fork = WeakValues()  # objects whose prepare_fork() is called before each fork


def _before_fork() -> None:
    for held in before_fork.present():
        with contextlib.suppress(Exception):
            held.prepare_fork()


def _in_child() -> None:
    global generation, _module, _lock
    _module = None
    _lock = threading.RLock()  # another thread may have held the old one
    _functions.clear()
    _copies.value = generation + 1
    generation += 1  # last, as an interrupt begins this function again


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=uninterrupted(_before_fork), after_in_child=uninterrupted(_in_child))

if call("Abi") != ABI:
    raise ImportError(
        f"{_first.__file__} is of another version: expected surface {ABI}, found {call('Abi')}; build it again"
    )
