"""gnd.App: user-defined apps."""

from __future__ import annotations

import contextlib
import copy
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._core import memory, native
from .._core.binding import advised
from .._core.checks import checked_flag
from .._core.excess import FROM_HOST, MAY_EXCEED, excess_of
from .._core.htmltable import panel
from .._core.weak import WeakTable
from ..apps.app import SamplingApp
from ..apps.parameters import Weighted, checked_weighted
from ..apps.picture import app_picture
from . import build, tree
from .arguments import arrays_of, choice_of, fanouts_of, parameters_of, renamed, source_of, steps_of
from .code import Code
from .combinations import ADJACENCY, refuse
from .expressions import Names
from .statements import checked
from .table import Table
from .vocabulary import COLUMNS, TABLES
from .written import written

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .image import Form, Image

__all__ = ["NULL", "App"]

NULL = -1
"""No vertex: the result of a hook that chooses none, and the padding of samples.

Examples:
    >>> path = gnd.Graph.from_edges([0], [1])
    >>> walks = gnd.sample(path, gnd.apps.DeepWalk(3), [0], seed=1)
    >>> (walks.numpy() == gnd.NULL).sum(axis=1).tolist()
    [2]
"""

Function = Callable[..., Any]
_SCOPES = {"individual": 0, "collective": 1}
_UNIQUE = {False: 0, True: 1, "step": 1, "sample": 2}
_RECORD = {None: 0, "adjacency": ADJACENCY, "induced": 2}


@advised
class App(SamplingApp):
    """A sampling app of your own: hooks written as Python functions, the rest data.

    The functions are compiled. The guide "your own apps" documents their language and the members of ``ctx``, and has
    complete examples. sampleSize, stepSize and samplingType (NextDoor), EdgeBias, VertexBias and Update (C-SAW),
    get_weight and is_stop (FlowWalker) are accepted as other names of the same arguments.

    Args:
        edge_bias: ``(ctx, edge, dst)`` -> the weight of a candidate, at least 0: an int below 2^32, or a float below
            65536, in units of 2^-16. None (default): edges are chosen by their weights, or uniformly at random.
        bound: ``(ctx)`` -> at least as large as any edge_bias of the transit. With it, choices are proposed and
            accepted instead of computing all biases. "auto" (default): for walks inferred from edge_bias, or the
            largest edge_bias of each row, if possible, or alias tables instead if the biases of edges do not change;
            ``gonextdoor.explain`` shows it. None: no bound.
        next: ``(ctx)`` -> the chosen vertex, or NULL; instead of edge_bias.
        vertex_bias: ``(ctx, v)`` -> the weight of a vertex of the pool, the sample's roots. Each step draws its transit
            from the pool, and the chosen vertex replaces it.
        update: ``(ctx, edge, dst)`` -> the vertex to continue from, which is the one recorded: dst, ctx.transit to
            stay, any other to jump; at NULL dst is recorded and nothing grows from it.
        stop: ``(ctx)`` -> whether the transit ends before its choice.
        steps: from 1 to 65535, or INF: until no transit is left. Not needed if sample_size is a list.
        sample_size: the number of picks of each transit: an int (default 1), a list with one int per step, -1 or "all",
            or a function ``(ctx)`` -> int.
        replace: whether a transit may pick one edge several times (default False).
        unique: "step" (or True): a step has no vertex twice; "sample": a sample has no vertex twice. False (default):
            vertices may be repeated.
        scope: "individual" (default): each transit chooses among its neighbours; "collective": all transits together
            among all their neighbours.
        record: "adjacency": the edges from each step's transits to the vertices of the next; "induced": those between
            any two vertices of the sample; None (default): no edges.
        weighted: whether choices without edge_bias and next use the edge weights; "auto" (default): if the graph has
            weights.
        params: numbers that hooks read as ``ctx.name``; another value does not compile again.
        arrays: arrays (n,) that hooks read as ``ctx.name[i]``; they are copied. An array that is indexed by an edge is
            read at the edge's id, its position in your input. A table of ``gonextdoor.table`` is read as
            ``ctx.name(x)``.
        strict: whether a vertex from next or update must be a neighbour of the transit (default False).
        aliases: the names of the papers, as above.

    Raises:
        AppError: a function is not in the language of hooks; the text has file, line and advice.
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.

    Examples:
        A walk that prefers end points with an even number:

        >>> def even(ctx, edge, dst):
        ...     return 4 if dst % 2 == 0 else 1
        >>> app = gnd.App(edge_bias=even, steps=4)
        >>> app
        App(edge_bias=even, steps=4)
        >>> gnd.sample(gnd.rmat(8, seed=1), app, [0, 1], seed=1, device="cpu").numpy()
        array([[  0, 232, 184, 215,  43],
               [  1, 123, 168, 215, 148]], dtype=int32)
    """

    def __init__(
        self,
        *,
        edge_bias: Function | None = None,
        bound: Function | Literal["auto"] | None = "auto",
        next: Function | None = None,
        vertex_bias: Function | None = None,
        update: Function | None = None,
        stop: Function | None = None,
        steps: float | None = None,
        sample_size: int | str | Sequence[int] | Function = 1,
        replace: bool = False,
        unique: bool | Literal["step", "sample"] = False,
        scope: str = "individual",
        record: Literal["adjacency", "induced"] | None = None,
        weighted: Weighted = "auto",
        params: Mapping[str, float] | None = None,
        arrays: Mapping[str, Any] | None = None,
        strict: bool = False,
        **aliases: Any,
    ) -> None:
        self._automatic = isinstance(bound, str) and bound == "auto"
        given: dict[str, Any] = {
            "edge_bias": edge_bias, "bound": None if self._automatic else bound, "next": next,
            "vertex_bias": vertex_bias, "update": update, "stop": stop, "sample_size": sample_size, "scope": scope,
        }  # fmt: skip
        given = renamed(given, {"sample_size": 1, "scope": "individual"}, aliases, App)
        picks, among = given.pop("sample_size"), given.pop("scope")
        if callable(picks):
            given["sample_size"], picks = picks, 1
        if isinstance(among, str):  # NextDoor says IndividualNeighborhood and CollectiveNeighborhood
            among = among.lower().removesuffix("neighborhood")
        fanouts, listed = fanouts_of(picks)
        self.steps = steps_of(steps, fanouts if listed else ())
        self.fanouts = fanouts
        self.replace, self.strict = checked_flag("replace", replace), checked_flag("strict", strict)
        self.unique = choice_of("unique", unique, _UNIQUE)
        self.scope = choice_of("scope", among, _SCOPES)
        self.record = choice_of("record", record, _RECORD)
        self.weighted = checked_weighted(weighted)
        self.params = parameters_of(params)
        self.arrays = arrays_of(arrays, self.params)
        self._tables = {name: x.arithmetic for name, x in (arrays or {}).items() if isinstance(x, Table)}
        self.hooks = {name: source_of(name, hook) for name, hook in given.items() if hook is not None}
        self._functions = self._checked()
        refuse(self)
        self._infers = self._automatic and "edge_bias" in self.hooks and self._walks()
        if list(self.hooks) == ["next"] and self._walks():
            from .uniform import uniform_word

            self._uniform_word = uniform_word(self._functions["next"])

    def _checked(self) -> dict[str, tree.Function]:
        kinds: dict[str, tree.Type] = {n: "float" if isinstance(x, float) else "int" for n, x in self.params.items()}
        names = Names(kinds, {name: array.dtype.name for name, array in self.arrays.items()}, self._tables)
        return {name: checked(source, name, names) for name, source in self.hooks.items()}

    def _walks(self) -> bool:
        """Whether each transit makes one choice per step: a sample of one root is a walk."""
        return self.scope == 0 and self.unique == 0 and "sample_size" not in self.hooks and set(self.fanouts) == {1}

    def _fixed(self) -> bool:
        """Whether all samples have the same number of vertices."""
        free = "sample_size" in self.hooks or -1 in self.fanouts
        return self.steps > 0 and not free and self.record == 0

    def _alone(self) -> bool:
        """Whether a step makes one choice for all transits of a sample."""
        return self.scope == 1 or "vertex_bias" in self.hooks

    def _fanout(self, step: int) -> int:
        return self.fanouts[min(step, len(self.fanouts) - 1)]

    # ---- the interface to the core

    _bound_parameters: tuple[int | float, ...] = ()  # those of an inferred bound
    _bound_arrays: tuple[np.ndarray[Any, Any], ...] = ()  # that of a measured bound
    _bound_text: str | None = None  # the inferred or measured bound, or why there is none
    _follows: dict[str, bool] | None = (
        None  # the order in time of edges that may follow one another: StepProgram.Follows
    )
    _uniform_word: int | None = None  # the random word by which next, the only hook, makes a uniform choice

    def _on(self, graph: Graph) -> App:
        if not self._infers:
            return self
        kept: WeakTable[Graph, App] | None = self.__dict__.get("_bounded")
        if kept is None:
            kept = self.__dict__.setdefault("_bounded", WeakTable())
        found = kept.of(graph)
        return kept.put(graph, self._with_bound(graph)) if found is None else found

    def _with_bound(self, graph: Graph) -> App:
        """A copy of the app with its bound on a graph, or the reasons why it has none."""
        from .bound import choice, graphfacts
        from .tabled import tabled_walk
        from .temporal import followed, temporal_walk

        def with_bias(hook: tree.Function) -> App:
            trial = copy.copy(other)
            trial._functions, trial._bound_parameters = {"edge_bias": hook}, (0,)
            return trial

        other = copy.copy(self)  # without the attributes that __getstate__ leaves out
        other._infers = False
        pool, jumps = "vertex_bias" in self.hooks, "update" in self.hooks
        of = graphfacts.GraphFacts(graph, self.params, self.arrays, self.steps, pool, jumps)
        alone = list(self.hooks) == ["edge_bias"]
        if graph.times is not None and alone:
            other._same = temporal_walk(self._functions["edge_bias"], of)
        found = choice.bound_of(self._functions["edge_bias"], self.hooks["edge_bias"], of, with_bias)
        if found.function is not None:
            other._functions = {**self._functions, "bound": found.function}
        other._bound_parameters, other._bound_arrays = found.parameters, found.arrays
        other._bound_text = found.text
        if alone and other._same is None:
            same = tabled_walk(self._functions["edge_bias"], of, found, with_bias)
            other._same = same and same._replace(biases=self._bias_unit())
        if graph.times is not None and alone and other._same is None:
            other._follows = followed(self._functions["edge_bias"], of)
        return other

    def _bound(self) -> str | None:
        if "bound" in self.hooks:
            return f"given by {self.hooks['bound'].name}"
        return self._bound_text

    def _bias_unit(self) -> str | None:
        if "edge_bias" not in self._functions or self._functions["edge_bias"].returns != "float":
            return None
        return (
            "floats are rounded down to multiples of 2^-16; positive ones below 2^-16 become equal: multiply small ones"
        )

    def parameters(self) -> dict[str, Any]:
        return self._planning() | {"kernels": self._code().addresses}

    def _planning(self) -> dict[str, Any]:
        """The parameters for plans, without compiled hooks."""
        return {
            "scope": self.scope,
            "steps": self.steps,
            "fanouts": None if "sample_size" in self.hooks else self.fanouts,
            "replace": self.replace,
            "unique": self.unique,
            "record": self.record,
            "weighted": self.weighted,
            "follows": self._follows,
            "strict": self.strict,
            "uniform_word": self._uniform_word,
            "hooks": list(self._functions),
            "params": [_bits(value) for value in (*self.params.values(), *self._bound_parameters)],
            "arrays": [{"address": memory.address(a), "length": len(a)} for a in self._all_arrays()],
            "reads": self.reads(),
        }

    def _all_arrays(self) -> list[np.ndarray[Any, Any]]:
        """The arrays that the hooks read, those of a measured bound last."""
        return [*self.arrays.values(), *self._bound_arrays]

    def _text(self) -> None:
        return None  # the parameters have the addresses of hooks and arrays

    def _planned(self) -> native.Held:
        held: native.Held | None = self.__dict__.get("_plan")
        if held is None:
            held = self.__dict__.setdefault("_plan", _core(self._planning()))
        return held

    def _excess(self, graph: Graph, roots: int, ids: tuple[int, ...]) -> int:
        return excess_of(graph._held.number, self._planned().number, roots, ids, edges=False)

    def _held_on(self, graph: Graph, roots: int, ids: tuple[int, ...], excess: int | None) -> native.Held:
        from . import image

        native.call("DeviceRefusal", graph._held.number, self._planned().number, roots)
        if excess == FROM_HOST:
            return self._held()
        target, packed = image.target(ids[0]), bool(native.call("GraphPacks", graph._held.number))
        form, program = self._form(graph, roots), None
        if form in ("warp", "block"):
            weighs = self.scope == 0 and not {"next", "edge_bias"} & self.hooks.keys() and self._weighs(graph)
            of = self._walks(), self.scope == 1, self.unique, self.replace, weighs, self.record
            program = image.Program(*of)
        wanted = (form, program, target, packed, excess == MAY_EXCEED)
        images: dict[Any, tuple[native.Held, Image]] = self.__dict__.setdefault("_images", {})
        if wanted not in images:
            made = image.kept(self._functions, form, target, strict=self.strict, packed=packed, program=program)
            told = {
                "name": made.name,
                "address": memory.address(np.frombuffer(made.code, np.uint8)),
                "length": len(made.code),
                "form": made.form,
                "packed": made.packed,
                "array_bytes": [a.nbytes for a in self._all_arrays()],
            }
            parameters = self._planning() | {"image": told}
            if excess == MAY_EXCEED:
                with contextlib.suppress(ImportError):  # without llvmlite the GPU's memory must be sufficient
                    parameters["kernels"] = self._code().addresses
            images[wanted] = _core(parameters), made
        return images[wanted][0]

    def _form(self, graph: Graph, roots: int) -> Form:
        """The kernel with which a GPU makes samples of that many roots; package engine/gpu decides alike."""
        reads = self.reads()
        if not self._walks() or self.layered(roots) or (self.steps == 0 and "sample" in reads):
            return "block" if self.scope == 1 else "warp"  # by the size of choices; it changes no sample
        if "next" in self.hooks:
            return "next"
        if self._follows is not None:
            return "timed"
        if "edge_bias" in self.hooks:
            alone = roots == 1 and "vertex_bias" not in self.hooks and not {"sample", "prev_edge"} & set(reads)
            return "computed" if alone else "bias"
        return "alias" if self._weighs(graph) else "uniform"

    def _weighs(self, graph: Graph) -> bool:
        """Whether choices without edge_bias and next follow the weights."""
        return self.weighted is True or (self.weighted == "auto" and graph.weighted)

    def reads(self) -> list[str]:
        """The tables of the graph, and the columns of blocks, that the hooks read."""
        found = {"row", *(["transit"] if self.strict else [])}  # rows are named by faults
        for function in self._functions.values():
            for x in tree.expressions(function.body):
                if isinstance(x, tree.Field):
                    found.update(COLUMNS.get(x.name, ()))
                if isinstance(x, tree.Call):
                    found.update(COLUMNS.get(x.name, ()))
                    found.update({TABLES[x.name]} if x.name in TABLES else ())
                if isinstance(x, tree.Element) and x.index.type == "edge":
                    found.add("edge_ids")
        if self.strict and {"next", "update"} & self._functions.keys():
            found.add("has_edge")
        return sorted(found)

    def _code(self) -> Code:
        """The compiled hooks, from the cache folder or compiled now."""
        held: Code | None = self.__dict__.get("_compiled")
        if held is None:
            held = build.kept(self._functions, strict=self.strict)
            held = self.__dict__.setdefault("_compiled", held)
        return held

    def explained(self, error: Exception, again: Callable[[SamplingApp, int], object]) -> Exception:
        """A fault of a hook, with its line in the user's file."""

        def compiled(only: tuple[int, int]) -> Code:
            return build.made(self._functions, strict=self.strict, only=only)

        def run(code: Code, sample: int) -> object:
            other = copy.copy(self)
            other.__dict__["_compiled"] = code
            return again(other, sample)

        with contextlib.suppress(ImportError):
            from .locate import located

            return located(error, self.hooks, compiled, run)
        return error

    def __getstate__(self) -> dict[str, Any]:
        made = ("_compiled", "_plan", "_images", "_bounded")
        return {name: value for name, value in super().__getstate__().items() if name not in made}

    def _repr_html_(self) -> str:
        facts = {name: text for name, _, text in (part.partition("=") for part in written(self))}
        return panel("App", facts, app_picture(self), "shape of a sample")

    def __repr__(self) -> str:
        return f"App({', '.join(written(self))})"


def _core(parameters: dict[str, Any]) -> native.Held:
    return native.HeldText("NewApp", "DropApp", "App", json.dumps(parameters))


def _bits(value: int | float) -> int:
    """The 64 bits of a parameter."""
    return int(struct.unpack("<Q", struct.pack("<d" if isinstance(value, float) else "<q", value))[0])
