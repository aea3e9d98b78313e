package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
)

// prefetchIDs asks for the ids of the edges at positions.
func prefetchIDs(g *graph.Graph, positions []uint64) {
	switch {
	case g.EdgeIDs != nil:
		stage.PrefetchIndices(unsafe.SliceData(g.EdgeIDs), positions)
	case g.EdgeIDs64 != nil:
		stage.PrefetchWords(unsafe.SliceData(g.EdgeIDs64), positions)
	}
}

// toIDs puts the edges' ids in the place of their positions.
func toIDs(g *graph.Graph, positions []uint64) {
	switch {
	case g.EdgeIDs != nil:
		for i, at := range positions {
			positions[i] = uint64(g.EdgeIDs[at])
		}
	case g.EdgeIDs64 != nil:
		for i, at := range positions {
			positions[i] = g.EdgeIDs64[at]
		}
	}
}
