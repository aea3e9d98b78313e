"""What all apps have in common."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .._core import memory, native, records
from .._core.htmltable import panel
from .picture import app_parameters, app_picture
from .synonyms import unexpected

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..graph.graph import Graph

__all__ = ["AppProperties", "FixedWalk", "SamplingApp"]


class AppProperties(NamedTuple):
    """What the core knows of an app's samples with so many roots each.

    Attributes:
        width: the vertices of a whole sample, roots included; None if samples differ in length.
        layered: whether samples have steps of different sizes, or record edges.
        pool: the vertices that are drawn for each sample without roots; None: samples grow from every vertex.
        vertices: the vertices expected after the roots; infinite if nothing bounds them.
    """

    width: int | None
    layered: bool
    pool: int | None
    vertices: float


class SamplingApp:
    """What all apps have in common; make one of the classes below."""

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        """Refuses unknown parameters with advice: the argument names of other libraries are not those of the apps."""
        if parameters:
            known = _parameters(cast(Hashable, cls))
            for name in parameters:
                if known and name not in known:
                    raise unexpected(cls.__name__, name, known)
        return super().__new__(cls)

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as they cross to the core."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        """The shape of each step's vertices in one sample with so many roots; () is one vertex.

        Raises:
            ValueError: the app's samples differ in length, so it has none.
        """
        raise ValueError(f"{self!r}: samples differ in length")

    def pool(self) -> int | None:
        """The vertices that ``gonextdoor.sample`` draws for each sample where it is given no roots: 0 for an app that
        chooses its own vertices; None: samples grow from one vertex, and without roots from every one."""
        return self._facts().pool

    def layered(self, roots: int = 1) -> bool:
        """Whether samples of so many roots grow by steps of different sizes, or record edges."""
        return self._facts(roots).layered

    def per_step(self) -> bool:
        """Whether NextDoor's ``getFinalSamples`` gives one array a step: for trees and layers, not for walks and
        subgraphs."""
        return False

    def width(self, roots: int = 1) -> int | None:
        """The vertices of a whole sample, roots included; None if samples differ in length."""
        return self._facts(roots).width

    def steps_expected(self, roots: int = 1) -> float:
        """The expected number of choices of a sample with so many roots; infinite if nothing bounds it."""
        return self._facts(roots).vertices

    def _facts(self, roots: int = 1) -> AppProperties:
        """The core's facts, which are asked for once and kept with the app."""
        known: dict[int, AppProperties] = self.__dict__.setdefault("_shapes", {})
        facts = known.get(roots)
        if facts is None:
            with memory.buffer() as buffer:
                native.call("AppFacts", self._planned().number, roots, buffer.address)
                told = records.AppFacts._make(records.APP_FACTS.unpack_from(buffer.bytes))
            pool = None if told.pool < 0 else told.pool
            facts = AppProperties(told.width or None, bool(told.layered), pool, told.vertices)
            known[roots] = facts
        return facts

    def explained(self, error: Exception, again: Callable[[SamplingApp, int], object]) -> Exception:
        """A run's error, with what the app can tell of it; again(app, id) runs the sample of that id alone."""
        return error

    def _held(self) -> native.Held:
        """The app in the core, made at its first use and kept with the app."""
        held: native.Held | None = self.__dict__.get("_core")
        if held is None:
            held = native.HeldText("NewApp", "DropApp", type(self).__name__, json.dumps(self.parameters()))
            held = self.__dict__.setdefault("_core", held)  # another thread's, if that came first: ours goes unused
        return held

    def _planned(self) -> native.Held:
        """The app in the core, good for plans; not for runs, where it has hooks of the user's."""
        return self._held()

    def _held_on(self, graph: Graph, roots: int, device: int) -> native.Held:
        """The app in the core, for runs of samples of so many roots on the GPU of that number."""
        return self._held()

    def _repr_html_(self) -> str:
        return panel(type(self).__name__, app_parameters(self), app_picture(self), "shape of a sample")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_core", "_plans", "_shapes")}


@functools.cache
def _parameters(app: Any) -> tuple[str, ...]:
    """The names that an app's constructor takes; none if it takes any."""
    _, *known = inspect.signature(app.__init__).parameters.values()
    return () if any(p.kind == p.VAR_KEYWORD for p in known) else tuple(p.name for p in known)


class FixedWalk(SamplingApp):
    """An app whose samples are walks of ``length`` steps."""

    length: int

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        return [()] * self.length
