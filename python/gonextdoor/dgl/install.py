"""Puts this package's walks and negative pairs into ``dgl.sampling``."""

from __future__ import annotations

import functools
from typing import Any

from .._core.modules import loaded_modules
from .framework import dgl
from .negatives import global_uniform_negative_sampling
from .pinsage import PinSAGESampler, RandomWalkNeighborSampler
from .walks import node2vec_random_walk, random_walk, word_of_dgl

__all__ = ["install"]

SMALL = 1000  # walks along a metapath that DGL draws faster, as each step is a call here
THEIRS = {
    name: getattr(dgl.sampling, name)
    for name in (
        "PinSAGESampler", "RandomWalkNeighborSampler", "global_uniform_negative_sampling", "node2vec_random_walk",
        "random_walk",
    )
}  # fmt: skip


def install() -> None:
    """Makes DGL draw its walks and pairs without an edge with gonextdoor: ``random_walk``, ``node2vec_random_walk``,
    ``PinSAGESampler``, ``RandomWalkNeighborSampler`` and ``global_uniform_negative_sampling`` of ``dgl.sampling``.

    They are replaced in ``dgl.sampling`` and in all modules that have imported them under these names, DGL's own
    (``SAINTSampler``, ``dgl.nn.DeepWalk``) and others, and in ``DGLGraph``, so that the negative sampler
    ``GlobalUniform`` uses it; ``PerSourceUniform`` may return edges, and stays DGL's. Arguments and results are DGL's,
    and draws follow ``dgl.seed``; in a worker of a torch DataLoader also ``torch.manual_seed``. DGL still draws fewer
    than 1,000 walks along a metapath. Second-order walks on directed graphs follow the definition of
    ``gonextdoor.dgl.node2vec_random_walk``. A process that is spawned must call ``install`` too. It may be called
    again.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl
        >>> gnd.dgl.install()
        >>> g = dgl.graph(([0, 1, 2], [1, 2, 0]))
        >>> dgl.sampling.random_walk(g, [0, 1], length=4)
        (tensor([[0, 1, 2, 0, 1],
                [1, 2, 0, 1, 2]]), tensor([0, 0, 0, 0, 0]))
    """
    for module in loaded_modules():
        for name, theirs in THEIRS.items():
            if vars(module).get(name) is theirs:
                setattr(module, name, OURS[name])
    dgl.DGLGraph.global_uniform_negative_sampling = OURS["global_uniform_negative_sampling"]


@functools.wraps(THEIRS["random_walk"])
def _random_walk(g: Any, nodes: Any, *, metapath: Any = None, **options: Any) -> Any:
    if metapath is not None and len(nodes) < SMALL and not options.keys() & {"seed", "device"}:
        return THEIRS["random_walk"](g, nodes, metapath=metapath, **options)
    return random_walk(g, nodes, metapath=metapath, **_seeded(options))


@functools.wraps(THEIRS["node2vec_random_walk"])
def _node2vec_random_walk(*arguments: Any, **options: Any) -> Any:
    return node2vec_random_walk(*arguments, **_seeded(options))


@functools.wraps(THEIRS["global_uniform_negative_sampling"])
def _global_uniform_negative_sampling(*arguments: Any, **options: Any) -> Any:
    return global_uniform_negative_sampling(*arguments, **_seeded(options))


def _seeded(options: dict[str, Any]) -> dict[str, Any]:
    return options if options.get("seed") is not None else {**options, "seed": word_of_dgl()}


OURS = {
    "PinSAGESampler": PinSAGESampler,
    "RandomWalkNeighborSampler": RandomWalkNeighborSampler,
    "global_uniform_negative_sampling": _global_uniform_negative_sampling,
    "node2vec_random_walk": _node2vec_random_walk,
    "random_walk": _random_walk,
}
