"""Elements: the dtype of features, and the type of the arrays that reads return."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core.arguments import refuse_masked

__all__ = ["Elements", "array_of", "is_tensor"]

Array = npt.NDArray[Any]

# Tensors whose dtype NumPy lacks, such as bfloat16, cross as integers of the same size.
_BYTES = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}


class Elements(NamedTuple):
    """The elements of features.

    Attributes:
        stored: the NumPy dtype, of the same size, in which they cross to the core.
        dtype: the dtype that users see: a NumPy dtype, or a torch dtype if the source was a tensor.
    """

    stored: np.dtype[Any]
    dtype: Any

    @property
    def tensors(self) -> bool:
        """Whether reads return tensors."""
        return not isinstance(self.dtype, np.dtype)

    @property
    def name(self) -> str:
        """The name of the dtype, the same for NumPy and torch."""
        return str(self.dtype).removeprefix("torch.")

    def same(self, other: Elements) -> bool:
        """Whether other elements are the same, in arrays or in tensors."""
        return self.stored == other.stored and (self.dtype == other.dtype or self.name == other.name)

    def as_tensors(self, dtype: Any = None) -> Elements:
        """The same elements as tensors of torch have them.

        Args:
            dtype: a torch dtype of the same size; None (default): that of the same name.

        Raises:
            TypeError: torch has no such dtype, or its size differs.
            RuntimeError: torch has not been imported.
        """
        torch = sys.modules.get("torch")
        if torch is None:
            raise RuntimeError("torch has not been imported: expected import torch before tensors are read")
        if dtype is None:
            if self.tensors:
                return self
            try:
                return Elements(self.stored, torch.from_numpy(np.empty(0, self.stored)).dtype)
            except (TypeError, ValueError):  # ValueError: another byte order
                raise TypeError(
                    f"torch {torch.__version__} has no dtype for {self.stored!r}: read NumPy arrays, convert the "
                    "source, or pass a torch dtype of the same size"
                ) from None
        if not isinstance(dtype, torch.dtype):
            raise TypeError(f"dtype = {dtype!r}: expected a dtype of torch, such as torch.bfloat16")
        size = torch.empty(0, dtype=dtype).element_size()
        if size != self.stored.itemsize or size not in _BYTES:
            raise TypeError(f"dtype = {dtype}: expected one of {self.stored.itemsize} bytes, as {self.name} has")
        return Elements(np.dtype(_BYTES[size]), dtype)

    def result(self, array: Array) -> Any:
        """An array as reads return it. It shares the memory."""
        if self.tensors:
            return sys.modules["torch"].from_numpy(array).view(self.dtype)
        return array if array.ndim else array[()]


def is_tensor(given: Any) -> bool:
    """Whether an object is a tensor of torch. It does not import torch: who has a tensor has imported it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def array_of(name: str, given: Any) -> tuple[Array, Elements]:
    """A NumPy array that shares the memory of an array or tensor, and its elements.

    Raises:
        TypeError: it has no numbers.
        ValueError: it is a tensor in the memory of another device.
    """
    if is_tensor(given):
        return _of_tensor(name, given)
    refuse_masked(name, given)
    if hasattr(given, "__dlpack_device__") and given.__dlpack_device__()[0] != 1:
        raise ValueError(f"{name}: expected an array in this machine's memory, got one on a GPU; copy it to the host")
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise TypeError(f"{name}: expected an array of numbers ({error})") from None
    if array.dtype.hasobject or array.dtype.kind in "SUmM":
        what = f"dtype {array.dtype}" if array.ndim else type(given).__name__
        raise TypeError(f"{name}: expected an array of numbers, got {what}")
    return array, Elements(array.dtype, array.dtype)


def _of_tensor(name: str, tensor: Any) -> tuple[Array, Elements]:
    torch = sys.modules["torch"]
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise TypeError(f"{name}: expected a dense tensor of plain numbers, got one of {tensor.layout}, {tensor.dtype}")
    if tensor.device.type != "cpu":
        raise ValueError(
            f"{name}: expected a tensor in this machine's memory, got one on {tensor.device}; pass {name}.cpu()"
        )
    plain = tensor.detach().resolve_conj().resolve_neg()
    try:
        array: Array = plain.numpy()
    except TypeError:  # NumPy lacks the dtype
        size = plain.element_size()
        if size not in _BYTES:
            raise TypeError(f"{name}: expected a tensor of numbers, got dtype {tensor.dtype}") from None
        array = plain.view(getattr(torch, _BYTES[size])).numpy()
    return array, Elements(array.dtype, tensor.dtype)
