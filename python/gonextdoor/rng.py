"""The random words of the reproducibility contract, in plain Python, so that any choice can be recomputed.

Nothing is stored and nothing advances; every word is a pure function of its coordinate::

    stream = mix(seed + GAMMA * (1 + purpose))
    key    = mix(stream ^ id * GAMMA)             # id: a sample's, or a vertex's
    word   = mix(key ^ (slot + 1) * GAMMA)        # slot = step << 8 | try

where mix is the finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA'14). A uniform choice among n is
``below(word, n)[0]``. Step s of the unweighted DeepWalk with id i, from vertex v, leads to
``graph.neighbors(v)[below(word(key(stream(seed), i), slot(s)), degree)[0]]``.

All functions take and return Python integers of 64 bits.

Examples:
    >>> graph = gnd.rmat(8, seed=1)
    >>> root, first = gnd.sample(graph, gnd.apps.DeepWalk(1), [3], seed=7).numpy()[0].tolist()
    >>> key = gnd.rng.key(gnd.rng.stream(7), 0)
    >>> place, _ = gnd.rng.below(gnd.rng.word(key, gnd.rng.slot(0)), len(graph.neighbors(root)))
    >>> int(graph.neighbors(root)[place]) == first
    True
"""

from __future__ import annotations

__all__ = [
    "BATCHES", "CHOICES", "CLUSTERS", "EDGES", "GAMMA", "NEGATIVES", "ORDER", "ROOTS", "SCORES", "SEEDS", "WEIGHTS",
    "below", "key", "mix", "number", "second", "slot", "stream", "substream", "word",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


GAMMA = 0x9E3779B97F4A7C15
"""The increment of splitmix64: 2^64 divided by the golden ratio, rounded to an odd number.

Examples:
    >>> gnd.rng.GAMMA % 2
    1
"""
MASK = (1 << 64) - 1

CHOICES, ROOTS, SEEDS, EDGES, WEIGHTS, ORDER, CLUSTERS, NEGATIVES, BATCHES, SCORES = range(10)
"""A purpose of random words: the words of one seed for different purposes are independent.

Examples:
    >>> gnd.rng.stream(1, gnd.rng.CHOICES) == gnd.rng.stream(1, gnd.rng.ROOTS)
    False
"""


def mix(x: int) -> int:
    """Returns the finaliser of splitmix64 for x, a bijection of the 64-bit words.

    Examples:
        >>> hex(gnd.rng.mix(1))
        '0x5692161d100b05e5'
    """
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def stream(seed: int, purpose: int = CHOICES) -> int:
    """Returns the stream of a seed for a purpose.

    Args:
        seed: the random seed, 64 bits.
        purpose: one of the constants of this module, such as ``CHOICES`` (default) or ``ROOTS``.


    Examples:
        >>> hex(gnd.rng.stream(1)), hex(gnd.rng.stream(1, gnd.rng.ROOTS))
        ('0x910a2dec89025cc1', '0xbeeb8da1658eec67')
    """
    return mix(seed + GAMMA * (1 + purpose) & MASK)


def key(stream: int, id: int) -> int:
    """Returns the key of an id in a stream.

    Args:
        stream: the stream.
        id: the id of a sample or of a vertex.


    Examples:
        >>> hex(gnd.rng.key(gnd.rng.stream(1), 0))
        '0xdce423fc82c0d5b8'
    """
    return mix((stream ^ id * GAMMA) & MASK)


def number(stream: int, id: int) -> int:
    """Returns the random number of an id that many choices share, such as that of an end point in LABOR.

    The high 32 bits are a bijection of the ids, and the low 32 bits are those of ``key(stream, id)``.

    Args:
        stream: the stream.
        id: the id of a vertex, 32 bits.


    Examples:
        >>> hex(gnd.rng.number(gnd.rng.stream(1), 0))
        '0xdee9acf782c0d5b8'
    """
    high = id * (stream >> 32 | 1) + stream & 0xFFFFFFFF
    high = (high ^ high >> 17) * 0xED5AD4BB & 0xFFFFFFFF
    high = (high ^ high >> 11) * 0xAC4C1B51 & 0xFFFFFFFF
    high = (high ^ high >> 15) * 0x31848BAB & 0xFFFFFFFF
    return (high ^ high >> 14) << 32 | key(stream, id) & 0xFFFFFFFF


def word(key: int, slot: int) -> int:
    """Returns the random word at a slot.

    Args:
        key: the key of a sample or vertex.
        slot: the slot, as ``gonextdoor.rng.slot`` gives it.


    Examples:
        >>> key = gnd.rng.key(gnd.rng.stream(1), 0)
        >>> hex(gnd.rng.word(key, gnd.rng.slot(0)))
        '0xd88e6ca139d2ea2f'
    """
    return mix((key ^ (slot + 1) * GAMMA) & MASK)


def substream(key: int, slot: int) -> int:
    """Returns the stream derived from a slot, in which each transit of a step has a separate key.

    Examples:
        >>> key = gnd.rng.key(gnd.rng.stream(1), 0)
        >>> hex(gnd.rng.substream(key, gnd.rng.slot(3)))
        '0x312024d8921b4c3d'
    """
    return word(key, slot)


def slot(step: int, attempt: int = 0) -> int:
    """Returns the slot of a try in a step.

    Examples:
        >>> gnd.rng.slot(2), gnd.rng.slot(2, attempt=1)
        (512, 513)
    """
    return step << 8 | attempt


def below(word: int, n: int) -> tuple[int, int]:
    """Returns an index below n (0 if n is 0) and a 32-bit fraction that is independent of it.

    Args:
        word: a random word.
        n: the number of choices.

    Returns:
        The index, and the fraction.


    Examples:
        >>> gnd.rng.below(gnd.rng.mix(1), 10)
        (3, 1639243042)
    """
    product = word * n
    return product >> 64, product >> 32 & 0xFFFFFFFF


def second(word: int) -> int:
    """Returns a second 32-bit fraction of a word, independent of both results of ``below``.

    Examples:
        >>> gnd.rng.second(gnd.rng.mix(1))
        335642304
    """
    return (word * GAMMA & MASK) >> 32
