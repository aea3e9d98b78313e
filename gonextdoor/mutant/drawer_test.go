package mutant

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// drawerFault is a drawer of mini-batches with one thing that may be wrong.
type drawerFault struct {
	byPosition bool // excluded edges are taken for positions, not ids
	positions  bool // edges are told by position, not by id
	leftOver   bool // edges excluded once stay excluded
	seed32     bool // seeds are cut to 32 bits
	unsorted   bool // sources are told in the graph's ids
}

// drawer is a drawer with a fault, on a graph.
type drawer struct {
	drawerFault
	g        *graph.Graph
	excluded map[uint64]bool
}

// Blocks draws a mini-batch by the definition.
func (d *drawer) Blocks(m *app.MiniBatch, seed uint64, batch []uint32, excluded []int64, _ *job.Job) (output.Blocks, error) {
	if !d.leftOver || d.excluded == nil {
		d.excluded = map[uint64]bool{}
	}
	given := map[int64]bool{}
	for _, id := range excluded {
		given[id] = true
	}
	for p := range uint64(d.g.NumEdges()) {
		if given[d.idOf(p, d.byPosition)] {
			d.excluded[p] = true
		}
	}
	if d.seed32 {
		seed = uint64(uint32(seed))
	}
	vertices, hops := m.Sample(d.g, seed, batch, d.excluded)
	var out output.Blocks
	for _, v := range vertices {
		out.Nodes = append(out.Nodes, int64(v))
	}
	for _, h := range hops {
		hop := output.Hop{Destinations: h.Destinations, Sources: h.Sources, Indptr: h.Indptr, Indices: h.Indices}
		for i, p := range h.Positions {
			hop.EdgeIDs = append(hop.EdgeIDs, d.idOf(p, d.positions))
			if d.unsorted {
				hop.Indices[i] = int64(vertices[hop.Indices[i]])
			}
		}
		out.Hops = append(out.Hops, hop)
	}
	return out, nil
}

func (d *drawer) idOf(position uint64, fault bool) int64 {
	if fault {
		return int64(position)
	}
	return int64(d.g.EdgeID(position))
}

var drawerMutants = []struct {
	name  string
	fault drawerFault
}{
	{"excluded edges by position, not by id", drawerFault{byPosition: true}},
	{"edges by position, not by id", drawerFault{positions: true}},
	{"edges excluded once stay excluded", drawerFault{leftOver: true}},
	{"seeds cut to 32 bits", drawerFault{seed32: true}},
	{"sources not in local ids", drawerFault{unsorted: true}},
}

// Every broken drawer fails the conformance suite of mini-batches, and the same drawer without a fault passes it.
func TestMutantsOfDrawers(t *testing.T) {
	out := table()
	defer out.Flush()
	for _, m := range drawerMutants {
		failed, runs, by, first := draw(m.fault)
		fmt.Fprintf(out, "Mini-batch engine: %s\t%s\t%d of %d\t%s\t%.110s\n", m.name, likely, failed, runs, by, first)
		if failed == 0 {
			t.Errorf("%s: alive after %d mini-batches", m.name, runs)
		}
	}
	if failed, runs, by, first := draw(drawerFault{}); failed > 0 {
		t.Errorf("a drawer without a fault fails %d of %d mini-batches, as %s: %s", failed, runs, by, first)
	}
}

func draw(f drawerFault) (failed, runs int, by, first string) {
	drawers := map[*graph.Graph]*drawer{}
	for _, c := range enginetest.BatchCases() {
		if drawers[c.Graph] == nil {
			drawers[c.Graph] = &drawer{drawerFault: f, g: c.Graph}
		}
		runs++
		if err := c.Check(drawers[c.Graph]); err != nil {
			if failed++; failed == 1 {
				by, first = c.Name, err.Error()
			}
		}
	}
	return
}
