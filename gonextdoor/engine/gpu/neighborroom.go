package gpu

import (
	"slices"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/refuse"
)

// checkRoom returns an error that wraps resident.ErrRoom if the graphs of all relations can never be in the GPU's memory
// together. It uploads nothing, and is called before graphs are ordered by time, which takes host memory too.
func (q *batchRequest) checkRoom() error {
	room, needed := resident.Limit(q.from.Engine.Device.Total), int64(0)
	for r, g := range q.graphs {
		if _, split := resident.PlacementOf(g); split || slices.Contains(q.graphs[:r], g) {
			continue // the memory of a graph that is split is on several GPUs
		}
		want := q.layouts(r)
		if want&resident.Times != 0 { // its ids and times are arrays of the ordered graph
			want &^= resident.Times | resident.IDs
			needed += (8 + 4) * int64(g.NumEdges())
		}
		parts, err := resident.Parts(g, want, q.from.Engine.Device.ID, false)
		if err != nil {
			return err
		}
		for _, p := range parts {
			needed += p.Bytes
		}
	}
	if needed <= room {
		return nil
	}
	return refuse.Device(
		"%w on cuda:%d: mini-batches read %s of it, and graphs may take %s: set GONEXTDOOR_DEVICE_MEMORY to more if the GPU has it, or use device=\"cpu\"",
		resident.ErrRoom, q.from.Engine.Device.ID, cuda.Size(needed), cuda.Size(room))
}
