// Package doctor inspects the GPUs of this machine and reports what prevents the library from using them.
package doctor

import (
	"encoding/json"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
)

// Report describes the GPUs, the driver and the kernels of this build. Its JSON is read by the Python package.
type Report struct {
	Reason  string   // why no GPU can be used, or ""
	Driver  int      // CUDA version that the driver supports: 13000 for 13.0; 0 without a driver
	Kernels []string // names of the kernel images
	Targets []string // targets of the images: architectures (sm_90) and PTX (compute_70)
	Devices []Device
}

// Device describes one GPU.
type Device struct {
	ID              int
	Name            string
	SM              int // compute capability: 90 for 9.0
	Multiprocessors int
	L2              int64   // bytes of L2 cache
	Total, Free     int64   // bytes of memory
	Code            string  // the target whose code the GPU runs; a compute_ target is compiled by the driver; "": none fits
	Seconds         float64 // duration of loading all kernels
	Reason          string  // why the GPU cannot be used, or ""
}

// Look opens every GPU, loads all kernels on it, and compares random words that it computes with those of the CPU. It may
// take seconds if the driver must compile the kernels. A failure of one GPU is reported in its Reason.
func Look() Report {
	r := Report{Kernels: kernels.Images(), Targets: kernels.Targets(), Devices: []Device{}}
	n, err := cuda.Count()
	if err != nil {
		r.Reason = err.Error()
		return r
	}
	r.Driver = cuda.Version()
	for id := range n {
		r.Devices = append(r.Devices, device(id))
	}
	if n == 0 {
		r.Reason = "the driver sees no GPU: CUDA_VISIBLE_DEVICES may hide it"
	}
	return r
}

// JSON returns the report as JSON.
func (r Report) JSON() string {
	b, _ := json.Marshal(r) // the report has only texts and numbers, for which Marshal returns no error
	return string(b)
}

// device opens and tests one GPU.
func device(id int) Device {
	d, err := cuda.Open(id)
	if err != nil {
		return Device{ID: id, Reason: err.Error()}
	}
	seen := Device{ID: id, Name: d.Name, SM: d.SM, Multiprocessors: d.Multiprocessors, L2: d.L2, Total: d.Total, Code: code(kernels.Targets(), d.SM)}
	if err = d.Do(func() (err error) {
		if seen.Free, _, err = d.FreeMemory(); err != nil {
			return err
		}
		if seen.Seconds, err = load(d); err != nil {
			return err
		}
		return words(d)
	}); err != nil {
		seen.Reason = err.Error()
	}
	return seen
}

const count = 1000 // words to compare

// words computes random words on the device and compares them with those of package rng.
func words(d *cuda.Device) error {
	image, err := kernels.Image("words")
	if err != nil {
		return err
	}
	m, err := d.Load("words", image)
	if err != nil {
		return err
	}
	f, err := m.Function("words")
	if err != nil {
		return err
	}
	var coordinates [4 * count]uint64
	var want, got [count]uint64
	for i := range uint64(count) {
		c := coordinates[4*i : 4*i+4]
		c[0], c[1], c[2], c[3] = uint64(rng.NewStream(i%7, rng.Choices)), i*i*0x10001, i%300, i%256
		want[i] = rng.Stream(c[0]).Key(c[1]).Word(rng.Slot(c[2], c[3]))
	}
	if err := run(d, f, coordinates[:], got[:]); err != nil {
		return err
	}
	if !slices.Equal(got[:], want[:]) {
		return refuse.Device("GPU: cuda:%d computes random words that differ from the CPU's: its results would be wrong", d.ID)
	}
	return nil
}

// run copies the coordinates to the device, launches f, and copies the words back.
func run(d *cuda.Device, f cuda.Function, coordinates, out []uint64) error {
	s := cuda.Stream{}
	in, back := int64(8*len(coordinates)), int64(8*len(out))
	m, err := d.Alloc(in+back, s)
	if err != nil {
		return err
	}
	parameters := struct{ coordinates, out, count uint64 }{uint64(m.Address), uint64(m.Address) + uint64(in), uint64(len(out))}
	for _, step := range []func() error{
		func() error { return d.CopyIn(m.Address, unsafe.Pointer(&coordinates[0]), in, s) },
		func() error {
			return f.Launch(cuda.Grid{Blocks: 4, Threads: 128}, s, unsafe.Pointer(&parameters), unsafe.Sizeof(parameters))
		},
		func() error { return d.CopyOut(unsafe.Pointer(&out[0]), m.Address+uintptr(in), back, s) },
		s.Synchronize,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return d.Free(m, s)
}
