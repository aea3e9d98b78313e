"""LoaderOptions: the options that all loaders have, as one record."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..apps.parameters import Weighted
    from ..device.devices import Device
    from ..graph.direction import Direction
    from .method import Method
    from .ranks import Divide, Even

__all__ = [
    "NAMES",
    "BatchedOptions",
    "LoaderOptions",
    "SamplerOptions",
    "TorchOptions",
    "options_of",
    "takes_options",
]

F = TypeVar("F", bound=Callable[..., Any])


class LoaderOptions(TypedDict, total=False):
    """The options of all loaders, each documented at ``gonextdoor.loader``."""

    divide: Divide | None
    rank: int | None
    world: int | None
    even: Even
    share: int
    threads: int | None
    cache: int | str | None
    cache_policy: Any
    prefetch: int | None
    prefetch_bytes: int | None
    progress: bool


class TorchOptions(LoaderOptions, total=False):
    """These, and arguments of ``torch.utils.data.DataLoader``."""

    sampler: Any
    batch_sampler: Any
    num_workers: int
    pin_memory: bool
    timeout: float
    worker_init_fn: Callable[[int], None] | None
    multiprocessing_context: Any
    generator: Any
    prefetch_factor: int | None
    persistent_workers: bool
    pin_memory_device: str
    in_order: bool


class BatchedOptions(TorchOptions, total=False):
    """These, and the arguments by which torch makes batches."""

    batch_size: int | None
    shuffle: bool | None
    drop_last: bool


class SamplerOptions(TypedDict, total=False):
    """The options of a ``NeighborSampler``, each documented there."""

    replace: bool
    weighted: Weighted
    expand: Literal["new", "all"]
    disjoint: bool
    temporal: Literal["uniform", "last"] | None
    layout: Literal["coo", "csc"]
    device: Device
    times: npt.ArrayLike | None
    direction: Direction
    method: Method
    layer_dependency: bool


_DEFAULTS: LoaderOptions = {
    "divide": None, "rank": None, "world": None, "even": "wrap", "share": 1, "threads": None, "cache": None,
    "cache_policy": "degree", "prefetch": None, "prefetch_bytes": None, "progress": False,
}  # fmt: skip
_TYPES = {name: getattr(kind, "__forward_arg__", kind) for name, kind in LoaderOptions.__annotations__.items()}
NAMES = frozenset(_DEFAULTS)


def options_of(given: Mapping[str, Any], names: Collection[str] = NAMES) -> tuple[LoaderOptions, dict[str, Any]]:
    """Divides keyword arguments into all options, of which those that are missing have their defaults, and the rest.

    names: those that the loader takes; others are in the rest.
    """
    options: Any = {**_DEFAULTS, **{name: value for name, value in given.items() if name in names}}
    return options, {name: value for name, value in given.items() if name not in names}


def takes_options(names: Collection[str] = NAMES) -> Callable[[F], F]:
    """Shows options in the signature of a function that takes them as ``**keywords``, each with its default."""

    def shown(function: F) -> F:
        signature = inspect.signature(function)
        *first, last = signature.parameters.values()
        own = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_TYPES[name])
            for name, default in _DEFAULTS.items()
            if name in names
        ]
        told: Any = function
        told.__signature__, told.options = signature.replace(parameters=[*first, *own, last]), names
        return function

    return shown
