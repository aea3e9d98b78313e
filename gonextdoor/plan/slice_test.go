package plan

import (
	"testing"

	"gonextdoor/gonextdoor/parallel"
)

// The devices of a batch share the threads of the CPU, and each has its roots.
func TestDevicesShareTheThreads(t *testing.T) {
	b := Batch{Roots: Roots{Count: 8, Width: 1, Repeat: 1, OnDevices: []uintptr{5, 6}}, First: 3}
	for _, c := range []struct{ threads, devices, want int }{
		{16, 2, 8}, {16, 3, 5}, {2, 4, 1}, {7, 1, 7}, {0, 1, 0}, {0, 2, max(1, parallel.Threads(0)/2)},
	} {
		b.Threads = c.threads
		if got := b.ForDevice(0, c.devices, 0, 4).Threads; got != c.want {
			t.Errorf("%d threads for %d devices: %d each, expected %d", c.threads, c.devices, got, c.want)
		}
	}
	if got := b.ForDevice(1, 2, 4, 8); got.Roots.OnDevice != 6 || got.Roots.OnDevices != nil || got.Roots.Samples() != 4 || got.First != 7 {
		t.Errorf("device 1 has %+v", got)
	}
}
