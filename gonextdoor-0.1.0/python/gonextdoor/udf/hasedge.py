"""Whether an edge leads from u to v: the core's hash table of edges, or a search of u's row without one."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from .machine import FLAG, LONG, WORD, constant

__all__ = ["SIGNATURE", "TABLES", "bucket", "scrambled", "write"]

TABLES = ("Indptr", "Indices", "Slots", "SetBuckets", "SetBits", "SetShift", "Mirrored")
SIGNATURE = ir.FunctionType(FLAG, [LONG] * (len(TABLES) + 2))
MUL1, MUL2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
SLOTS, PASSES = 16, 4  # slots per bucket; buckets that a pair may be in


def write(f: ir.Function) -> None:
    """Writes the function's body."""
    f.attributes.add("alwaysinline")
    indptr, indices, slots, buckets, bits, shift, mirrored, u, v = f.args
    b = ir.IRBuilder(f.append_basic_block("entry"))
    search, probe = f.append_basic_block("search"), f.append_basic_block("probe")
    yes, no = f.append_basic_block("yes"), f.append_basic_block("no")
    b.cbranch(b.icmp_unsigned("==", slots, constant(0)), search, probe)
    b.position_at_end(search)
    _search(b, indptr, indices, u, v)
    b.position_at_end(probe)
    pair = scrambled(b, u, v, bits, mirrored)
    for passed in range(PASSES):
        _probe(b, pair, passed, slots, buckets, shift, yes, no)
    b.branch(no)
    for block, found in ((yes, 1), (no, 0)):
        b.position_at_end(block)
        b.ret(ir.Constant(FLAG, found))


def scrambled(b: ir.IRBuilder, u: Any, v: Any, bits: Any, mirrored: Any) -> Any:
    """EdgeSet.Scramble"""
    swap = b.and_(b.icmp_unsigned("<", v, u), b.icmp_unsigned("!=", mirrored, constant(0)))
    u, v = b.select(swap, v, u), b.select(swap, u, v)
    twice = b.shl(bits, constant(1))
    mask = b.lshr(constant(-1), b.and_(b.sub(constant(64), twice), constant(63)))
    x = b.and_(b.mul(b.or_(b.shl(u, bits), v), constant(MUL1)), mask)
    return b.and_(b.mul(b.xor(x, b.lshr(x, bits)), constant(MUL2)), mask)


def bucket(b: ir.IRBuilder, pair: Any, passed: int, slots: Any, buckets: Any, shift: Any) -> Any:
    """The address of the bucket of a pair after that many full buckets."""
    number = b.and_(b.add(b.lshr(pair, shift), constant(passed)), b.sub(buckets, constant(1)))
    return b.add(slots, b.mul(number, constant(4 * SLOTS)))


def _probe(b: ir.IRBuilder, pair: Any, passed: int, slots: Any, buckets: Any, shift: Any, yes: Any, no: Any) -> None:
    """Searches one bucket; continues with the next if it is full without the pair."""
    line = ir.VectorType(WORD, SLOTS)
    below = b.and_(pair, b.sub(b.shl(constant(1), shift), constant(1)))
    tag = b.trunc(b.add(b.shl(below, constant(2)), constant(passed + 1)), WORD)
    at = b.inttoptr(bucket(b, pair, passed, slots, buckets, shift), line.as_pointer())
    found = b.load(at, align=4)
    one = b.insert_element(ir.Constant(line, ir.Undefined), tag, ir.Constant(WORD, 0))
    every = b.shuffle_vector(one, ir.Constant(line, ir.Undefined), ir.Constant(line, [0] * SLOTS))
    same = b.bitcast(b.icmp_unsigned("==", found, every), ir.IntType(SLOTS))
    on, full = b.append_basic_block("on"), b.append_basic_block("full")
    b.cbranch(b.icmp_unsigned("!=", same, ir.Constant(same.type, 0)), yes, on)
    b.position_at_end(on)
    last = b.extract_element(found, ir.Constant(WORD, SLOTS - 1))
    b.cbranch(b.icmp_unsigned("==", last, ir.Constant(WORD, 0)), no, full)
    b.position_at_end(full)


def _search(b: ir.IRBuilder, indptr: Any, indices: Any, u: Any, v: Any) -> None:
    """Searches the row for the first entry that is not below v, and returns whether it is v."""
    starts = b.inttoptr(indptr, LONG.as_pointer())
    first, end = b.load(b.gep(starts, [u])), b.load(b.gep(starts, [b.add(u, constant(1))]))
    row = b.inttoptr(indices, WORD.as_pointer())
    before = b.block
    head, body = b.append_basic_block("halve"), b.append_basic_block("look")
    done, inside = b.append_basic_block("found"), b.append_basic_block("inside")
    b.branch(head)
    b.position_at_end(head)
    low, high = b.phi(LONG), b.phi(LONG)
    b.cbranch(b.icmp_unsigned("<", low, high), body, done)
    b.position_at_end(body)
    middle = b.lshr(b.add(low, high), constant(1))
    less = b.icmp_unsigned("<", b.zext(b.load(b.gep(row, [middle])), LONG), v)
    for phi, start, then in (
        (low, first, b.select(less, b.add(middle, constant(1)), low)),
        (high, end, b.select(less, high, middle)),
    ):
        phi.add_incoming(start, before)
        phi.add_incoming(then, body)
    b.branch(head)
    b.position_at_end(done)
    b.cbranch(b.icmp_unsigned("<", low, end), inside, b.append_basic_block("outside"))
    outside = b.function.blocks[-1]
    b.position_at_end(inside)
    b.ret(b.icmp_unsigned("==", b.zext(b.load(b.gep(row, [low])), LONG), v))
    b.position_at_end(outside)
    b.ret(ir.Constant(FLAG, 0))
