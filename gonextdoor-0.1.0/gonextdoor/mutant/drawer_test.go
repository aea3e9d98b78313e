package mutant

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// drawerFault selects a fault of a neighbour sampler; the zero value has none.
type drawerFault struct {
	byPosition bool // ids of excluded edges are read as positions
	positions  bool // edges are reported by position, not by id
	leftOver   bool // edges excluded once stay excluded
	seed32     bool // seeds are truncated to 32 bits
	unsorted   bool // sources are reported as vertices, not local ids
	treesAnew  bool // the trees of each type are counted from 0
	fromFirst  bool // destinations of pairs are counted from the first of the frontier
	inAll      bool // the number of edges of a hop includes earlier hops
	crossed    bool // sources and destinations of pairs are exchanged
	lateTimes  bool // the times of seed nodes are shifted by one
}

// drawer is a neighbour sampler of a graph with a fault.
type drawer struct {
	drawerFault
	h        *graph.Hetero
	excluded [][]int64 // ids, by relation
}

// Sample draws a mini-batch by the definition.
func (d *drawer) Sample(m *app.NeighborSampling, seed uint64, s app.SeedNodes, _ int, _ *job.Job) (output.NeighborBatch, error) {
	if !d.leftOver || d.excluded == nil {
		d.excluded = make([][]int64, len(d.h.Relations))
	}
	for r, ids := range s.Excluded {
		for _, id := range ids {
			if d.byPosition {
				id = int64(d.h.Relations[r].Graph.EdgeID(uint64(id)))
			}
			d.excluded[r] = append(d.excluded[r], id)
		}
	}
	s.Excluded = d.excluded
	if d.seed32 {
		seed = uint64(uint32(seed))
	}
	if d.lateTimes && len(s.Times) > 1 {
		s.Times = append(slices.Clone(s.Times[1:]), s.Times[0])
	}
	n := m.Sample(d.h, seed, s)
	out := output.NeighborBatch{}
	out.New = n.New
	for t, nodes := range n.Nodes {
		out.Nodes = append(out.Nodes, widened(nodes))
		if n.Trees != nil {
			out.Trees = append(out.Trees, widened(n.Trees[t]))
			for i := range out.Trees[t] {
				if d.treesAnew && i > 0 {
					out.Trees[t][i] -= out.Trees[t][0]
				}
			}
		}
	}
	if m.Layout == app.COO {
		out.Pairs = make([]output.Pairs, len(d.h.Relations))
	}
	for _, hop := range n.Hops {
		var hops []output.Hop
		for r, x := range hop {
			ids := make([]int64, len(x.Positions))
			for i, p := range x.Positions {
				if ids[i] = d.idOf(r, p); d.unsorted {
					x.Indices[i] = int64(n.Nodes[d.h.Relations[r].Source][x.Indices[i]])
				}
			}
			hops = append(hops, output.Hop{First: x.First, Destinations: x.Destinations, Indptr: x.Indptr, Indices: x.Indices, EdgeIDs: ids})
		}
		if m.Layout != app.COO {
			out.Hops = append(out.Hops, hops)
			continue
		}
		for r, x := range hops {
			d.pair(&out.Pairs[r], x)
		}
	}
	return out, nil
}

// pair appends the edges of a hop to those of a relation.
func (d *drawer) pair(p *output.Pairs, x output.Hop) {
	for i := range x.Destinations {
		for range x.Indptr[i+1] - x.Indptr[i] {
			if d.fromFirst {
				p.Destinations = append(p.Destinations, int64(i))
			} else {
				p.Destinations = append(p.Destinations, int64(x.First+i))
			}
		}
	}
	p.Sources, p.EdgeIDs = append(p.Sources, x.Indices...), append(p.EdgeIDs, x.EdgeIDs...)
	if d.crossed {
		p.Sources, p.Destinations = p.Destinations, p.Sources
	}
	if p.Counts = append(p.Counts, len(x.Indices)); d.inAll {
		p.Counts[len(p.Counts)-1] = len(p.Sources)
	}
}

func widened(from []uint32) (to []int64) {
	for _, v := range from {
		to = append(to, int64(v))
	}
	return to
}

func (d *drawer) idOf(r int, position uint64) int64 {
	if d.positions {
		return int64(position)
	}
	return int64(d.h.Relations[r].Graph.EdgeID(position))
}

var drawerMutants = []struct {
	name  string
	fault drawerFault
}{
	{"excluded edges compared by position instead of id", drawerFault{byPosition: true}},
	{"edges returned by position instead of id", drawerFault{positions: true}},
	{"excluded edges stay excluded in later batches", drawerFault{leftOver: true}},
	{"seeds truncated to 32 bits", drawerFault{seed32: true}},
	{"sources not converted to local ids", drawerFault{unsorted: true}},
	{"trees numbered from 0 for each type", drawerFault{treesAnew: true}},
	{"COO destinations numbered from the first frontier vertex", drawerFault{fromFirst: true}},
	{"edge count of a hop includes earlier hops", drawerFault{inAll: true}},
	{"COO sources and destinations exchanged", drawerFault{crossed: true}},
	{"seeds have the times of the seeds after them", drawerFault{lateTimes: true}},
}

// Every broken drawer fails the conformance suite of mini-batches, and the same drawer without a fault passes it. A short
// run ends at the first failure.
func TestMutantsOfDrawers(t *testing.T) {
	out := newResults(t, "drawers", countedColumns)
	for _, m := range drawerMutants {
		failed, runs, by, first := draw(m.fault, testing.Short())
		out.add("Mini-batch engine: "+m.name, likely, fmt.Sprintf("%d of %d", failed, runs), by, fmt.Sprintf("%.110s", first))
		if failed == 0 {
			t.Errorf("%s: alive after %d mini-batches", m.name, runs)
		}
	}
	if failed, runs, by, first := draw(drawerFault{}, false); failed > 0 {
		t.Errorf("a drawer without a fault fails %d of %d mini-batches, as %s: %s", failed, runs, by, first)
	}
}

// draw runs the suite, up to the first failure if one is enough.
func draw(f drawerFault, one bool) (failed, runs int, by, first string) {
	drawers := map[*graph.Hetero]*drawer{}
	for _, c := range enginetest.BatchCases() {
		if one && failed > 0 {
			break
		}
		if c.App.Labor() {
			continue // the drawer has the drivers of the other methods
		}
		if drawers[c.Graph] == nil {
			drawers[c.Graph] = &drawer{drawerFault: f, h: c.Graph}
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
