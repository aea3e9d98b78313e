package index

import (
	"gonextdoor/gonextdoor/graph"
)

// Derived says where the tables lie that a graph has made so far. A forked child inherits the memory, another process
// maps a copy; what Inherit takes over is neither made again nor held twice.
type Tables struct {
	Packed, Alias, Edges graph.NamedArray // nameless: not made
	Bits, Shift          uint             // EdgeSet's
	Mirrored             bool             // EdgeSet's

	Weights, Largest, Prefix graph.NamedArray // what users' hooks read

	Mapped bool // the tables are a mapping's, which is the caller's to end: what is made later is given back
}

// Derived gives the tables by address. They live until Close.
func ExportTables(g *graph.Graph) Tables {
	edges := edgeSetKey.Now(g)
	return Tables{
		Packed: graph.Locate("packed", packedKey.Now(g)),
		Alias:  graph.Locate("alias", aliasKey.Now(g)),
		Edges:  graph.Locate("edges", edges.Slots),
		Bits:   edges.Bits, Shift: edges.Shift, Mirrored: edges.Mirrored,
		Weights: graph.Locate("weights", realWeightsKey.Now(g)),
		Largest: graph.Locate("largest", largestWeightsKey.Now(g)),
		Prefix:  graph.Locate("prefix", prefixWeightsKey.Now(g)),
	}
}

// Inherit takes over what another graph of the same arrays derived. Close gives back neither that nor, unless it is
// Mapped, what is made later: forked processes end with their graphs.
func ImportTables(g *graph.Graph, d Tables) {
	if d.Packed.Name != "" {
		packedKey.Import(g, graph.Located[uint64](d.Packed))
	}
	if d.Alias.Name != "" {
		aliasKey.Import(g, graph.Located[AliasSlot](d.Alias))
	}
	if d.Edges.Name != "" {
		edgeSetKey.Import(g, EdgeSet{Slots: graph.Located[uint32](d.Edges), Bits: d.Bits, Shift: d.Shift, Mirrored: d.Mirrored})
		symmetricKey.Import(g, d.Mirrored)
	}
	for _, t := range []struct {
		from graph.NamedArray
		to   graph.Key[[]float64]
	}{{d.Weights, realWeightsKey}, {d.Largest, largestWeightsKey}, {d.Prefix, prefixWeightsKey}} {
		if t.from.Name != "" {
			t.to.Import(g, graph.Located[float64](t.from))
		}
	}
}
