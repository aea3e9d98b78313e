package index

import (
	"gonextdoor/gonextdoor/graph"
)

// Table describes one kind of table that is derived from a graph and cached with it. Plans list the tables that they read,
// engines build what a plan lists, and an explanation of a plan prints the same list. Tables are the package-level variables
// below; they do not change.
type Table struct {
	// Name describes the table to users, in a few words.
	Name string
	// Bytes returns the memory of the table of g. It reads no edges, so it is an estimate for tables whose size depends on the
	// content of the graph: an edge set may be two or four times larger, and rows by label are assumed to have few labels.
	Bytes func(g *graph.Graph) int64
	// Built reports whether the table of g exists.
	Built func(g *graph.Graph) bool
	// Build builds the table of g unless it exists. It is nil for tables that are built once announced work pays for them: see
	// EdgeSetOf, LabelRowsOf and LabelWeightsOf.
	Build func(g *graph.Graph, opts graph.Options) error
}

// Tables of the edges of a graph, most of which serve walks.
var (
	AliasTable = &Table{
		Name: "alias tables", Bytes: func(g *graph.Graph) int64 { return aliasSlotBytes * (edges(g) + 1) },
		Built: func(g *graph.Graph) bool { return g.Alias != nil || aliasKey.Has(g) }, Build: BuildAlias,
	}
	PackedTable = &Table{
		Name:  "packed vertex records",
		Bytes: func(g *graph.Graph) int64 { return 8 * (vertices(g) + 1) },
		Built: func(g *graph.Graph) bool { return packedKey.Has(g.Base()) },
		Build: func(g *graph.Graph, _ graph.Options) error { _, err := PackedOf(g); return err },
	}
	DegreeBiasTable = &Table{
		Name:  "biases by degree",
		Bytes: func(g *graph.Graph) int64 { return 4*edges(g) + 2*vertices(g) },
		Built: func(g *graph.Graph) bool { return byDegreeKey.Has(g.Base()) },
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := ByDegree(g, opts); return err },
	}
	DegreeAliasTable = &Table{
		Name: "alias tables of degrees", Bytes: AliasTable.Bytes,
		Built: func(g *graph.Graph) bool {
			view := byDegreeKey.Now(g.Base())
			return view != nil && aliasKey.Has(view)
		},
		Build: func(g *graph.Graph, opts graph.Options) error {
			view, err := ByDegree(g, opts)
			if err != nil {
				return err
			}
			return BuildAlias(view, opts)
		},
	}
	EdgeSetTable = &Table{
		Name: "edge set", Bytes: edgeSetBytes, Built: func(g *graph.Graph) bool { return edgeSetKey.Has(g.Base()) },
	}
	ReachTable = &Table{
		Name: "largest share of a neighbour", Bytes: func(g *graph.Graph) int64 { return reachBytes * vertices(g) }, Built: reachKeys[1].Has,
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := ReachOf(g, true, opts); return err },
	}
	ParallelEdgesTable = &Table{
		Name: "largest number of parallel edges", Bytes: parallelEdgesBytes,
		Built: func(g *graph.Graph) bool { return reachKeys[0].Has(g.Base()) },
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := ReachOf(g, false, opts); return err },
	}
	LabelRowsTable = &Table{
		Name:  "rows ordered by label",
		Bytes: func(g *graph.Graph) int64 { return 8*edges(g) + 8*(vertices(g)+1) },
		Built: func(g *graph.Graph) bool { return labelRowsKey.Has(g.Base()) },
	}
	LabelWeightsTable = &Table{
		Name: "weights ordered by label", Bytes: func(g *graph.Graph) int64 { return 4*edges(g) + SegmentsTable.Bytes(g) }, Built: labelWeightsKey.Has,
	}
)

// Tables of the weights of a graph, which users' hooks and Layer read.
var (
	RealWeightsTable = &Table{
		Name: "weights as 64-bit numbers", Bytes: func(g *graph.Graph) int64 { return 8 * edges(g) }, Built: realWeightsKey.Has,
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := RealWeights(g, opts); return err },
	}
	LargestWeightsTable = &Table{
		Name: "largest weight of each row", Bytes: func(g *graph.Graph) int64 { return 8 * vertices(g) }, Built: largestWeightsKey.Has,
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := LargestWeights(g, opts); return err },
	}
	PrefixWeightsTable = &Table{
		Name: "prefix sums of weights", Bytes: func(g *graph.Graph) int64 { return 8 * edges(g) }, Built: prefixWeightsKey.Has,
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := PrefixWeights(g, opts); return err },
	}
	SegmentsTable = &Table{
		Name: "sums of segments", Bytes: func(g *graph.Graph) int64 { return 8*vertices(g) + 8*int64(segmentsOf(g.NumEdges())) }, Built: segmentsKey.Has,
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := SegmentsOf(g, opts); return err },
	}
	MaxScaleTable = &Table{
		Name: "scale of the largest weight", Bytes: func(*graph.Graph) int64 { return 2 }, Built: maxScaleKey.Has,
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := MaxScale(g, opts); return err },
	}
)

// Tables that vertices or edges of the whole graph are drawn from.
var (
	ColumnNormsTable = &Table{
		Name: "norms of columns", Bytes: func(g *graph.Graph) int64 { return cumulativeBytes(vertices(g)) }, Built: columnNormsKey.Has,
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := ColumnNorms(g, opts); return err },
	}
	EdgeSharesTable = &Table{
		Name: "shares of edges", Bytes: func(g *graph.Graph) int64 { return cumulativeBytes(edges(g)) }, Built: edgeSharesKey.Has,
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := EdgeShares(g, opts); return err },
	}
	importanceTables = [...]*Table{SymmetricNorm: importanceTable(SymmetricNorm), RowNorm: importanceTable(RowNorm)}
)

// AllTables returns all tables that plans can list.
func AllTables() []*Table {
	return append([]*Table{
		AliasTable, PackedTable, DegreeBiasTable, DegreeAliasTable, EdgeSetTable, ReachTable,
		ParallelEdgesTable, LabelRowsTable, LabelWeightsTable, RealWeightsTable,
		LargestWeightsTable, PrefixWeightsTable, SegmentsTable, MaxScaleTable, ColumnNormsTable, EdgeSharesTable, TemporalTable(TemporalOrder{Strict: true}),
		DecayRecordsTable(TemporalOrder{Strict: true, Scale: 1}),
	}, importanceTables[:]...)
}

// ImportanceTable returns the table of ImportanceOf.
func ImportanceTable(n Normalization) *Table { return importanceTables[n] }

// importanceTable describes the table of ImportanceOf.
func importanceTable(n Normalization) *Table {
	return &Table{
		Name:  "importance of vertices",
		Bytes: func(g *graph.Graph) int64 { return (4 + aliasSlotBytes) * vertices(g) },
		Built: func(g *graph.Graph) bool { return importanceKeys[n].Has(g) },
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := ImportanceOf(g, n, opts); return err },
	}
}

const (
	aliasSlotBytes = 16
	reachBytes     = 16
)

func edges(g *graph.Graph) int64    { return int64(g.NumEdges()) }
func vertices(g *graph.Graph) int64 { return int64(g.NumVertices()) }

// cumulativeBytes returns the size of a Cumulative of n biases: the sums, and a guide with up to two entries per perGuide sums.
func cumulativeBytes(n int64) int64 { return 8*(n+1) + 8*2*(n/perGuide+1) }

// parallelEdgesBytes returns the size of the table of parallel edges if it exists, and otherwise that for a graph that has some.
// For a graph without parallel edges the table is empty.
func parallelEdgesBytes(g *graph.Graph) int64 {
	if reachKeys[0].Has(g.Base()) {
		return reachBytes * int64(len(reachKeys[0].Now(g.Base())))
	}
	return reachBytes * vertices(g)
}

// edgeSetBytes returns the size of the edge set if it exists, and otherwise the least size for a graph that is not symmetric.
func edgeSetBytes(g *graph.Graph) int64 {
	if edgeSetKey.Has(g.Base()) {
		return 4 * int64(len(edgeSetKey.Now(g.Base()).Slots))
	}
	buckets, least := edgeSetBuckets(g.NumVertices(), g.NumEdges())
	if buckets > least+2 { // too many vertices for so few edges: no set
		return 0
	}
	return 4 * BucketSlots << buckets
}
