"""What all apps have in common."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import math
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, cast

from .._core import native
from .synonyms import unexpected

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..graph.graph import Graph

__all__ = ["FixedWalk", "SamplingApp"]


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
        return None

    def layered(self, roots: int = 1) -> bool:
        """Whether samples of so many roots grow by steps of different sizes, or record edges."""
        return False

    def per_step(self) -> bool:
        """Whether NextDoor's ``getFinalSamples`` gives one array a step: for trees and layers, not for walks and
        subgraphs."""
        return False

    def width(self, roots: int = 1) -> int | None:
        """The vertices of a whole sample, roots included; None where samples differ in length."""
        return None

    def steps_expected(self) -> float:
        """The number of choices that a sample of one root takes, about; infinite where nobody can say."""
        width = self.width()
        return math.inf if width is None else float(width - 1)

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

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}


@functools.cache
def _parameters(app: Any) -> tuple[str, ...]:
    """The names that an app's constructor takes; none if it takes any."""
    _, *known = inspect.signature(app.__init__).parameters.values()
    return () if any(p.kind == p.VAR_KEYWORD for p in known) else tuple(p.name for p in known)


class FixedWalk(SamplingApp):
    """An app whose samples are walks of ``length`` steps."""

    length: int

    def width(self, roots: int = 1) -> int:
        return roots + self.length

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        return [()] * self.length
