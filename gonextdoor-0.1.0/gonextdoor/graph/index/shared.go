package index

import (
	"gonextdoor/gonextdoor/graph"
)

// Tables holds the addresses of the tables of a graph, for a process that shares their memory: a forked child, or one that
// maps a copy.
type Tables struct {
	Packed, Alias, Edges graph.NamedArray // without a name: not built
	Bits, Shift          uint             // EdgeSet's
	Mirrored             bool             // EdgeSet's

	Weights, Largest, Prefix graph.NamedArray // tables for users' hooks
}

// ExportTables returns the tables that exist, by address. They are valid until Close of the graph.
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

// ImportTables makes g use the tables of another graph with the same arrays. They are not built again, and Close does not
// free them; it does free tables that are built later.
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
