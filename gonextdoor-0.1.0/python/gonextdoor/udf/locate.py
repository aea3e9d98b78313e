"""Finds the line of a fault in the user's file.

Runs report only a fault's sample, step and kind. Once one is known, its sample is run again with code that
records only this fault, with its line instead of the sample's row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from .._core import native
from .code import Code
from .hooks import HOOKS
from .machine import HOOK_SHIFT
from .source import Source

__all__ = ["located"]

ABOVE = "bias exceeds bound"  # found by the core by comparing two hooks, so it has no line
_FAULT = re.compile(r"(.*) \(sample (\d+), step (\d+)\)")


def located(
    error: Exception,
    hooks: Mapping[str, Source],
    compiled: Callable[[tuple[int, int]], Code],
    again: Callable[[Code, int], object],
) -> Exception:
    """The error with file, line and function; unchanged if they are not found.

    Args:
        compiled: compiles the hooks to record only faults of a step and kind. again: runs a sample with such code.
    """
    told = _FAULT.fullmatch(str(error))
    if told is not None and told[1] == ABOVE and "edge_bias" in hooks:
        return type(error)(f"{error}: {hooks['edge_bias'].where()}, in {hooks['edge_bias'].name}")
    kinds = {fault["text"]: int(kind) for kind, fault in json.loads(native.call("HookLayout"))["faults"].items()}
    if told is None or told[1] not in kinds:
        return error
    sample, step = int(told[2]), int(told[3])
    try:
        again(compiled((step & 0xFFFF, kinds[told[1]])), sample)
    except type(error) as found:
        place = _FAULT.fullmatch(str(found))
        site = (int(place[2]) - sample) % (1 << 64) if place else 0
        name, line = list(HOOKS)[site >> HOOK_SHIFT], site & ((1 << HOOK_SHIFT) - 1)
        if line and name in hooks:
            return type(error)(f"{error}: {hooks[name].where(line)}, in {hooks[name].name}")
    except (ArithmeticError, IndexError, RuntimeError, ValueError):
        pass
    return error
