package resident

// Remote returns the share of a split graph's arrays by edge that the GPU reads from the memory of other GPUs: 0 if it has
// replicas of all, or if the graph is not split. known is false if a split graph has no such array yet.
func (r *Resident) Remote() (share float64, known bool) {
	if _, placed := PlacementOf(r.graph); !placed {
		return 0, true
	}
	r.store.lock.Lock()
	defer r.store.lock.Unlock()
	all, remote := int64(0), int64(0)
	for _, owner := range []*Resident{r, r.base} {
		for _, p := range owner.parts {
			if p.split == nil {
				continue
			}
			for _, a := range p.split.arrays {
				if a.along != byEdge {
					continue
				}
				for i, piece := range a.pieces {
					all += piece.bytes
					if piece.home != p.gpu && a.copies[p.gpu][i] == nil {
						remote += piece.bytes
					}
				}
			}
		}
	}
	if all == 0 {
		return 0, false
	}
	return float64(remote) / float64(all), true
}
