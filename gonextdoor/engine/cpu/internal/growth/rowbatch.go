package growth

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/selector"
)

// rowBatch computes the biases of complete rows by the RowBias kernel. It collects parts of rows until they have
// plan.HookedRows edges in total, and then calls the kernel once. A short row is one part, a long row several.
type rowBatch struct {
	run     *programRun
	hooks   *hookCaller
	columns *columns // one entry per part: edge is its first, dst the number of its edges
	parts   []rowPart
	edges   int      // of all parts
	biases  []uint32 // results of the kernel, part by part
}

// rowPart is a part of a row.
type rowPart struct {
	to           receiver
	first, count int // its edges, counted from the first edge of the row
}

// receiver receives the biases of a row: a reservoir, or a slice with an element per edge.
type receiver struct {
	reserve *selector.Reserve
	biases  []uint64
}

// newRowBatch returns an empty batch. It overwrites scratch.
func newRowBatch(r *programRun, hooks *hookCaller, scratch *columns) rowBatch {
	return rowBatch{run: r, hooks: hooks, columns: scratch}
}

// begin starts a batch for choices of the step of c.
func (b *rowBatch) begin(c *columns) {
	b.columns.useStepOf(c)
	b.parts, b.edges = b.parts[:0], 0
}

// add adds the row [first, end) of a transit, which is among the candidates of choice i of c. The receiver has all biases
// after the next flush.
func (b *rowBatch) add(c *columns, i int, from transit, first, end uint64, to receiver) {
	t := b.columns
	for edge := first; edge < end; {
		if b.edges == plan.HookedRows || len(b.parts) == t.capacity() {
			b.flush()
		}
		k := len(b.parts)
		count := int(min(end-edge, uint64(plan.HookedRows-b.edges))) // unsigned: a row of a changed file may have 2^63 edges
		t.take(k, c, i)
		t.transit[k], t.prev[k], t.reached[k], t.words[k] = from.vertex, from.prev, from.edge, c.words[i]
		t.edge[k], t.dst[k] = edge, uint32(count)
		b.parts = append(b.parts, rowPart{to: to, first: int(edge - first), count: count})
		b.edges += count
		edge += uint64(count)
	}
}

// flush calls the kernel for the collected parts and passes the biases to their receivers.
func (b *rowBatch) flush() {
	if b.edges == 0 {
		return
	}
	if len(b.biases) < b.edges {
		b.biases = make([]uint32, plan.HookedRows)
	}
	stage.PrefetchIndices(unsafe.SliceData(b.run.graph.Indices), b.columns.edge[:len(b.parts)])
	b.hooks.callKernel(b.run.compiled.RowBias, b.columns, len(b.parts), b.biases)
	rest := b.biases
	for _, p := range b.parts {
		if p.to.reserve != nil {
			p.to.reserve.AddAll(p.first, rest[:p.count])
		} else {
			widen(rest[:p.count], p.to.biases[p.first:])
		}
		rest = rest[p.count:]
	}
	b.parts, b.edges = b.parts[:0], 0
}
