package cuda

import (
	"fmt"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// Module is compiled code on a device.
type Module struct {
	device    *Device
	name      string
	handle    handle
	lock      sync.Mutex
	functions map[string]*function
}

// Function is a kernel.
type Function struct{ *function }

type function struct {
	device *Device
	name   string
	handle handle
	lock   sync.Mutex
	shared int // bytes of shared memory that launches may ask for at present
}

// Load gives the module of that name; the first call makes it of image, a fatbin, a cubin or PTX.
func (d *Device) Load(name string, image []byte) (*Module, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if m := d.modules[name]; m != nil {
		return m, nil
	}
	if err := checkImage(image); err != nil {
		return nil, refuse.Device("GPU: the kernels %q cannot be loaded: %w: install the package again, or empty the cache that they come from", name, err)
	}
	h, err := loadModule(image)
	if err != nil {
		return nil, fault(fmt.Sprintf("loading the kernels %q on %s (sm_%d)", name, d.Name, d.SM), err)
	}
	m := &Module{device: d, name: name, handle: h, functions: map[string]*function{}}
	d.modules[name] = m
	return m, nil
}

// Loaded gives the module of that name, or nil where there is none yet: who reads the image each time pays for the copy.
func (d *Device) Loaded(name string) *Module {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.modules[name]
}

// Unload takes a module off the device. Nothing may use it any more.
func (d *Device) Unload(m *Module) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.modules[m.name] == m {
		delete(d.modules, m.name)
	}
	return fault("unloading kernels", unloadModule(m.handle))
}

// Function gives a kernel by its name.
func (m *Module) Function(name string) (Function, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if f := m.functions[name]; f != nil {
		return Function{f}, nil
	}
	h, err := moduleFunction(m.handle, name)
	if err != nil {
		return Function{}, fault(fmt.Sprintf("finding the kernel %s in %q", name, m.name), err)
	}
	f := &function{device: m.device, name: name, handle: h, shared: sharedUnasked}
	m.functions[name] = f
	return Function{f}, nil
}

// Grid is the shape of a launch.
type Grid struct {
	Blocks, Threads int  // of the grid; of a block
	Shared          int  // bytes of dynamic shared memory of a block
	Cooperative     bool // all blocks are on the card at once, and may wait for each other
}

const (
	sharedUnasked   = 48 << 10 // bytes that a launch may have without asking before
	largestArgument = 4 << 10
)

// Launch starts a kernel in s. Its one parameter is the struct of size bytes at argument, which holds no pointers of
// Go's and is read before the call returns.
func (f Function) Launch(g Grid, s Stream, argument unsafe.Pointer, size uintptr) error {
	if size == 0 || size > largestArgument || g.Blocks <= 0 || g.Threads <= 0 {
		return refuse.Device("GPU: the kernel %s cannot be started with %d blocks of %d threads and %d bytes of parameters", f.name, g.Blocks, g.Threads, size)
	}
	if err := f.allow(g.Shared); err != nil {
		return err
	}
	if err := launch(f.handle, g, s.handle, argument); err != nil {
		return fault("starting the kernel "+f.name, err)
	}
	return nil
}

// allow makes room for shared memory beyond what every launch may have.
func (f Function) allow(shared int) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if shared <= f.shared {
		return nil
	}
	if shared > f.device.SharedPerBlock {
		return refuse.Device("GPU: the kernel %s needs %d bytes of shared memory, and a block of %s has %d", f.name, shared, f.device.Name, f.device.SharedPerBlock)
	}
	if err := allowShared(f.handle, shared); err != nil {
		return fault("giving shared memory to the kernel "+f.name, err)
	}
	f.shared = shared
	return nil
}

// Blocks is how many blocks of such a shape the device holds at once: the most that a cooperative launch may have.
func (f Function) Blocks(threads, shared int) (int, error) {
	if err := f.allow(shared); err != nil {
		return 0, err
	}
	n, err := blocksPerProcessor(f.handle, threads, shared)
	return n * f.device.Processors, fault("asking how many blocks of "+f.name+" fit", err)
}

// Registers is what a thread of the kernel takes, and its bytes of local memory, which are slow: 0 is right.
func (f Function) Registers() (registers, local int, err error) {
	registers, local, err = functionNeeds(f.handle)
	return registers, local, fault("asking what the kernel "+f.name+" needs", err)
}
