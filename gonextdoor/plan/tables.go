package plan

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// Need is a table of the graph that a plan reads on the CPU.
type Need struct {
	Table *index.Table
	// Work is the work per sample that is announced to the table. The table is built as soon as the announced work pays for
	// it. If it is 0, the table is built before the first sample.
	Work int
}

// Seconds returns the expected time to build the table of g, in seconds.
func (n Need) Seconds(g *graph.Graph, threads int) float64 {
	seconds := TableByte * float64(n.Table.Bytes(g))
	if n.Table != index.PackedTable { // the packed table is built from Indptr alone
		seconds += TableEdge * float64(g.NumEdges())
	}
	return seconds / float64(max(1, threads))
}

// needs returns the tables that the plan of an app reads. a is the app before it was bound.
func needs(p Plan, a app.App, g *graph.Graph, rootWidth int) []Need {
	tables := make([]Need, 0, 4)
	for _, t := range app.TablesOf(a, g) {
		tables = append(tables, Need{Table: t})
	}
	if p.Packed && readsPacked(p) {
		tables = append(tables, Need{Table: index.PackedTable})
	}
	steps := max(0, p.Width-rootWidth)
	if p.Driver == app.DriverHooked { // samples may differ in length
		steps = max(1, steps)
	}
	switch r, ok := p.App.(app.EdgeSetReader); {
	case steps == 0:
	case p.Driver == app.DriverLabelled:
		tables = append(tables, Need{index.LabelRowsTable, steps * LabelRowsPay})
		if p.App.(app.LabelPath).Weights() == app.Computed {
			tables = append(tables, Need{index.LabelWeightsTable, steps * LabelRowsPay})
		}
	case ok && r.ReadsEdgeSet():
		tables = append(tables, Need{index.EdgeSetTable, steps * SetPays})
	}
	return tables
}

// readsPacked reports whether the driver of a plan reads the packed records. Step programs, unless their steps are uniform
// choices, and serial definitions read Indptr.
func readsPacked(p Plan) bool {
	switch p.Driver {
	case app.DriverHooked:
		_, uniform := p.UniformTry()
		return uniform
	case app.DriverTemporal:
		return false
	case app.DriverTree:
		return !p.Layered
	}
	return true
}

// BuildTables builds the tables that a CPU engine reads before the first sample, unless they exist. Engines of other devices
// build tables on their device. g is the graph of the plan.
func (p Plan) BuildTables(g *graph.Graph, o graph.Options) error {
	return build(p.Tables, g.Base(), o)
}

// build builds those of the tables that must exist before the first sample.
func build(tables []Need, g *graph.Graph, o graph.Options) error {
	for _, need := range tables {
		if need.Work > 0 || need.Table.Build == nil {
			continue
		}
		if err := need.Table.Build(g, o); err != nil {
			return err
		}
	}
	return nil
}

// Prepare builds the tables of g that an app reads in every call on the CPU, before the app can be bound.
func Prepare(a app.App, g *graph.Graph, o graph.Options) error {
	for _, t := range app.TablesOf(a, g) {
		if err := t.Build(g, o); err != nil {
			return err
		}
	}
	return nil
}

// LacksView reports whether the app samples from a view that has not been built, so that Graph is the caller's. See Draft.
func (p Plan) LacksView() bool {
	for _, need := range p.Tables {
		if need.Table == index.DegreeBiasTable {
			return !need.Table.Built(p.Graph)
		}
	}
	return false
}

// Work returns the work that a number of samples announces to a table: 0 if the plan does not list the table.
func (p Plan) Work(t *index.Table, samples int) int {
	for _, need := range p.Tables {
		if need.Table == t {
			return samples * need.Work
		}
	}
	return 0
}
