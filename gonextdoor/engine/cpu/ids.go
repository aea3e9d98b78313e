package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
)

// edgeIDs are the ids of edges by position: listed in 32 or 64 bits, or the positions themselves.
type edgeIDs struct {
	narrow []uint32
	wide   []uint64
}

// prefetch asks for the ids of the edges at positions.
func (e edgeIDs) prefetch(positions []uint64) {
	switch {
	case e.narrow != nil:
		stage.PrefetchIndices(unsafe.SliceData(e.narrow), positions)
	case e.wide != nil:
		stage.PrefetchWords(unsafe.SliceData(e.wide), positions)
	}
}

// put puts the edges' ids in the place of their positions.
func (e edgeIDs) put(positions []uint64) {
	switch {
	case e.narrow != nil:
		for i, at := range positions {
			positions[i] = uint64(e.narrow[at])
		}
	case e.wide != nil:
		for i, at := range positions {
			positions[i] = e.wide[at]
		}
	}
}

// prefetchIDs asks for the ids of the edges at positions.
func prefetchIDs(g *graph.Graph, positions []uint64) {
	edgeIDs{g.EdgeIDs, g.EdgeIDs64}.prefetch(positions)
}
