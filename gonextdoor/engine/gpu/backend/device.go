package backend

import (
	"errors"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// device is one GPU. The methods of engine.Engine and engine.Scorer are those of gpu.Engine, in the engine's own stream;
// results that stay on the GPU are made in the stream of stream.go. The CPU makes those for which the GPU's memory is too small,
// see hostdraw.go.
type device struct {
	gpu.Engine
	host Host // nil: plans that the GPU cannot run are refused
	kept int  // the most bytes of samples that stay in host memory if the CPU has made them
}

var _ engine.Device = device{}

// ID returns the GPU's number.
func (d device) ID() int { return d.Device.ID }

// With returns the GPU with a program that gpu.Compile returned.
func (d device) With(program engine.Program) engine.Device {
	d.Program, _ = program.(*gpu.Program)
	return d
}

// Keep makes samples that stay on the GPU. Those that the CPU makes are copied there when they are asked for, unless they are large.
func (d device) Keep(p plan.Plan, g *graph.Graph, b plan.Batch, size int, j *job.Job) (engine.DeviceSamples, error) {
	if bytesNeeded(p, b, size) > float64(d.Device.Total) {
		return nil, nil
	}
	keepHostBlocks()
	s, err := either(d, p, b, func() (engine.DeviceSamples, error) {
		s, err := d.made(func(e launch.Engine) (*gpu.Result, error) { return gpu.Engine(e).Run(p, g, b, j) })
		if err != nil {
			return nil, err
		}
		return s, nil
	}, func(b plan.Batch) (engine.DeviceSamples, error) { return d.draw(p, g, b, j) })
	if errors.Is(err, cuda.ErrMemory) { // reported by nil
		return nil, nil
	}
	return s, err
}

// made returns samples that make makes in the GPU's stream for results. They may be returned before their number of vertices is
// known. After an error nothing stays.
func (d device) made(make func(e launch.Engine) (*gpu.Result, error)) (*samples, error) {
	s := &samples{}
	err := s.begin(d.Device)
	if err != nil {
		return nil, err
	}
	d.Stream, d.Early = &s.stream, true
	if s.Result, err = make(launch.Engine(d.Engine)); err != nil {
		return nil, errors.Join(err, d.Device.Do(s.begun.Destroy))
	}
	return s, nil
}

// bytesNeeded returns the bytes of a result whose samples have one width, or a lower bound if they differ in length.
func bytesNeeded(p plan.Plan, b plan.Batch, size int) float64 {
	each := 4.0
	if size == 8 {
		each += 8
	}
	if b.Edges {
		each += 8
	}
	rows := float64(b.Roots.Count) * float64(b.Roots.Repeat) // the product may exceed an int
	if b.Roots.To > 0 {
		rows = float64(b.Roots.Samples())
	}
	return rows * float64(max(1, p.Width)) * each
}

// NeighborSampler returns a sampler whose mini-batches stay on the GPU.
func (d device) NeighborSampler(h *graph.Hetero) (engine.DeviceNeighborSampler, error) {
	n := gpu.NewNeighborSampler(d.Engine, h)
	err := d.Device.Do(func() (err error) {
		n.Engine.Stream, err = resultStream(d.Device)
		return err
	})
	if err != nil {
		return nil, err
	}
	return neighborSampler{n}, nil
}
