// Package layered has the driver of layered samples, which a warp or a block makes one at a time. An app is added by its kernel
// (kernels/app, a class with grow, links and write_links) and its row in layeredApps.
package layered

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// layeredSpec describes samples that a group of threads makes one at a time, see kernels/driver/layered.cuh.
type layeredSpec struct {
	most    int64           // the largest number of vertices of a sample after its roots, or of drawn numbers
	maxEnds int64           // the largest number of ends of steps; 0: one more than vertices
	links   float64         // expected number of links of a sample
	draws   bool            // the kernel draws numbers in the workspace
	steps   bool            // the kernel has arrays of transits in the workspace
	values  bool            // links have values
	serial  float64         // expected picks of a sample that depend on one another
	grids   bool            // there is a kernel in which all blocks make a sample together
	leaves  int64           // of the sums of biases in the workspace; 0: there are none
	layout  resident.Layout // that the kernel reads besides rows
	// drawn returns about how many candidates a workspace has at a time, in samples with n roots. nil: not more than
	// vertices of a sample.
	drawn func(n int) float64
	// expected replaces what app.Expect estimates of a sample with n roots. nil: nothing does.
	expected func(of app.Expected, n int) app.Expected
	// candidates is a number of candidates of a choice for which a workspace has memory at first; 0: none are stored.
	candidates int64
	tables     int64 // bytes of the tables that fill holds
	more       int64 // bytes per vertex of a workspace in the arrays of callbacks.workspaces
	// gathers changes how samples of a graph that does not fit copy its rows; nil: by the layout.
	gathers func(s *parts.Gathers)
	// fill sets the app's parameters. It may allocate scratch memory of the run. nil: there are none.
	fill func(r *launch.Run, a *kernels.Layered) error
}

// layeredApp is an app's kernel, and the function that returns its layeredSpec. It asks the app for one of the capabilities
// of app/persample.go.
type layeredApp struct {
	kernel string
	spec   func(p plan.Plan) layeredSpec
}

// layeredApps are the apps whose samples are made one at a time, by name.
var layeredApps = map[string]layeredApp{
	"RandomNode": {"nodes", randomNodeSpec},
	"RandomEdge": {"edges", randomEdgeSpec},
	"ClusterGCN": {"clusters", clustersSpec},
	"GraphSAINT": {"induced", inducedSpec},
	"Snowball":   {"breadthfirst", breadthFirstSpec},
	"ForestFire": {"breadthfirst", breadthFirstSpec},
	"Layer":      {"collective", collectiveSpec},
	"MVS":        {"batchhops", batchHopsSpec},
	"Neighbor":   {"frontierhops", frontierHopsSpec},
	"FastGCN":    {"fastgcn", fastGCNSpec},
	"LADIES":     {"ladies", ladiesSpec},
}

// PerSample runs an app whose samples are layered. A warp makes a sample with few operations, a block any other.
func PerSample(p plan.Plan) (launch.Spec, error) {
	a, ok := layeredApps[p.App.Name()]
	if !ok || !p.Layered {
		return launch.Spec{}, launch.Refusal(p, "there is no kernel for its layered samples")
	}
	spec := a.spec(p)
	groups := []struct {
		name  string
		lanes int
	}{{"_warp", 32}, {"_block", kernels.LayeredThreads}}
	if plan.LayeredThreads(p.App, app.SizeOf(p.Graph)) > kernels.WarpSize {
		groups[0], groups[1] = groups[1], groups[0]
	}
	more := spec.layout
	if p.Records {
		more |= resident.IDs
	}
	w := launch.Spec{Samples: spec.samples, Tables: spec.tables}
	for _, rows := range []struct {
		name   string
		layout resident.Layout
	}{{"_packed", resident.Packed | resident.Rows}, {"_plain", resident.Rows}} {
		grid := ""
		if spec.grids {
			grid = a.kernel + "_grid" + rows.name
		}
		for _, group := range groups {
			w.Variants = append(w.Variants, launch.Variant{Layout: rows.layout | more, Kernel: launch.Kernel{
				Name: a.kernel + group.name + rows.name, Lanes: group.lanes, Grid: grid,
			}})
		}
	}
	gathers := parts.GathersOf(w.Variants[len(w.Variants)-len(groups):], spec.layout)
	if spec.gathers != nil {
		spec.gathers(gathers)
	}
	w.Beyond = gathers
	return w, nil
}

// inducedLinks returns about how many edges are between some vertices of a plan's graph, if these are drawn uniformly at
// random.
func inducedLinks(p plan.Plan, vertices float64) float64 {
	on := app.SizeOf(p.Graph)
	share := min(1, vertices/max(1, float64(on.Vertices)))
	return share * share * float64(on.Edges)
}

// mostVertices bounds a number of vertices by the largest that a sample may have: places are 32-bit integers.
func mostVertices(n int64) int64 { return max(1, min(n, math.MaxInt32)) }

// drawn returns how many of n numbers a UniformDraws draws.
func drawn(a app.UniformDraws, n int) (draws int64, replace bool) {
	k, replace := a.Draws()
	if n == 0 || !replace {
		k = min(k, n)
	}
	return int64(k), replace
}

// fillDraws sets the parameters of draws.
func fillDraws(a *kernels.Layered, of app.UniformDraws) {
	n, replace := of.Draws()
	a.Draws = uint64(n)
	if replace {
		a.Replace = 1
	}
}

// randomNodeSpec makes samples of an app.UniformDraws that draws vertices, with the induced edges if the app records links.
func randomNodeSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.UniformDraws)
	most, _ := drawn(a, p.Graph.NumVertices())
	s := layeredSpec{most: mostVertices(most), maxEnds: 2, draws: true}
	if a.Records() {
		s.links = inducedLinks(p, float64(most))
	}
	s.fill = func(_ *launch.Run, to *kernels.Layered) error {
		fillDraws(to, a)
		if a.Records() {
			to.Induced = 1
		}
		return nil
	}
	return s
}

// randomEdgeSpec makes samples of an app.UniformDraws that draws edges, which are the links.
func randomEdgeSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.UniformDraws)
	most, _ := drawn(a, p.Graph.NumEdges())
	vertices := max(most, min(2*most, int64(p.Graph.NumVertices()))) // workspaces also have the draws
	return layeredSpec{
		most: mostVertices(vertices), maxEnds: 2, links: float64(most), draws: true,
		gathers: func(s *parts.Gathers) { s.Pages = true },
		fill:    func(_ *launch.Run, to *kernels.Layered) error { fillDraws(to, a); return nil },
	}
}

// clustersSpec makes samples of an app.ClusterDraws: the vertices of the lists that are drawn, with the induced edges.
func clustersSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.ClusterDraws)
	lists := a.Lists()
	most, _ := drawn(a, lists.Count())
	vertices := app.Expect(p.App, 0, app.SizeOf(p.Graph)).Vertices
	return layeredSpec{
		most: mostVertices(max(most, int64(p.Graph.NumVertices()))), maxEnds: 2, draws: true,
		tables: 4 * int64(lists.Count()+p.Graph.NumVertices()),
		// Clusters that are given usually have more edges within them than random sets of vertices.
		links: min(float64(p.Graph.NumEdges()), 4*inducedLinks(p, vertices)+vertices),
		fill: func(r *launch.Run, to *kernels.Layered) error {
			fillDraws(to, a)
			ends, members := lists.Arrays()
			at, err := r.HoldTable(resident.TableOf(lists, "clusters"), resident.ArrayOf(ends), resident.ArrayOf(members))
			if err != nil {
				return err
			}
			to.Lists, to.ListEnds, to.ListMembers = uint64(lists.Count()), at[0], at[1]
			return nil
		},
	}
}

// breadthFirstSpec makes samples of an app.BreadthFirst.
func breadthFirstSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.BreadthFirst)
	s := layeredSpec{most: mostVertices(int64(p.Graph.NumVertices()))}
	if depth := a.MaxDepth(); depth > 0 {
		s.maxEnds = int64(depth) + 1
	}
	s.fill = func(r *launch.Run, to *kernels.Layered) error {
		draws := a.NeighborDraws()
		to.Depth, to.Fanout, to.Threshold = uint64(a.MaxDepth()), uint64(draws.Fanout), draws.Threshold
		if a.VisitsAll() {
			to.Fanout = math.MaxUint64 // NoEdge
		} else if to.Lanes = transitLanes(draws); r.Engine.Tuning.LayeredLanes != 0 {
			to.Lanes = uint64(max(0, r.Engine.Tuning.LayeredLanes))
		}
		if draws.Burns {
			to.Burns = 1
		}
		return nil
	}
	return s
}

// transitLanes returns the number of threads with which a group expands each of several transits together; 0: it expands one
// at a time. A thread makes one attempt, and half as many as picks again usually complete a choice.
func transitLanes(draws app.NeighborDraws) uint64 {
	picks := uint64(draws.Fanout)
	if draws.Burns { // of which nearly all choices have fewer
		picks = 5
		for level := uint64(1 << 31); draws.Threshold > level; level += (1<<32 - level) / 2 {
			if picks *= 2; picks > kernels.WarpSize {
				break
			}
		}
	}
	lanes := uint64(4)
	for lanes < picks+picks/2 {
		lanes *= 2
	}
	if lanes > kernels.WarpSize {
		return 0
	}
	return lanes
}

// saintMethods are the numbers of the methods of app.InducedDraws.
var saintMethods = map[string]uint64{
	app.NodeMethod: kernels.SaintNode, app.EdgeMethod: kernels.SaintEdge, app.WalkMethod: kernels.SaintWalk,
	app.MultidimensionalMethod: kernels.SaintMultidimensional,
}

// inducedSpec makes samples of an app.InducedDrawer.
func inducedSpec(p plan.Plan) layeredSpec {
	draws := p.App.(app.InducedDrawer).InducedDraws()
	most, tables := int64(draws.Budget), int64(0)
	switch draws.Method {
	case app.NodeMethod:
		tables = 8 * int64(p.Graph.NumVertices()+1)
	case app.EdgeMethod:
		most, tables = 2*most, 8*int64(p.Graph.NumEdges()+1)
	case app.WalkMethod:
		most = int64(draws.Roots) * int64(draws.Length+1)
	}
	expected := app.Expect(p.App, 0, app.SizeOf(p.Graph)).Vertices
	return layeredSpec{
		most: mostVertices(most), maxEnds: 2, draws: true, tables: tables,
		gathers: func(s *parts.Gathers) {
			s.Shares, s.Ahead = draws.Method == app.EdgeMethod, draws.Method == app.MultidimensionalMethod
		},
		// Vertices that are reached by edges have more edges between them than random ones.
		links: min(float64(p.Graph.NumEdges()), 4*inducedLinks(p, expected)+2*expected),
		fill: func(r *launch.Run, to *kernels.Layered) error {
			to.Method, to.Draws = saintMethods[draws.Method], uint64(draws.Budget)
			to.Roots, to.Length = uint64(draws.Roots), uint64(draws.Length)
			if draws.Table == nil {
				return nil
			}
			table, sums := draws.Table, draws.Biases.Sums
			if r.Gathering && draws.Method == app.EdgeMethod {
				table = index.RowSharesTable
				var err error
				if sums, err = index.RowSharesOf(r.Graph, r.Options()); err != nil {
					return err
				}
			}
			at, err := r.HoldTable(resident.TableOf(table, table.Name), resident.ArrayOf(sums))
			if err != nil {
				return err
			}
			to.SumCount, to.Sums = uint64(len(sums)-1), at[0]
			return nil
		},
	}
}
