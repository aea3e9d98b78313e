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

// Set changes a setting of the emulated driver until the end of the test: memory, seed, threads, seconds, peers, granularity,
// fail (the number of the allocation that fails) or fail_chunk (the same for chunks). kernels/host/README.md describes them.
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

// Inject makes the call of a kind ("allocation", "copy", "launch" or "kernel") on a device that is the number-th from now on
// return an error of the driver, until the end of the test. Number 0 is none.
func Inject(t testing.TB, kind string, device int, number uint64, code int) {
	t.Helper()
	if number > 0 {
		number += Calls(kind, device)
	}
	if !inject(kind, device, number, code) {
		t.Fatalf("the emulated driver has no calls %s", kind)
	}
	t.Cleanup(func() { inject(kind, device, 0, 0) })
}

// Calls returns the number of calls of a kind on a device so far, see Inject.
func Calls(kind string, device int) uint64 { return calls(kind, device) }

// Grants returns how often a device was given access to the memory of another.
func Grants() uint64 { return get("grants") }

// Chunks returns the number of chunks of GPU memory that have been created.
func Chunks() uint64 { return get("chunks") }

// Regions returns the number of allocated blocks and chunks of GPU memory on all devices, and of reserved ranges of addresses.
func Regions() uint64 { return regions() }
