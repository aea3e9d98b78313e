"""Users' hooks compiled by the machine's C++ compiler, from the text that a GPU runs."""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import types

import pytest
from gonextdoor.udf import cuda

import gonextdoor as gnd

HERE = pathlib.Path(__file__).parent
KERNELS = HERE.parents[1] / "kernels"
BLOCKS = {
    "edge_bias": "biased(c, b.edge[i], b.dst[i])", "update": "Hooks::update(c, b.edge[i], b.dst[i])",
    "vertex_bias": "Hooks::vertex_bias(c, b.dst[i])", "bound": "Hooks::bound(c)", "next": "Hooks::next(c)",
    "stop": "Hooks::stop(c)", "sample_size": "Hooks::sample_size(c)",
}  # fmt: skip
ROWS = """
extern "C" void row_bias(const Block& b) {
  u32* out = b.out;
  each(b, [&](auto& c, i64 i) {
    for (u32 j = 0; j < b.dst[i]; j++) *out++ = biased(c, b.edge[i] + j, c.g.indices[b.edge[i] + j]);
  });
}
"""


def text(app: gnd.App) -> str:
    """The hooks of an app as a unit of blocks."""
    parts = ['#include "app/ctx.cuh"\n', cuda.hooks(app._functions, strict=app.strict), '#include "blocks.cuh"\n']
    parts += [f"BLOCKS({'fanout' if name == 'sample_size' else name}, {BLOCKS[name]})\n" for name in app._functions]
    return "".join(parts) + ROWS * ("edge_bias" in app._functions)


def by_compiler(app: gnd.App, folder: pathlib.Path) -> gnd.App:
    """The same app, its hooks compiled by the C++ compiler."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler on this machine")
    unit = text(app)
    name = folder / hashlib.sha256(unit.encode()).hexdigest()
    if not name.exists():
        source = name.with_suffix(".cc")
        source.write_text(unit)
        flags = ["-std=c++17", "-O1", "-shared", "-fPIC", "-ffp-contract=off", "-DND_HOST", f"-I{KERNELS}", f"-I{HERE}"]
        done = subprocess.run([compiler, *flags, source, "-o", name], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + unit
    library = ctypes.CDLL(os.fspath(name))
    kernels = {"sample_size": ["fanout"], "edge_bias": ["edge_bias", "row_bias"]}
    names = [kernel for hook in app._functions for kernel in kernels.get(hook, [hook])]
    addresses = {kernel: ctypes.cast(getattr(library, kernel), ctypes.c_void_p).value for kernel in names}
    app.__dict__["_compiled"] = types.SimpleNamespace(addresses=addresses, library=library)
    return app
