// Package launch runs kernels on one GPU: the data of a run, the memory and the launches that all drivers share, and results in
// GPU memory. A driver is a Spec: its kernels, the layouts that they read, and functions of the run. A package of a driver makes
// the Spec; this package calls it through the functions of the Spec alone.
package launch

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
	"gonextdoor/kernels/function"
)

// Spec describes how a plan runs on the GPU. A driver's file makes it. It is never modified afterwards and may be
// shared by concurrent runs; the state of a run is in run and callbacks.
type Spec struct {
	// Variants are the kernels that can run the plan, the fastest first. The last one is for any graph.
	Variants []Variant
	// Calls returns the driver's functions for one run, which may share state; nil: there are none.
	Calls func() Callbacks
	// Slowdown is the approximate cost of a step in plain steps. It keeps launches short. 0 means 1.
	Slowdown int64
	// SideBySide is set if every root of a sample is a separate walker with separate threads.
	SideBySide bool
	// Exchange is set if several GPUs can make the samples together, see Exchange.
	Exchange *Exchange

	// Of samples that differ in length:

	Interleaved bool    // the kernel writes interleaved chunks, see kernels/driver/interleaved.cuh
	MeanSteps   float64 // expected steps; 0: unknown
	MaxSteps    int     // 0: unbounded

	// Beyond is how the plan runs on a graph that does not fit into GPU memory; nil: it does not.
	Beyond Beyond
	// Complete is why it does not; "": no kernels do.
	Complete string

	// Samples makes all samples of a run; nil: those of one width, or that differ in length, by the launches of callbacks.
	Samples func(r *Run) (*Result, error)
	Tables  int64 // bytes of the tables that the run holds besides the layouts
}

// Beyond is how a plan runs on a graph that does not fit into GPU memory.
type Beyond interface {
	// Choose selects the kernel of a run, and builds and holds what it reads besides the rows that are copied.
	Choose(r *Run) error
	// Plan returns what is copied for a plan, or why that is impossible. It builds and copies nothing.
	Plan(e Engine, p plan.Plan, edges bool) (plan.Parts, error)
}

// Exchange describes how several GPUs make the samples of a plan together.
type Exchange struct {
	Rest string // the image of the kernel for rows of which all tries are rejected; "": there is none
}

// Callbacks are a driver's functions for one run. Each of them may be nil. They are called within Device.Do.
type Callbacks struct {
	// Fill sets the app's parameters; nil: there are none. It may allocate scratch memory of the run.
	Fill func(r *Run, a *kernels.Walk) error
	// Reserve allocates the scratch memory of launch.
	Reserve func(r *Run, a *kernels.Walk) error
	// Samples starts all kernels of samples of one width; nil: those of the launches below.
	Samples func(r *Run) error
	// Workspaces returns further arrays of the groups that make samples one at a time, each with a capacity; nil: none.
	Workspaces func(capacity, groups int64) []Buffer
	// Argument returns the address of the parameter of the kernel that makes samples one at a time; nil: a.
	Argument func(a *kernels.Layered) any
	// Launch starts the kernel for the steps [T.Begin, T.End) of the rows [B.From, B.Rows); nil: one thread per row.
	Launch func(r *Run, a *kernels.Walk) error
	// Check waits for the work and returns its error, such as a fault of a hook; nil: no such error is possible.
	Check func(r *Run) error
}

// Filled returns the calls of a driver that only sets parameters.
func Filled(fill func(r *Run, a *kernels.Walk) error) func() Callbacks {
	return func() Callbacks { return Callbacks{Fill: fill} }
}

// Variant is a kernel with the layouts of the graph that it reads.
type Variant struct {
	Layout resident.Layout
	Kernel Kernel
}

// Kernel is a kernel, and how threads share its rows.
type Kernel struct {
	Name  string // in the table of package kernels/entry, which has its image, parameter and block
	Block int    // threads per block; 0: as many as the table has
	Lanes int    // threads per row; 0: one
	Grid  string // the kernel that makes each row by the whole grid; "": there is none
	// Load returns a kernel that was compiled at run time; nil: the kernel of the table.
	Load func(d *cuda.Device) (function.Function, error)
}

// Program is a plan compiled for GPUs. It is immutable and may be shared by concurrent calls.
type Program struct {
	Plan plan.Plan
	Spec Spec
}

// Layouts returns the layouts that GPU id reads for the plan: those of the fastest variant that suits the graph. It builds
// nothing. edges is set if the ids of edges are recorded.
func (p *Program) Layouts(id int, edges bool) (parts []resident.Part, err error) {
	missing := p.Plan.LacksView()
	for _, v := range p.Spec.Variants {
		want := v.Layout
		if edges {
			want |= resident.IDs
		}
		if parts, err = resident.Parts(p.Plan.Graph, want, id, missing); err == nil {
			return parts, nil
		}
	}
	return nil, err
}

// LeastBytes returns the bytes of the layouts of the variant that takes the least memory. See Layouts.
func (p *Program) LeastBytes(id int, edges bool) (least int64, err error) {
	missing, found := p.Plan.LacksView(), false
	for _, v := range p.Spec.Variants {
		want := v.Layout
		if edges {
			want |= resident.IDs
		}
		parts, failed := resident.Parts(p.Plan.Graph, want, id, missing)
		if failed != nil {
			err = failed
			continue
		}
		if bytes := BytesOf(parts); !found || bytes < least {
			least, found = bytes, true
		}
	}
	if found {
		return least, nil
	}
	return 0, err
}

// BytesOf returns the bytes of layouts.
func BytesOf(parts []resident.Part) (bytes int64) {
	for _, part := range parts {
		bytes += part.Bytes
	}
	return bytes
}
