package file

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// numbering numbers integer ids from 0 in ascending order.
type numbering interface {
	of(id int64) uint32      // may be called by several threads
	names() ([]int64, error) // the id of each number, in memory of offheap that the caller frees
	Free()
}

// bitsPerEdge limits the size of a bitset, so that it takes no more memory than the edges: two ids of 32 bits.
const bitsPerEdge = 64

// number assigns numbers to vertices with integer ids. A bitset serves ids in a dense range, a hash table all others.
func (p *parser) number(l *edgeList, threads int, j *job.Job) error {
	// 1. Collect the ids. Ids 0 to n-1 without a gap are vertex numbers already.
	low, high := p.span()
	span := uint64(high) - uint64(low)
	var n numbering
	if span < bitsPerEdge*uint64(max(len(l.src), 1<<14)) {
		b, err := p.mark(l, threads, j, low, span+1)
		if err != nil {
			return err
		}
		defer b.Free()
		if low == 0 && b.count == span+1 && span < uint64(graph.None) {
			l.vertices = int(b.count)
			return p.eachPart(threads, j, func(_ int, q part, at int) error { return p.copy(l, q, at) })
		}
		n = b
	} else {
		s, err := p.collect(j)
		if err != nil {
			return err
		}
		defer s.Free()
		n = s
	}
	// 2. Number them.
	var err error
	if l.names.Ints, err = n.names(); err != nil {
		return err
	}
	if l.vertices = len(l.names.Ints); uint64(l.vertices) >= uint64(graph.None) {
		return refuse.Value("%s has %d different ids: a graph has at most %d vertices", p.path, l.vertices, graph.None-1)
	}
	// 3. Replace the ids of all edges.
	return p.eachPart(threads, j, func(_ int, q part, at int) error {
		renumberTo(l.src[at:], q.narrow.src, n)
		renumberTo(l.dst[at:], q.narrow.dst, n)
		renumberTo(l.src[at:], q.wide.src, n)
		renumberTo(l.dst[at:], q.wide.dst, n)
		l.copy(&q, at)
		return nil
	})
}

// renumberTo stores the numbers of ids.
func renumberTo[T uint32 | int64](to []uint32, ids []T, n numbering) {
	for i, v := range ids {
		to[i] = n.of(int64(v))
	}
}

// span returns the least and the largest id, or a lower bound of 0 if all are small: most files start at 0 or 1.
func (p *parser) span() (low, high int64) {
	low, high = math.MaxInt64, math.MinInt64
	for _, q := range p.parts {
		if len(q.narrow.src) > 0 {
			low, high = min(low, 0), max(high, int64(q.largest))
		}
		for i, v := range q.wide.src {
			low, high = min(low, v, q.wide.dst[i]), max(high, v, q.wide.dst[i])
		}
	}
	if low > 0 && high < math.MaxUint32 {
		low = 0
	}
	return low, high
}

// mark returns a bitset of n ids from low on with the bits of all ids set, in parallel.
func (p *parser) mark(l *edgeList, threads int, j *job.Job, low int64, n uint64) (*bitset, error) {
	b, err := newBitset(low, n)
	if err != nil {
		return nil, err
	}
	err = p.eachPart(threads, j, func(_ int, q part, _ int) error {
		mark(b, q.narrow.src)
		mark(b, q.narrow.dst)
		mark(b, q.wide.src)
		mark(b, q.wide.dst)
		return nil
	})
	if err == nil {
		err = b.rank()
	}
	if err != nil {
		b.Free()
		return nil, err
	}
	return b, nil
}

// collect returns the set of distinct ids that are too sparse for a bitset. It runs on one thread.
func (p *parser) collect(j *job.Job) (*idSet, error) {
	s := &idSet{}
	for _, q := range p.parts {
		err := j.Err()
		for i := 0; i < len(q.narrow.src) && err == nil; i++ {
			err = s.add(int64(q.narrow.src[i]), int64(q.narrow.dst[i]))
		}
		for i := 0; i < len(q.wide.src) && err == nil; i++ {
			err = s.add(q.wide.src[i], q.wide.dst[i])
		}
		if err != nil {
			s.Free()
			return nil, err
		}
	}
	if err := s.rank(); err != nil {
		s.Free()
		return nil, err
	}
	return s, nil
}
