package index

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

// Zeros are a word and a bit for each vertex, all zero, for who marks vertices.
type ZeroedScratch struct {
	Words []uint32
	Bits  []uint64 // bit v%64 of word v/64
	all   []uint64
}

// scratchPool are lent, and kept with the graph, so that a short call need not ask for memory.
type scratchPool struct {
	mu   sync.Mutex
	free []ZeroedScratch
}

var scratchKey = graph.NewKey((*scratchPool).close)

func scratchOf(g *graph.Graph) *scratchPool {
	pool, _ := scratchKey.Get(g, func() (*scratchPool, error) { return new(scratchPool), nil })
	return pool
}

// LendZeros gives some.
func LendScratch(g *graph.Graph) (ZeroedScratch, error) {
	z := scratchOf(g)
	z.mu.Lock()
	defer z.mu.Unlock()
	if n := len(z.free); n > 0 {
		lent := z.free[n-1]
		z.free = z.free[:n-1]
		return lent, nil
	}
	n := g.NumVertices()
	words := (n + 1) / 2
	all, err := offheap.Make[uint64](words + bitWords(n))
	if err != nil {
		return ZeroedScratch{}, err
	}
	return ZeroedScratch{unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(all))), n), all[words:], all}, nil
}

// bitWords is how many words hold a bit for each of n vertices.
func bitWords(n int) int { return n/64 + 1 }

// ReturnZeros takes them back, when they are all zero again.
func ReturnScratch(g *graph.Graph, lent ZeroedScratch) {
	z := scratchOf(g)
	z.mu.Lock()
	defer z.mu.Unlock()
	z.free = append(z.free, lent)
}

func (z *scratchPool) close() {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, lent := range z.free {
		offheap.Free(lent.all)
	}
	z.free = nil
}
