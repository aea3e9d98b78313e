"""HGTLoader: PyG's loader of heterogeneous graph transformers, by ``hgt_sample``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch_geometric import sampler
from torch_geometric.data import HeteroData
from torch_geometric.loader import NodeLoader, hgt_loader
from torch_geometric.sampler import HeteroSamplerOutput

from .._core.binding import advised
from .._core.checks import check_int
from ..neighbor.loaderfacts import graph_facts
from ..neighbor.options import NAMES, takes_options
from .batches import put
from .graphs import Source
from .hgt import Relation, hgt_nodes
from .inputs import refuse_type
from .loader_base import LoaderBase, random_seed
from .seededsampler import SeededSampler

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..neighbor.options import BatchedOptions

__all__ = ["HGTLoader"]

OPTIONS = NAMES - {"cache", "cache_policy"}


class HGTSampler(SeededSampler, sampler.HGTSampler):  # type: ignore[misc, unused-ignore]
    """PyG's HGTSampler, whose batches are functions of their seeds."""

    def __init__(self, data: HeteroData, num_samples: Any, is_sorted: bool, seed: Any) -> None:
        SeededSampler.__init__(self, seed)
        self.node_types, self.edge_types = data.metadata()
        if isinstance(num_samples, (list, tuple)):
            num_samples = dict.fromkeys(self.node_types, num_samples)
        if not isinstance(num_samples, Mapping):
            raise TypeError(f"num_samples = {num_samples!r}: expected a list, or a dict of lists by type of nodes")
        self.num_hops = max(map(len, num_samples.values()), default=0)
        for kind, hops in num_samples.items():
            if kind not in self.node_types:
                raise ValueError(f"num_samples[{kind!r}]: the types of nodes are {self.node_types}")
            if len(hops) != self.num_hops:
                raise ValueError(f"num_samples[{kind!r}] has {len(hops)} hops: expected {self.num_hops}, as the others")
        self.num_samples = {
            kind: [check_int(f"num_samples[{kind!r}]", hop, 0, 1 << 31) for hop in hops]
            for kind, hops in num_samples.items()
        }
        self.source = Source(data, "in", None, None)
        self._relations = {
            kind: Relation(kind[0], kind[2], self.source.graphs[kind], is_sorted) for kind in self.edge_types
        }

    def sample_from_nodes(self, inputs: Any) -> HeteroSamplerOutput:
        """Samples a batch, whose seed is a word of the sampler's."""
        ids = inputs.node if inputs.input_id is None else inputs.input_id
        return self._drawn(inputs, self.seeds.batch_seed(None, ids.numpy()))

    def _drawn(self, inputs: Any, seed: int) -> HeteroSamplerOutput:
        starts, relations = {inputs.input_type: inputs.node.numpy()}, self._relations
        nodes = hgt_nodes(list(relations.values()), starts, self.num_samples, self.num_hops, seed)
        found = {kind: relation.among(nodes) for kind, relation in relations.items()}
        row, col, edge = ({kind: three[i] for kind, three in found.items()} for i in range(3))
        node = {kind: torch.from_numpy(ids) for kind, ids in nodes.items()}
        return HeteroSamplerOutput(node, row, col, edge, None, metadata=(inputs.input_id, inputs.time))

    @property
    def edge_permutation(self) -> None:
        """None: edges are identified by their places in the data."""
        return


@advised
class HGTLoader(LoaderBase, hgt_loader.HGTLoader):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.HGTLoader`` without torch-sparse: the same arguments, and batches with the same
    attributes.

    A hop takes the given number of nodes of each type, in proportion to the square of their budgets (Hu, Dong, Wang and
    Sun, WWW'20). Budgets count all edges of a node, of which torch-sparse looks at 50. Batches are drawn on the CPU.

    Args:
        data: a HeteroData.
        num_samples: the number of nodes of each type that a hop takes: a list, one number per hop, or a dict of lists
            by type of nodes.
        input_nodes: the type of the nodes to iterate over, or a tuple of the type and the nodes, as indices or a mask.
        is_sorted: whether ``edge_index`` is sorted by column. The edges to a node then keep its order; otherwise
            (default) they are in the order of their sources.
        transform: as for ``NeighborLoader``.
        transform_sampler_output: as for ``NeighborLoader``.
        filter_per_worker: as for ``NeighborLoader``.
        seed: as for ``NeighborLoader``.
        **kwargs: the options of all loaders, as for ``NeighborLoader``: divide, rank, world, even, share, threads,
            prefetch, prefetch_bytes and progress; and the arguments of ``torch.utils.data.DataLoader``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument, or the data, is not valid; the text names it.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import HeteroData
        >>> data = HeteroData()
        >>> data["user"].x, data["item"].x = torch.eye(3), torch.eye(2)
        >>> data["user", "buys", "item"].edge_index = torch.tensor([[0, 1, 2], [0, 0, 1]])
        >>> loader = gnd.pyg.HGTLoader(data, [2], "item", batch_size=1, seed=1)
        >>> [batch["user"].n_id.tolist() for batch in loader]
        [[0, 1], [2]]
    """

    _takes = OPTIONS

    @takes_options(OPTIONS)
    def __init__(
        self,
        data: Any,
        num_samples: Any,
        input_nodes: Any,
        is_sorted: bool = False,
        transform: Callable[..., Any] | None = None,
        transform_sampler_output: Callable[..., Any] | None = None,
        filter_per_worker: bool | None = None,
        *,
        seed: Any = None,
        **kwargs: Unpack[BatchedOptions],
    ) -> None:
        if not isinstance(data, HeteroData):
            raise TypeError(f"data: expected a HeteroData, got {type(data).__name__}")
        refuse_type("input_nodes", data, input_nodes)
        own = HGTSampler(data, num_samples, is_sorted, random_seed(kwargs.get("generator")) if seed is None else seed)
        rest = self._prepare(data, own, kwargs)
        NodeLoader.__init__(  # not that of PyG's HGTLoader, which makes PyG's sampler
            self,
            data,
            own,
            input_nodes=input_nodes,
            transform=transform,
            transform_sampler_output=transform_sampler_output,
            filter_per_worker=filter_per_worker,
            **rest,
        )
        self._begin(seed is not None)

    def _one(self, asked: Any, **named: Any) -> Any:
        return self._sampler.sample_from_nodes(asked)

    def _facts(self) -> dict[str, Any]:
        sampler = self._sampler
        return {**graph_facts(sampler.source.graph), "num_samples": sampler.num_samples, **self._input_facts()}

    def _inputs(self) -> Any:
        return {self.input_data.input_type: self.input_data.node.numpy()}

    def _describe(self, batch: Any, metadata: tuple[Any, ...]) -> None:
        ids, times = metadata
        put(batch[self.input_data.input_type], input_id=ids, seed_time=times, batch_size=ids.size(0))
