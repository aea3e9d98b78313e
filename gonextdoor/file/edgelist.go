package file

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// edgeList holds the edges of a file, whose vertices are numbered from 0. Its arrays are outside the Go heap.
type edgeList struct {
	vertices int
	src, dst []uint32
	attributes
	names graph.Names
}

// Close frees the arrays except the names, which the graph takes over.
func (l *edgeList) Close() {
	offheap.Free(l.src)
	offheap.Free(l.dst)
	offheap.Free(l.weights)
	offheap.Free(l.times)
	offheap.Free(l.labels)
}

// freeNames frees the names.
func (l *edgeList) freeNames() {
	offheap.Free(l.names.Ints)
	offheap.Free(l.names.Text)
	offheap.Free(l.names.Offsets)
}

// edgeList concatenates the parts in the order of the file and numbers the vertices. Text ids are numbered by first appearance.
// Integer ids keep their values if they are 0, 1, 2, ... without a gap, and are numbered in ascending order otherwise.
func (p *parser) edgeList(threads int, j *job.Job) (*edgeList, error) {
	l := &edgeList{}
	err := p.fill(l, threads, j)
	if err != nil {
		l.Close()
		l.freeNames()
		return nil, err
	}
	return l, nil
}

// fill allocates the arrays of a list and fills them. After an error the caller frees them.
func (p *parser) fill(l *edgeList, threads int, j *job.Job) (err error) {
	n := p.edges()
	if l.src, err = offheap.Make[uint32](n); err != nil {
		return err
	}
	if l.dst, err = offheap.Make[uint32](n); err != nil {
		return err
	}
	if p.weight >= 0 {
		if l.weights, err = offheap.Make[float64](n); err != nil {
			return err
		}
	}
	if p.time >= 0 {
		if l.times, err = offheap.Make[int64](n); err != nil {
			return err
		}
	}
	if p.label >= 0 {
		if l.labels, err = offheap.Make[int32](n); err != nil {
			return err
		}
	}
	switch {
	case p.layout.text:
		l.vertices, l.names.Text, l.names.Offsets = len(p.words.hashes), p.words.text, p.words.offsets
		p.words.text, p.words.offsets = nil, nil // owned by the list now
		return p.eachPart(threads, j, func(_ int, q part, at int) error { return p.copy(l, q, at) })
	case p.size.given:
		l.vertices = p.size.vertices
		return p.eachPart(threads, j, func(_ int, q part, at int) error { return p.copy(l, q, at) })
	}
	return p.number(l, threads, j)
}

// eachPart calls f in parallel with each part and the index of its first edge in the list.
func (p *parser) eachPart(threads int, j *job.Job, f func(i int, q part, at int) error) error {
	starts := make([]int, len(p.parts))
	n := 0
	for i, q := range p.parts {
		starts[i] = n
		n += q.edges
	}
	return parallel.For(j, threads, len(p.parts), 8, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := f(i, p.parts[i], starts[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// copy copies a part whose ids are vertex numbers already to index at.
func (p *parser) copy(l *edgeList, q part, at int) error {
	copy(l.src[at:], q.narrow.src)
	copy(l.dst[at:], q.narrow.dst)
	l.copy(&q, at)
	return nil
}
