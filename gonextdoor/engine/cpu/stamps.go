package cpu

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/offheap"
)

// stamps has a word for each vertex of a type: its number plus 1, or 0.
type stamps struct{ of []uint32 }

func (s *stamps) gather(indices *uint32, positions []uint64, v []int64, _ []uint32) {
	stage.GatherStamps(indices, unsafe.SliceData(s.of), positions, unsafe.SliceData(v))
}

func (s *stamps) ask(v []int64, _ []uint32) {
	stage.PrefetchIndices(unsafe.SliceData(s.of), unsigned(v))
}

func (s *stamps) number(v []int64, _ []uint32, n *nodes) error {
	count := len(n.vertices)
	room := slices.Grow(n.vertices, len(v)+1) // one more: the stage writes each vertex before it knows whether it is new
	n.vertices = room[:stage.Number(unsafe.SliceData(s.of), v, unsafe.SliceData(room), uint64(count))]
	return nil
}

func (s *stamps) reset(n *nodes) { stage.Forget(unsafe.SliceData(s.of), n.vertices) }

func (s *stamps) free() { offheap.Free(s.of) }
