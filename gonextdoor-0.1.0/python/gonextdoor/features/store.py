"""Features: rows that are read by id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory
from .._core.arguments import checked_threads, integers
from ..device.interop import on_gpu
from .counts import Stats, stats_of
from .elements import Elements, array_of
from .held import HeldFeatures
from .parts import Part, parts_of
from .pending import PendingRead

__all__ = ["Features"]

Array = npt.NDArray[Any]


class Features:
    """Rows of features that are read by id; ``gonextdoor.features.open`` makes it.

    Several threads may read at once. An update waits for reads that have begun, and others wait for it. A forked child
    and a pickled copy for a worker process open the same files again; arrays are shared with a forked child and are
    copied by pickling.

    Attributes:
        shape: the number of rows, and the shape of a row.
        dtype: the dtype of the elements: of NumPy, or of torch if the source was a tensor.

    Examples:
        >>> import numpy as np
        >>> x = gnd.features.open(np.arange(6.0).reshape(3, 2))
        >>> x
        Features(shape=(3, 2), dtype=float64, place='memory')
        >>> x[2]
        array([4., 5.])
    """

    __slots__ = ("_elements", "_held", "_parts", "_threads", "dtype", "shape")

    def __init__(
        self,
        parts: list[Part],
        threads: int,
        elements: Elements | None = None,
        held: HeldFeatures | None = None,
    ) -> None:
        self._parts, self._threads = parts, threads
        self._elements = elements or parts[0].elements
        self.shape: tuple[int, ...] = (sum(part.rows for part in parts), *parts[0].shape)
        self.dtype: Any = self._elements.dtype
        self._held = held or HeldFeatures(parts, parts[0].row_bytes)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def ndim(self) -> int:
        """The number of dimensions, that of the rows included."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all rows."""
        return self.shape[0] * self._parts[0].row_bytes

    def __getitem__(self, ids: Any) -> Any:
        """The rows of ids, which may also be a slice."""
        if isinstance(ids, slice):
            ids = np.arange(*ids.indices(len(self)))
        return self.read(ids)

    def read(self, ids: Any, out: Any = None) -> Any:
        """The rows of ids, in their order. It equals ``source[ids]``.

        Args:
            ids: ints of any shape, from 0 to below the number of rows: an array, a tensor in host memory, a list, or
                one int. Negative ids are errors.
            out: a contiguous array or tensor for the rows, of the dtype of the features; None (default): a new one.

        Returns:
            ``out``, or a new array, or a new tensor if the source was a tensor. Its shape is that of ids and of a row.

        Raises:
            IndexError: an id is out of range.
            TypeError: ids are no ints, or ``out`` has another dtype.
            ValueError: ``out`` has another shape, is not contiguous or cannot be written, or ids are on a GPU.
            FormatError: a file was truncated after it was opened.
            OSError: a file cannot be read.

        Examples:
            >>> import numpy as np
            >>> x = gnd.features.open(np.arange(6.0).reshape(3, 2))
            >>> out = np.empty((2, 2))
            >>> x.read([1, 1], out) is out
            True
        """
        given = _ids(ids)
        values, result = self._room(given, out)
        self._held.call("FeaturesRead", given, values, self._threads)
        return result()

    def read_async(self, ids: Any, out: Any = None) -> PendingRead:
        """Begins to read rows in the background, by the core's threads. The arguments are those of ``read``.

        Returns:
            The read: ``wait()`` returns the rows, ``done()`` whether they are there. The ids are copied. ``out`` must
            not be used before the end. A read that is deleted is stopped.

        Raises:
            IndexError, TypeError, ValueError: as ``read``. Errors of files are raised by ``wait``.

        Examples:
            >>> import numpy as np
            >>> x = gnd.features.open(np.arange(3))
            >>> x.read_async([2, 0]).wait()
            array([2, 0])
        """
        given = _ids(ids)
        values, result = self._room(given, out)
        return PendingRead(self._held.start(given, values, self._threads), result)

    def update(self, values: Any, ids: Any) -> None:
        """Replaces rows, in the source itself. Of equal ids, the last one counts.

        Args:
            values: the new rows, of the dtype of the features: an array or a tensor of the shape of ids and of a row.
            ids: ints, as for ``read``.

        Raises:
            IndexError: an id is out of range; no row was changed.
            TypeError: ids are no ints, or the values have another dtype.
            ValueError: the values have another shape, or the source is read-only.
            OSError: a file cannot be written.
            FormatError: a file was truncated after it was opened; no row was changed.

        Examples:
            >>> import numpy as np
            >>> source = np.zeros((2, 2))
            >>> gnd.features.open(source).update([[1.0, 2.0]], [1])
            >>> source
            array([[0., 0.],
                   [1., 2.]])
        """
        given = _ids(ids)
        self._check_writeable()
        rows = values if hasattr(values, "dtype") else np.asarray(values, self._elements.stored)
        array, elements = array_of("values", rows)
        self._check_fit("values", array, elements, given.shape)
        rows = np.asarray(array, order="C")
        if self._shares(rows):  # the rows of one id would change those of another
            rows = rows.copy()
        self._held.call("FeaturesUpdate", given, rows, self._threads)

    def as_tensors(self, dtype: Any = None) -> Features:
        """The same features, whose reads return tensors of torch, which must have been imported.

        Args:
            dtype: a torch dtype of the same size, in which the bytes are read, such as ``torch.bfloat16`` for a file of
                2-byte integers; None (default): that of the same name.

        Raises:
            TypeError: torch has no such dtype, or its size differs.
            RuntimeError: torch has not been imported.

        Examples:
            >>> import numpy as np
            >>> import torch  # doctest: +SKIP
            >>> gnd.features.open(np.zeros((3, 2))).as_tensors()[[0]]  # doctest: +SKIP
            tensor([[0., 0.]], dtype=torch.float64)
        """
        return Features(self._parts, self._threads, self._elements.as_tensors(dtype), self._held)

    def with_threads(self, threads: int | None) -> Features:
        """The same features, read by another number of CPU threads; None: one per core that this process may use.

        Examples:
            >>> import numpy as np
            >>> gnd.features.open(np.arange(3)).with_threads(1)[[2]]
            array([2])
        """
        return Features(self._parts, checked_threads(threads), self._elements, self._held)

    def stats(self) -> Stats:
        """What has been read so far, by place."""
        return stats_of("FeaturesCounts", self._held.number, self._parts[0].row_bytes)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("copy = False: features are read into a new array")
        if self._elements.tensors and self._elements.name != self._elements.stored.name:
            raise TypeError(f"NumPy has no dtype {self._elements.name}: read tensors, x[ids]")
        memory.check(self.nbytes)
        whole: Array = np.asarray(self[:])
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __repr__(self) -> str:
        places = sorted({"file" if part.file else "memory" for part in self._parts}, reverse=True)
        return f"Features(shape={self.shape}, dtype={self._elements.name}, place={' and '.join(places)!r})"

    def __reduce__(self) -> tuple[Callable[..., Features], tuple[Any, ...]]:
        sources = [part.file or part.elements.result(part.owner) for part in self._parts]
        return _reopened, (sources, self._threads, self.dtype if self._elements.tensors else None)

    def _room(self, ids: Array, out: Any) -> tuple[Array, Callable[[], Any]]:
        """The array for the rows of ids, and a function that returns it as the caller wants it."""
        if out is None:
            values = memory.empty((*ids.shape, *self.shape[1:]), self._elements.stored)
            return values, lambda: self._elements.result(values)
        if not hasattr(out, "dtype"):
            raise TypeError(f"out: expected an array or a tensor, got {type(out).__name__}")
        values, elements = array_of("out", out)
        self._check_fit("out", values, elements, ids.shape)
        if not values.flags.c_contiguous or not values.flags.writeable or getattr(out, "requires_grad", False):
            raise ValueError("out: expected a contiguous array that can be written, without gradients")
        if np.may_share_memory(values, ids) or self._shares(values):
            raise ValueError("out shares memory with the features or with ids: expected separate memory")
        return values, lambda: out

    def _shares(self, array: Array) -> bool:
        """Whether an array may share memory with the source."""
        return any(part.file is None and np.may_share_memory(array, part.owner) for part in self._parts)

    def _check_fit(self, name: str, array: Array, elements: Elements, ids: tuple[int, ...]) -> None:
        if not elements.same(self._elements):
            raise TypeError(f"{name} has dtype {elements.name}: expected {self._elements.name}, that of the features")
        if array.shape != (*ids, *self.shape[1:]):
            raise ValueError(f"{name} has shape {array.shape}: expected {(*ids, *self.shape[1:])}")

    def _check_writeable(self) -> None:
        for part in self._parts:
            if part.file is not None and not part.writeable:
                raise ValueError(f'{part.file.path} is open for reads alone: open the features with mode="r+"')
            if not part.writeable:
                raise ValueError("the source is a read-only array: open one that can be written")


def _ids(ids: Any) -> Array:
    device = on_gpu(ids)
    if device is not None:
        raise ValueError(f"ids: expected an array in this machine's memory, got one on cuda:{device}; pass ids.cpu()")
    return integers("ids", ids)


def _reopened(sources: list[Any], threads: int, tensors: Any) -> Features:
    """Opens the sources of a pickled copy: files, arrays and tensors. tensors is the torch dtype of reads, or None."""
    features = Features(parts_of(sources, "r"), threads)
    return features if tensors is None or features.dtype == tensors else features.as_tensors(tensors)
