"""Random walks over rowptr and col, for ``torch_geometric.nn.Node2Vec`` and whatever takes pyg-lib's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .._core.binding import advised
from .._core.checks import check_int
from .._core.seeds import entropy
from ..apps import DeepWalk, Node2Vec
from ..apps.parameters import MAX_LENGTH
from ..graph.graph import Graph
from ..neighbor.seeds import BatchSeeds
from ..sampling.sample import sample
from .cache import TensorCache

if TYPE_CHECKING:
    from torch import Tensor

    from .._core.seeds import Seed
    from ..apps import SamplingApp

__all__ = ["random_walk"]

DEAD_ENDS = ("stay", "pad")


@advised
def random_walk(
    rowptr: Tensor,
    col: Tensor,
    start: Tensor,
    walk_length: int,
    p: float = 1.0,
    q: float = 1.0,
    *,
    weights: Tensor | None = None,
    seed: Seed = None,
    dead_ends: str = "stay",
) -> Tensor:
    """Walks of ``walk_length`` steps along the edges of a graph in compressed sparse rows; second-order if p or q is
    not 1 (node2vec: Grover & Leskovec, KDD'16).

    It replaces ``torch.ops.pyg.random_walk``: assign ``model.random_walk_fn = gonextdoor.pyg.random_walk`` in a
    ``torch_geometric.nn.Node2Vec``. ``functools.partial(random_walk, weights=...)`` makes its walks weighted, which
    PyG's own are not. The graph is built from the tensors at the first call, and kept while they are alive and
    unchanged.

    Args:
        rowptr: (V + 1,) ints: the start of each row in col, and the end.
        col: (E,) ints: the end point of each edge.
        start: (n,) ints: the vertices to start from. If they are on a GPU, the walks are drawn there.
        walk_length: steps of a walk, from 0.
        p: return parameter, positive (default 1).
        q: in-out parameter, positive (default 1).
        weights: (E,) non-negative numbers in the order of col: edges are taken in proportion to them; None (default):
            uniformly at random.
        seed: an int from 0 to 2^64 - 1, or a numpy Generator; None (default): a word of torch's generator, so that
            ``torch.manual_seed`` makes the walks reproducible. In a worker of a DataLoader it is derived from the epoch
            and the vertices in start, for any number of workers.
        dead_ends: how a walk continues at a vertex without edges: "stay" (default) repeats its last vertex, as PyG's
            operator does; "pad" fills the rest with -1.

    Returns:
        (n, walk_length + 1) vertices, start first, of start's dtype and device.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or of the wrong shape.
        IndexError: start has a vertex that is not in the graph.
        DeviceError: start is on a GPU that cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> rowptr, col = torch.tensor([0, 2, 3, 4]), torch.tensor([1, 2, 2, 0])
        >>> gnd.pyg.random_walk(rowptr, col, torch.tensor([0, 1]), walk_length=4, seed=1)
        tensor([[0, 2, 0, 2, 0],
                [1, 2, 0, 2, 0]])
    """
    for name, tensor in (("rowptr", rowptr), ("col", col), ("start", start)):
        _checked(name, tensor, "ints")
    if weights is not None:
        _checked("weights", weights, "numbers")
        if len(weights) != len(col):
            raise ValueError(f"weights has {len(weights)} elements: expected {len(col)}, as col has")
    if dead_ends not in DEAD_ENDS:
        raise ValueError(f'dead_ends = {dead_ends!r}: expected "stay" or "pad"')
    app: SamplingApp
    steps = check_int("walk_length", walk_length, 0, MAX_LENGTH)
    if p == 1 and q == 1:
        app = DeepWalk(steps, weighted=weights is not None)
    else:
        app = Node2Vec(p, q, steps, weighted=weights is not None)
    graph = graph_of(rowptr, col, weights)
    call_seed = batch_seed_of(start) if seed is None else entropy(seed)
    device = f"cuda:{start.device.index}" if start.is_cuda else "cpu"
    threads = None if start.is_cuda else torch.get_num_threads()
    try:
        walks = sample(graph, app, _roots(start), seed=call_seed, device=device, threads=threads, progress=False)
    except IndexError as why:
        raise IndexError(str(why).replace("roots", "start", 1)) from None
    out = torch.from_dlpack(walks) if start.is_cuda else torch.from_numpy(walks.numpy())
    if dead_ends == "stay" and len(out) and bool((out[:, -1] < 0).any()):
        there = (out >= 0).sum(1, keepdim=True) - 1
        out = torch.where(out < 0, out.gather(1, there), out)
    return out.to(start.dtype).contiguous()  # a GPU has them step by step


def graph_of(rowptr: Tensor, col: Tensor, weights: Tensor | None = None) -> Graph:
    """The graph of these rows."""

    def make() -> Graph:
        given = None if weights is None else array_of(weights)
        return Graph.from_csr(array_of(rowptr), array_of(col), weights=given)

    return _graphs.get([rowptr, col, weights], (), make)


_graphs: TensorCache[Graph] = TensorCache(8)


def array_of(tensor: Tensor) -> Any:
    """A tensor's elements as a numpy array in this machine's memory."""
    return tensor.detach().cpu().numpy()


def batch_seed_of(ids: Tensor) -> int:
    """Returns the 64-bit random seed of a call that has no seed argument: a word of torch's generator; in a worker of a
    DataLoader a hash of the seed that all workers of a pass share and of the batch's ids, whichever worker it is."""
    if torch.utils.data.get_worker_info() is None:
        return int(torch.empty((), dtype=torch.int64).random_())
    return _seeds.batch_seed(None, array_of(ids))


_seeds = BatchSeeds(0)


def checked_weights(name: str, weights: Any, count: int) -> Tensor:
    """Edge weights of an argument of that name, one for each of count edges.

    Raises:
        TypeError, ValueError: they are no tensor, of another shape, negative or not finite.
    """
    if not isinstance(weights, torch.Tensor):
        raise TypeError(f"{name}: expected a tensor of numbers, got {type(weights).__name__}")
    if weights.shape != (count,):
        raise ValueError(f"{name}: expected shape ({count},), one per edge, got {tuple(weights.shape)}")
    wrong = (~(weights.isfinite() & (weights >= 0))).nonzero()
    if len(wrong):
        at = int(wrong[0])
        raise ValueError(f"{name}[{at}] = {weights[at].item()}: expected finite, non-negative weights")
    return weights.detach()


def _roots(start: Tensor) -> Any:
    return start.detach() if start.is_cuda else start.detach().numpy()


def _checked(name: str, tensor: Any, what: str) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name}: expected a tensor of {what}, got {type(tensor).__name__}")
    if tensor.dim() != 1:
        raise ValueError(f"{name}: expected shape (n,), got {tuple(tensor.shape)}")
    if what == "ints" and (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool):
        raise TypeError(f"{name}: dtype {tensor.dtype}, expected integers")
