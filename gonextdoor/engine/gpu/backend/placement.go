package backend

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
)

// PlaceGraph splits a graph over GPUs, whose kernels then read each other's memory.
func (CUDA) PlaceGraph(g *graph.Graph, p engine.Placement, options graph.Options) error {
	return resident.Place(g, resident.Placement(p), options)
}

// Placement returns the placement of a graph.
func (CUDA) Placement(g *graph.Graph) (p engine.Placement, placed bool) {
	of, placed := resident.PlacementOf(g)
	return engine.Placement(of), placed
}

// PeerAccess returns nil if every GPU of ids can use the memory of every other.
func (CUDA) PeerAccess(ids []int) (refusal error) { return cuda.CheckPeers(ids) }
