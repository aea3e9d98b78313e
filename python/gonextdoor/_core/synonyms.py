"""Synonyms: argument names of networkx, PyG, DGL, StellarGraph, node2vec and gensim, and the parameters they mean."""

from __future__ import annotations

from collections.abc import Iterable

from .advice import close_matches

__all__ = ["advice", "meanings", "unexpected"]

# For each name in another library the parameters that it may mean, the likeliest first.
_SYNONYMS: dict[str, tuple[str, ...]] = {
    "walk_length": ("length", "steps"), "walk_len": ("length", "steps"), "walklen": ("length",), "length": ("steps",),
    "path_length": ("length",), "num_steps": ("length", "steps"), "steps": ("length",),
    "max_len": ("length", "max_length"), "num_walks": ("repeat", "walks"), "walks": ("repeat",),
    "walks_per_node": ("repeat", "walks"), "walks_per_vertex": ("repeat", "walks"), "n_walks": ("repeat", "walks"),
    "number_walks": ("repeat",), "num_repeats": ("repeat",), "repeats": ("repeat",), "walks_per_root": ("repeat",),
    "walk_number": ("repeat",), "samples": ("repeat",), "num_samples": ("repeat", "fanouts", "sample_size", "n"),
    "return_param": ("p",), "return_parameter": ("p",), "ret_param": ("p",),
    "inout_param": ("q",), "in_out_param": ("q",), "inout_parameter": ("q",), "in_out_parameter": ("q",),
    "fan_out": ("fanouts", "num_neighbors"), "fan_outs": ("fanouts", "num_neighbors"),
    "fanout": ("fanouts", "num_neighbors", "sample_size"), "fanouts": ("num_neighbors", "sample_size"),
    "num_neighbors": ("fanouts",), "num_neighbours": ("fanouts", "num_neighbors"),
    "neighbor_sizes": ("fanouts", "num_neighbors"), "sizes": ("fanouts", "num_neighbors"),
    "num_hops": ("depth", "fanouts", "num_neighbors"), "hops": ("depth", "fanouts", "num_neighbors"),
    "num_layers": ("depth", "fanouts", "num_neighbors"), "restart_prob": ("probability", "stop"),
    "restart_probability": ("probability", "stop"), "restart": ("probability", "stop"), "jump_prob": ("probability",),
    "termination_prob": ("stop",), "alpha": ("stop", "probability"), "damping": ("stop",), "damping_factor": ("stop",),
    "teleport": ("stop", "probability"), "prob": ("weighted",),
    "weight": ("weights", "weighted", "weight_attr", "prob"),
    "edge_weight": ("weights", "weight", "weighted"), "edge_weights": ("weights", "weight", "weighted"),
    "edge_attr": ("weights", "weight"), "weight_attr": ("weight", "weighted"), "use_weights": ("weighted",),
    "metapath": ("labels",), "edge_types": ("labels",), "nodes": ("roots", "seeds", "input_nodes", "seed_nodes"),
    "start": ("roots",), "starts": ("roots",), "start_nodes": ("roots", "seeds"), "sources": ("roots", "seeds"),
    "seeds": ("roots", "seed_nodes", "input_nodes"), "seed_nodes": ("roots", "input_nodes", "seeds"),
    "input_nodes": ("seed_nodes", "roots"), "personalization": ("seeds",), "random_state": ("seed", "batch_seed"),
    "random_seed": ("seed", "batch_seed"), "seed": ("batch_seed",), "workers": ("threads",),
    "num_workers": ("threads",), "n_jobs": ("threads",), "num_threads": ("threads",), "epochs": ("repeat",),
    "start_time": ("start",), "input_start_time": ("start",), "start_times": ("start",), "end_time": ("end",),
    "input_end_time": ("end",), "end_times": ("end",), "time_window": ("start_window", "input_start_time"),
    "num_epochs": ("repeat",), "iter": ("repeat",), "tol": ("error",), "epsilon": ("error",), "max_iter": ("walks",),
    "num_nodes": ("num_vertices",), "n": ("num_vertices",), "num_nodes_dict": ("num_vertices",),
    "directed": ("symmetric",), "undirected": ("symmetric",), "sep": ("format",), "delimiter": ("format",),
    "columns": ("source",), "usecols": ("source",), "src": ("source",), "dst": ("target",), "destination": ("target",),
    "num_parts": ("parts",), "n_parts": ("parts",), "k": ("parts", "top_k", "num_classes"),
    "size": ("bytes",), "cache_size": ("cache", "bytes"), "prefetch_factor": ("prefetch",), "index": ("sample",),
    "gpu": ("device",), "use_cuda": ("device",), "cuda": ("device",), "devices": ("device",), "edges": ("edge_factor",),
    "num_edges": ("edge_factor",), "hooks": ("edge_bias",), "edge_dir": ("direction",), "replacement": ("replace",),
}  # fmt: skip

# What to know of a parameter that is meant, by the name that was given or by the parameter.
_ABOUT = {
    "fanouts": "one number per hop", "num_neighbors": "one number per hop", "sample_size": "one number per step",
    "alpha": "stop = 1 - alpha of networkx", "damping": "stop = 1 - damping", "damping_factor": "stop = 1 - damping",
    "num_workers": "threads do the work, not worker processes", "directed": "True for undirected edges",
    "max_iter": "of each row; there are no iterations", "sep": "separators are detected",
    "delimiter": "separators are detected", "columns": "and target=, each a name or a number",
    "usecols": "and target=, each a name or a number", "use_cuda": 'as device="cuda"', "gpu": 'as device="cuda"',
    "start": "a walk's start time is start= of gonextdoor.apps.TemporalWalk",
    "edges": "edges per vertex", "num_edges": "edges per vertex",
}  # fmt: skip

# Arguments of torch's DataLoader that threads do not need.
_WORKERS = ("pin_memory", "persistent_workers", "worker_init_fn", "collate_fn", "timeout", "multiprocessing_context")
_RUNS = ("roots", "repeat", "seed", "first_id", "device", "threads", "dtype", "edges", "progress")
_APPS = (
    "length", "p", "q", "fanouts", "depth", "probability", "stop", "max_length", "weighted", "labels", "bias", "start",
    "start_window", "end",
)  # fmt: skip
_BATCHES = ("batch_size", "shuffle", "drop_last", "input_nodes", "features", "cache", "prefetch", "prefetch_factor")


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
            about = _ABOUT.get(name, _ABOUT.get(word))
            return f"{hint}did you mean {word}=?{f' ({about})' if about else ''}"
    if name in _WORKERS and "prefetch" in known:
        return "threads draw the batches, without worker processes: leave it out"
    if name == "device" and "mode" in known:
        return "use gonextdoor.features.cached, which reads to a GPU"
    close = close_matches(name, known)
    near = close_matches(name, known, 0.8)
    for word in meant:
        if word in _RUNS and "graph" not in known and not near:
            return f"{hint}did you mean {word}= of gonextdoor.sample?"
        if word in _APPS and "app" in known:
            return f"did you mean {word}= of the app, such as gonextdoor.apps.{_EXAMPLES.get(word, 'DeepWalk')}?"
        if word in _BATCHES and "batch_size" not in known and not near:
            return f"did you mean {word}= of gonextdoor.loader?"
    return f"did you mean {close[0]}=?" if close else f"expected {', '.join(known) or 'no arguments'}"


_EXAMPLES = {
    "length": "DeepWalk(length=80)", "p": "Node2Vec(p=1)", "q": "Node2Vec(q=1)", "fanouts": "KHop(fanouts=[15, 10])",
    "depth": "Snowball(depth=2)", "probability": "Restart(probability=0.15)", "stop": "PPR(stop=0.15)",
    "max_length": "PPR(max_length=80)", "weighted": "DeepWalk(weighted=True)", "labels": "MetaPath(labels=[0, 1])",
    "bias": 'Walk(bias="degree")', "start": "TemporalWalk(start=0)", "end": "TemporalWalk(end=9)",
    "start_window": "TemporalWalk(start=0, start_window=5)",
}  # fmt: skip
