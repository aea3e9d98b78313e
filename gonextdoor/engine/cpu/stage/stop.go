package stage

import "gonextdoor/gonextdoor/graph"

// Stop moves n walkers along the edges that Draw picked, and compacts those that continue. It returns their number. It is
//
//	v := end(Position[i], Fraction[i])
//	c.Trace[c.Row[i]*TraceWidth] = v
//	switch {
//	case v == None:                      c.Ended[ended++] = c.Row[i] + Nowhere
//	case Accept[i] < c.Threshold:        c.Ended[ended++] = c.Row[i]
//	default:                             c.KeptX[kept++] = X of the walker, v its vertex
//	}
//
// and does not prefetch.
func (t *Tables) Stop(w *Walkers, n int, c *WalkerBatch) (kept int) {
	switch {
	case !t.assembly:
		return stop(t, w, n, c)
	case t.Slots != nil:
		return stopSlot(t, w, n, c)
	default:
		return stopIndex(t, w, n, c)
	}
}

// stop is Stop in Go.
func stop(t *Tables, w *Walkers, n int, c *WalkerBatch) (kept int) {
	keys, rows, trace := (*uint64)(c.Key), (*uint32)(c.Row), (*uint32)(c.Trace)
	keptKeys, keptVertices, keptRows := (*uint64)(c.KeptKey), (*uint32)(c.KeptVertex), (*uint32)(c.KeptRow)
	for i := range n {
		v, row := t.end(w.Position[i], w.Fraction[i]), *at(rows, uint64(i))
		*at(trace, uint64(row)*TraceWidth) = v
		ended := at((*uint32)(c.Ended), uint64(i-kept))
		switch {
		case v == graph.None:
			*ended = row + Nowhere
		case uint64(w.Accept[i]) < c.Threshold:
			*ended = row
		default:
			*at(keptKeys, uint64(kept)) = *at(keys, uint64(i))
			*at(keptVertices, uint64(kept)) = v
			*at(keptRows, uint64(kept)) = row
			kept++
		}
	}
	return kept
}

// Teleports lists in Event, of n walkers that Propose and Follow have moved, those that teleport instead: with a probability in
// units of 2^-32, and all at a vertex without an edge. It returns their number.
func (w *Walkers) Teleports(n int, threshold uint64) (teleported int) {
	for i := range n {
		w.Event[teleported] = uint32(i)
		if uint64(w.Accept[i]) < threshold || w.Vertex[i] == graph.None {
			teleported++
		}
	}
	return teleported
}
