package neighbor

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// GraphBytes returns the bytes of the layouts that GPU id reads for mini-batches of h without excluded edges. It builds
// nothing. m is bound to h.
func GraphBytes(h *graph.Hetero, m *app.NeighborSampling, id int) (bytes int64, err error) {
	n := Sampler{Graph: h}
	q := n.requestOf(m, nil)
	return q.graphBytes(id)
}

// graphBytes returns the bytes of the layouts of all graphs on GPU id. The graphs need not be ordered by time yet.
func (q *batchRequest) graphBytes(id int) (bytes int64, err error) {
	for r, g := range q.graphs {
		if slices.Contains(q.graphs[:r], g) {
			continue
		}
		want := q.layouts(r)
		if want&resident.Times != 0 { // its ids and times are arrays of the ordered graph
			want &^= resident.Times | resident.IDs
			bytes += (8 + 4) * int64(g.NumEdges())
		}
		parts, err := resident.Parts(g, want, id, false)
		if err != nil {
			return 0, err
		}
		bytes += launch.BytesOf(parts)
	}
	return bytes, nil
}

// checkRoom returns an error that wraps resident.ErrRoom if the graphs of all relations can never be in the GPU's memory
// together. It uploads nothing, and is called before graphs are ordered by time, which takes host memory too.
func (q *batchRequest) checkRoom() error {
	if q.uploaded() || q.split() { // split: its memory is on several GPUs
		return nil
	}
	device := q.from.Engine.Device
	room := resident.Limit(device.Total)
	needed, err := q.graphBytes(device.ID)
	if err != nil || needed <= room {
		return err
	}
	return refuse.Device(
		"%w on cuda:%d: mini-batches read %s of it, and graphs may take %s: set GONEXTDOOR_DEVICE_MEMORY to more if the GPU has it, or use device=\"cpu\"",
		resident.ErrRoom, device.ID, cuda.Size(needed), cuda.Size(room))
}

// uploaded reports whether the layouts of all graphs are in the GPU's memory.
func (q *batchRequest) uploaded() bool {
	for r, g := range q.graphs {
		if !resident.Of(g, q.from.Engine.Device).Has(q.layouts(r)) {
			return false
		}
	}
	return true
}

// split reports whether a graph is split over several GPUs.
func (q *batchRequest) split() bool {
	return slices.ContainsFunc(q.graphs, func(g *graph.Graph) bool { _, placed := resident.PlacementOf(g); return placed })
}

// checkFree returns an error that wraps resident.ErrRoom if the graphs are not in the GPU's memory, and cannot be even without
// all layouts that no call is using. So an upload that is bound to fail evicts nothing. It is called within Device.Do.
func (q *batchRequest) checkFree() error {
	if q.uploaded() || q.split() {
		return nil
	}
	device := q.from.Engine.Device
	needed, err := q.graphBytes(device.ID)
	if err != nil {
		return err
	}
	room, err := resident.Room(device)
	if err == nil && needed > room {
		return refuse.Device("%w on cuda:%d: mini-batches read %s of it, and %s can be free for it: free what other libraries hold (torch.cuda.empty_cache()), or use device=\"cpu\"",
			resident.ErrRoom, device.ID, cuda.Size(needed), cuda.Size(room))
	}
	return err
}
