"""advised: errors of calls whose arguments do not fit the parameters, with the parameter that was probably meant."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from .synonyms import unexpected

__all__ = ["advised", "refusal", "refuse_unknown"]

T = TypeVar("T", bound=Callable[..., Any])

# Modules whose functions are used by the name of the module.
_PUBLIC = ("embeddings", "features", "partition", "plot", "ranges", "saint", "ray", "pyg", "dgl")


# Methods that loaders call for each batch: a wrapper would be two more functions per batch, in each layer.
_PER_BATCH = ("sample_many",)


def advised(thing: T) -> T:
    """Decorates a function, or the constructor and the methods of a class that have optional parameters.

    A call that fails because its arguments do not fit raises a TypeError that names the public callable, and for an
    unknown argument the one that was probably meant. Other calls take about 0.1 microseconds longer.

    A class that functions create has the attribute ``_made_by``, the call to use instead of its constructor.

    Example:
        >>> gnd.rmat(8, num_edges=100)
        Traceback (most recent call last):
        TypeError: gonextdoor.rmat got an unexpected keyword argument 'num_edges': did you mean edge_factor=, ...
    """
    if isinstance(thing, type):
        made: dict[Any, Any] = {}  # a method may have several names
        for name, value in list(vars(thing).items()):
            method = value.__func__ if isinstance(value, classmethod) else value
            if inspect.isfunction(method) and (name == "__init__" or (name[0] != "_" and _optional(method))):
                wrapped = made[method] = made.get(method) or _advised(method)
                setattr(thing, name, classmethod(wrapped) if isinstance(value, classmethod) else wrapped)
        return thing
    wrapped = _advised(thing)
    return cast(T, wrapped)


def _optional(function: Any) -> bool:
    return bool(function.__defaults__ or function.__kwdefaults__) and function.__name__ not in _PER_BATCH


def _advised(function: Any) -> Any:
    @functools.wraps(function)
    def bound(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:  # the function began
                raise
            found = _of_call(function, args, keywords)
            if found is None:
                raise
        raise found

    return bound


def _of_call(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> TypeError | None:
    """The error of a call whose arguments do not fit; None: they do."""
    parameters = list(inspect.signature(function).parameters.values())
    owner, _, name = function.__qualname__.rpartition(".")
    if owner and not owner.endswith("<locals>"):
        kind = args[0] if isinstance(args[0], type) else type(args[0])
        caller = kind.__name__ if name == "__init__" else f"{kind.__name__}.{name}"
        parameters, args = parameters[1:], args[1:]
        if name == "__init__" and hasattr(kind, "_made_by"):
            return TypeError(f"{caller}(...): use {kind._made_by}")
    else:
        module = function.__module__.split(".")[1:2]
        caller = ".".join(["gonextdoor", *(module if module[0] in _PUBLIC else ()), name])
    return refusal(caller, parameters, args, keywords)


def refuse_unknown(caller: str, function: Callable[..., Any], given: Iterable[str], options: Collection[str]) -> None:
    """Raises a TypeError for a keyword argument that is none of these options, with the name that was probably meant.

    function has the other parameters, and passes the options on.
    """
    unknown = next((name for name in given if name not in options), None)
    if unknown is not None:
        first = (p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD)
        raise unexpected(caller, unknown, dict.fromkeys([*first, *options]))


def refusal(
    caller: str, parameters: Sequence[inspect.Parameter], args: Sequence[Any], keywords: Mapping[str, Any]
) -> TypeError | None:
    """The error for arguments that do not fit parameters; None: they do."""
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    names, places = [p.name for p in named], [p.name for p in named if p.kind is not p.KEYWORD_ONLY]
    unknown = next((one for one in keywords if one not in names), None)
    if unknown is not None and len(named) + 1 > len(parameters):
        return unexpected(caller, unknown, names)
    if len(args) > len(places):
        rest = [f"{one}=" for one in names if one not in places and one not in keywords][:2]
        takes = f"at most {len(places)} ({', '.join(places)})" if places else "none"
        more = f"; pass the others by keyword, such as {' and '.join(rest)}" if rest else ""
        return TypeError(f"{caller} got {len(args)} arguments by position, expected {takes}{more}")
    twice = next((one for one in places[: len(args)] if one in keywords), None)
    if twice is not None:
        return TypeError(f"{caller} got {twice} twice: by position and as {twice}=")
    missing = [p.name for p in named if p.default is p.empty and p.name not in (*places[: len(args)], *keywords)]
    if missing:
        required = [p.name for p in named if p.default is p.empty]
        shown = ", ".join([*required, "..."] if len(required) < len(named) else required)
        return TypeError(f"{caller} is missing {' and '.join(missing)}: expected {caller}({shown})")
    return None
