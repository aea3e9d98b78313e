// Package cuda wraps the part of the CUDA driver API that the GPU engine uses: devices, memory, streams, events, graphs,
// modules and launches. Most calls use gorgonia.org/cu; a few lines of cgo add functions that it lacks.
//
// The driver library is libcuda.so.1, or the file that the environment variable GONEXTDOOR_LIBCUDA names. It is loaded by
// the first call of a function, not when the package is initialised. Programs that import the package therefore run on any
// machine, and Status reports why there is no GPU. Driver calls are compiled only with cgo and the build tag cuda, for
// Linux on x86-64. In other builds Status and all other functions return an error.
//
// Threads: the context is the primary context of the process, which PyTorch and CuPy also use, so that memory and streams
// can be shared with them. Device.Do makes it current on one thread of the operating system. All methods of Device, Stream,
// Event, Module, Function and Graph are called within Do, unless their comment says otherwise. They may be called from
// several threads. A forked child cannot use the GPU; calls return an error there.
//
// Order: operations that take a Stream are asynchronous and run in the order of the stream. Memory from Device.Alloc must
// be freed with Device.Free, and pinned memory from Device.Pin with Device.Unpin; nothing is freed by the garbage collector.
//
// All errors are DeviceErrors (refuse.KindDevice) that tell the user what to do, except for those of Pin.
package cuda

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"gonextdoor/gonextdoor/refuse"
)

// Device is a GPU with the primary context of this process. There is one Device per GPU, which Open returns; it stays as
// long as the process. The exported fields are constant.
type Device struct {
	ID                         int
	Name                       string
	SM                         int // compute capability: 90 for 9.0
	Multiprocessors            int
	ThreadsPerMultiprocessor   int
	SharedPerBlock             int // bytes of shared memory that a launch may request per block
	SharedPerMultiprocessor    int // bytes of shared memory
	RegistersPerMultiprocessor int
	L2                         int64 // bytes of L2 cache
	Total                      int64 // bytes of memory
	Cooperative                bool  // the GPU supports cooperative launches

	context handle
	pool    handle // memory pool of Alloc; 0: the GPU does not support pools
	pinned  pinnedPool
	lock    sync.Mutex // guards the fields below
	modules map[string]*Module
	sharers map[int]bool // the GPUs that Share has given access
}

// handle is a pointer to an object of the driver.
type handle = uintptr

// opened is the state of the driver in this process. The mutex guards devices.
var opened struct {
	sync.Mutex
	process atomic.Int64 // id of the process that initialised the driver; a forked child has another id
	devices map[int]*Device
}

// minVersion is the oldest CUDA version that a driver must support. Drivers of all versions 12.x load what NVRTC 12 compiles.
const minVersion = 12000

// Status returns nil if there is a working driver, and otherwise the reason why no GPU can be used. The first call loads
// and initialises the driver library. It need not be called within Do.
func Status() error {
	opened.Lock()
	defer opened.Unlock()
	return status()
}

// status is Status; opened is locked.
func status() error {
	this := int64(os.Getpid())
	if by := opened.process.Load(); by != 0 && by != this {
		return errForked
	}
	code, reason := driverStatus()
	if code != 0 {
		return noDriver(code, reason)
	}
	if v := driverVersion(); v < minVersion {
		return tooOld(v)
	}
	opened.process.Store(this)
	return nil
}

// Version returns the CUDA version that the driver supports, 13000 for 13.0, or 0 without a driver. It need not be called
// within Do.
func Version() int {
	if Status() != nil {
		return 0
	}
	return driverVersion()
}

// Count returns the number of GPUs that this process sees. It need not be called within Do.
func Count() (int, error) {
	if err := Status(); err != nil {
		return 0, err
	}
	n, err := deviceCount()
	return n, fault("counting the GPUs", err)
}

// Open returns GPU id, the same value at each call. The first call for a GPU creates its context, which can take a second.
// It need not be called within Do.
func Open(id int) (*Device, error) {
	opened.Lock()
	defer opened.Unlock()
	if err := status(); err != nil {
		return nil, err
	}
	if d := opened.devices[id]; d != nil {
		return d, nil
	}
	n, err := deviceCount()
	if err != nil {
		return nil, fault("counting the GPUs", err)
	}
	if id < 0 || id >= n {
		return nil, refuse.Device("device: there is no GPU %d: this process sees %s (CUDA_VISIBLE_DEVICES can hide some)", id, visible(n))
	}
	d, err := openDevice(id)
	if err != nil {
		return nil, err
	}
	if opened.devices == nil {
		opened.devices = map[int]*Device{}
	}
	opened.devices[id] = d
	return d, nil
}

// openDevice reads the properties of a GPU, retains its primary context and creates its memory pool.
func openDevice(id int) (*Device, error) {
	d := &Device{ID: id, modules: map[string]*Module{}, sharers: map[int]bool{}}
	pools, err := describe(id, d)
	if err != nil {
		return nil, fault("asking the GPU what it is", err)
	}
	if d.context, err = retain(id); err != nil {
		return nil, fault("taking the GPU's context", err)
	}
	if !pools {
		return d, nil
	}
	// Up to a quarter of the GPU's memory stays in the pool after it is freed, so that the next allocation does not wait for
	// the driver.
	return d, d.Do(func() (err error) {
		d.pool, err = makePool(id, d.Total/4)
		return fault("making a pool of GPU memory", err)
	})
}

// Do calls f with the device's context current, on one thread of the operating system, and returns its error. Calls may be
// nested, for other devices too: the previous context is restored afterwards, also if f panics. Errors of the driver name the
// device.
func (d *Device) Do(f func() error) error {
	if opened.process.Load() != int64(os.Getpid()) {
		return errForked
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := push(d.context); err != nil {
		return d.named(fault("entering the GPU's context", err))
	}
	defer pop()
	return d.named(f())
}

// named returns an error with the device's name in place of "GPU", unless it names a device already.
func (d *Device) named(err error) error {
	switch e := err.(type) {
	case *refuse.Refusal:
		if text, ok := strings.CutPrefix(e.Text, "GPU: "); ok && e.Kind == refuse.KindDevice {
			return &refuse.Refusal{Kind: e.Kind, Text: fmt.Sprintf("cuda:%d: %s", d.ID, text), Err: e.Err}
		}
	case interface{ Unwrap() []error }: // of errors.Join
		var all []error
		for _, one := range e.Unwrap() {
			all = append(all, d.named(one))
		}
		return errors.Join(all...)
	}
	return err
}
