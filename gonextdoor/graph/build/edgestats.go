package build

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// edgeStats holds properties of a list of edges that one pass determines.
type edgeStats struct {
	vertices int  // the largest vertex + 1
	sorted   bool // by (source, target)
	repeats  bool // an edge equals its predecessor
	loops    bool // an edge is a self-loop
}

// stats reads all edges and attributes once, copies the vertices unless the arrays are private, and returns an error for the
// first invalid element.
func (e *Edges) stats() (edgeStats, error) {
	limit := uint64(graph.MaxVertices)
	if e.NumVertices != Unknown {
		limit = uint64(e.NumVertices)
	}
	all := make([]edgeStats, (e.len()+graph.EdgeChunk-1)/graph.EdgeChunk)
	err := parallel.For(e.Job, e.Threads, e.len(), graph.EdgeChunk, func(lo, hi int) error {
		s := &all[lo/graph.EdgeChunk]
		s.sorted = true
		e.Job.Add(int64(hi - lo))
		var src, dst [block]uint32
		last, first := uint64(0), lo
		for ; lo < hi; lo += block {
			n := min(block, hi-lo)
			if err := e.readChecked(lo, src[:n], dst[:n], limit); err != nil {
				return err
			}
			if e.copied != nil {
				copy(e.copied.src[lo:], src[:n])
				copy(e.copied.dst[lo:], dst[:n])
			}
			last = s.add(src[:n], dst[:n], last, lo > first)
			if err := e.attributes().checkValues(lo, lo+n); err != nil {
				return err
			}
		}
		return nil
	})
	total := edgeStats{sorted: true}
	for _, s := range all {
		total.vertices = max(total.vertices, s.vertices)
		total.sorted = total.sorted && s.sorted
		total.repeats = total.repeats || s.repeats
		total.loops = total.loops || s.loops
	}
	if err == nil {
		total.join(e)
	}
	return total, err
}

// join compares the edges on both sides of each boundary between pieces.
func (s *edgeStats) join(e *Edges) {
	for at := graph.EdgeChunk; at < e.len(); at += graph.EdgeChunk {
		var src, dst [2]uint32
		e.read(at-1, src[:], dst[:])
		left, right := uint64(src[0])<<32|uint64(dst[0]), uint64(src[1])<<32|uint64(dst[1])
		s.sorted = s.sorted && left <= right
		s.repeats = s.repeats || left == right
	}
}

// add adds consecutive edges and returns the key of the last one. last is the key of the edge before them, if continued is
// true.
func (s *edgeStats) add(src, dst []uint32, last uint64, continued bool) uint64 {
	largest, descents, repeats, loops := uint32(0), 0, 0, 0
	for i, u := range src {
		v := dst[i]
		key := uint64(u)<<32 | uint64(v)
		if key < last {
			descents++
		}
		if key == last && (continued || i > 0) {
			repeats++
		}
		if u == v {
			loops++
		}
		largest, last = max(largest, u, v), key
	}
	s.vertices = max(s.vertices, int(largest)+1)
	s.sorted = s.sorted && descents == 0
	s.repeats = s.repeats || repeats > 0
	s.loops = s.loops || loops > 0
	return last
}

// readChecked reads the ends of edges and returns an error for the first that is not a vertex below limit.
func (e *Edges) readChecked(lo int, src, dst []uint32, limit uint64) error {
	name, second := e.names()
	bad, a := vertices(e.Sources, lo, src, limit), e.Sources
	if other := vertices(e.Targets, lo, dst, limit); other >= 0 && (bad < 0 || other < bad) {
		bad, name, a = other, second, e.Targets
	}
	if bad < 0 {
		return nil
	}
	return refuseVertex(name, a, lo+bad, limit, e.NumVertices)
}

// refuseVertex returns the error for an element that is not a vertex.
func refuseVertex(name string, a graph.Array, i int, limit uint64, numVertices int) error {
	why := "the maximum number of vertices"
	if numVertices != Unknown {
		why = "num_vertices"
	}
	return refuse.Value("%s[%d] = %s is out of range: vertex ids are at least 0 and below %d (%s)", name, i, text(a, i), limit, why)
}
