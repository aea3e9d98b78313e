package idmap

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/offheap"
)

// Dense is a direct-address map: an array with one entry per vertex of the graph. It takes 4 bytes per vertex outside the Go
// heap, and one memory access per edge.
type Dense struct {
	ids []uint32 // by vertex: its local id plus 1, or 0 if it has none
}

// NewDense returns an empty map for the vertices below vertices.
func NewDense(vertices int) (*Dense, error) {
	ids, err := offheap.Make[uint32](vertices)
	return &Dense{ids}, err
}

// Gather implements Numberer.
func (d *Dense) Gather(indices *uint32, positions []uint64, v []int64, _ []uint32) {
	stage.GatherDense(indices, unsafe.SliceData(d.ids), positions, unsafe.SliceData(v))
}

// Prefetch implements Numberer.
func (d *Dense) Prefetch(v []int64, _ []uint32) {
	stage.PrefetchIndices(unsafe.SliceData(d.ids), unsigned(v))
}

// Number implements Numberer. It returns no error.
func (d *Dense) Number(v []int64, _ []uint32, n *Nodes) error {
	count := len(n.Vertices)
	grown := slices.Grow(n.Vertices, len(v)+1) // one extra, since stage.Number writes each vertex before it knows that it is new
	n.Vertices = grown[:stage.Number(unsafe.SliceData(d.ids), v, unsafe.SliceData(grown), uint64(count))]
	return nil
}

// Reset implements Numberer. It takes time proportional to the number of entries, not of vertices.
func (d *Dense) Reset(n *Nodes) { stage.Forget(unsafe.SliceData(d.ids), n.Vertices) }

// Free implements Numberer.
func (d *Dense) Free() { offheap.Free(d.ids) }
