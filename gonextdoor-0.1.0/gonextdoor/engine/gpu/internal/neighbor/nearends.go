package neighbor

import (
	"fmt"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// nearEnds says which end points of a graph are in GPU memory: those of the edges from position first on. A choice among all
// edges of a row reads each with the same probability, whatever the degree, so any part of the edges is read in proportion to
// its size. Only hubs are read less: a batch expands each vertex once. They are first in many graphs.
type nearEnds struct {
	graph *graph.Graph
	first int
}

// nearShare is the share of the end points that are in GPU memory under a limit for graphs.
type nearShare struct {
	limit int64
	share float64
}

// hasIDs reports whether the ids of the graph's edges are not their positions.
func hasIDs(g *graph.Graph) bool { return g.EdgeIDs != nil || g.EdgeIDs64 != nil }

// leastShare is the least share of the end points that is worth memory.
const leastShare = 1.0 / 64

// reduceNear halves the share of later calls after a call with a share had too little memory, and frees its tables. It returns
// false if that share was 0 already.
func (n *Sampler) reduceNear(s nearShare) (reduced bool, err error) {
	if s.share == 0 {
		return false, nil
	}
	n.lock.Lock()
	if n.near == s {
		if n.near.share /= 2; n.near.share < leastShare {
			n.near.share = 0
		}
	}
	n.lock.Unlock()
	for _, rel := range n.Graph.Relations {
		near := n.nearOf(rel.Graph, s)
		if err := resident.Of(near.graph, n.Engine.Device).DropTable(near.table()); err != nil {
			return false, err
		}
	}
	return true, nil
}

// nearOf returns which end points of a relation's graph are in GPU memory for a share.
func (n *Sampler) nearOf(g *graph.Graph, s nearShare) nearEnds {
	g = g.Base()
	edges := int(g.NumEdges())
	near := nearEnds{g, edges - int(s.share*float64(edges))}
	if t := n.Engine.Tuning.NearEdges; t != 0 {
		near.first = max(0, edges-max(0, t))
	}
	return near
}

// table returns the key of the table with the begins of the rows and the end points.
func (e nearEnds) table() resident.Table {
	return resident.TableOf(e.graph, fmt.Sprintf("the begins of rows and the end points from %d on", e.first))
}

// shareNear returns the share of earlier calls or, under another limit, what the limit leaves.
func (d *hostDraw) shareNear() (nearShare, error) {
	limit := resident.Limit(d.device.Total)
	n := d.from
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.near.limit == limit {
		return n.near, nil
	}
	begins, ends := int64(0), int64(0)
	for _, g := range d.graphs {
		begins += 8 * int64(g.NumVertices()+1)
		ends += 4 * int64(g.NumEdges())
	}
	room := min(limit, d.device.Total-d.device.Total/plan.ResultsShare)
	if begins > room {
		return nearShare{}, refuse.Device("%w on cuda:%d: the begins of the rows take %s, and graphs may take %s", resident.ErrRoom,
			d.device.ID, cuda.Size(begins), cuda.Size(room))
	}
	n.near = nearShare{limit, min(1, float64(room-begins)/float64(max(1, ends)))}
	return n.near, nil
}

// holdNear uploads the begins of the rows of all relations, and a share of the end points of each. Its error wraps
// resident.ErrRoom or cuda.ErrMemory if there is too little memory.
func (d *hostDraw) holdNear() (err error) {
	if d.share, err = d.shareNear(); err != nil {
		return err
	}
	d.near, d.held.graphs = make([]nearEnds, len(d.graphs)), make([]kernels.Graph, len(d.graphs))
	for r, g := range d.graphs {
		near := d.from.nearOf(g, d.share)
		g, edges := near.graph, near.graph.NumEdges()
		at, release, err := resident.Of(g, d.device).HoldTable(near.table(), d.stream, graph.Options{Job: d.job},
			resident.ArrayOf(g.Indptr), resident.ArrayOf(g.Indices[near.first:edges]))
		if err != nil {
			return err
		}
		d.held.releases = append(d.held.releases, release)
		d.near[r] = near
		d.held.graphs[r] = kernels.Graph{
			Indptr: at[0], Indices: at[1] - uint64(4*near.first), // of edge 0, which may not be there
			Vertices: uint64(g.NumVertices()), Edges: uint64(edges),
		}
	}
	return nil
}
