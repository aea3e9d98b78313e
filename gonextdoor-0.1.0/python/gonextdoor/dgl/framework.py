"""DGL and PyTorch, which only this package and its neighbours import."""

from __future__ import annotations

from typing import Any

__all__ = ["Block", "Tensor", "dgl", "torch"]

try:
    import dgl
    import torch
    from dgl.heterograph import DGLBlock as Block  # dgl.heterograph is a function
except (ImportError, OSError) as why:  # DGL loads its libraries and raises FileNotFoundError
    raise ImportError(
        f"gonextdoor.dgl needs DGL and the PyTorch that it was built for ({why}): "
        "pip install 'gonextdoor[dgl]'; https://www.dgl.ai/pages/start.html has DGL for other versions of PyTorch"
    ) from why

Tensor = Any  # torch.Tensor, which has no types where torch is not installed
