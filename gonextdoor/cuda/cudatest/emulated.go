package cudatest

import "testing"

// Emulated skips the test unless the driver is the emulated one. Only that one can be made to fail.
func Emulated(t testing.TB) {
	t.Helper()
	Driver(t)
	if Real() || get("memory") == ^uint64(0) {
		t.Skip("failures can only be injected into the emulated driver")
	}
}

// Set changes a setting of the emulated driver until the end of the test: memory, seed, threads, seconds or fail (the number
// of the allocation that fails). kernels/host/README.md describes them.
func Set(t testing.TB, name string, value uint64) {
	t.Helper()
	before := get(name)
	if !set(name, value) {
		t.Fatalf("the emulated driver has no %s", name)
	}
	t.Cleanup(func() { set(name, before) })
}

// Allocations returns the number of allocations of GPU and pinned memory so far, including failed ones.
func Allocations() uint64 { return get("allocations") }

// Launches returns the number of kernels that have run.
func Launches() uint64 { return get("launches") }

// Regions returns the number of allocated blocks of GPU memory, on all devices.
func Regions() uint64 { return regions() }
