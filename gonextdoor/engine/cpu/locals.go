package cpu

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
)

// locals numbers the vertices of a mini-batch in the order of their first appearance.
type locals interface {
	// gather writes the ends of the edges at positions to v, and asks for what number will read.
	gather(indices *uint32, positions []uint64, v []int64)
	// number puts local numbers in the place of vertices and appends those that are new to nodes.
	number(v []int64, nodes []uint32) []uint32
	// reset forgets all numbers; nodes are the vertices that have one.
	reset(nodes []uint32)
	free()
}

// newLocals takes stamps while they fit the budget.
func newLocals(g *graph.Graph) (locals, error) {
	if g.NumVertices() > plan.MaxStamps {
		return newBuckets(), nil
	}
	s, err := offheap.Make[uint32](g.NumVertices())
	return &stamps{s}, err
}

// stamps has a word for each vertex of the graph: its number plus 1, or 0.
type stamps struct{ of []uint32 }

func (s *stamps) gather(indices *uint32, positions []uint64, v []int64) {
	stage.GatherStamps(indices, unsafe.SliceData(s.of), positions, unsafe.SliceData(v))
}

func (s *stamps) number(v []int64, nodes []uint32) []uint32 {
	nodes = slices.Grow(nodes, len(v)+1) // one more: the stage writes each vertex before it knows whether it is new
	n := stage.Number(unsafe.SliceData(s.of), v, unsafe.SliceData(nodes), uint64(len(nodes)))
	return nodes[:n]
}

func (s *stamps) reset(nodes []uint32) { stage.Forget(unsafe.SliceData(s.of), nodes) }

func (s *stamps) free() { offheap.Free(s.of) }
