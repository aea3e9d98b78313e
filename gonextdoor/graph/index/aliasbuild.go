package index

import (
	"math/bits"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var (
	aliasKey = graph.NewKey(offheap.Free[AliasSlot])
	modeKey  = graph.NewKey[*atomic.Int64](nil)
)

// MakeAlias makes sure that a weighted graph has its alias tables. It is
//
//	for each row { BuildAlias(neighbors, biases, slots) }
//
// on all threads, without allocating for each row.
func MakeAlias(g *graph.Graph) error {
	if modeKey.Now(g) != nil && modeKey.Now(g).Load() > 0 {
		return nil
	}
	return BuildAlias(g, graph.Options{})
}

// WithoutAlias calls f, during which MakeAlias makes nothing: what is planned for a GPU has its tables made on the card.
// Others who plan at the same time call MakeAliasBy.
func WithoutAlias(g *graph.Graph, f func() error) error {
	mode, _ := modeKey.Get(g, func() (*atomic.Int64, error) { return new(atomic.Int64), nil })
	mode.Add(1)
	defer mode.Add(-1)
	return f()
}

// MakeAliasBy is MakeAlias by some hands.
func BuildAlias(g *graph.Graph, hands graph.Options) error {
	_, err := aliasKey.Get(g, func() ([]AliasSlot, error) { return makeAlias(g, hands) })
	return err
}

func makeAlias(g *graph.Graph, hands graph.Options) ([]AliasSlot, error) {
	slots, err := offheap.MakeSlack[AliasSlot](g.NumEdges(), 1)
	if err != nil {
		return nil, err
	}
	slots[:g.NumEdges()+1][g.NumEdges()] = always(graph.None, 0)
	builders := make([]aliasBuilder, parallel.Workers(hands.Threads, g.NumVertices(), graph.VertexChunk))
	err = parallel.ForWorker(hands.Job, hands.Threads, g.NumVertices(), graph.VertexChunk, func(worker, lo, hi int) error {
		b := &builders[worker]
		for u := lo; u < hi; u++ {
			first, end := g.Row(uint32(u))
			b.build(g.Indices[first:end], g.Biases[first:end], slots[first:end])
		}
		return nil
	})
	if err != nil {
		offheap.Free(slots)
		return nil, err
	}
	return slots, nil
}

// aliasBuilder builds the alias tables of one row after the other in arrays that it keeps.
type aliasBuilder struct {
	share        []uint64
	small, large []uint32 // queues: no slot enters one twice
}

// build is BuildAlias. Which queue a slot enters cannot be foreseen, so it is written to both and counted in one.
func (b *aliasBuilder) build(neighbors, biases []uint32, slots []AliasSlot) {
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
		room := n + n/4 + 64
		b.share, b.small, b.large = make([]uint64, room), make([]uint32, room+1), make([]uint32, room+1)
	}
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
	for _, i := range small[head:smalls] {
		slots[i] = always(neighbors[i], int(i))
	}
	for _, i := range large[top:larges] {
		slots[i] = always(neighbors[i], int(i))
	}
}

// AliasTable gives the slots of all edges after MakeAlias, by position; one more lies behind the last, always None.
func AliasOf(g *graph.Graph) []AliasSlot { return aliasKey.Now(g) }

// AliasRow gives u's slots after MakeAlias: empty if no edge of u has a bias.
func AliasRow(g *graph.Graph, u uint32) []AliasSlot {
	row := AliasOf(g)[g.Indptr[u]:g.Indptr[u+1]]
	if len(row) > 0 && row[0].Vertex == graph.None {
		return nil
	}
	return row
}
