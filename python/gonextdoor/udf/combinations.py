"""Combinations of the arguments of gnd.App that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..apps.parameters import MAX_WIDTH, tree_width
from .source import AppError

if TYPE_CHECKING:
    from .app import App

__all__ = ["ADJACENCY", "refuse"]

ADJACENCY = 1  # record="adjacency"


def refuse(app: App) -> None:
    """Raises an error for invalid combinations of an app's arguments, except those that the core checks."""
    functions = app._functions
    if "next" in functions and "edge_bias" in functions:
        raise TypeError("next and edge_bias: pass only one of them")
    if "bound" in functions:
        if "edge_bias" not in functions:
            raise TypeError("bound applies only to edge_bias: pass edge_bias too")
        scales = {name: functions[name].returns == "float" for name in ("edge_bias", "bound")}
        if len(set(scales.values())) > 1:
            one, other = ("a float", "an int") if scales["edge_bias"] else ("an int", "a float")
            raise AppError(
                f"{app.hooks['bound'].where()}: in {app.hooks['bound'].name}: returns {other}, but edge_bias "
                f"returns {one}: their units differ; return the same type from both"
            )
    if "vertex_bias" in functions and not app._walks():
        raise ValueError("vertex_bias: expected one pick per step, from one transit, and no unique vertices")
    if "vertex_bias" in functions and app.record == ADJACENCY:
        raise ValueError("vertex_bias: a pool's transits are not the vertices of the step before; record no adjacency")
    if "next" in functions and app.unique:
        raise ValueError("next: it may return any vertex, so vertices cannot be unique; leave out unique")
    if "next" in functions and -1 in app.fanouts:
        raise ValueError("next: sample_size gives the number of picks; expected at least 1")
    if app.weighted is True and {"next", "edge_bias"} & functions.keys():
        raise ValueError('weighted = True: edge_bias and next compute their own biases; expected "auto" or False')
    if app.weighted is True and app.scope:
        raise ValueError(
            "weighted = True: weights of different rows have different units; a collective choice needs edge_bias"
        )
    picks = [app._fanout(step) for step in range(app.steps)] if app._fixed() else []
    if (1 + sum(picks) if app._alone() else tree_width(picks)) > MAX_WIDTH:
        raise ValueError(f"sample_size = {app.fanouts}, {app.steps} steps: expected at most 2^28 vertices per sample")
