package graph

import "unsafe"

// Derived says where the tables lie that a graph has made so far. A forked child inherits the memory, another process
// maps a copy; what Inherit takes over is neither made again nor held twice.
type Derived struct {
	Packed, Alias, Edges NamedArray // nameless: not made
	Bits, Shift          uint       // EdgeSet's
	Mirrored             bool       // EdgeSet's

	Weights, Largest, Prefix NamedArray // what users' hooks read

	Mapped bool // the tables are a mapping's, which is the caller's to end: what is made later is given back
}

// Derived gives the tables by address. They live until Close.
func (g *Graph) Derived() Derived {
	edges, real := g.tables.edges.now(), &g.tables.real
	return Derived{
		Packed: located("packed", g.tables.packed.now()),
		Alias:  located("alias", g.tables.alias.now()),
		Edges:  located("edges", edges.Slots),
		Bits:   edges.Bits, Shift: edges.Shift, Mirrored: edges.Mirrored,
		Weights: located("weights", real.weights.now()),
		Largest: located("largest", real.largest.now()),
		Prefix:  located("prefix", real.prefix.now()),
	}
}

// Inherit takes over what another graph of the same arrays derived. Close gives back neither that nor, unless it is
// Mapped, what is made later: forked processes end with their graphs.
func (g *Graph) Inherit(d Derived) {
	g.tables.inherited = !d.Mapped
	if d.Packed.Name != "" {
		g.tables.packed.set(taken[uint64](d.Packed))
	}
	if d.Alias.Name != "" {
		g.tables.alias.set(taken[AliasSlot](d.Alias))
	}
	if d.Edges.Name != "" {
		g.tables.edges.set(EdgeSet{Slots: taken[uint32](d.Edges), Bits: d.Bits, Shift: d.Shift, Mirrored: d.Mirrored})
		g.tables.symmetric.set(d.Mirrored)
	}
	real := &g.tables.real
	for _, t := range []struct {
		from NamedArray
		to   *lazy[[]float64]
	}{{d.Weights, &real.weights}, {d.Largest, &real.largest}, {d.Prefix, &real.prefix}} {
		if t.from.Name != "" {
			t.to.set(taken[float64](t.from))
		}
	}
}

func located[T any](name string, s []T) NamedArray {
	if s == nil {
		return NamedArray{}
	}
	var z T
	return NamedArray{
		Name: name, Address: uintptr(unsafe.Pointer(unsafe.SliceData(s))), Length: len(s),
		Bytes: cap(s) * int(unsafe.Sizeof(z)), // alias tables have a slot behind the last
	}
}

func taken[T any](a NamedArray) []T {
	var z T
	return unsafe.Slice((*T)(pointer(a.Address)), max(a.Length, a.Bytes/int(unsafe.Sizeof(z))))[:a.Length]
}
