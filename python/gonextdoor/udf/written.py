"""The arguments of gnd.App as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app import App

__all__ = ["written"]


def written(app: App) -> list[str]:
    """The arguments of an app that are not the defaults, as name=value."""
    shown = [f"{name}={source.name}" for name, source in app.hooks.items()]
    shown.append(f"steps={app.steps or 'INF'}")
    if app.fanouts != [1]:
        shown.append(f"sample_size={app.fanouts[0] if len(app.fanouts) == 1 else app.fanouts}")
    for name, choices, value in (
        ("unique", {0: None, 1: "step", 2: "sample"}, app.unique),
        ("scope", {0: None, 1: "collective"}, app.scope),
        ("record", {0: None, 1: "adjacency", 2: "induced"}, app.record),
    ):
        if value:
            shown.append(f"{name}={choices[value]!r}")
    shown += [f"{name}=True" for name in ("replace", "strict") if getattr(app, name)]
    if "edge_bias" in app.hooks and "bound" not in app.hooks and not app._automatic:
        shown.append("bound=None")
    if app.weighted != "auto":
        shown.append(f"weighted={app.weighted}")
    if app.params:
        shown.append(f"params={app.params}")
    if app.arrays:
        arrays = ", ".join(f"{name}: {array.dtype}[{len(array)}]" for name, array in app.arrays.items())
        shown.append(f"arrays={{{arrays}}}")
    return shown
