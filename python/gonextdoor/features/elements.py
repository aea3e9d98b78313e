"""Elements: the dtype of features, and the type of the arrays that reads return."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Elements", "array_of", "is_tensor"]

Array = npt.NDArray[Any]

# Tensors whose dtype NumPy lacks cross as integers of the same size.
_BYTES = {1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64}


class Elements(NamedTuple):
    """The elements of features.

    Attributes:
        stored: the NumPy dtype of the same size in which they are stored.
        dtype: the dtype that users see: a NumPy dtype, or a torch dtype if the source was a tensor.
    """

    stored: np.dtype[Any]
    dtype: Any

    @property
    def tensors(self) -> bool:
        """Whether reads return tensors."""
        return not isinstance(self.dtype, np.dtype)

    def result(self, array: Array) -> Any:
        """An array as reads return it. It shares the memory."""
        if not self.tensors:
            return array
        return sys.modules["torch"].from_numpy(array).view(self.dtype)


def is_tensor(given: Any) -> bool:
    """Whether an object is a tensor of torch. torch is not imported: whoever has a tensor has imported it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def array_of(name: str, given: Any) -> tuple[Array, Elements]:
    """A NumPy array that shares the memory of an array or tensor, and its elements.

    Raises:
        TypeError: it is nothing that has rows of numbers.
        ValueError: it is a tensor in the memory of another device.
    """
    if is_tensor(given):
        return _of_tensor(name, given)
    array = np.asarray(given)
    if array.dtype.hasobject or array.dtype.kind in "SUmM":
        raise TypeError(f"{name}: expected an array of numbers, got dtype {array.dtype}")
    return array, Elements(array.dtype, array.dtype)


def _of_tensor(name: str, tensor: Any) -> tuple[Array, Elements]:
    torch = sys.modules["torch"]
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise TypeError(f"{name}: expected a dense tensor, got layout {tensor.layout}; pass {name}.to_dense()")
    if tensor.device.type != "cpu":
        raise ValueError(
            f"{name}: expected a tensor in this machine's memory, got one on {tensor.device}; pass {name}.cpu()"
        )
    plain = tensor.detach()
    try:
        array: Array = plain.numpy()
    except (TypeError, RuntimeError):  # NumPy lacks the dtype, such as bfloat16
        size = plain.element_size()
        if size not in _BYTES:
            raise TypeError(f"{name}: expected a tensor of numbers, got dtype {tensor.dtype}") from None
        array = plain.view(getattr(torch, np.dtype(_BYTES[size]).name)).numpy()
    return array, Elements(array.dtype, tensor.dtype)
