package rowaccess

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
)

// EdgeIDs maps the position of an edge to its id. At most one list is set. If both are nil, the ids are the positions.
type EdgeIDs struct {
	IDs32 []uint32 // by position
	IDs64 []uint64 // by position
}

// Prefetch prefetches the ids of the edges at positions.
func (e EdgeIDs) Prefetch(positions []uint64) {
	switch {
	case e.IDs32 != nil:
		stage.PrefetchIndices(unsafe.SliceData(e.IDs32), positions)
	case e.IDs64 != nil:
		stage.PrefetchWords(unsafe.SliceData(e.IDs64), positions)
	}
}

// Replace overwrites positions by the ids of the edges.
func (e EdgeIDs) Replace(positions []uint64) {
	switch {
	case e.IDs32 != nil:
		for i, at := range positions {
			positions[i] = uint64(e.IDs32[at])
		}
	case e.IDs64 != nil:
		for i, at := range positions {
			positions[i] = e.IDs64[at]
		}
	}
}

// PrefetchIDs prefetches the ids of the edges of g at positions.
func PrefetchIDs(g *graph.Graph, positions []uint64) {
	EdgeIDs{g.EdgeIDs, g.EdgeIDs64}.Prefetch(positions)
}
