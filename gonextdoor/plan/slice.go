package plan

import "gonextdoor/gonextdoor/parallel"

// Slice returns the batch of rows [lo, hi) of b, which must not be empty. The samples keep their ids. The roots are shared
// with b.
func (b Batch) Slice(lo, hi int) Batch {
	b.Roots.From, b.Roots.To = b.Roots.From+lo, b.Roots.From+hi
	b.First += uint64(lo)
	return b
}

// ForDevice is Slice for device number i of n, which share the threads of the CPU.
func (b Batch) ForDevice(i, n, lo, hi int) Batch {
	if n > 1 {
		b.Threads = max(1, parallel.Threads(b.Threads)/n)
	}
	if b.Roots.OnDevices != nil {
		b.Roots.OnDevice, b.Roots.OnDevices = b.Roots.OnDevices[i], nil
	}
	return b.Slice(lo, hi)
}
