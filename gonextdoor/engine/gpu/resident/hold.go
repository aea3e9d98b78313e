package resident

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
)

// hold is what one caller keeps on the card.
type hold struct {
	store *store
	parts []held
}

type held struct {
	layout Layout
	*part
}

// join holds layouts for a caller who works in s, if all of them are there.
func (r *Resident) join(want Layout, s cuda.Stream, h *hold) (there bool, err error) {
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
		p := r.owner(one).parts[one]
		if err := p.await(s); err != nil {
			return false, err
		}
		p.holds, p.used = p.holds+1, st.clock
		h.parts = append(h.parts, held{one, p})
	}
	return true, nil
}

// await has s wait until the part is made.
func (p *part) await(s cuda.Stream) error {
	if p.settled || p.stream == s {
		return nil
	}
	done, err := p.ready.Done()
	if err != nil {
		return err
	}
	if p.settled = done; done {
		return nil
	}
	return s.Wait(p.ready)
}

// end gives up what is held.
func (h *hold) end() {
	h.store.lock.Lock()
	defer h.store.lock.Unlock()
	for _, p := range h.parts {
		p.holds--
	}
	h.parts = nil
}

// read gives what kernels read of the layouts that h holds.
func (r *Resident) read(want Layout, h *hold) kernels.Graph {
	g := kernels.Graph{Vertices: uint64(r.graph.NumVertices()), Edges: uint64(r.graph.NumEdges())}
	for _, p := range h.parts {
		if want.has(p.layout) {
			p.describe(p.layout, &g)
		}
	}
	return g
}

// fields are where the addresses of a layout's arrays are entered, in the order of its recipe. Mirrored has no array.
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
	Biased:       func(g *kernels.Graph) []*uint64 { return []*uint64{&g.Biased} },
}

// describe enters a layout's addresses, and the facts that it has beside them.
func (p *part) describe(l Layout, g *kernels.Graph) {
	if addresses := fields[l]; addresses != nil {
		for i, to := range addresses(g)[:len(p.memory)] { // IDs has no array if positions are the ids
			*to = uint64(p.memory[i].Address)
		}
	}
	switch l {
	case IDs:
		g.IDSize = p.facts.IDSize
	case ByLabel:
		g.LabelKinds = p.facts.LabelKinds
	case Mirrored:
		g.Mirrored = p.facts.Mirrored
	case Bloom:
		g.BloomMask = p.facts.BloomMask
	}
}
