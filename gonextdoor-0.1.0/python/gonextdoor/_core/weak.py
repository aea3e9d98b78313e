"""Tables with weak references, and threads: objects whose end runs no Python code, in which Ctrl-C would be lost."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from . import native

__all__ = ["WeakTable", "cause", "start", "thread"]

K = TypeVar("K")
V = TypeVar("V")


class WeakTable(dict[int, "tuple[weakref.ref[K], V]"], Generic[K, V]):
    """Values of objects, which are removed when the object is deleted. Objects are equal only to themselves.

    As ``weakref.WeakKeyDictionary``, whose callbacks are Python code.
    """

    __slots__ = ("__weakref__",)

    def of(self, key: K) -> V | None:
        """The value of an object; None if it has none."""
        found = self.get(id(key))
        return found[1] if found is not None and found[0]() is key else None

    def put(self, key: K, value: V) -> V:
        """Sets the value of an object, and returns it."""
        self[id(key)] = native.forgetting(weakref.ref(self), id(key), key), value
        return value

    def put_first(self, key: K, value: V) -> V:
        """Sets the value of an object unless it has one, and returns the value that it has. Safe for concurrent use."""
        reference = native.forgetting(weakref.ref(self), id(key), key)
        return self.setdefault(id(key), (reference, value))[1]

    def pairs(self) -> list[tuple[K, V]]:
        """The objects and their values."""
        return [(key, value) for reference, value in list(self.values()) if (key := reference()) is not None]


def thread(function: Callable[..., Any], *args: Any) -> threading.Thread:
    """A daemon thread of this package, which has not begun."""
    made = threading.Thread(target=function, args=args, name="gonextdoor", daemon=True)
    threading._dangling.discard(made)  # type: ignore[attr-defined]  # its weak reference has a callback in Python
    return made


def start(one: threading.Thread) -> None:
    """Starts a thread. An exception of the handler of a signal, such as that of Ctrl-C, is raised as itself."""
    try:
        one.start()
    except RuntimeError as error:
        raise cause(error) from None


def cause(error: BaseException) -> BaseException:
    """The KeyboardInterrupt in whose place CPython's ``threading.Condition`` raised an error, or the error itself."""
    context = error.__context__
    return error if context is None or isinstance(context, Exception) else context
