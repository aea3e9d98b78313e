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

// copy copies the attributes of a part to index at.
func (l *edgeList) copy(q *part, at int) {
	copy(l.weights[min(at, len(l.weights)):], q.weights)
	copy(l.times[min(at, len(l.times)):], q.times)
	copy(l.labels[min(at, len(l.labels)):], q.labels)
}
