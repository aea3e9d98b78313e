"""Synonyms: argument names of networkx, PyG, DGL, StellarGraph, node2vec and gensim, and the parameters they mean."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["advice", "meanings", "unexpected"]

# For each name in another library the parameters that it may mean, the likeliest first.
_SYNONYMS: dict[str, tuple[str, ...]] = {
    "walk_length": ("length",), "walk_len": ("length",), "walklen": ("length",), "path_length": ("length",),
    "num_steps": ("length",), "steps": ("length",), "max_len": ("length", "max_length"),
    "num_walks": ("repeat",), "walks_per_node": ("repeat",), "walks_per_vertex": ("repeat",), "n_walks": ("repeat",),
    "number_walks": ("repeat",), "num_repeats": ("repeat",), "walks_per_root": ("repeat",), "walk_number": ("repeat",),
    "return_param": ("p",), "return_parameter": ("p",), "ret_param": ("p",),
    "inout_param": ("q",), "in_out_param": ("q",), "inout_parameter": ("q",), "in_out_parameter": ("q",),
    "fan_out": ("fanouts",), "fan_outs": ("fanouts",), "fanout": ("fanouts",), "num_neighbors": ("fanouts",),
    "num_neighbours": ("fanouts",), "neighbor_sizes": ("fanouts",), "num_samples": ("fanouts", "n"),
    "num_hops": ("depth", "fanouts"), "hops": ("depth", "fanouts"), "num_layers": ("depth", "fanouts"),
    "restart_prob": ("probability", "stop"), "restart_probability": ("probability", "stop"),
    "jump_prob": ("probability",), "termination_prob": ("stop",), "alpha": ("stop", "probability"),
    "teleport": ("stop", "probability"), "edge_weight": ("weighted",), "use_weights": ("weighted",),
    "weight": ("weighted",), "prob": ("weighted",), "metapath": ("labels",), "edge_types": ("labels",),
    "nodes": ("roots",), "start": ("roots",), "starts": ("roots",), "start_nodes": ("roots",), "sources": ("roots",),
    "seeds": ("roots",), "seed_nodes": ("roots",), "random_state": ("seed",), "random_seed": ("seed",),
    "workers": ("threads",), "num_workers": ("threads",), "n_jobs": ("threads",), "num_threads": ("threads",),
    "start_time": ("start",), "input_start_time": ("start",), "start_times": ("start",), "end_time": ("end",),
    "input_end_time": ("end",), "end_times": ("end",), "time_window": ("start_window",), "epochs": ("repeat",),
    "num_epochs": ("repeat",), "iter": ("repeat",),
}  # fmt: skip

_RUNS = ("roots", "repeat", "seed", "first_id", "device", "threads", "dtype", "edges", "progress")
_APPS = (
    "length", "p", "q", "fanouts", "depth", "probability", "stop", "max_length", "weighted", "labels", "bias", "start",
    "start_window", "end",
)  # fmt: skip


def unexpected(caller: str, name: str, known: Iterable[str]) -> TypeError:
    """The error for an argument that a callable does not have, which names the argument to use instead."""
    known = list(known)
    return TypeError(f"{caller} got an unexpected keyword argument {name!r}: {advice(name, known)}")


def meanings(name: str) -> tuple[str, ...]:
    """The parameters that an argument name may mean: itself, and those of the same meaning in other libraries."""
    return name, *_SYNONYMS.get(name.lower(), ())


def advice(name: str, known: list[str]) -> str:
    """Advice for an unknown argument name, given the names that the callable has."""
    meant = meanings(name)
    hint = "for more training epochs, pass epochs= to the model; " if "epochs" in name else ""
    for word in meant:
        if word in known:
            count = ", one number per hop" if word == "fanouts" else ""
            more = "; a walk's start time is start= of gonextdoor.apps.TemporalWalk" if name == "start" else ""
            return f"{hint}did you mean {word}={count}?{more}"
    for word in meant:
        if word in _RUNS:
            return f"{hint}did you mean {word}= of gonextdoor.sample?"
        if word in _APPS and "app" in known:
            return f"did you mean {word}= of the app, such as gonextdoor.apps.{_EXAMPLES.get(word, 'DeepWalk')}?"
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]}=?" if close else f"expected {', '.join(known) or 'no arguments'}"


_EXAMPLES = {
    "length": "DeepWalk(length=80)", "p": "Node2Vec(p=1)", "q": "Node2Vec(q=1)", "fanouts": "KHop(fanouts=[15, 10])",
    "depth": "Snowball(depth=2)", "probability": "Restart(probability=0.15)", "stop": "PPR(stop=0.15)",
    "max_length": "PPR(max_length=80)", "weighted": "DeepWalk(weighted=True)", "labels": "MetaPath(labels=[0, 1])",
    "bias": 'Walk(bias="degree")', "start": "TemporalWalk(start=0)", "end": "TemporalWalk(end=9)",
    "start_window": "TemporalWalk(start=0, start_window=5)",
}  # fmt: skip
