package index

import (
	"math"
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var aliasKey = graph.NewKey(offheap.Free[AliasSlot])

// BuildAlias builds the alias tables of a weighted graph, unless they exist. It is
//
//	for each row { BuildAliasRow(neighbors, biases, slots) }
//
// on several threads and without an allocation per row. The tables take 16 bytes per edge. Those in the folder of a mapped graph
// are used where they are, so that all processes share them; the graph must have been validated.
func BuildAlias(g *graph.Graph, opts graph.Options) error {
	if g.Alias != nil && !aliasKey.Has(g) {
		slots := unsafe.Slice((*AliasSlot)(unsafe.Pointer(unsafe.SliceData(g.Alias))), g.NumEdges()+1)
		aliasKey.Import(g, slots[:g.NumEdges()])
	}
	_, err := aliasKey.Get(g, func() ([]AliasSlot, error) { return makeAlias(g, nil, opts) })
	return err
}

// UpdateAlias is BuildAlias for a version of a graph, from, whose tables it copies for the rows that did not change. It does nothing
// unless from has alias tables.
func UpdateAlias(g, from *graph.Graph, opts graph.Options) error {
	if !aliasKey.Has(from) {
		return nil
	}
	_, err := aliasKey.Get(g, func() ([]AliasSlot, error) { return makeAlias(g, from, opts) })
	return err
}

// makeAlias builds the alias tables of all rows, or copies those of rows that are equal in from, a graph with alias tables of
// which g is a version. from may be nil.
func makeAlias(g, from *graph.Graph, opts graph.Options) ([]AliasSlot, error) {
	slots, err := offheap.MakeSlack[AliasSlot](g.NumEdges(), 1)
	if err != nil {
		return nil, err
	}
	end := AliasSlot{NoSlot[0], NoSlot[1], NoSlot[2], NoSlot[3]}
	slots[:g.NumEdges()+1][g.NumEdges()] = end
	builders := make([]aliasBuilder, parallel.Workers(opts.Threads, g.NumVertices(), graph.VertexChunk))
	err = parallel.ForWorker(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(worker, lo, hi int) error {
		b := &builders[worker]
		kept := lo // the first of the rows before u that are to be copied
		for u := lo; u < hi; u++ {
			if from != nil && g.Changed[u/64]>>(u%64)&1 == 0 {
				continue
			}
			copyAlias(g, from, slots, kept, u)
			kept = u + 1
			first, end := g.Row(uint32(u))
			b.build(g.Indices[first:end], g.Biases[first:end], slots[first:end])
		}
		copyAlias(g, from, slots, kept, hi)
		return nil
	})
	if err != nil {
		offheap.Free(slots)
		return nil, err
	}
	return slots, nil
}

// AliasRows writes the tables of some rows to slots, one after the other. It copies those of BuildAlias if they exist.
func AliasRows(g *graph.Graph, rows []uint32, slots []AliasSlot, opts graph.Options) error {
	begins, at := make([]uint64, len(rows)), uint64(0)
	for i, u := range rows {
		begins[i] = at
		at += uint64(g.Degree(u))
	}
	tables := AliasOf(g)
	builders := make([]aliasBuilder, parallel.Workers(opts.Threads, len(rows), 1))
	return parallel.ForWorker(opts.Job, opts.Threads, len(rows), 1, func(worker, lo, _ int) error {
		first, end := g.Row(rows[lo])
		to := slots[begins[lo] : begins[lo]+end-first]
		if tables != nil {
			copy(to, tables[first:end])
			return nil
		}
		builders[worker].build(g.Indices[first:end], g.Biases[first:end], to)
		return nil
	})
}

// NoSlot are the words of the sentinel slot after the last edge, which selects None.
var NoSlot = [graph.AliasWords]uint32{graph.None, graph.None, math.MaxUint32, 0}

// copyAlias copies the tables of rows [lo, hi), which are equal in from, to slots.
func copyAlias(g, from *graph.Graph, slots []AliasSlot, lo, hi int) {
	if first, end := g.Indptr[lo], g.Indptr[max(lo, hi)]; first < end {
		copy(slots[first:end], AliasOf(from)[from.Indptr[lo]:])
	}
}

// aliasBuilder builds the alias tables of rows, one after the other, and reuses its arrays.
type aliasBuilder struct {
	share        []uint64
	small, large []uint32 // queues of slots; a slot enters each at most once
}

// build is BuildAliasRow. A branch on the queue that a slot enters would be unpredictable, so the slot is written to both
// queues and counted in one.
func (b *aliasBuilder) build(neighbors, biases []uint32, slots []AliasSlot) {
	// 1. The sum of the biases.
	n := len(biases)
	var total uint64
	for _, bias := range biases {
		total += uint64(bias)
	}
	if total == 0 {
		for i := range slots {
			slots[i] = always(graph.None, i)
		}
		return
	}
	if n > len(b.share) {
		size := n + n/4 + 64
		b.share, b.small, b.large = make([]uint64, size), make([]uint32, size+1), make([]uint32, size+1)
	}
	// 2. The share of each slot, in the queue of slots that are less than full or of the others.
	share, small, large := b.share[:n], b.small[:n+1], b.large[:n+1]
	smalls, larges := 0, 0
	for i, bias := range biases {
		s := uint64(bias) * uint64(n)
		share[i] = s
		_, below := bits.Sub64(s, total, 0)
		small[smalls], large[larges] = uint32(i), uint32(i)
		smalls += int(below)
		larges += 1 - int(below)
	}
	// 3. Fill each slot that is less than full from the first of the others.
	head, top := 0, 0
	for head < smalls && top < larges {
		s, l := small[head], large[top]
		head++
		threshold, _ := bits.Div64(share[s]>>32, share[s]<<32, total)
		slots[s] = AliasSlot{neighbors[s], neighbors[l], uint32(threshold), l}
		left := share[l] - (total - share[s])
		share[l] = left
		_, below := bits.Sub64(left, total, 0)
		small[smalls] = l
		smalls += int(below)
		top += int(below)
	}
	// 4. The remaining slots are exactly full.
	for _, i := range small[head:smalls] {
		slots[i] = always(neighbors[i], int(i))
	}
	for _, i := range large[top:larges] {
		slots[i] = always(neighbors[i], int(i))
	}
}

// AliasOf returns the slots of all edges by position, or nil before BuildAlias. A sentinel slot, which selects None, is stored
// after the last.
func AliasOf(g *graph.Graph) []AliasSlot { return aliasKey.Now(g) }

// AliasWords builds the alias tables of a graph and returns them for its folder: graph.AliasWords per edge, and those of the
// sentinel slot. They are valid until Close of the graph.
func AliasWords(g *graph.Graph, opts graph.Options) ([]uint32, error) {
	if err := BuildAlias(g, opts); err != nil {
		return nil, err
	}
	slots := AliasOf(g)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(slots))), graph.AliasWords*(len(slots)+1)), nil
}

// AliasRow returns the slots of row u after BuildAlias, or none if no edge of u has a bias.
func AliasRow(g *graph.Graph, u uint32) []AliasSlot {
	row := AliasOf(g)[g.Indptr[u]:g.Indptr[u+1]]
	if len(row) > 0 && row[0].Vertex == graph.None {
		return nil
	}
	return row
}
