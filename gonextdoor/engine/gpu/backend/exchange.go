package backend

import (
	"errors"
	"slices"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// Exchanges reports whether GPUs can make the samples of a plan together.
func (CUDA) Exchanges(p plan.Plan) bool { return gpu.Engine{}.Exchanges(p) }

// KeepTogether makes walks on a graph that is split over the GPUs: each step is made by the GPU that has the row of its vertex,
// see gpu.Exchange. If the CPU is faster, it makes none. Unlike Keep it returns when the samples are complete, since a GPU that fails leaves gaps in the samples of
// all others.
func (d device) KeepTogether(
	all []engine.Device, p plan.Plan, g *graph.Graph, b plan.Batch, bounds []int, size int, j *job.Job,
) (shards []engine.DeviceSamples, done bool, err error) {
	if !b.Exchanges(len(all)) || !d.Exchanges(p) {
		return nil, false, nil
	}
	parts := exchangeParts(all, g, bounds)
	if parts == nil || b.Order == "" && replicated(parts, p.Graph) || d.slower(p, b.ForDevice(0, len(all), bounds[0], bounds[1])) {
		return nil, false, nil
	}
	for _, part := range parts {
		if part.From < part.To && bytesNeeded(p, b.Slice(part.From, part.To), size) > float64(part.Engine.Device.Total) {
			return nil, true, nil
		}
	}
	keepHostBlocks()
	shards, err = keepExchanged(parts, p, g, b, j)
	if errors.Is(err, cuda.ErrMemory) {
		return nil, true, nil
	}
	return shards, shards != nil || err != nil, err
}

// replicated reports whether each GPU is known to have replicas of nearly all edges.
func replicated(parts []gpu.ExchangePart, g *graph.Graph) bool {
	for _, part := range parts {
		if share, known := resident.Of(g, part.Engine.Device).Remote(); !known || share >= plan.ExchangeRemote {
			return false
		}
	}
	return true
}

// exchangeParts returns the part of each device, or nil unless the devices have all rows of the graph between them.
func exchangeParts(all []engine.Device, g *graph.Graph, bounds []int) (parts []gpu.ExchangePart) {
	placement, placed := resident.PlacementOf(g)
	if !placed {
		return nil
	}
	for i, one := range all {
		d := one.(device) // of this backend, whose devices are all of one type
		parts = append(parts, gpu.ExchangePart{Engine: launch.Engine(d.Engine), From: bounds[i], To: bounds[i+1]})
	}
	for k, id := range placement.Devices {
		i := slices.IndexFunc(parts, func(part gpu.ExchangePart) bool { return part.Engine.Device.ID == id })
		low, high := placement.Bounds[k], placement.Bounds[k+1]
		switch {
		case low == high:
		case i < 0 || parts[i].High > 0: // a GPU of another call, or one with several parts of the graph
			return nil
		default:
			parts[i].Low, parts[i].High = low, high
		}
	}
	return parts
}

// keepExchanged makes the samples and leaves them on their GPUs.
func keepExchanged(parts []gpu.ExchangePart, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (shards []engine.DeviceSamples, err error) {
	all := make([]*samples, len(parts))
	var results []*gpu.Result
	defer func() {
		for i, s := range all {
			if s != nil && (results == nil || results[i] == nil) { // nothing stays
				err = errors.Join(err, s.device.Do(func() error { return destroy(s.begun) }))
			}
		}
	}()
	for i := range parts {
		s := &samples{}
		if err := s.begin(parts[i].Engine.Device); err != nil {
			return nil, errors.Join(err, s.device.Do(func() error { return destroy(s.begun) }))
		}
		all[i], parts[i].Engine.Stream = s, &s.stream
	}
	if results, err = gpu.Exchange(parts, p, g, b, j); err != nil || results == nil {
		return nil, err
	}
	shards = make([]engine.DeviceSamples, len(parts))
	for i, r := range results {
		if r != nil {
			all[i].Result = r
			shards[i] = all[i]
		}
	}
	return shards, nil
}
