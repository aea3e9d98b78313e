package gonextdoor

import (
	"math/bits"
	"strconv"
	"strings"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu/backend"
	"gonextdoor/gonextdoor/engine/sharded"
	"gonextdoor/gonextdoor/plan"
)

// devices is the backend of all devices other than the CPU. No other line of this package names a backend.
var devices engine.Backend = backend.CUDA{Host: cpu.Engine{}}

// Backend returns the backend that runs plans on devices other than the CPU.
func Backend() engine.Backend { return devices }

// Devices is a set of devices of the backend, one bit per device number. The empty set is the CPU.
type Devices uint64

// OnCPU is the empty set of devices.
const OnCPU Devices = 0

// String returns "cpu", "cuda:0" or "cuda:0,cuda:1".
func (on Devices) String() string {
	if on == OnCPU {
		return "cpu"
	}
	var names []string
	for _, id := range on.ids() {
		names = append(names, deviceName(id))
	}
	return strings.Join(names, ",")
}

// Several reports whether the set has more than one device.
func (on Devices) Several() bool { return on&(on-1) != 0 }

// First returns the lowest device number of a set that is not empty.
func (on Devices) First() int { return bits.TrailingZeros64(uint64(on)) }

// ids returns the numbers of the devices, ascending.
func (on Devices) ids() (ids []int) {
	for rest := on; rest != 0; rest &= rest - 1 {
		ids = append(ids, rest.First())
	}
	return ids
}

// open opens the devices, in the order of their numbers.
func (on Devices) open() (all []engine.Device, err error) {
	for _, id := range on.ids() {
		d, err := devices.Open(id)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// deviceName returns "cuda:0" for 0.
func deviceName(id int) string { return devices.Name() + ":" + strconv.Itoa(id) }

// UploadRoots copies roots in host memory to the devices, see sharded.Engine.UploadRoots.
func (on Devices) UploadRoots(
	r plan.Roots, fill func(first int, into []uint32) error,
) (up plan.Roots, free func() error, err error) {
	all, err := on.open()
	if err != nil {
		return r, nil, err
	}
	return sharded.Engine(all).UploadRoots(r, fill)
}
