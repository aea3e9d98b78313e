// Package function loads kernels on a GPU and launches them with the parameters that the table of package entry states.
package function

import (
	"reflect"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
	"gonextdoor/kernels/entry"
)

// Function is a kernel on a GPU, with what the table of package entry states of it.
type Function struct {
	cuda.Function
	entry.Kernel
}

// Load returns the kernel of that name, and loads its image at the first use.
//
// Errors: DeviceError if this build has no such kernel.
func Load(d *cuda.Device, name string) (Function, error) {
	image, k, ok := entry.Find(name)
	if !ok {
		return Function{}, refuse.Device("GPU: there is no kernel %q", name)
	}
	return load(d, image, k, func() ([]byte, error) { return kernels.Image(image) })
}

// LoadHooks returns the kernel of an image that was compiled at run time with users' hooks, by the name of its form.
func LoadHooks(d *cuda.Device, image, form string, code []byte) (Function, error) {
	return load(d, image, entry.Hooks()[form].Kernel, func() ([]byte, error) { return code, nil })
}

// load returns a kernel of an image. code returns the image, unless it is loaded.
func load(d *cuda.Device, image string, k entry.Kernel, code func() ([]byte, error)) (Function, error) {
	m := d.Loaded(image)
	if m == nil {
		text, err := code()
		if err != nil {
			return Function{}, err
		}
		if m, err = d.Load(image, text); err != nil {
			return Function{}, err
		}
	}
	f, err := m.Function(k.Name)
	return Function{f, k}, err
}

// Launch is cuda.Function.Launch. argument points to the struct that the kernel takes. Without a number of threads the grid has
// Kernel.Block.
//
// Errors: those of cuda.Function.Launch; a DeviceError if the kernel takes another struct.
func (f Function) Launch(g cuda.Grid, s cuda.Stream, argument any) error {
	v := reflect.ValueOf(argument)
	if got := v.Type().Elem(); got.Name() != f.Parameter {
		return refuse.Device("GPU: the kernel %s takes the parameter %s, not %s", f.Name, f.Parameter, got.Name())
	}
	if g.Threads == 0 {
		g.Threads = f.Block()
	}
	return f.Function.Launch(g, s, v.UnsafePointer(), v.Type().Elem().Size())
}
