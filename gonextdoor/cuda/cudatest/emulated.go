package cudatest

import "testing"

// Emulated skips where the driver is not the emulated one, which alone can be told to fail.
func Emulated(t testing.TB) {
	t.Helper()
	Driver(t)
	if Real() || get("memory") == ^uint64(0) {
		t.Skip("the machine's own driver fails when it likes")
	}
}

// Set changes what the emulated driver does until the test's end: memory, seed, threads, seconds, or fail, the number of
// the allocation that fails. kernels/host/README.md tells more.
func Set(t testing.TB, name string, value uint64) {
	t.Helper()
	before := get(name)
	if !set(name, value) {
		t.Fatalf("the emulated driver has no %s", name)
	}
	t.Cleanup(func() { set(name, before) })
}

// Allocations counts those that were tried so far, those of pinned memory too.
func Allocations() uint64 { return get("allocations") }

// Launches counts kernels that ran.
func Launches() uint64 { return get("launches") }

// Regions counts the pieces of all devices' memory that are held.
func Regions() uint64 { return regions() }
