"""Parameters of an app as key=value, and apps by their names."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click
import cloup

from gonextdoor import apps as module
from gonextdoor._core import advice, npy
from gonextdoor._core.synonyms import meanings

F = TypeVar("F", bound=Callable[..., Any])

# Parameters of gonextdoor.sample, with their options.
OPTIONS = {"roots": "--roots", "repeat": "--repeat", "seed": "--seed", "device": "--device", "threads": "--threads",
           "edges": "--edges"}  # fmt: skip


def apps() -> dict[str, type]:
    """The apps by name."""
    found = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
    return {name: x for name, x in found.items() if isinstance(x, type) and dataclasses.is_dataclass(x)}


@functools.cache
def parameter_names() -> frozenset[str]:
    """The parameters of all apps."""
    return frozenset(field.name for app in apps().values() for field in dataclasses.fields(app))


def app_named(name: str, expected: Iterable[str] = ()) -> type:
    """The app of that name, in upper or lower case; expected: the names to list in an error, all if empty."""
    known = apps()
    for candidate, app in known.items():
        if candidate.lower() == name.lower():
            return app
    hint = advice.meant(name, known) or f": expected one of {', '.join(expected or sorted(known))}"
    if os.path.exists(name):
        hint = ": this is a file; FILE is the first argument, and APP the second"
    raise click.BadParameter(f"{name!r}{hint}", param_hint="APP")


def app_and_words(metavar: str = "APP", among: Iterable[str] = ()) -> Callable[[F], F]:
    """The arguments APP and KEY=VALUE… of a command, and --app for APP. It receives ``app``, ``named`` and
    ``parameters``, of which ``chosen`` makes the app. among: the names that the shell completes; empty: all apps."""

    completed = completion(among)

    def add(command: F) -> F:
        words = cloup.argument("parameters", metavar="[KEY=VALUE]…", nargs=-1, help="The parameters of the app.")
        same = cloup.option("--app", "named", metavar="APP", shell_complete=completed, help="The same as APP.")
        text = "The app, in upper or lower case."
        app = cloup.argument("app", metavar=metavar, required=False, shell_complete=completed, help=text)
        return app(words(same(command)))

    return add


def chosen(
    app: str | None, named: str | None, words: tuple[str, ...], usual: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """The name of the app and its words, of the arguments and --app; usual: the app if none is given."""
    if app is not None and (named is not None or "=" in app):
        words, app = (app, *words), None
    name = named or app or usual
    if name is None:
        raise click.UsageError("Missing argument 'APP': expected the name of an app; gonextdoor apps lists them")
    return name, words


def weighted_words(app: type, weighted: bool | None) -> tuple[str, ...]:
    """The word by which an app uses weights exactly if the file is read with them."""
    takes = weighted is not None and "weighted" in {field.name for field in dataclasses.fields(app)}
    return (f"weighted={weighted}",) if takes else ()


def completion(among: Iterable[str] = ()) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """A function for the shell: the apps whose names begin with a word; among: their names, all apps if empty."""

    def completed(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[str]:
        return [name for name in among or apps() if name.lower().startswith(begin.lower())]

    return completed


def build(app: type, words: Iterable[str]) -> Any:
    """Creates an app from words such as length=80. Errors of the app become usage errors."""
    return make(app, values_of(app, words))


def values_of(app: type, words: Iterable[str]) -> dict[str, Any]:
    """Returns the parameters of an app as a dict, parsed from words such as length=80."""
    known = {field.name: field for field in dataclasses.fields(app)}
    values: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key not in known:
            raise click.UsageError(f"{word!r}: {_meant(key, known, app.__name__)}")
        if key in values:
            raise click.UsageError(f"{word!r}: {key} is given twice")
        value = array(text[1:], key) if text.startswith("@") else parse(text)
        many = is_sequence(known[key].type)
        values[key] = [value] if many and type(value) in (int, float) else value
    return values


def is_sequence(annotation: Any) -> bool:
    """Whether a parameter of an app has several ints, by the annotation of its field."""
    return "Sequence[int]" in str(annotation) or "tuple[int" in str(annotation)


def _meant(key: str, known: Iterable[str], app: str) -> str:
    """Advice for a word that is not key=value with a parameter of the app."""
    for name in meanings(key):
        if name in known:
            return f"did you mean {name}=VALUE?"
        if name in OPTIONS:
            return f"use the option {OPTIONS[name]}"
    return f"expected key=value with a key of {app}: {', '.join(known)}{advice.meant(key, known).replace(':', ';')}"


def make(app: type, values: dict[str, Any], options: dict[str, str] | None = None) -> Any:
    """Creates the app with these parameters. Its errors become usage errors.

    Args:
        app: the app.
        values: its parameters.
        options: the options by which the parameters were given, for errors; None: they were given as key=value.
    """
    fields = dataclasses.fields(app)
    unset = dataclasses.MISSING
    missing = [
        f.name for f in fields if f.init and f.default is unset and f.default_factory is unset and f.name not in values
    ]
    if missing:
        needed = ", ".join(f"{name}=" if options is None else options.get(name, f"{name}=") for name in missing)
        raise click.UsageError(f"{app.__name__} needs {needed}")
    try:
        return app(**values)
    except (ValueError, TypeError) as refusal:
        text = str(refusal)
        found = re.match(r"(\w+)(?:\[\d+\])? = (.*?): (.*)", text, re.DOTALL)
        if options is not None and found is not None and found[1] in options:
            raise click.BadParameter(f"{found[2]}: {found[3]}", param_hint=options[found[1]]) from refusal
        raise click.UsageError(text) from refusal


def parse(text: str) -> Any:
    """A value: a whole number, a number, true, false, none, all (-1), a comma-separated list, or else text."""
    if "," in text:
        return [parse(part) for part in text.split(",") if part.strip()]
    words = {"true": True, "false": False, "none": None, "all": -1}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def array(path: str, key: str) -> Any:
    """The numbers in a file: a .npy array, or text with one number per line."""
    import numpy as np

    try:
        if path.lower().endswith(".npy"):
            return npy.load(path)
        with open(path, encoding="utf-8") as file:
            words = [line.split("#")[0].strip() for line in file]
        numbers = [parse(word) for word in words if word]
        wrong = next((number for number in numbers if type(number) not in (int, float)), None)
        if wrong is None:
            return np.array(numbers) if numbers else np.empty(0, np.int64)
        raise click.UsageError(f"{key}=@{path}: {wrong!r}: expected one number per line")
    except OSError as error:
        raise click.UsageError(f"{key}=@{path}: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise click.UsageError(
            f"{key}=@{path}: expected an array that numpy.save wrote, or text with one number per line"
        ) from error


def whole(values: Any) -> bool:
    """Whether a value is a list of whole numbers."""
    return isinstance(values, list) and bool(values) and all(type(value) is int for value in values)


def whole_numbers(option: str, text: str) -> list[int]:
    """WholeNumber numbers such as 15,10,5."""
    values = parse(text)
    values = values if isinstance(values, list) else [values]
    if not whole(values):
        raise click.BadParameter(
            f"{text!r}: expected whole numbers, separated by commas, such as 15,10,5", param_hint=option
        )
    return values
