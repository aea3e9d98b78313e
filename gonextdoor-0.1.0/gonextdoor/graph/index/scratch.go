package index

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

// ZeroedScratch is scratch memory for marking vertices: a 32-bit word and a bit per vertex, all zero.
type ZeroedScratch struct {
	Words []uint32
	Bits  []uint64 // vertex v is bit v%64 of word v/64
	all   []uint64 // the allocation that holds both
}

// scratchPool keeps returned scratch memory with the graph, so that short calls do not allocate.
type scratchPool struct {
	mu   sync.Mutex
	free []ZeroedScratch
}

var scratchKey = graph.NewKey((*scratchPool).close)

// scratchOf returns the pool of a graph.
func scratchOf(g *graph.Graph) *scratchPool {
	pool, _ := scratchKey.Get(g, func() (*scratchPool, error) { return new(scratchPool), nil })
	return pool
}

// LendScratch returns scratch memory of a graph for exclusive use until ReturnScratch.
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

// bitWords returns the number of words for n bits.
func bitWords(n int) int { return n/64 + 1 }

// ReturnScratch returns scratch memory to the graph. The caller must have zeroed it.
func ReturnScratch(g *graph.Graph, lent ZeroedScratch) {
	z := scratchOf(g)
	z.mu.Lock()
	defer z.mu.Unlock()
	z.free = append(z.free, lent)
}

// close frees the scratch memory in the pool. Memory that is lent at that time is never freed.
func (z *scratchPool) close() {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, lent := range z.free {
		offheap.Free(lent.all)
	}
	z.free = nil
}
