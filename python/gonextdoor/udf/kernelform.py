"""The kernel with which a GPU runs a user's app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .image import Form, Program

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .app import App

__all__ = ["form_of", "program_of"]


def form_of(app: App, graph: Graph, roots: int) -> Form:
    """The kernel for samples of that many roots; package engine/gpu decides alike."""
    reads = app.reads()
    if not app._walks() or app.layered(roots) or (app.steps == 0 and "sample" in reads):
        return "block" if app.scope == 1 else "warp"  # by the size of choices; it changes no sample
    if "next" in app.hooks:
        return "next"
    if "edge_bias" in app.hooks:
        alone = roots == 1 and "vertex_bias" not in app.hooks and not {"sample", "prev_edge"} & set(reads)
        return "computed" if alone else "bias"
    return "alias" if _weighs(app, graph) else "uniform"


def program_of(app: App, graph: Graph) -> Program:
    """The arguments of an app that select code of the forms "warp" and "block"."""
    weighted = app.scope == 0 and not {"next", "edge_bias"} & app.hooks.keys() and _weighs(app, graph)
    return Program(app._walks(), app.scope == 1, app.unique, app.replace, weighted, app.record)


def _weighs(app: App, graph: Graph) -> bool:
    """Whether choices without edge_bias and next follow the weights."""
    return app.weighted is True or (app.weighted == "auto" and graph.weighted)
