package resident

import (
	"fmt"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
)

// hold is the set of layouts and tables that one call uses and that therefore may not be evicted.
type hold struct {
	store  *store
	parts  []heldPart
	parent *hold              // of the inputs of a layout: the hold for which the layout is built
	over   *group             // the GPUs over which the graph is split, or nil
	later  map[Layout][]int64 // bytes of each GPU that the layouts take that are still to be built, see Resident.pending
}

// count returns how often h and its parents hold a part.
func (h *hold) count(p *part) (n int) {
	for ; h != nil; h = h.parent {
		for _, one := range h.parts {
			if one.part == p {
				n++
			}
		}
	}
	return n
}

// heldPart is a layout or table of a hold.
type heldPart struct {
	id fmt.Stringer
	*part
}

// join adds the layouts to h and lets the stream s wait until they have been built. If one of them does not exist, it
// changes nothing and returns false.
func (r *Resident) join(want Layout, s cuda.Stream, h *hold) (found bool, err error) {
	st := r.store
	st.lock.Lock()
	defer st.lock.Unlock()
	for one := range want.each() {
		if r.owner(one).parts[one] == nil {
			return false, nil
		}
	}
	st.clock++
	for one := range want.each() {
		if err := h.add(one, r.owner(one).parts[one], s); err != nil {
			return false, err
		}
	}
	return true, nil
}

// add adds a part to h, and lets the stream s wait until it has been built. The store's lock is held.
func (h *hold) add(id fmt.Stringer, p *part, s cuda.Stream) error {
	if err := p.await(s); err != nil {
		return err
	}
	p.holds, p.used = p.holds+1, h.store.clock
	if p.split != nil {
		p.split.holds.Add(1)
	}
	h.parts = append(h.parts, heldPart{id, p})
	return nil
}

// await lets the stream s wait until the part has been built. The host does not wait. The store's lock is held.
func (p *part) await(s cuda.Stream) error {
	if p.reached || p.stream == s && !p.foreign() {
		return nil
	}
	done, err := p.ready.Done()
	if err != nil {
		return err
	}
	if p.reached = done; done {
		return nil
	}
	return s.Wait(p.ready)
}

// end allows the layouts of h to be evicted. A second call does nothing.
func (h *hold) end() {
	h.store.lock.Lock()
	defer h.store.lock.Unlock()
	for _, p := range h.parts {
		p.holds--
		if p.split != nil {
			p.split.holds.Add(-1)
		}
	}
	h.parts = nil
}

// read returns the kernels' description of the graph, with the addresses of those layouts of h that are in want.
func (r *Resident) read(want Layout, h *hold) kernels.Graph {
	g := kernels.Graph{Vertices: uint64(r.graph.NumVertices()), Edges: uint64(r.graph.NumEdges())}
	for _, p := range h.parts {
		if l, ok := p.id.(Layout); ok && want.has(l) {
			p.describe(l, &g)
		}
	}
	return g
}

// fields are the fields of kernels.Graph that receive the addresses of a layout's arrays, in the order of its recipe.
// Mirrored has no array.
var fields = map[Layout]func(g *kernels.Graph) []*uint64{
	Rows:         func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Indptr, &g.Indices} },
	Packed:       func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Packed} },
	Wide:         func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Wide} },
	Biases:       func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Biases} },
	Alias:        func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Alias} },
	WideAlias:    func(g *kernels.Graph) []*uint64 { return []*uint64{&g.WideAlias} },
	Labels:       func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Labels} },
	IDs:          func(g *kernels.Graph) []*uint64 { return []*uint64{&g.IDs} },
	ByLabel:      func(g *kernels.Graph) []*uint64 { return []*uint64{&g.LabelRows, &g.LabelIndices, &g.LabelPositions} },
	Bloom:        func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Bloom} },
	Weights:      func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Weights} },
	Largest:      func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Largest} },
	Prefix:       func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Prefix} },
	PackedLabels: func(g *kernels.Graph) []*uint64 { return []*uint64{&g.PackedLabels} },
	Slim:         func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Slim} },
	Reach:        func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Reach} },
	Temporal:     func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Temporal, &g.TemporalPlaces} },
	Decay:        func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Decay} },
	Segments:     func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Totals, &g.Segments} },
	LabelWeights: func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Biases, &g.Totals, &g.Segments} }, // never beside Biases or Segments
	Biased:       func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Biased} },
	Times:        func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Times} },
	BiasSums:     func(g *kernels.Graph) []*uint64 { return []*uint64{&g.BiasSums, &g.BiasCounts} },

	ParallelEdges: func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Reach} },
}

// describe writes a layout's addresses and scalars to g.
func (p *part) describe(l Layout, g *kernels.Graph) {
	if addresses := fields[l]; addresses != nil {
		for i, to := range addresses(g)[:len(p.memory)] { // IDs and ParallelEdges may have no array
			*to = uint64(p.memory[i].Address)
		}
	}
	switch l {
	case IDs:
		g.IDSize = p.scalars.IDSize
	case ByLabel:
		g.LabelKinds = p.scalars.LabelKinds
	case Mirrored:
		g.Mirrored = p.scalars.Mirrored
	case Bloom:
		g.BloomMask = p.scalars.BloomMask
	}
}
