"""The base class of all apps."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from .._core import memory, native, records
from .._core.binding import refusal
from .._core.htmltable import panel
from .picture import app_parameters, app_picture

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..graph.graph import Graph

__all__ = ["AppProperties", "SameWalks", "SamplingApp", "remember"]


class AppProperties(NamedTuple):
    """The core's facts about an app's samples with a given number of roots each.

    Attributes:
        width: the vertices of a whole sample, roots included; None if samples differ in length.
        layered: whether samples have steps of different sizes, or record edges.
        pool: the vertices that are drawn for each sample without roots; None: samples grow from every vertex.
        per_step: whether samples are read step by step, as trees and layers are.
        records: whether edges between the vertices are recorded.
        vertices: the vertices expected after the roots; infinite if nothing bounds them.
    """

    width: int | None
    layered: bool
    pool: int | None
    per_step: bool
    records: bool
    vertices: float


class SameWalks(NamedTuple):
    """An app whose samples of one root each have the distribution of another app's on a graph, and which is faster.

    Attributes:
        app: the app.
        view: the view of the graph that it samples; None: the graph.
        bound, biases: what ``_bound`` and ``_bias_unit`` return for the other app.
    """

    app: SamplingApp
    view: Graph | None = None
    bound: str | None = None
    biases: str | None = None


class SamplingApp:
    """The base class of all apps; construct one of its subclasses.

    An app holds parameters only, so one app samples any number of graphs. Two built-in apps with equal parameters are
    equal.

    Examples:
        >>> app = gnd.apps.DeepWalk(length=10)
        >>> isinstance(app, gnd.apps.SamplingApp), app == gnd.apps.DeepWalk(10)
        (True, True)
        >>> app.width(), app.layered(), app.steps_expected()
        (11, False, 10.0)
    """

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        """Refuses arguments that do not fit; for names of other libraries the error has the parameter to use."""
        known = _parameters(cast(Hashable, cls))
        if known and (len(args) > len(known) or not parameters.keys() <= known.keys()):
            wrong = refusal(cls.__name__, list(known.values()), args, parameters)
            if wrong is not None:
                raise wrong
        return super().__new__(cls)

    def parameters(self) -> dict[str, Any]:
        """Returns the parameters as a dict by name, as they are passed to the core."""
        return {name: getattr(self, name) for name in _fields(cast(Hashable, type(self)))}

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        """Returns the shape of each step's vertices in one sample with ``roots`` roots; () is one vertex.

        Args:
            roots: the number of roots of a sample (default 1).

        Returns:
            One tuple per step.

        Raises:
            ValueError: the app's samples differ in length.

        Examples:
            >>> gnd.apps.KHop([2, 3]).slots()
            [(2,), (2, 3)]
        """
        text = native.call("AppSteps", self._planned().number, roots)
        if not text:
            raise ValueError(f"{self!r}: samples differ in length")
        return [shape for steps in json.loads(text) for shape in [tuple(steps["shape"])] * steps["count"]]

    def pool(self) -> int | None:
        """Returns the number of vertices that ``gonextdoor.sample`` draws for each sample if no roots are given.

        Returns:
            0 for an app that chooses its own vertices; None if samples grow from one vertex: then one sample starts at
            every vertex.
        """
        return self._facts().pool

    def layered(self, roots: int = 1) -> bool:
        """Returns whether samples with ``roots`` roots have steps of different sizes, or record edges."""
        return self._facts(roots).layered

    def per_step(self) -> bool:
        """Returns whether ``NextDoor.getFinalSamples`` returns one array per step: True for trees and layers, False for
        walks and subgraphs.
        """
        return self._facts().per_step

    def width(self, roots: int = 1) -> int | None:
        """Returns the number of vertices of a whole sample, roots included; None if samples differ in length."""
        return self._facts(roots).width

    def steps_expected(self, roots: int = 1) -> float:
        """Returns the expected number of choices of a sample with ``roots`` roots; inf if it is unbounded."""
        return self._facts(roots).vertices

    def _facts(self, roots: int = 1) -> AppProperties:
        """Returns the core's facts, which are kept with the app, and for later apps of the same text."""
        known: dict[int, AppProperties] = self.__dict__.setdefault("_shapes", {})
        facts = known.get(roots)
        if facts is None:
            text = self._text()
            facts = None if text is None else _facts_of_text.get((*text, roots))
            if facts is None:
                facts = self._read_facts(roots)
                if text is not None:
                    remember(_facts_of_text, (*text, roots), facts)
            known[roots] = facts
        return facts

    def _read_facts(self, roots: int) -> AppProperties:
        """Reads the facts from the core."""
        buffer = memory.buffer()
        native.call("AppFacts", self._planned().number, roots, buffer.address)
        read = records.AppFacts._make(records.APP_FACTS.unpack_from(buffer.bytes))
        buffer.release()
        pool = None if read.pool < 0 else read.pool
        return AppProperties(read.width or None, bool(read.layered), pool, bool(read.per_step), bool(read.records),
                             read.vertices)  # fmt: skip

    def _text(self) -> tuple[str, str] | None:
        """Returns the name and the parameters from which the core makes the app.

        None: the parameters have addresses, so that two apps of the same text may differ.
        """
        text: tuple[str, str] | None = self.__dict__.get("_texts")
        if text is None:
            text = self.__dict__["_texts"] = type(self).__name__, json.dumps(self.parameters())
        return text

    def explained(self, error: Exception, again: Callable[[SamplingApp, int], object]) -> Exception:
        """A run's error with details that the app can add; again(app, id) runs only the sample with that id."""
        return error

    def _held(self) -> native.Held:
        """The app's handle in the core, created at the first use and cached. Safe for concurrent callers."""
        held: native.Held | None = self.__dict__.get("_core")
        if held is None:
            text = self._text() or (type(self).__name__, json.dumps(self.parameters()))
            held = native.HeldText("NewApp", "DropApp", *text)
            held = self.__dict__.setdefault("_core", held)  # the first thread's handle wins
        return held

    _infers = False  # whether _on returns another app
    _same: SameWalks | None = None  # what makes the samples of one root each instead, since it is faster
    _per_root = False  # whether the app has parameters per root, so that _check_roots may refuse a call

    def _on(self, graph: Graph) -> SamplingApp:
        """The app that samples a graph: this one, or for an app with user-defined hooks one with an inferred bound."""
        return self

    def _check_roots(self, count: int) -> None:
        """Raises an error if the app has parameters per root for another number of roots."""

    def _bound(self) -> str | None:
        """The bound of the biases that the user's hook computes, as text; None if there is no such hook."""
        return None

    def _bias_unit(self) -> str | None:
        """How the biases that the user's hook computes are rounded, as text; None if they are ints or not computed."""
        return None

    def _planned(self) -> native.Held:
        """A handle that is sufficient for plans. Runs of an app with user-defined hooks need ``_held_on``."""
        return self._held()

    def _excess(self, graph: Graph, roots: int, ids: tuple[int, ...]) -> int | None:
        """How GPUs run the app if the graph exceeds their memory, see ``_core.excess``; None: ``_held_on`` does not
        depend on it."""
        return None

    def _held_on(self, graph: Graph, roots: int, ids: tuple[int, ...], excess: int | None) -> native.Held:
        """The handle for runs with that many roots per sample on GPUs of these numbers; excess: of ``_excess``."""
        return self._held()

    def _repr_html_(self) -> str:
        return panel(type(self).__name__, app_parameters(self), app_picture(self), "shape of a sample")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _KEPT}


_KEPT = ("_core", "_samplers", "_shapes", "_texts")  # attributes that are kept for later calls, and not pickled

_facts_of_text: dict[tuple[str, str, int], AppProperties] = {}

_MOST = 1024  # entries that are remembered

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


def remember(known: dict[_K, _V], key: _K, value: _V) -> None:
    """Adds an entry to a dict of results for later calls. A full one is emptied first."""
    if len(known) >= _MOST:
        known.clear()
    known[key] = value


@functools.cache
def _fields(app: Any) -> tuple[str, ...]:
    """The names of the parameters of an app's class."""
    return tuple(field.name for field in dataclasses.fields(app))


@functools.cache
def _parameters(app: Any) -> dict[str, inspect.Parameter]:
    """The parameters of an app's constructor; empty if it accepts any."""
    _, *known = inspect.signature(app.__init__).parameters.values()
    return {} if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in known) else {p.name: p for p in known}
