// Package cuda is the part of the CUDA driver that the GPU engine uses: devices, memory, streams, modules, launches.
//
// It uses gorgonia.org/cu, and a few lines of cgo for what that lacks. The driver library is opened at the
// first call, never when the package is loaded: a program imports it on any machine, and Status says why there is no GPU.
// The library is libcuda.so.1, or the file that the environment variable GONEXTDOOR_LIBCUDA names.
//
// A build has the driver's calls where it was made with the tag cuda, with cgo, for Linux on x86-64; without, Status
// gives the reason and everything else fails with it. A context is that of the whole process (the primary one), which
// PyTorch and CuPy use too, so memory and streams can be shared with them.
//
// All errors are refuse.KindDevice and say what to do.
//
// It is not internal because pybind, outside gonextdoor/, imports it.
package cuda

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"gonextdoor/gonextdoor/refuse"
)

// Device is a GPU, with the context of this process on it.
type Device struct {
	ID                    int
	Name                  string
	SM                    int // 90: compute capability 9.0
	Processors            int
	ThreadsPerProcessor   int
	SharedPerBlock        int // bytes that a launch may ask for
	SharedPerProcessor    int
	RegistersPerProcessor int
	L2                    int64 // bytes
	Total                 int64 // bytes of memory
	Cooperative           bool  // whether launches may be
	context, pool         handle
	modules               map[string]*Module
	pinned                pinnedPool
	lock                  sync.Mutex // guards modules
}

// handle is an address that the driver gave.
type handle = uintptr

// opened is what this process did with the driver.
var opened struct {
	sync.Mutex
	process atomic.Int64 // that opened it; a forked child is another
	devices map[int]*Device
}

// oldest is the CUDA version that a driver must speak: what NVRTC 12 compiles, all of 12 take.
const oldest = 12000

// Status gives nil where there is a driver that works, and otherwise why there is none. It opens the library.
func Status() error {
	opened.Lock()
	defer opened.Unlock()
	return status()
}

func status() error {
	this := int64(os.Getpid())
	if by := opened.process.Load(); by != 0 && by != this {
		return errForked
	}
	code, reason := driverStatus()
	if code != 0 {
		return noDriver(code, reason)
	}
	if v := driverVersion(); v < oldest {
		return tooOld(v)
	}
	opened.process.Store(this)
	return nil
}

// Version gives the CUDA version that the driver speaks, 13000 for 13.0; 0 without a driver.
func Version() int {
	if Status() != nil {
		return 0
	}
	return driverVersion()
}

// Count gives the number of GPUs.
func Count() (int, error) {
	if err := Status(); err != nil {
		return 0, err
	}
	n, err := deviceCount()
	return n, fault("counting the GPUs", err)
}

// Open gives device id, the same value at each call.
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

func openDevice(id int) (*Device, error) {
	d := &Device{ID: id, modules: map[string]*Module{}}
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
	// What is freed stays ours up to a quarter of the card: the next call of that size is not to wait for the driver.
	return d, d.Do(func() (err error) {
		d.pool, err = makePool(id, d.Total/4)
		return fault("making a pool of GPU memory", err)
	})
}

// Do calls f with the device's context current, on one thread of the operating system. All methods of a device, and of
// what belongs to it, are called within.
func (d *Device) Do(f func() error) error {
	if opened.process.Load() != int64(os.Getpid()) {
		return errForked
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := push(d.context); err != nil {
		return fault("entering the GPU's context", err)
	}
	defer pop()
	return f()
}
