"""PyTorch Geometric: samplers and loaders that take its arguments, and need neither pyg-lib nor torch-sparse."""

try:
    import torch_geometric  # noqa: F401
except ImportError as why:
    raise ImportError(
        f"gonextdoor.pyg needs PyTorch and PyTorch Geometric ({why}): pip install torch torch-geometric"
    ) from why

from .sampler import NeighborSampler

__all__ = ["NeighborSampler"]
