"""HTML representation of mini-batches, blocks and samplers for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import svg

__all__ = ["batch_facts", "batch_picture", "block_picture", "fanouts_picture"]

MOST_COLUMNS = 5
MOST_FACTS = 12


def fanouts_picture(fanouts: Sequence[int]) -> str:
    """The shape of a batch: the seed nodes on the right, then the sources that one of them takes at each hop."""
    sizes: list[int | None] = [1]
    for fanout in fanouts[: MOST_COLUMNS - 1]:
        last = sizes[-1]
        sizes.append(None if fanout < 0 or last is None else last * fanout)
    heads = ["seed", *("all" if fanout < 0 else f"{fanout:,} each" for fanout in fanouts[: MOST_COLUMNS - 1])]
    if len(fanouts) >= MOST_COLUMNS:
        heads[-1] = "…"
    return svg.columns(sizes, heads, "fan-outs", flow=True)


def batch_facts(num_nodes: list[list[int]], num_edges: list[list[int]]) -> dict[str, str]:
    """The sizes of a batch, by hop. Types and relations are numbered in the order of their graph."""
    several = len(num_nodes) > 1
    facts = {f"nodes of type {i}" if several else "nodes": _sum(part) for i, part in enumerate(num_nodes)}
    several = len(num_edges) > 1
    facts |= {f"edges of relation {i}" if several else "edges": _sum(part) for i, part in enumerate(num_edges)}
    if len(facts) > MOST_FACTS:
        names = list(facts)
        facts = {name: facts[name] for name in names[:MOST_FACTS]} | {"…": f"{len(names) - MOST_FACTS:,} more"}
    return facts


def _sum(parts: list[int]) -> str:
    """A total and its parts, as "9 = 2 + 3 + 4"."""
    total = f"{sum(parts):,}"
    return total if len(parts) < 2 else f"{total} = {' + '.join(f'{part:,}' for part in parts)}"


def batch_picture(num_nodes: list[list[int]]) -> str:
    """A column per hop, the seed nodes on the right; all types together."""
    sizes: list[int | None] = [sum(hop) for hop in zip(*num_nodes, strict=True)][:MOST_COLUMNS]
    heads = [f"{size:,}" for size in sizes]
    if len(num_nodes[0]) > MOST_COLUMNS:
        heads[-1] = "…"
    return svg.columns(sizes, heads, "nodes that each hop discovered", flow=True)


def block_picture(sources: int, destinations: int) -> str:
    """Draws the sources on the left and the destinations on the right."""
    sizes = [destinations, sources]
    return svg.columns(sizes, [f"{size:,}" for size in sizes], "sources and destinations", flow=True)
