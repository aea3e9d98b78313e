package gpu

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// layeredSpec describes samples that a group of threads makes one at a time, see kernels/driver/layered.cuh.
type layeredSpec struct {
	most     int64        // the largest number of vertices of a sample, roots included, or of drawn numbers
	maxEnds  int64        // the largest number of ends of steps; 0: one more than vertices
	links    float64      // expected number of links of a sample
	expected app.Expected // vertices after the roots, and operations
	draws    bool         // the kernel draws numbers in the workspace
	// fill sets the app's parameters. It may allocate scratch memory of the run. nil: there are none.
	fill func(r *run, a *kernels.Layered) error
}

// layeredApp is an app's kernel, and the function that returns its layeredSpec. It asks the app for one of the capabilities
// of app/persample.go.
type layeredApp struct {
	image, kernel string
	spec          func(p plan.Plan) layeredSpec
}

// layeredApps are the apps whose samples are made one at a time, by name.
var layeredApps = map[string]layeredApp{
	"RandomNode": {"uniformdraws", "nodes", randomNodeSpec},
	"RandomEdge": {"uniformdraws", "edges", randomEdgeSpec},
	"ClusterGCN": {"uniformdraws", "clusters", clustersSpec},
}

// layeredThreads is LayeredThreads of kernels/driver/layered.cuh.
const layeredThreads = 256

// perSampleSpec runs an app whose samples are layered. A warp makes a sample with few operations, a block any other.
func perSampleSpec(p plan.Plan) (launchSpec, error) {
	a, ok := layeredApps[p.App.Name()]
	if !ok || !p.Layered {
		return launchSpec{}, refusal(p, "there is no kernel for its layered samples")
	}
	spec := a.spec(p)
	groups := []struct {
		name  string
		lanes int
	}{{"_warp", 32}, {"_block", layeredThreads}}
	if spec.expected.Operations > plan.LayeredWarpOperations {
		groups[0], groups[1] = groups[1], groups[0]
	}
	ids := resident.Layout(0)
	if p.Records {
		ids = resident.IDs
	}
	w := launchSpec{layered: &spec}
	for _, rows := range []struct {
		name   string
		layout resident.Layout
	}{{"_packed", resident.Packed | resident.Rows}, {"_plain", resident.Rows}} {
		for _, group := range groups {
			w.variants = append(w.variants, variant{rows.layout | ids, kernel{
				image: a.image, name: a.kernel + group.name + rows.name, block: layeredThreads, lanes: group.lanes,
			}})
		}
	}
	return w, nil
}

// expectedOf returns the expected size of a sample of a plan.
func expectedOf(p plan.Plan, roots int) app.Expected {
	return app.Expect(p.App, roots, app.SizeOf(p.Graph))
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
	s := layeredSpec{most: mostVertices(most), maxEnds: 2, expected: expectedOf(p, 0), draws: true}
	if a.Records() {
		s.links = inducedLinks(p, float64(most))
	}
	s.fill = func(_ *run, to *kernels.Layered) error {
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
		most: mostVertices(vertices), maxEnds: 2, links: float64(most), expected: expectedOf(p, 0), draws: true,
		fill: func(_ *run, to *kernels.Layered) error { fillDraws(to, a); return nil },
	}
}

// clustersSpec makes samples of an app.ClusterDraws: the vertices of the lists that are drawn, with the induced edges.
func clustersSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.ClusterDraws)
	lists := a.Lists()
	most, _ := drawn(a, lists.Count())
	expected := expectedOf(p, 0)
	return layeredSpec{
		most: mostVertices(max(most, int64(p.Graph.NumVertices()))), maxEnds: 2, expected: expected, draws: true,
		// Clusters that are given usually have more edges within them than random sets of vertices.
		links: min(float64(p.Graph.NumEdges()), 4*inducedLinks(p, expected.Vertices)+expected.Vertices),
		fill: func(r *run, to *kernels.Layered) error {
			fillDraws(to, a)
			ends, members := lists.Arrays()
			to.Lists = uint64(lists.Count())
			return first(put(&r.scratch, &to.ListEnds, ends), put(&r.scratch, &to.ListMembers, members))
		},
	}
}
