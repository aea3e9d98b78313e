//go:build cuda && cgo && linux && amd64

package cuda

// This file contains the driver's functions for chunks and spans, and for access between GPUs, see driver_cu.go.

/*
#include <cuda.h>

// gnd_chunk_of describes physical memory of a device.
static CUmemAllocationProp gnd_chunk_of(int device) {
	CUmemAllocationProp p = {0};
	p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	p.location.id = device;
	return p;
}

static CUresult gnd_granularity(int device, size_t *out) {
	CUmemAllocationProp p = gnd_chunk_of(device);
	return cuMemGetAllocationGranularity(out, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
}

static CUresult gnd_make_chunk(int device, size_t bytes, CUmemGenericAllocationHandle *out) {
	CUmemAllocationProp p = gnd_chunk_of(device);
	return cuMemCreate(out, bytes, &p, 0);
}

static CUresult gnd_allow(CUdeviceptr at, size_t bytes, int device) {
	CUmemAccessDesc a = {0};
	a.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	a.location.id = device;
	a.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return cuMemSetAccess(at, bytes, &a, 1);
}
*/
import "C"

import "gorgonia.org/cu"

func granularity(device int) (int64, error) {
	var bytes C.size_t
	err := result(C.gnd_granularity(C.int(device), &bytes))
	return int64(bytes), err
}

func makeChunk(device int, bytes int64) (chunk uint64, err error) {
	var h C.CUmemGenericAllocationHandle
	err = result(C.gnd_make_chunk(C.int(device), C.size_t(bytes), &h))
	return uint64(h), err
}

func releaseChunk(chunk uint64) error {
	return result(C.cuMemRelease(C.CUmemGenericAllocationHandle(chunk)))
}

func reserveSpan(bytes int64) (uintptr, error) {
	var at C.CUdeviceptr
	err := result(C.cuMemAddressReserve(&at, C.size_t(bytes), 0, 0, 0))
	return uintptr(at), err
}

func freeSpan(at uintptr, bytes int64) error {
	return result(C.cuMemAddressFree(C.CUdeviceptr(at), C.size_t(bytes)))
}

func mapChunk(at uintptr, bytes int64, chunk uint64) error {
	return result(C.cuMemMap(C.CUdeviceptr(at), C.size_t(bytes), 0, C.CUmemGenericAllocationHandle(chunk), 0))
}

func unmapSpan(at uintptr, bytes int64) error {
	return result(C.cuMemUnmap(C.CUdeviceptr(at), C.size_t(bytes)))
}

func allowSpan(at uintptr, bytes int64, device int) error {
	return result(C.gnd_allow(C.CUdeviceptr(at), C.size_t(bytes), C.int(device)))
}

func supportsSpans(device int) (bool, error) {
	d, err := cu.GetDevice(device)
	if err != nil {
		return false, code(err)
	}
	supported, err := d.Attribute(C.CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
	return supported != 0, code(err)
}

// canAccess returns whether kernels of a GPU can read, write and atomically change the memory of another.
func canAccess(device, peer int) (bool, error) {
	from, err := cu.GetDevice(device)
	if err != nil {
		return false, code(err)
	}
	to, err := cu.GetDevice(peer)
	if err != nil {
		return false, code(err)
	}
	can, err := from.CanAccessPeer(to)
	if err != nil || can == 0 {
		return false, code(err)
	}
	atomics, err := from.P2PAttribute(cu.P2PNativeAomicSupported, to)
	return atomics != 0, code(err)
}
