"""Apps of the user's own: hooks written as Python functions, checked, compiled, and kept compiled.

A hook's way: source (its text), statements and expressions (a typed tree, or a refusal), emit, reads and kernels
(LLVM's text), compile and objectfile (machine code), code and cache (kept). Nothing of LLVM is imported before an app
that is not kept is compiled. For a GPU the typed tree becomes C++ (cuda).
"""

from .app import NULL, App
from .arguments import INF, fixed
from .source import AppError

__all__ = ["INF", "NULL", "App", "AppError", "fixed"]
