package graph

import (
	"sync"
	"sync/atomic"
)

// Key identifies one kind of index, a table that is derived from a graph, and caches it with each graph. A package that
// derives tables declares one Key per kind as a package-level variable.
//
// A table is built at its first use, by one goroutine while others wait, and is kept until Graph.Close. Reading a table
// that exists costs one atomic load. All methods may be called from several goroutines.
type Key[T any] struct {
	slot int
	free func(T)
}

// maxKeys is the number of kinds of tables that a graph can cache.
const maxKeys = 48

// keys is the number of keys that exist.
var keys atomic.Int32

// NewKey returns a new key. Close passes each table that was built to free, if free is not nil. NewKey panics if there
// are more than maxKeys keys; it is meant for package-level variables, so that this shows as soon as a program starts.
func NewKey[T any](free func(T)) Key[T] {
	slot := int(keys.Add(1)) - 1
	if slot >= maxKeys {
		panic("graph: more kinds of tables than maxKeys")
	}
	return Key[T]{slot, free}
}

// Get returns the table of g, building it first if it does not exist. If build fails, nothing is cached and the next Get
// tries again.
func (k Key[T]) Get(g *Graph, build func() (T, error)) (T, error) {
	if t := g.cache[k.slot].made.Load(); t != nil {
		return t.value.(T), nil
	}
	t, err := g.cache[k.slot].get(func() (table, error) {
		v, err := build()
		t := table{value: v}
		if k.free != nil {
			t.free = func() { k.free(v) }
		}
		return t, err
	})
	if err != nil {
		var none T
		return none, err
	}
	return t.value.(T), nil
}

// Now returns the table of g, or the zero value if it does not exist.
func (k Key[T]) Now(g *Graph) (v T) {
	if t := g.cache[k.slot].made.Load(); t != nil {
		v = t.value.(T)
	}
	return v
}

// Has reports whether the table of g exists.
func (k Key[T]) Has(g *Graph) bool { return g.cache[k.slot].made.Load() != nil }

// Import caches a table that was built elsewhere. The caller keeps its memory: Close does not free it.
func (k Key[T]) Import(g *Graph, v T) { g.cache[k.slot].made.Store(&table{value: v}) }

// table is a cached table. free releases its memory, and is nil if the graph does not own it.
type table struct {
	value any
	free  func()
}

// cache holds the tables that are derived from a graph, by the slot of their key.
type cache [maxKeys]lazy[table]

// clear frees all tables, those of later keys first: they may refer to tables of earlier ones. They can be built again.
func (c *cache) clear() {
	for i := len(c) - 1; i >= 0; i-- {
		if t := c[i].made.Swap(nil); t != nil && t.free != nil {
			t.free()
		}
	}
}

// lazy is a value that is computed at its first use. An error is not cached: the next use tries again, since memory may have
// become available.
type lazy[T any] struct {
	mu   sync.Mutex
	made atomic.Pointer[T] // nil: not computed
}

// get returns the value, computing it with f if necessary.
func (l *lazy[T]) get(f func() (T, error)) (T, error) {
	if v := l.made.Load(); v != nil {
		return *v, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.made.Load(); v != nil {
		return *v, nil
	}
	v, err := f()
	if err == nil {
		l.made.Store(&v)
	}
	return v, err
}
