package build

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// bitmap is a set of numbers: number i is bit i%64 of word i/64.
type bitmap []uint64

// makeBitmap returns an empty set of numbers below n, off the Go heap.
func makeBitmap(n uint64) (bitmap, error) { return offheap.Make[uint64](int(n/64) + 1) }

// has reports whether a number is in the set.
func (b bitmap) has(i uint64) bool { return b[i/64]>>(i%64)&1 != 0 }

// put adds a number, and reports whether it was not in the set before. Several goroutines may call it.
func (b bitmap) put(i uint64) bool {
	bit := uint64(1) << (i % 64)
	return atomic.OrUint64(&b[i/64], bit)&bit == 0
}

// next returns the least number of the set that is at least i, or end if there is none below end.
func (b bitmap) next(i, end uint64) uint64 {
	if i >= end {
		return end
	}
	word := b[i/64] >> (i % 64)
	for word == 0 {
		if i = i/64*64 + 64; i >= end {
			return end
		}
		word = b[i/64]
	}
	return min(i+uint64(bits.TrailingZeros64(word)), end)
}

// count returns how many numbers of the set are in [first, end).
func (b bitmap) count(first, end uint64) (n uint64) {
	for first < end {
		word := b[first/64] >> (first % 64)
		if k := min(64-first%64, end-first); k < 64 {
			word &= 1<<k - 1
			first += k
		} else {
			first += 64
		}
		n += uint64(bits.OnesCount64(word))
	}
	return n
}

// drop marks the positions of the edges to remove.
func (m *merge) drop(u *Update) (err error) {
	if !u.RemoveIDs.Given() && !u.RemoveSources.Given() && u.Since == nil {
		return nil
	}
	if m.dropped, err = makeBitmap(uint64(m.from.NumEdges())); err != nil {
		return err
	}
	if u.RemoveIDs.Given() {
		if err := m.dropIDs(u.RemoveIDs); err != nil {
			return err
		}
	}
	if u.RemoveSources.Given() {
		if err := m.dropPairs(u); err != nil {
			return err
		}
	}
	if u.Since == nil {
		return nil
	}
	if m.from.Times == nil {
		return refuse.Value("window = %d, but the edges of the graph have no times: build it with times", *u.Since)
	}
	return parallel.For(m.job, m.threads, len(m.from.Times), graph.EdgeChunk, func(lo, hi int) error {
		for i, time := range m.from.Times[lo:hi] {
			if time < *u.Since {
				m.dropped[(lo+i)/64] |= 1 << ((lo + i) % 64) // a chunk has whole words
			}
		}
		return nil
	})
}

// dropIDs marks the edges of given ids: two of an undirected edge.
func (m *merge) dropIDs(ids graph.Array) error {
	if err := checkIntegers(ids, "remove"); err != nil {
		return err
	}
	if ids.Len > 0 {
		if err := m.from.RefuseEdgeIDs("remove[0] = " + text(ids, 0)); err != nil {
			return err
		}
	}
	listed := m.from.EdgeIDs != nil || m.from.EdgeIDs64 != nil
	wanted := m.dropped
	if listed {
		var err error
		if wanted, err = makeBitmap(m.nextID); err != nil {
			return err
		}
		defer offheap.Free(wanted)
	}
	// 1. Mark the ids, which are the positions of the edges unless the graph lists them.
	err := m.eachID(ids, func(i int, id uint64) error {
		if id >= m.nextID {
			return refuseID(ids, i)
		}
		if !wanted.put(id) {
			return refuse.Value("remove[%d] = %d is the second element with this id: pass each id once", i, id)
		}
		return nil
	})
	if err != nil || !listed {
		return err
	}
	// 2. Search the edges for them.
	found, err := makeBitmap(m.nextID)
	if err != nil {
		return err
	}
	defer offheap.Free(found)
	if m.from.EdgeIDs != nil {
		err = dropListed(m, m.from.EdgeIDs, wanted, found)
	} else {
		err = dropListed(m, m.from.EdgeIDs64, wanted, found)
	}
	if err != nil {
		return err
	}
	return m.eachID(ids, func(i int, id uint64) error {
		if id >= m.nextID || !found.has(id) { // the caller's array may have changed
			return refuseID(ids, i)
		}
		return nil
	})
}

// idBlock is the number of ids per bit of the coarse set of dropListed.
const idBlock = 16

// dropListed marks the positions of the ids that are wanted, and adds these to found. Ids are in random order. It looks them up in a
// coarse set first, which has a bit per block of ids and stays in the CPU's caches.
func dropListed[T uint32 | uint64](m *merge, ids []T, wanted, found bitmap) error {
	end := uint64(len(wanted)) * 64
	coarse, err := makeBitmap(end / idBlock)
	if err != nil {
		return err
	}
	defer offheap.Free(coarse)
	for id := wanted.next(0, end); id < end; id = wanted.next(id+1, end) {
		coarse[id/idBlock/64] |= 1 << (id / idBlock % 64)
	}
	return parallel.For(m.job, m.threads, len(ids), graph.EdgeChunk, func(lo, hi int) error {
		for i, id := range ids[lo:hi] {
			if coarse.has(uint64(id)/idBlock) && wanted.has(uint64(id)) {
				m.dropped.put(uint64(lo + i))
				found.put(uint64(id))
			}
		}
		return nil
	})
}

// eachID calls f with each element of an array of ids. Elements that are negative or exceed 63 bits are passed as numbers that
// are no id.
func (m *merge) eachID(ids graph.Array, f func(i int, id uint64) error) error {
	var values [block]int64
	for lo := 0; lo < ids.Len; lo += block {
		n := min(block, ids.Len-lo)
		if bad := ints(ids, lo, values[:n]); bad >= 0 {
			return refuseID(ids, lo+bad)
		}
		for i, id := range values[:n] {
			if err := f(lo+i, uint64(id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseID returns the error for an id that no edge has.
func refuseID(ids graph.Array, i int) error {
	return refuse.Value("remove[%d] = %s: the graph has no edge with this id; graph.edge_ids has them", i, text(ids, i))
}

// dropPairs marks the edges of given ends.
func (m *merge) dropPairs(u *Update) error {
	e := Edges{
		Sources: u.RemoveSources, Targets: u.RemoveTargets, Symmetric: u.Symmetric, NumVertices: Unknown, Threads: m.threads, Job: m.job,
		argument: "remove",
	}
	defer e.free()
	if err := e.check(); err != nil {
		return err
	}
	if err := e.makeCopies(); err != nil {
		return err
	}
	s, err := e.stats()
	if err != nil {
		return err
	}
	n := max(m.from.NumVertices(), s.vertices) // pairs with vertices that the graph lacks are refused with the others
	pairs, err := e.rows(n, s)
	if err != nil {
		return err
	}
	defer pairs.free()
	missing, mu := ^uint64(0), sync.Mutex{}
	err = parallel.For(m.job, m.threads, n, graph.VertexChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			if pairs.indptr[u] == pairs.indptr[u+1] {
				continue
			}
			if least := m.dropOf(uint32(u), &pairs); least != ^uint64(0) {
				mu.Lock()
				missing = min(missing, least)
				mu.Unlock()
			}
		}
		return nil
	})
	if err != nil || missing == ^uint64(0) {
		return err
	}
	src, dst := text(u.RemoveSources, int(missing)), text(u.RemoveTargets, int(missing))
	return refuse.Value("remove[%d] = (%s, %s): the graph has no such edge, or fewer of them than are removed%s", missing, src, dst,
		map[bool]string{true: ", or not its reverse (symmetric=True)"}[u.Symmetric])
}

// dropOf marks the edges that the pairs of row u name. It returns the least index of a pair without an edge, or ^0.
func (m *merge) dropOf(u uint32, pairs *sortedRows) (missing uint64) {
	missing = ^uint64(0)
	first, end := m.oldRow(u)
	row := m.from.Indices[first:end]
	at, previous := 0, graph.None
	for i := pairs.indptr[u]; i < pairs.indptr[u+1]; i++ {
		v := pairs.indices[i]
		if v != previous {
			skip, _ := slices.BinarySearch(row[at:], v)
			at, previous = at+skip, v
		}
		if at == len(row) || row[at] != v {
			missing = min(missing, pairs.order.At(int(i)))
			continue
		}
		m.dropped.put(first + uint64(at))
		at++
	}
	return missing
}
