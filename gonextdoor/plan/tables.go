package plan

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// Need is a table of the graph that a plan reads on the CPU.
type Need struct {
	Table *index.Table
	// Work is what a sample adds to the work that is announced to the table, which is built as soon as that pays for it; 0:
	// the table is built before the first sample.
	Work int
}

// Seconds returns how long building the table of g is expected to take.
func (n Need) Seconds(g *graph.Graph, threads int) float64 {
	seconds := TableByte * float64(n.Table.Bytes(g))
	if n.Table != index.PackedTable { // which is made from Indptr alone
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
	if p.Driver == app.DriverHooked { // whose samples may differ in length
		steps = max(1, steps)
	}
	switch r, ok := p.App.(app.EdgeSetReader); {
	case steps == 0:
	case p.Driver == app.DriverLabelled:
		tables = append(tables, Need{index.LabelRowsTable, steps * LabelRowsPay})
	case ok && r.ReadsEdgeSet():
		tables = append(tables, Need{index.EdgeSetTable, steps * SetPays})
	}
	return tables
}

// readsPacked reports whether the driver of a plan reads the packed records. Step programs read Indptr, and so do samples
// that are made by the serial definition.
func readsPacked(p Plan) bool {
	switch p.Driver {
	case app.DriverHooked:
		return false
	case app.DriverTree:
		return !p.Layered
	}
	return true
}

// BuildTables builds the tables that an engine on the CPU reads for the plan before the first sample, unless they exist.
// Engines on other devices build theirs there. g is the plan's graph.
func (p Plan) BuildTables(g *graph.Graph, o graph.Options) error {
	return build(p.Tables, g.Base(), o)
}

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

// LacksView reports whether the app chooses on a view that has not been built, so that Graph is another: see Draft.
func (p Plan) LacksView() bool {
	for _, need := range p.Tables {
		if need.Table == index.DegreeBiasTable {
			return !need.Table.Built(p.Graph)
		}
	}
	return false
}

// Work returns the work that so many samples announce to a table, 0 if the plan does not list it.
func (p Plan) Work(t *index.Table, samples int) int {
	for _, need := range p.Tables {
		if need.Table == t {
			return samples * need.Work
		}
	}
	return 0
}
