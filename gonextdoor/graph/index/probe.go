package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

// Probe is a choice that a walk could make: a candidate edge of a transit that was reached from a previous vertex.
type Probe struct {
	Transit         uint32  `json:"transit"`
	TransitDegree   uint64  `json:"transit_degree"`
	Largest         float64 `json:"largest"` // the largest weight of the transit's row
	Previous        uint32  `json:"prev"`
	PreviousDegree  uint64  `json:"prev_degree"`
	Candidate       uint32  `json:"dst"`
	CandidateDegree uint64  `json:"dst_degree"`
	Weight          float64 `json:"weight"`
	Label           int32   `json:"label"`
	Time            int64   `json:"time"`
	ID              uint64  `json:"edge_id"`
	Near            bool    `json:"near"` // whether an edge leads from the previous vertex to the candidate
}

// Probes returns n choices that depend only on the graph: candidates at equal distances among all edges, so that transits
// are represented in proportion to their degree. The previous vertex is another neighbour of the transit. It returns nil if
// there are no edges.
func Probes(g *graph.Graph, n int, opts graph.Options) ([]Probe, error) {
	if err := g.ValidateWith(opts); err != nil || g.NumEdges() == 0 {
		return nil, err
	}
	probes, step := make([]Probe, n), float64(g.NumEdges())/float64(n)
	err := parallel.For(opts.Job, opts.Threads, n, 1, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			probes[i] = probeAt(g, uint64((float64(i)+0.5)*step), uint64(i))
		}
		return nil
	})
	return probes, err
}

// probeAt returns the choice whose candidate is the edge at a position.
func probeAt(g *graph.Graph, position, i uint64) Probe {
	u, v := g.Source(position), g.Indices[position]
	first, end := g.Row(u)
	previous := g.Indices[first+(position-first+1+i)%(end-first)]
	p := Probe{
		Transit: u, TransitDegree: end - first, Largest: 1, Previous: previous, PreviousDegree: g.Degree(previous),
		Candidate: v, CandidateDegree: g.Degree(v), Weight: g.Weight(u, position), ID: g.EdgeID(position),
		Near: g.HasEdge(previous, v),
	}
	if len(g.Labels) > 0 {
		p.Label = g.Labels[position]
	}
	if len(g.Times) > 0 {
		p.Time = g.Times[position]
	}
	if g.Weighted() {
		p.Largest = 0
		for e := first; e < end; e++ {
			p.Largest = max(p.Largest, g.Weight(u, e))
		}
	}
	return p
}
