package backend

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/internal/neighbor"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
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

// ReplicatedBytes returns how many bytes of GraphBytes are copies of data that another GPU has too.
func (CUDA) ReplicatedBytes(g *graph.Graph) map[int]int64 { return resident.ReplicatedBytes(g) }

// GraphMemory returns how many bytes of memory graphs can take on GPU id together.
func (CUDA) GraphMemory(id int, needed int64) (bytes int64, err error) {
	d, err := cuda.Open(id)
	if err != nil {
		return 0, err
	}
	return resident.Available(d, needed)
}

// LeastBytes returns the bytes of the smallest layouts that GPU id can read for a plan.
func (CUDA) LeastBytes(p plan.Plan, id int, edges bool) (int64, error) {
	program, err := gpu.Compile(p)
	if err != nil {
		return 0, err
	}
	return program.LeastBytes(id, edges)
}

// NeighborBytes returns the bytes of the layouts that GPU id reads for mini-batches.
func (CUDA) NeighborBytes(h *graph.Hetero, m *app.NeighborSampling, id int) (int64, error) {
	return neighbor.GraphBytes(h, m, id)
}

// PeerAccess returns nil if every GPU of ids can use the memory of every other.
func (CUDA) PeerAccess(ids []int) (refusal error) { return cuda.CheckPeers(ids) }
