package gpu

import (
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// gatherSpec says how a plan runs on a graph of which GPU memory has the rows that samples have read. See gatheredRows.
type gatherSpec struct {
	kernels []kernel // the fastest first
	biases  bool     // rows have biases
	alias   bool     // rows have alias tables
	biased  bool     // the numbers of edges with a positive bias are in GPU memory, for all rows
}

// gatherSpecOf returns the gatherSpec of an app whose kernels for any graph are those of some variants.
func gatherSpecOf(last []variant, layout resident.Layout) *gatherSpec {
	has := func(l resident.Layout) bool { return layout&l != 0 }
	s := &gatherSpec{biases: has(resident.Biases), alias: has(resident.Alias), biased: has(resident.Biased)}
	for _, v := range last {
		k := v.kernel
		k.name, k.grid = strings.TrimSuffix(k.name, "_plain")+"_gathered", ""
		s.kernels = append(s.kernels, k)
	}
	return s
}

// gathers reports whether a run copies the rows that its samples read.
func (e Engine) gathers(spec launchSpec, g *graph.Graph, edges bool) bool {
	return spec.gathered != nil && e.exceeds(spec, g, edges)
}

// chooseGathered selects the kernel for gathered rows, and builds the tables of the host that rows are copied from. The memory
// for rows is allocated when the tables of the app are there.
func (r *run) chooseGathered() error {
	s := r.spec.gathered
	r.kernel = s.kernels[min(r.engine.Tuning.Variant, len(s.kernels)-1)]
	r.args.G = kernels.Graph{Vertices: uint64(r.graph.NumVertices()), Edges: uint64(r.graph.NumEdges())}
	r.gathering = true
	if s.alias {
		if err := index.BuildAlias(r.graph, r.options()); err != nil {
			return err
		}
	}
	if !s.biased {
		return nil
	}
	biased, err := index.BiasedDegreesOf(r.graph, r.options())
	if err != nil {
		return err
	}
	at, err := r.holdTable(resident.TableOf(index.BiasedDegreesTable, index.BiasedDegreesTable.Name), resident.ArrayOf(biased))
	if err == nil {
		r.args.G.Biased = at[0]
	}
	return err
}

// edgeBytes returns the bytes of an edge of gathered rows, and those of its id.
func (s *gatherSpec) edgeBytes(g *graph.Graph, ids bool) (all, id int64) {
	if ids {
		id = 8
		if g.EdgeIDs != nil {
			id = 4
		}
	}
	if all = 4 + id; s.biases {
		all += 4
	}
	if s.alias {
		all += 16
	}
	return all, id
}

// planGathered is PlanParts for rows that are copied when samples read them.
func (e Engine) planGathered(p plan.Plan, spec launchSpec, edges bool) (plan.Parts, error) {
	g, limit := p.Graph, resident.Limit(e.Device.Total)
	each, _ := spec.gathered.edgeBytes(g, edges || p.Records)
	beside := int64(0)
	if spec.gathered.biased {
		beside = index.BiasedDegreesTable.Bytes(g)
		limit -= beside
	}
	if err := gatherRoom(g, limit, each); err != nil {
		return plan.Parts{}, err
	}
	all := gatherTables(g) + each*int64(g.NumEdges())
	return plan.Parts{Count: 1, Slots: 1, SlotBytes: min(limit, all), Bytes: all, Gathered: true, Beside: beside}, nil
}

// gatherTables returns the bytes of the arrays with an element per vertex: the records, and the bitmap of missed rows.
func gatherTables(g *graph.Graph) int64 {
	n := int64(g.NumVertices())
	return aligned(8*n) + aligned(bitmapBytes(n))
}

func bitmapBytes(vertices int64) int64 { return (vertices + 63) / 64 * 8 }

// gatherRoom returns an error unless some bytes have room for the tables and the longest row.
func gatherRoom(g *graph.Graph, bytes, each int64) error {
	longest := int64(app.LargestDegree(g))
	if needed := gatherTables(g) + each*(longest+2) + gatherArrays*partAlign; needed > bytes {
		return refuse.Device("%w on the GPU, not even row by row: its longest row and tables of all vertices need %s, and graphs may take %s: free memory of the GPU, raise GONEXTDOOR_DEVICE_MEMORY, or use device=\"cpu\"",
			resident.ErrRoom, cuda.Size(needed), cuda.Size(bytes))
	}
	return nil
}

// refuseParts returns the error of a plan that runs neither part by part nor row by row, for a graph that does not fit.
func (s launchSpec) refuseParts(p plan.Plan, err error) error {
	why := s.complete
	if why == "" {
		why = "its kernels read tables of the complete graph"
	}
	return refuse.Device("%w. %s does not run on a part of a graph: %s", err, p.App.Name(), why)
}
