"""Devices: which GPUs a ``device`` argument selects."""

from __future__ import annotations

import functools
import os
import re
import sys
from typing import Any

from .._core import native
from ..errors import DeviceError

__all__ = [
    "CPU",
    "Device",
    "among",
    "as_torch_means",
    "gpus",
    "listed",
    "mask",
    "named",
    "preferred",
    "refuse_inherited",
]

Device = str | list[str] | tuple[str, ...]

CPU: tuple[int, ...] = ()  # no GPU
AUTO = "GONEXTDOOR_DEVICE"  # the environment variable that says what "auto" is
MOST = 63  # GPUs that a 64-bit mask of the core can represent
EXPECTED = 'expected "auto", "cpu", "cuda", "cuda:1" or a list of GPUs'
_MEANT = {"gpu": "cuda", "nvidia": "cuda", "cuda0": "cuda:0", "gpu:0": "cuda:0"}


def among(device: Any) -> tuple[int, ...] | None:
    """The numbers of the GPUs that an argument names, empty for "cpu"; None for "auto". The driver is called only if a
    GPU is named.

    Raises:
        DeviceError: there is no such GPU, or none can be used.
        TypeError, ValueError: it names no device.
    """
    if device == "cpu":
        return CPU
    if device == "auto":
        return None
    if isinstance(device, (list, tuple)) and device:
        return _several(device)
    if not isinstance(device, str):
        number = isinstance(device, int) and not isinstance(device, bool) and 0 <= device < MOST
        hint = f'; did you mean "cuda:{device}"?' if number else ""
        raise TypeError(f"device = {device!r}: {EXPECTED}{hint}")
    return (_number(device, device),)


def preferred() -> tuple[int, ...] | None:
    """The devices that the environment variable names for "auto"; None: the one expected to be fastest.

    Raises:
        DeviceError: there is no such GPU, or none can be used.
        ValueError: it names no device.
    """
    text = os.environ.get(AUTO, "")
    if text in ("", "auto"):
        return None
    try:
        return among(text)
    except ValueError:
        raise ValueError(f'{AUTO} = {text!r}: expected "auto", "cpu", "cuda" or "cuda:1"') from None


def named(ids: tuple[int, ...] | None) -> str:
    """The text for devices: "cpu", "cuda:0" or "cuda:0,cuda:1"; "auto" for None."""
    if ids is None:
        return "auto"
    if not ids:
        return "cpu"
    return ",".join(f"cuda:{id}" for id in ids)


@functools.cache
def mask(ids: tuple[int, ...]) -> int:
    """The devices as a mask for the core: one bit per GPU; 0 is the CPU."""
    return sum(1 << id for id in ids)


def listed(name: str) -> str | list[str]:
    """The ``device`` argument of a text that ``named`` made."""
    return name.split(",") if "," in name else name


def as_torch_means(device: Any) -> Any:
    """The ``device`` argument of an adapter to a framework on PyTorch, in the form that ``among`` takes.

    "cuda" is the GPU of this rank if ``torch.distributed`` is initialised and LOCAL_RANK is set, as torchrun does, and
    otherwise torch's current GPU. A ``torch.device`` becomes its name.
    """
    if isinstance(device, (list, tuple)):
        return [as_torch_means(one) for one in device]
    torch = sys.modules.get("torch")
    if torch is None:
        return device
    if isinstance(device, torch.device):
        device = str(device)
    if device != "cuda":
        return device
    rank = os.environ.get("LOCAL_RANK", "")
    if torch.distributed.is_available() and torch.distributed.is_initialized() and rank.isdecimal():
        return f"cuda:{rank}"
    return f"cuda:{torch.cuda.current_device()}" if torch.cuda.is_available() else device


def refuse_inherited() -> None:
    """Rejects a GPU in a process that was forked from one that had opened the driver. It does not call the driver,
    which may hold a lock since the fork.

    Raises:
        DeviceError: it was.
    """
    if native.generation and any(generation != native.generation for generation, _ in _seen):
        raise DeviceError(
            "this process was forked from one that uses a GPU, which CUDA does not support: "
            "start workers by 'spawn', or draw with device=\"cpu\""
        )


def gpus(name: str, value: Any) -> tuple[int, ...]:
    """The numbers of the GPUs in a list, in its order; name is the argument that it is of.

    Raises:
        DeviceError: there is no such GPU, or none can be used.
        TypeError, ValueError: it is no list of GPUs, or names one twice.
    """
    if not isinstance(value, (list, tuple)):
        raise TypeError(f'{name} = {value!r}: expected a list of GPUs, such as ["cuda:0", "cuda:1"]')
    for one in value:
        if one == "cpu" or one == "auto":
            raise ValueError(
                f'{name} = {value!r}: expected GPUs, such as ["cuda:0", "cuda:1"]; the CPU is one device, '
                "and threads= sets its number of threads"
            )
    ids = tuple(_number(value, one, name) for one in value)
    if len(set(ids)) < len(ids):
        raise ValueError(f"{name} = {value!r}: expected each GPU once")
    return ids


def _several(device: Any) -> tuple[int, ...]:
    if len(device) == 1:
        ids = among(device[0])
        return CPU if ids is None else ids
    return gpus("device", device)


def _number(device: Any, one: Any, argument: str = "device") -> int:
    if not isinstance(one, str):
        raise TypeError(f"{argument} = {device!r}: {EXPECTED}")
    name, colon, number = one.partition(":")
    if name != "cuda" or (colon and not (number.isascii() and number.isdecimal())):
        lower = one.strip().lower()
        known = _MEANT.get(lower, lower if re.fullmatch(r"cuda(:\d+)?|cpu|auto", lower) else None)
        hint = f'; did you mean "{known}"?' if known else ""
        raise ValueError(f"{argument} = {device!r}: {EXPECTED}{hint}")
    id = int(number or 0)
    if (native.generation, id) in _seen:
        return id
    try:
        there = int(native.call("DeviceCount"))
    except DeviceError as why:
        raise DeviceError(f'{argument} = {device!r}: {why}; device="cpu" needs no GPU') from None
    if id < min(there, MOST):
        _seen.add((native.generation, id))
    else:
        seen = "1 GPU, cuda:0" if there == 1 else f"{there} GPUs, cuda:0 to cuda:{there - 1}" if there else "no GPU"
        raise DeviceError(f"{argument} = {device!r}: this process sees {seen} (CUDA_VISIBLE_DEVICES can hide some)")
    return id


_seen: set[tuple[int, int]] = set()  # GPUs known to exist, with the generation of the extension
