package program

import "gonextdoor/gonextdoor/hook"

// GPUHooked is an app with hooks that can be compiled for a GPU.
type GPUHooked interface {
	Stepped
	// GPUHooks returns the hooks. It returns false if one of them can run on the CPU only.
	GPUHooks() (GPUHooks, bool)
	// CPUCompiled reports whether the hooks can run on the CPU. Those of an app that was compiled for a GPU alone cannot.
	CPUCompiled() bool
}

// GPUHooks are the hooks of an app for a GPU, and the data that they read. The slices belong to the app.
type GPUHooks struct {
	Image  hook.Image   // empty while the hooks have not been compiled: the app can be planned, but not run
	Params []uint64     // each is an int64 or the bits of a float64
	Arrays []hook.Array // in host memory
	Reads  hook.Reads   // what the hooks read of the graph and the sample
	Timed  bool         // candidates are those of StepProgram.Follows
}

// GPUHooks returns the hooks, unless one is a Go function or was compiled for the CPU without a name: Hooks lists all of them.
func (a *Custom) GPUHooks() (GPUHooks, bool) {
	g := a.given
	if g == nil {
		g = &a.StepProgram
	}
	hooks := GPUHooks{Image: a.Image, Params: a.Params, Arrays: a.Arrays, Reads: a.Reads, Timed: a.Follows != nil}
	return hooks, a.Hooks != nil && g.EdgeBias == nil &&
		g.VertexBias == nil && g.Bound == nil && g.Next == nil && g.Update == nil && g.Fanout == nil && g.Stop == nil
}

// CPUCompiled reports whether no hook waits to be compiled for the CPU.
func (a *Custom) CPUCompiled() bool { return len(a.Hooks) == 0 || a.Kernels != (hook.Kernels{}) }
