"""The parameters that select how the vertices of a hop choose their edges."""

from __future__ import annotations

from typing import Any, Literal

from .._core.checks import checked_flag

__all__ = ["Method", "checked_method", "method_shown"]

Method = Literal["neighbor", "labor", "labor-poisson"]


def checked_method(method: Any, layer_dependency: Any) -> dict[str, Any]:
    """Returns the parameters as the core reads them: none for independent choices, which are its default. The core
    checks the value and what it contradicts.

    Raises:
        TypeError: an argument is of the wrong type.
    """
    if not isinstance(method, str):
        raise TypeError(f"method = {method!r}: expected 'neighbor', 'labor' or 'labor-poisson'")
    dependent = checked_flag("layer_dependency", layer_dependency)
    return {"method": method, "layer_dependency": dependent} if method != "neighbor" or dependent else {}


def method_shown(parameters: dict[str, Any]) -> str:
    """Returns the parameters for a text such as a repr; empty for independent choices."""
    return "".join(f", {name}={value!r}" for name, value in parameters.items())
