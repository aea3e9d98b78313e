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

// describe enters a layout's addresses and facts.
func (p *part) describe(l Layout, g *kernels.Graph) {
	at := func(i int) uint64 { return uint64(p.memory[i].Address) }
	switch l {
	case Rows:
		g.Indptr, g.Indices = at(0), at(1)
	case Packed:
		g.Packed = at(0)
	case Wide:
		g.Wide = at(0)
	case Biases:
		g.Biases = at(0)
	case Alias:
		g.Alias = at(0)
	case WideAlias:
		g.WideAlias = at(0)
	case Labels:
		g.Labels = at(0)
	case IDs:
		g.IDSize = p.facts.IDSize
		if g.IDSize > 0 {
			g.IDs = at(0)
		}
	case ByLabel:
		g.LabelRows, g.LabelIndices, g.LabelPositions, g.LabelKinds = at(0), at(1), at(2), p.facts.LabelKinds
	case Mirrored:
		g.Mirrored = p.facts.Mirrored
	case Bloom:
		g.Bloom, g.BloomMask = at(0), p.facts.BloomMask
	case Weights:
		g.Weights = at(0)
	case Largest:
		g.Largest = at(0)
	case Prefix:
		g.Prefix = at(0)
	case Slim:
		g.Slim = at(0)
	case Biased:
		g.Biased = at(0)
	case PackedLabels:
		g.PackedLabels = at(0)
	}
}
