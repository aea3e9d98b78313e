package graph

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// tables are what engines derive from a graph, each made at its first use and kept as long as the graph.
type tables struct {
	packed     lazy[[]uint64]
	alias      lazy[[]AliasSlot]
	elsewhere  atomic.Int64 // plans in the making whose alias tables are a GPU's
	edges      lazy[EdgeSet]
	edgeWork   atomic.Int64 // announced to EdgeSet
	inverse    lazy[Inverse]
	symmetric  lazy[bool]
	real       realWeights
	top        lazy[int16]
	importance [2]lazy[Importance] // by Normalization
	columns    lazy[Cumulative]
	shares     lazy[Cumulative]
	zeros      zeros
	byDegree   lazy[*Graph]
	byLabel    lazy[LabelRows]
	labelWork  atomic.Int64 // announced to LabelRows
	inherited  bool         // packed, alias, edges and real may be another graph's: they are never given back
}

func (t *tables) free() {
	packed, alias, edges := t.packed.take(), t.alias.take(), t.edges.take()
	if !t.inherited {
		offheap.Free(packed)
		offheap.Free(alias)
		offheap.Free(edges.Slots)
	}
	t.real.free(t.inherited)
	t.inverse.take().free()
	for n := range t.importance {
		t.importance[n].take().free()
	}
	t.columns.take().free()
	t.shares.take().free()
	labelled := t.byLabel.take()
	labelled.free()
	t.zeros.close()
	if view := t.byDegree.take(); view != nil {
		view.Close()
	}
}

// lazy is a value that is made at its first use. One that could not be made is tried again: memory comes and goes.
type lazy[T any] struct {
	mu   sync.Mutex
	made atomic.Pointer[T]
}

func (l *lazy[T]) get(make func() (T, error)) (T, error) {
	if v := l.made.Load(); v != nil {
		return *v, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.made.Load(); v != nil {
		return *v, nil
	}
	v, err := make()
	if err == nil {
		l.made.Store(&v)
	}
	return v, err
}

// now gives the value, or the zero value if it was not made.
func (l *lazy[T]) now() (v T) {
	if p := l.made.Load(); p != nil {
		v = *p
	}
	return v
}

// set gives the value from elsewhere.
func (l *lazy[T]) set(v T) { l.made.Store(&v) }

// take gives the value and forgets it.
func (l *lazy[T]) take() T {
	v := l.now()
	l.made.Store(nil)
	return v
}

// Limits of the packed vertex records. A graph beyond one of them is sampled by way of Indptr.
const (
	PackedDegreeBits  = 24
	MaxPackedDegree   = 1<<PackedDegreeBits - 1
	MaxPackedEdges    = 1<<(64-PackedDegreeBits) - 1
	MaxPackedVertices = 1 << 31
)

// Packed is one 8-byte record for each vertex, position<<24 | degree, so that a step reads one cache line where Indptr
// may need two.
//
// A vertex without edges has the record of the sentinel: degree 1 at position NumEdges, where Indices holds None. None
// itself has that record too, before the first vertex's: engines index with the sign-extended vertex, so a walk that
// ended stays at None without a branch.
type Packed struct {
	Records []uint64 // NumVertices+1: the record of None, then the vertices'
}

// Base gives the address of vertex 0's record.
func (p Packed) Base() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.Records)), 8)
}

// Of gives the record of a vertex, or of None.
func (p Packed) Of(v uint32) uint64 { return p.Records[int(int32(v))+1] }

// CanPack says whether the graph is within the limits of Packed.
func (g *Graph) CanPack() bool {
	return g.maxDegree <= MaxPackedDegree && g.NumEdges() <= MaxPackedEdges && g.NumVertices() <= MaxPackedVertices
}

// Packed gives the packed vertex records of a graph that CanPack.
func (g *Graph) Packed() (Packed, error) {
	if g.base != nil {
		return g.base.Packed()
	}
	records, err := g.tables.packed.get(func() ([]uint64, error) {
		records, err := offheap.Make[uint64](g.NumVertices() + 1)
		if err != nil {
			return nil, err
		}
		sentinel := uint64(g.NumEdges())<<PackedDegreeBits | 1
		records[0] = sentinel
		err = parallel.For(nil, 0, g.NumVertices(), edgeChunk, func(lo, hi int) error {
			for v := lo; v < hi; v++ {
				records[v+1] = sentinel
				if d := g.Indptr[v+1] - g.Indptr[v]; d > 0 {
					records[v+1] = g.Indptr[v]<<PackedDegreeBits | d
				}
			}
			return nil
		})
		if err != nil {
			offheap.Free(records)
			return nil, err
		}
		return records, nil
	})
	return Packed{records}, err
}
