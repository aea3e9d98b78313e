package gputest

import (
	"errors"
	"fmt"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Exchanger is an engine that makes walks by gpu.Exchange and copies them to the host. A GPU may have several parts.
type Exchanger struct {
	Devices []*cuda.Device // of the parts
	Tuning  gpu.Tuning
	// Vertices and Rows return the bounds of the parts: part i has [bounds[i], bounds[i+1]).
	Vertices func(g *graph.Graph, parts int) []int
	Rows     func(rows, parts int) []int
}

// Exchangers returns engines that give vertices and rows to GPUs in different ways, of which there are two at least.
func Exchangers(devices []*cuda.Device) map[string]Exchanger {
	one, two := devices[0], devices[1]
	all := func(owner int) func(g *graph.Graph, parts int) []int {
		return func(g *graph.Graph, parts int) []int { return inPart(g.NumVertices(), parts, owner) }
	}
	rows := func(owner int) func(rows, parts int) []int {
		return func(rows, parts int) []int { return inPart(rows, parts, owner) }
	}
	odd := func(g *graph.Graph, parts int) []int {
		bounds := make([]int, parts+1)
		for i := 1; i <= parts; i++ {
			bounds[i] = g.NumVertices() * i * i / (parts * parts)
		}
		return bounds
	}
	steps := gpu.Tuning{LaunchSteps: 1, Variant: 1}
	return map[string]Exchanger{
		"all GPUs":                 {Devices: devices, Vertices: odd, Rows: Equal},
		"two GPUs":                 {Devices: []*cuda.Device{one, two}, Vertices: byEdges, Rows: Equal},
		"four parts":               {Devices: []*cuda.Device{one, two, two, one}, Vertices: odd, Rows: Equal, Tuning: gpu.Tuning{Variant: 2}},
		"vertices on one GPU":      {Devices: []*cuda.Device{one, two}, Vertices: all(1), Rows: Equal, Tuning: steps},
		"rows on one GPU":          {Devices: []*cuda.Device{one, two, one}, Vertices: odd, Rows: rows(1), Tuning: steps},
		"a GPU for rows alone":     {Devices: []*cuda.Device{one, two}, Vertices: all(0), Rows: rows(1), Tuning: gpu.Tuning{Variant: 99}},
		"a GPU with nothing to do": {Devices: []*cuda.Device{one, two}, Vertices: all(1), Rows: rows(1)},
	}
}

// byEdges cuts the vertices into parts with equal numbers of edges.
func byEdges(g *graph.Graph, parts int) []int { return g.RowRanges(parts) }

// Equal cuts rows into parts of equal size.
func Equal(rows, parts int) []int {
	bounds := make([]int, parts+1)
	for i := range bounds {
		bounds[i] = rows * i / parts
	}
	return bounds
}

// inPart gives all n elements to one part.
func inPart(n, parts, owner int) []int {
	bounds := make([]int, parts+1)
	for i := owner + 1; i <= parts; i++ {
		bounds[i] = n
	}
	return bounds
}

// Name returns "exchange".
func (Exchanger) Name() string { return "exchange" }

// Parts returns the parts of a batch.
func (e Exchanger) Parts(g *graph.Graph, rows int) (parts []gpu.ExchangePart) {
	vertices, of := e.Vertices(g, len(e.Devices)), e.Rows(rows, len(e.Devices))
	for i, d := range e.Devices {
		parts = append(parts, gpu.ExchangePart{
			Engine: launch.Engine{Device: d, Tuning: e.Tuning}, Low: vertices[i], High: vertices[i+1], From: of[i], To: of[i+1],
		})
	}
	return parts
}

// Matrix makes the samples and copies them to out.
func (e Exchanger) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	b.Order = plan.TransitOrder // the graph may be replicated
	parts := e.Parts(g, b.Roots.Samples())
	results, err := gpu.Exchange(parts, p, g, b, j)
	if err != nil {
		return err
	}
	for i, r := range results {
		if r == nil {
			continue
		}
		err = errors.Join(err, columns(r, r.Vertices, out.Vertices, out.Width, parts[i].From))
		if out.Edges != nil {
			err = errors.Join(err, columns(r, r.Edges, out.Edges, out.Width-out.Roots, parts[i].From))
		}
		err = errors.Join(err, r.Free())
	}
	return err
}

// columns copies an array of a result to the rows of out from row lo on.
func columns[T any](r *gpu.Result, from cuda.Memory, out []T, width, lo int) error {
	all := make([]T, r.Stride*width)
	if len(all) == 0 {
		return nil
	}
	err := r.Device.Do(func() error {
		to := unsafe.Pointer(unsafe.SliceData(all))
		if err := r.Device.CopyOut(to, from.Address, int64(len(all))*int64(unsafe.Sizeof(all[0])), r.Stream); err != nil {
			return err
		}
		return r.Stream.Synchronize()
	})
	for row := range r.Rows {
		for slot := range width {
			out[(lo+row)*width+slot] = all[slot*r.Stride+row]
		}
	}
	return err
}

// Ragged returns an error: samples of one width alone are exchanged.
func (e Exchanger) Ragged(p plan.Plan, _ *graph.Graph, _ plan.Batch, _ *job.Job) (output.Ragged, error) {
	return output.Ragged{}, fmt.Errorf("%s is not exchanged", p.App.Name())
}

// Layers returns an error likewise.
func (e Exchanger) Layers(p plan.Plan, _ *graph.Graph, _ plan.Batch, _ *job.Job) (output.Layers, error) {
	return output.Layers{}, fmt.Errorf("%s is not exchanged", p.App.Name())
}
