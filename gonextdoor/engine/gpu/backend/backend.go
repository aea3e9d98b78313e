// Package backend implements engine.Backend by the GPU engine. It also keeps results in GPU memory and shares them with other
// libraries, such as PyTorch, as DLPack tensors.
//
// Ownership: a result is a sharedBuffer. The caller has one reference and each tensor another; the last Release frees the
// memory. Order: results are made and freed in one stream per GPU. The streams of other libraries wait for the event of a
// result before they read it, and the memory is freed after their work, see sharedBuffer.
//
// The functions enter Device.Do themselves and are safe for concurrent use, unless stated otherwise.
//
// The package is not under internal/ so that programs can build a sampler for a GPU without package gonextdoor.
package backend

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// CUDA is the backend for NVIDIA GPUs.
type CUDA struct {
	// Host makes the samples of plans that need the complete graph, if it exceeds a GPU's memory; nil: such plans are refused.
	Host Host
}

// Host is the CPU.
type Host interface {
	engine.Engine
	engine.Scorer
}

var _ engine.Backend = CUDA{}

// opened reports whether this process has used a GPU.
var opened atomic.Bool

// Name returns "cuda".
func (CUDA) Name() string { return "cuda" }

// Count returns the number of GPUs. The first call loads the driver.
func (CUDA) Count() (int, error) { return cuda.Count() }

// Open returns GPU id.
func (c CUDA) Open(id int) (engine.Device, error) {
	d, err := cuda.Open(id)
	if err != nil {
		return nil, err
	}
	opened.Store(true)
	return device{gpu.Engine{Device: d}, c.Host, plan.HostedBytes}, nil
}

// Opened reports whether Open has succeeded in this process.
func (CUDA) Opened() bool { return opened.Load() }

// Memory returns the bytes of memory of GPU id that graphs may take.
func (CUDA) Memory(id int) (int64, error) {
	d, err := cuda.Open(id)
	if err != nil {
		return 0, err
	}
	return resident.Limit(d.Total), nil
}

// DeviceOf returns the number of the GPU whose memory contains address.
func (CUDA) DeviceOf(address uintptr) (int, error) { return cuda.DeviceOf(address) }

// Compile returns the kernels and parameters of a plan.
func (CUDA) Compile(p plan.Plan) (engine.Program, error) {
	program, err := gpu.Compile(p)
	if err != nil {
		return nil, err
	}
	return program, nil
}

// Tables returns the layouts of a graph that GPU id reads for a plan. edges is set if edge ids are recorded.
func (CUDA) Tables(p plan.Plan, id int, edges bool) ([]engine.Table, error) {
	program, err := gpu.Compile(p)
	if err != nil {
		return nil, err
	}
	parts, err := program.Layouts(id, edges)
	tables := make([]engine.Table, len(parts))
	for i, part := range parts {
		tables[i] = engine.Table(part)
	}
	return tables, err
}

// InParts returns how GPU id runs a plan if the graph does not fit into its memory, or Parts{}.
func (CUDA) InParts(p plan.Plan, id int, edges bool) (plan.Parts, error) {
	d, err := cuda.Open(id)
	if err != nil {
		return plan.Parts{}, err
	}
	return gpu.Engine{Device: d}.PlanParts(p, edges)
}

// GraphBytes returns how many bytes of GPU memory a graph takes, by GPU.
func (CUDA) GraphBytes(g *graph.Graph) map[int]int64 { return resident.Bytes(g) }

// ReleaseGraph frees the memory that a graph takes on all GPUs, unless calls are using it.
func (CUDA) ReleaseGraph(g *graph.Graph) error { return resident.Drop(g) }
