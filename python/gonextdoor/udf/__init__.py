"""User-defined apps: hooks written as Python functions, which are checked, compiled and cached.

The stages of a hook: source (its text), statements and expressions (a typed tree, or an error), emit, reads and
kernels (LLVM IR), compile and objectfile (machine code), code and cache (the cached file). LLVM is imported only to
compile an app that is not in the cache. For a GPU the typed tree is translated to C++ (cuda). The package bound finds
an upper bound of the biases.
"""

from .app import NULL, App
from .arguments import INF, fixed
from .source import AppError
from .table import Table, table

__all__ = ["INF", "NULL", "App", "AppError", "Table", "fixed", "table"]
