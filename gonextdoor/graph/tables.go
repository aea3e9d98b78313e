package graph

import (
	"sync"
	"sync/atomic"

	"gonextdoor/gonextdoor/offheap"
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
