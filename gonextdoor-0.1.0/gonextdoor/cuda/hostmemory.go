package cuda

import "unsafe"

// Register pins memory of the host that the caller has allocated, so that copies from it run at full speed and do not block
// the host. The memory may be mapped for reading only. Pinning takes some 0.1 to 0.4 s per GB. The caller calls Unregister
// before it frees the memory.
//
// Errors: DeviceError if the system does not permit it, or if the memory is registered already.
func (d *Device) Register(p unsafe.Pointer, bytes int64) error {
	err := register(p, bytes, false)
	if err != nil && register(p, bytes, true) == nil {
		return nil
	}
	return fault("pinning memory", err)
}

// Unregister ends the pinning of memory. All copies from it must be complete.
func (d *Device) Unregister(p unsafe.Pointer) error {
	return fault("releasing pinned memory", unregister(p))
}

// IsPinned reports whether all of some memory of the host is pinned, by this package or by another library.
func (d *Device) IsPinned(p unsafe.Pointer, bytes int64) bool {
	start, size, err := pinnedRange(p)
	return err == nil && start != 0 && start <= uintptr(p) && uintptr(p)+uintptr(bytes) <= start+uintptr(size)
}
