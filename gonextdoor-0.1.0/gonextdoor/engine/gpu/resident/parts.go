package resident

import "gonextdoor/gonextdoor/graph"

// Part describes a layout of a graph on a GPU. The layout may not have been built.
type Part struct {
	Name  string
	Bytes int64 // estimated if it is not there: Bloom as for a graph without mirrored edges
	Built bool
}

// Parts returns the layouts that Hold would use on GPU id, with their bytes. It builds nothing and opens no GPU, but for
// ByLabel it reads all labels. The bytes are those of the complete layout, without replicas, also if the graph is split over
// GPUs: callers decide whether the graph fits other GPUs. Bytes returns what each GPU has. If missing is true, g represents a
// view with other weights that has not been built. The error is that of Fits.
func Parts(g *graph.Graph, want Layout, id int, missing bool) (parts []Part, err error) {
	want = withRead(want)
	if err := fits(g, want, missing || g.Weighted()); err != nil {
		return nil, err
	}
	for one := range want.each() {
		p := Part{Name: one.String()}
		owner := g
		if !viewLayouts.has(one) {
			owner = g.Base()
		}
		if !(missing && viewLayouts.has(one)) {
			p.Bytes, p.Built = built(owner, one, id)
		}
		if !p.Built {
			b := &builder{r: &Resident{}, graph: owner, part: &part{}}
			arrays, err := recipes[one].arrays(b)
			if err != nil {
				return nil, err
			}
			for _, a := range arrays {
				p.Bytes += max(a.bytes, deviceQuad)
			}
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// complete returns the bytes of the layout, of which a GPU has a part if it is split.
func (p *part) complete() (bytes int64) {
	if p.split == nil {
		return p.bytes
	}
	for _, a := range p.split.arrays {
		bytes += a.bytes
	}
	return bytes
}

// built returns the bytes of a complete layout if GPU id can read it.
func built(g *graph.Graph, one Layout, id int) (bytes int64, found bool) {
	for _, s := range allStores() {
		if s.device.ID != id {
			continue
		}
		s.lock.Lock()
		defer s.lock.Unlock()
		if r := s.residents[g]; r != nil && r.parts[one] != nil {
			return r.parts[one].complete(), true
		}
	}
	return 0, false
}
