package hook

import (
	"unsafe"

	"gonextdoor/gonextdoor/fault"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// State is the Run of one call, with the cell that its lowest fault is kept in. It lies on the heap, where nothing moves,
// so that compiled code may read it by its address.
type State struct {
	Run   Run
	fault uint64
	set   index.EdgeSet
}

// NewState gives the state of a call on a graph, whose first sample has the id first. It makes the tables that the app
// reads, if they are not there yet; has_edge searches rows until UseEdgeSet.
func NewState(g *graph.Graph, first uint64, reads Reads, options graph.Options) (*State, error) {
	fault.Arm()
	s := &State{fault: NoFault}
	s.Run = Run{
		Indptr: address(g.Indptr), Indices: address(g.Indices), Fault: uintptr(unsafe.Pointer(&s.fault)),
		Vertices: uint64(g.NumVertices()), Edges: uint64(g.NumEdges()), First: first,
	}
	if reads.Has(Labels) {
		s.Run.Labels = address(g.Labels)
	}
	if reads.Has(EdgeIDs) {
		s.Run.EdgeIDs, s.Run.EdgeIDSize = address(g.EdgeIDs), 4
		if g.EdgeIDs64 != nil {
			s.Run.EdgeIDs, s.Run.EdgeIDSize = address(g.EdgeIDs64), 8
		}
	}
	for _, t := range []struct {
		reads Reads
		at    *uintptr
		make  func(*graph.Graph, graph.Options) ([]float64, error)
	}{
		{Weights, &s.Run.Weights, index.RealWeights}, {Largest, &s.Run.Largest, index.LargestWeights},
		{Prefix, &s.Run.Prefix, index.PrefixWeights},
	} {
		if !reads.Has(t.reads) {
			continue
		}
		table, err := t.make(g, options)
		if err != nil {
			return nil, err
		}
		*t.at = address(table)
	}
	return s, nil
}

// UseEdgeSet has has_edge look edges up in a set; one that is empty is none.
func (s *State) UseEdgeSet(set index.EdgeSet) {
	if len(set.Slots) == 0 {
		return
	}
	s.set = set
	s.Run.Slots, s.Run.SetBuckets = address(set.Slots), uint64(len(set.Slots)/index.BucketSlots)
	s.Run.SetBits, s.Run.SetShift = uint64(set.Bits), uint64(set.Shift)
	if set.Mirrored {
		s.Run.Mirrored = 1
	}
}

// address gives where a column or an array begins, or 0 where there is none.
func address[T any](s []T) uintptr {
	if len(s) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(s)))
}
