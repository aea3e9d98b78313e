"""The random words of the reproducibility contract, in plain Python, so that any choice can be recomputed.

Nothing is stored and nothing advances; every word is a pure function of its coordinate::

    stream = mix(seed + GAMMA * (1 + purpose))
    key    = mix(stream ^ id * GAMMA)             # id: a sample's, or a vertex's
    word   = mix(key ^ (slot + 1) * GAMMA)        # slot = step << 8 | try

where mix is the finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA'14). A uniform choice among n is
``below(word, n)[0]``. Step s of the unweighted DeepWalk with id i, from vertex v, goes to
``graph.neighbors(v)[below(word(key(stream(seed), i), slot(s)), degree)[0]]``.

All functions take and return Python integers of 64 bits.
"""

from __future__ import annotations

__all__ = [
    "BATCHES", "CHOICES", "CLUSTERS", "EDGES", "GAMMA", "NEGATIVES", "ORDER", "ROOTS", "SCORES", "SEEDS", "WEIGHTS",
    "below", "key", "mix", "second", "slot", "stream", "substream", "word",
]  # fmt: skip

GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1

# Purposes: the random words of one seed for different purposes are independent.
CHOICES, ROOTS, SEEDS, EDGES, WEIGHTS, ORDER, CLUSTERS, NEGATIVES, BATCHES, SCORES = range(10)


def mix(x: int) -> int:
    """The finaliser of splitmix64, a bijection of the 64-bit words."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def stream(seed: int, purpose: int = CHOICES) -> int:
    """The stream of a seed for a purpose."""
    return mix(seed + GAMMA * (1 + purpose) & MASK)


def key(stream: int, id: int) -> int:
    """The key of a sample's (or vertex's) id in a stream."""
    return mix((stream ^ id * GAMMA) & MASK)


def word(key: int, slot: int) -> int:
    """The random word at a slot."""
    return mix((key ^ (slot + 1) * GAMMA) & MASK)


def substream(key: int, slot: int) -> int:
    """The stream derived from a slot, in which each transit of a step has a separate key."""
    return word(key, slot)


def slot(step: int, attempt: int = 0) -> int:
    """The slot of a try in a step."""
    return step << 8 | attempt


def below(word: int, n: int) -> tuple[int, int]:
    """An index below n (0 if n is 0) and a 32-bit fraction that is independent of it."""
    product = word * n
    return product >> 64, product >> 32 & 0xFFFFFFFF


def second(word: int) -> int:
    """A second 32-bit fraction of a word, independent of both results of ``below``."""
    return (word * GAMMA & MASK) >> 32
