package graph

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
	edges := edgeSetKey.Now(g)
	return Derived{
		Packed: located("packed", packedKey.Now(g)),
		Alias:  located("alias", aliasKey.Now(g)),
		Edges:  located("edges", edges.Slots),
		Bits:   edges.Bits, Shift: edges.Shift, Mirrored: edges.Mirrored,
		Weights: located("weights", realWeightsKey.Now(g)),
		Largest: located("largest", largestWeightsKey.Now(g)),
		Prefix:  located("prefix", prefixWeightsKey.Now(g)),
	}
}

// Inherit takes over what another graph of the same arrays derived. Close gives back neither that nor, unless it is
// Mapped, what is made later: forked processes end with their graphs.
func (g *Graph) Inherit(d Derived) {
	if d.Packed.Name != "" {
		packedKey.Import(g, taken[uint64](d.Packed))
	}
	if d.Alias.Name != "" {
		aliasKey.Import(g, taken[AliasSlot](d.Alias))
	}
	if d.Edges.Name != "" {
		edgeSetKey.Import(g, EdgeSet{Slots: taken[uint32](d.Edges), Bits: d.Bits, Shift: d.Shift, Mirrored: d.Mirrored})
		symmetricKey.Import(g, d.Mirrored)
	}
	for _, t := range []struct {
		from NamedArray
		to   Key[[]float64]
	}{{d.Weights, realWeightsKey}, {d.Largest, largestWeightsKey}, {d.Prefix, prefixWeightsKey}} {
		if t.from.Name != "" {
			t.to.Import(g, taken[float64](t.from))
		}
	}
}
