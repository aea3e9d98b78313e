"""An app's hooks as an image for a GPU: one kernel that calls them, loaded from the cache or compiled."""

from __future__ import annotations

import dataclasses
import functools
import json
import time
from collections.abc import Mapping
from typing import Any, Literal, cast

from .._core import native
from .._core.log import logger
from . import cache, cuda, nvrtc, tree

__all__ = ["Form", "Image", "Program", "Target", "kept", "target", "unit"]

KIND = "gonextdoor image 1"  # of files

# Which kernel: see package engine/gpu. Package kernels/entry defines them.
Form = Literal["next", "uniform", "alias", "bias", "timed", "computed", "warp", "block"]
_LINKS = ("NoLinks", "Adjacency", "Induced")


@dataclasses.dataclass(frozen=True)
class Program:
    """The arguments that select code of the forms "warp" and "block": Program of kernels/driver/growing.cuh."""

    single: bool  # each transit makes one pick, which does not depend on the other picks
    collective: bool
    unique: int  # 0: no; 1: per step; 2: per sample
    replace: bool
    weighted: bool  # choices follow the graph's weights
    record: int  # 0: nothing; 1: adjacency; 2: induced

    def text(self) -> str:
        """The type in C++."""
        flags = (self.single, self.collective, self.unique == 1, self.unique == 2, self.replace, self.weighted)
        return f"Program<{', '.join(str(flag).lower() for flag in flags)}, {_LINKS[self.record]}>"


@dataclasses.dataclass(frozen=True)
class Target:
    """What images are compiled for: an architecture (90), a driver (13000: CUDA 13.0), the kernels' text."""

    sm: int
    driver: int
    digest: str


@dataclasses.dataclass(frozen=True)
class Image:
    """Code for a GPU."""

    name: str  # unique
    form: Form
    packed: bool
    code: bytes


@functools.cache
def target(device: int) -> Target:
    """The target of a GPU.

    Raises:
        DeviceError: there is no such GPU.
    """
    return Target(**json.loads(native.call("HookTarget", device)))


def unit(
    functions: Mapping[str, tree.Function], form: Form, *, strict: bool, packed: bool, program: Program | None = None
) -> str:
    """The source of an image; program is that of the forms "warp" and "block"."""
    stated = sources()["forms"][form]
    kernel = stated["kernel"].replace("{rows}", "PackedRows" if packed else "PlainRows")
    if program:
        kernel = kernel.replace("{program}", program.text())
    includes = "".join(f'#include "{file}"\n' for file in stated["includes"])
    return f"{includes}\n{cuda.hooks(functions, strict=strict)}\nusing namespace nd;\n\n{kernel}"


@functools.cache
def sources() -> dict[str, Any]:
    """The sources of the kernels, and the forms of kernels that call hooks."""
    return cast("dict[str, Any]", json.loads(native.call("KernelSources")))


def kept(
    functions: Mapping[str, tree.Function],
    form: Form,
    on: Target,
    *,
    strict: bool,
    packed: bool,
    program: Program | None = None,
) -> Image:
    """The image of an app's hooks, compiled if it is not cached.

    Raises:
        ImportError: it is not cached, and there is no NVRTC.
    """
    by: list[Any] = [cache.compiler(), on.sm, on.digest, nvrtc.identity(on.driver), nvrtc.OPTIONS, form, packed]
    if program:
        by.append(program.text())
    name = cache.named(functions, by, strict=strict)
    code = cache.opened(KIND, cache.fetch(name))
    hooks = ", ".join(functions)
    if code is not None:
        logger.debug("hooks %s: code for sm_%d loaded from the cache, %s", hooks, on.sm, cache.folder())
    else:
        began = time.perf_counter()
        text = unit(functions, form, strict=strict, packed=packed, program=program)
        code = nvrtc.compiler(on.driver).image(text, sources()["files"], f"sm_{on.sm}")
        logger.debug("hooks %s: compiled for sm_%d by NVRTC in %.3g s", hooks, on.sm, time.perf_counter() - began)
        cache.store(name, cache.sealed(KIND, code))
    return Image(name, form, packed, code)
