package launch

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Exceeds reports whether no variant's layouts fit into the budget together, or not beside the app's tables, and the graph is not
// split over several GPUs.
func Exceeds(e Engine, spec Spec, g *graph.Graph, edges bool) bool {
	if e.Tuning.Parts > 0 {
		return true
	}
	if _, placed := resident.PlacementOf(g); placed {
		return false
	}
	limit := resident.Limit(e.Device.Total)
	if int64(g.NumEdges())*plan.PartEdge+int64(g.NumVertices())*plan.PartVertex <= limit {
		return false
	}
	for _, v := range spec.Variants {
		want := v.Layout
		if edges {
			want |= resident.IDs
		}
		parts, err := resident.Parts(g, want, e.Device.ID, false)
		if all := BytesOf(parts); err == nil && all <= limit { // the variant that the run would take
			return all+spec.Tables > limit
		}
	}
	return true
}

// ExceedsWhole is Exceeds for a plan that needs the complete graph in GPU memory.
func ExceedsWhole(e Engine, p plan.Plan, spec Spec, edges bool) error {
	if _, placed := resident.PlacementOf(p.Graph); placed {
		return nil
	}
	least, err := (&Program{p, spec}).LeastBytes(e.Device.ID, edges)
	if err != nil {
		return nil // no variant suits the graph, whatever the memory
	}
	limit := resident.Limit(e.Device.Total)
	if least += spec.Tables; least <= limit {
		return nil
	}
	return spec.refuseParts(p, refuse.Device("%w on cuda:%d: %s are needed, and graphs may take %s (GONEXTDOOR_DEVICE_MEMORY)",
		resident.ErrRoom, e.Device.ID, cuda.Size(least), cuda.Size(limit)))
}

// refuseParts returns the error of a plan that runs neither part by part nor row by row, for a graph that does not fit.
func (s Spec) refuseParts(p plan.Plan, err error) error {
	why := s.Complete
	if why == "" {
		why = "its kernels read tables of the complete graph"
	}
	return refuse.Device("%w. %s does not run on a part of a graph: %s", err, p.App.Name(), why)
}

// Refusal returns the error that says why the CPU must run a plan.
func Refusal(p plan.Plan, why string) error {
	return refuse.Device("device: %s does not run on a GPU: %s; use device=\"cpu\", or \"auto\"", p.App.Name(), why)
}

// NoKernel is the refusal of a plan for which there is no kernel.
func NoKernel(p plan.Plan) error { return Refusal(p, "there is no kernel for it") }
