package resident

import (
	"fmt"
	"unsafe"
	"weak"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
)

// Table is the key of arrays that an app, rather than a graph, determines: lists of clusters, or the biases of a method. They
// are stored with a graph, like its layouts.
//
// A table belongs to the Go object that its arrays are derived from, and the key does not keep this object alive. Once it has
// been garbage-collected, no call can ask for the table again. The next table that is uploaded frees its memory.
type Table struct {
	owner owner
	name  string
}

// TableOf returns the key of the table of an object that does not change, such as an index.Table or the lists of an app. name
// describes the table in error messages, and separates several tables of one object.
func TableOf[T any](object *T, name string) Table { return Table{pointer[T]{weak.Make(object)}, name} }

// String returns the name.
func (t Table) String() string { return t.name }

// owner is a weak pointer to an object of any type.
type owner interface{ gone() bool }

type pointer[T any] struct{ weak.Pointer[T] }

// gone reports whether the object has been garbage-collected.
func (p pointer[T]) gone() bool { return p.Value() == nil }

// HostArray is an array in host memory.
type HostArray struct {
	from  unsafe.Pointer
	bytes int64
}

// ArrayOf returns the array of a slice.
func ArrayOf[T any](values []T) HostArray {
	var one T
	return HostArray{address(values), int64(len(values)) * int64(unsafe.Sizeof(one))}
}

// HoldTable uploads the arrays of a table, unless they are in GPU memory, and returns their addresses. The arrays of one key
// must always have the same content. Work submitted to s after the call may read them.
//
// The memory counts towards the budget, and is freed like a layout: not before release is called, when other graphs need it,
// by Drop, or when the graph is closed. See Hold for release, errors and locks.
func (r *Resident) HoldTable(t Table, s cuda.Stream, options graph.Options, arrays ...HostArray) (at []uint64, release func(), err error) {
	h := &hold{store: r.store}
	// 1. Usually the table exists.
	found, err := r.joinTable(t, s, h)
	if err != nil || found {
		return addressesOf(h), h.end, err
	}
	if err := CheckBudget(); err != nil {
		return nil, nil, err
	}
	// 2. Upload it, one thread at a time.
	_, unlock, err := r.lockBuilding(true, options)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	if found, err = r.joinTable(t, s, h); err != nil || found {
		return addressesOf(h), h.end, err
	}
	if err := r.store.dropGone(); err != nil {
		return nil, nil, err
	}
	b := &builder{r: r, graph: r.graph, device: r.store.device, stream: s, options: options, part: &part{stream: s}, holding: h}
	if err := b.build(t, tableRecipe(arrays)); err != nil {
		return nil, nil, err
	}
	r.insert(t, b.part, h)
	return addressesOf(h), h.end, nil
}

// DropTable frees the arrays of a table, unless a call is using them. It waits for the GPU if they are in its memory.
func (r *Resident) DropTable(t Table) error {
	return r.store.drop(false, func(other *Resident, id fmt.Stringer) bool { return other == r && id == t })
}

// tableRecipe returns the recipe of arrays that are copied from the host.
func tableRecipe(arrays []HostArray) recipe {
	return recipe{
		arrays: func(*builder) ([]array, error) {
			sizes := make([]array, len(arrays))
			for i, a := range arrays {
				sizes[i].bytes = a.bytes
			}
			return sizes, nil
		},
		fill: func(b *builder, at []uintptr) error {
			copies := make([]hostArray, len(arrays))
			for i, a := range arrays {
				copies[i] = hostArray{at[i], a.from, a.bytes}
			}
			return b.upload(copies...)
		},
	}
}

// joinTable adds a table to h, and lets the stream s wait until it has been uploaded. It returns false if it does not exist.
func (r *Resident) joinTable(t Table, s cuda.Stream, h *hold) (found bool, err error) {
	st := r.store
	st.lock.Lock()
	defer st.lock.Unlock()
	p := r.parts[t]
	if p == nil {
		return false, nil
	}
	st.clock++
	return true, h.add(t, p, s)
}

// addressesOf returns the addresses of the arrays of a hold with one part; none if it has no part.
func addressesOf(h *hold) (at []uint64) {
	for _, p := range h.parts {
		for _, m := range p.memory {
			at = append(at, uint64(m.Address))
		}
	}
	return at
}

// dropGone frees the tables whose objects have been garbage-collected.
func (s *store) dropGone() error {
	return s.drop(false, func(_ *Resident, id fmt.Stringer) bool {
		t, ok := id.(Table)
		return ok && t.owner.gone()
	})
}
