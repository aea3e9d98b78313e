package hook

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/internal/fault"
)

// State is the Run of one call and its fault. It is on the heap, so that compiled code may read it by its address.
type State struct {
	Run   Run
	fault uint64        // the smallest code of a fault so far
	set   index.EdgeSet // keeps the slots alive
}

// NewState returns the state of a call on g, whose first sample has the id first. It builds the tables that the hooks read,
// unless they exist. has_edge searches rows until UseEdgeSet is called.
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
	if reads.Has(Times) {
		s.Run.Times = address(g.Times)
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

// UseEdgeSet makes has_edge look up edges in a set. An empty set is ignored.
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

// address returns the address of the first element, or 0 if there is none.
func address[T any](s []T) uintptr {
	if len(s) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(s)))
}
