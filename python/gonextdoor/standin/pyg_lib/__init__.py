"""Stands in for pyg-lib, which PyG imports under this name: gonextdoor samples instead.

Importing it registers the operators of ``torch.ops.pyg`` that sample or partition. It imports torch alone, as PyG is
half imported then: gonextdoor is imported at the first call of an operator. The last finder or the end of ``sys.path``
lead here, so that a real pyg-lib is found first.
"""

import pathlib
import sys

from . import operators, ops, partition, pygnames, sampler

__all__ = ["STANDS_IN", "__version__", "ops", "partition", "sampler"]

__version__ = "0.9.0+gonextdoor"  # the pyg-lib whose samplers have these signatures
STANDS_IN = True

operators.register()
pygnames.await_pyg()

# A spawned worker gets the sys.path of its parent, but not its finders.
if (folder := str(pathlib.Path(__file__).parents[1])) not in sys.path:
    sys.path.append(folder)
