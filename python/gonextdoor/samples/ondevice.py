"""SampleDevices: the part of Samples that concerns the devices that the samples are on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..device.devices import among, named
from .arrays import SampleArrays
from .device import DeviceArrays, DeviceResult
from .export import walks
from .host import HostResult
from .sharded import ShardedResult

if TYPE_CHECKING:
    import torch
    from typing_extensions import Self

__all__ = ["SampleDevices"]


class SampleDevices(SampleArrays):
    """The methods of ``Samples`` that return the samples' arrays on a device, and share them with other libraries."""

    __slots__ = ()

    def __dlpack__(self, **options: Any) -> Any:
        there = self._there()
        return self.numpy().__dlpack__(**options) if there is None else there.vertices.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        there = self._there()
        return self.numpy().__dlpack_device__() if there is None else there.vertices.__dlpack_device__()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        there = self._there()
        if there is None:
            raise AttributeError(f"__cuda_array_interface__: the samples are not on a GPU (device = {self.device!r})")
        return there.vertices.__cuda_array_interface__

    @property
    def on_device(self) -> DeviceArrays:
        """The samples as arrays on the GPU, for PyTorch, CuPy and other libraries with ``__dlpack__`` or
        ``__cuda_array_interface__``.

        Raises:
            ValueError: the samples are in host memory, or on several GPUs.
        """
        there = self._there()
        if isinstance(self._result, ShardedResult):
            raise ValueError(
                f"on_device: the samples are on {self.device}: read samples.shards[i].on_device, or "
                "samples.on(device).on_device for a copy on one GPU"
            )
        if there is None:
            raise ValueError(f"on_device: the samples are not on a GPU (device = {self.device!r})")
        return there

    def nested(self) -> torch.Tensor:
        """Returns the samples as a nested tensor of PyTorch with the layout ``torch.jagged``: (n, *), int32 or int64.

        It shares the samples' memory, on the CPU or a GPU. Walks end at their last vertex. Samples in which positions
        are significant, such as trees, keep their width and -1 for missing vertices.

        Raises:
            ImportError: PyTorch is missing, or older than 2.6.
            ValueError: the samples are on several GPUs.

        Examples:
            >>> import torch  # doctest: +SKIP
            >>> graph = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3])
            >>> nested = gnd.sample(graph, gnd.apps.DeepWalk(2), seed=1).nested()  # doctest: +SKIP
            >>> [row.tolist() for row in nested.unbind()]  # doctest: +SKIP
            [[0, 1, 2], [1, 2, 3], [2, 3], [3]]
        """
        try:
            from torch.nested import nested_tensor_from_jagged
        except ImportError as why:
            raise ImportError("nested() needs PyTorch 2.6 or later: pip install torch") from why
        import torch

        def tensor(array: Any) -> torch.Tensor:
            return torch.from_numpy(array) if isinstance(array, np.ndarray) else torch.from_dlpack(array)

        there = None if self.device == "cpu" else self.on_device
        values = tensor(self._result.values if there is None else there.vertices)
        offsets = self._result.offsets if there is None else there.offsets
        if offsets is not None:
            return nested_tensor_from_jagged(values, tensor(offsets))
        rows, width = values.shape
        starts = torch.arange(rows + 1, device=values.device) * width
        lengths = tensor(self.lengths).to(values.device) if walks(self) else None
        return nested_tensor_from_jagged(values.reshape(-1), starts, lengths)

    @property
    def shards(self) -> tuple[Self, ...]:
        """The samples of each GPU, in the order of the rows, if several GPUs share them; otherwise this object alone.

        A shard is ``Samples`` with its own ``device``, ``first_id`` and ``on_device``. It shares the GPU's memory.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> samples = gnd.sample(graph, gnd.apps.DeepWalk(length=4), seed=1)
            >>> [(shard.device, len(shard)) for shard in samples.shards]
            [('cpu', 256)]
        """
        if not isinstance(self._result, ShardedResult):
            return (self,)
        firsts = np.cumsum([0, *(part.rows for part in self._result.shards)]).tolist()
        parts = zip(self._result.shards, firsts, strict=False)
        return tuple(self._with(part, part.device, self.first_id + first) for part, first in parts)

    def on(self, device: str) -> Self:
        """Returns the samples with their arrays on one device.

        From several GPUs to one, and from one to another, they are copied between the GPUs, not through the host. The
        copy is queued; the call does not wait for it. Samples that are there already are returned as they are.

        Args:
            device: ``"cpu"``, or a GPU such as ``"cuda:0"``.

        Raises:
            DeviceError: there is no such GPU, or its memory is too small.
            ValueError: the argument names no single device, or the samples are in host memory.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> samples = gnd.sample(graph, gnd.apps.DeepWalk(length=4), seed=1)
            >>> samples.on("cpu") is samples
            True
        """
        ids = among(device) if isinstance(device, str) else None
        if ids is None:
            raise ValueError(f'device = {device!r}: expected one device, "cpu" or a GPU such as "cuda:0"')
        result = self._result
        if named(ids) == self.device:
            return self
        if isinstance(result, HostResult):
            raise ValueError(f"on: the samples are in host memory; sample with device={device!r} to have them there")
        if not ids:
            host = HostResult(result.values, result.offsets, result.edges, result.layers, result.seconds)
            return self._with(host, "cpu", self.first_id)
        shards = result.shards if isinstance(result, ShardedResult) else (result,)
        return self._with(DeviceResult.gathered(shards, ids[0]), named(ids), self.first_id)

    def _there(self) -> DeviceArrays | None:
        return self._result.arrays if isinstance(self._result, DeviceResult) else None
