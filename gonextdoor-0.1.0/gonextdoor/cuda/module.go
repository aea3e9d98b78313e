package cuda

import (
	"fmt"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// Module is compiled code that has been loaded on a device. Its methods are safe for concurrent use.
type Module struct {
	device    *Device
	name      string
	handle    handle
	lock      sync.Mutex
	functions map[string]*function
}

// Function is a kernel of a module. It is valid until the module is unloaded.
type Function struct{ *function }

type function struct {
	device *Device
	name   string
	handle handle
	lock   sync.Mutex
	shared int // bytes of dynamic shared memory that launches may request now, guarded by lock
}

// Load returns the module of that name. The first call loads it from image, which is a fatbin, a cubin or PTX; later calls
// ignore image. If the image contains no machine code for the GPU, the driver compiles its PTX, which can take seconds.
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

// Loaded returns the module of that name, or nil if it has not been loaded. Callers use it to avoid reading the image again.
func (d *Device) Loaded(name string) *Module {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.modules[name]
}

// Unload removes a module from the device. No work that uses it may be pending.
func (d *Device) Unload(m *Module) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.modules[m.name] == m {
		delete(d.modules, m.name)
	}
	return fault("unloading kernels", unloadModule(m.handle))
}

// Function returns the kernel of that name.
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
	f := &function{device: m.device, name: name, handle: h, shared: defaultShared}
	m.functions[name] = f
	return Function{f}, nil
}

// Grid is the shape of a launch.
type Grid struct {
	Blocks, Threads int  // blocks of the grid; threads per block
	Shared          int  // bytes of dynamic shared memory per block
	Cooperative     bool // all blocks are resident at once, so that they may wait for each other at a grid barrier
}

const (
	defaultShared = 48 << 10 // bytes of dynamic shared memory that a launch may request without allowShared
	maxArgument   = 4 << 10  // bytes of parameters of a kernel
)

// Launch submits a kernel to s. The kernel has one parameter, the struct of size bytes at argument. The struct is copied
// before the call returns; it may contain no Go pointers.
func (f Function) Launch(g Grid, s Stream, argument unsafe.Pointer, size uintptr) error {
	if size == 0 || size > maxArgument || g.Blocks <= 0 || g.Threads <= 0 {
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

// allow lets launches of the kernel request that many bytes of dynamic shared memory.
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

// Blocks returns how many blocks of a shape the device runs at once, which is the limit of a cooperative launch.
func (f Function) Blocks(threads, shared int) (int, error) {
	if err := f.allow(shared); err != nil {
		return 0, err
	}
	n, err := blocksPerMultiprocessor(f.handle, threads, shared)
	return n * f.device.Multiprocessors, fault("asking how many blocks of "+f.name+" fit", err)
}

// Registers returns the number of registers per thread, and the bytes of local memory per thread. Local memory is slow; a
// kernel without spilled registers uses 0 bytes.
func (f Function) Registers() (registers, local int, err error) {
	registers, local, err = functionNeeds(f.handle)
	return registers, local, fault("asking what the kernel "+f.name+" needs", err)
}
