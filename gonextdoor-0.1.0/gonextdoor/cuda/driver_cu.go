//go:build cuda && cgo && linux && amd64

package cuda

// This file and driverspan_cu.go contain all calls of the driver: those of gorgonia.org/cu, and cgo for functions that it lacks. driver_none.go
// declares the same functions for builds without the driver.

/*
#cgo LDFLAGS: -ldl -lpthread
#cgo noescape gnd_launch
#cgo nocallback gnd_launch
#cgo noescape gnd_allocate
#cgo nocallback gnd_allocate
#include <cuda.h>
#include <stdint.h>
#include "libcuda.h"

// The argument is passed as a pointer to bytes. For a void pointer, cgo would check the complete object that contains the
// struct, and refuse other Go pointers in it. An integer would become invalid when Go moves the stack that holds the struct.
static CUresult gnd_launch(CUfunction f, unsigned blocks, unsigned threads, unsigned shared, CUstream s, int cooperative,
	unsigned char *argument) {
	void *arguments[] = {argument};
	if (cooperative) return cuLaunchCooperativeKernel(f, blocks, 1, 1, threads, 1, 1, shared, s, arguments);
	return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, shared, s, arguments, 0);
}

static CUresult gnd_allocate(CUmemoryPool pool, size_t bytes, CUstream s, CUdeviceptr *out) {
	return pool ? cuMemAllocFromPoolAsync(out, bytes, pool, s) : cuMemAlloc(out, bytes);
}

// gnd_make_pool creates a pool that keeps up to `kept` bytes of freed memory.
static CUresult gnd_make_pool(int device, uint64_t kept, CUmemoryPool *out) {
	CUmemPoolProps p = {0};
	p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	p.location.id = device;
	CUresult r = cuMemPoolCreate(out, &p);
	return r ? r : cuMemPoolSetAttribute(*out, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
}

// gnd_share_pool lets another GPU read and write the memory of a pool.
static CUresult gnd_share_pool(CUmemoryPool pool, int device) {
	CUmemAccessDesc a = {0};
	a.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	a.location.id = device;
	a.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return cuMemPoolSetAccess(pool, &a, 1);
}
*/
import "C"

import (
	"reflect"
	"unsafe"

	"gorgonia.org/cu"
)

// code converts an error of gorgonia.org/cu to a Code. Its type is not exported, so that reflection is needed.
func code(err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return Code(v.Int())
	}
	return err
}

// result converts a CUresult to an error.
func result(r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return Code(r)
}

// A handle is an integer in this package, and a struct around the same pointer in cu.
func streamOf(h handle) cu.Stream       { return *(*cu.Stream)(unsafe.Pointer(&h)) }
func eventOf(h handle) cu.Event         { return *(*cu.Event)(unsafe.Pointer(&h)) }
func moduleOf(h handle) cu.Module       { return *(*cu.Module)(unsafe.Pointer(&h)) }
func functionOf(h handle) cu.Function   { return *(*cu.Function)(unsafe.Pointer(&h)) }
func graphOf(h handle) cu.ExecGraph     { return *(*cu.ExecGraph)(unsafe.Pointer(&h)) }
func contextOf(h handle) cu.CUContext   { return *(*cu.CUContext)(unsafe.Pointer(&h)) }
func poolOf(h handle) C.CUmemoryPool    { return *(*C.CUmemoryPool)(unsafe.Pointer(&h)) }
func rawStream(h handle) C.CUstream     { return *(*C.CUstream)(unsafe.Pointer(&h)) }
func rawFunction(h handle) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&h)) }

func driverStatus() (Code, string) {
	var why *C.char
	c := C.gnd_libcuda_status(&why)
	return Code(c), C.GoString(why)
}

func driverVersion() int { return cu.Version() }

func codeName(c Code) string {
	var name *C.char
	if C.cuGetErrorName(C.CUresult(c), &name) != C.CUDA_SUCCESS || name == nil {
		return ""
	}
	return C.GoString(name)
}

func deviceCount() (int, error) {
	n, err := cu.NumDevices()
	return n, code(err)
}

// describe reads the properties of a GPU into d. pools reports whether it supports memory pools.
func describe(id int, d *Device) (pools bool, err error) {
	device, err := cu.GetDevice(id)
	if err != nil {
		return false, code(err)
	}
	var major, minor, l2, cooperative, pooled int
	for _, a := range []struct {
		into *int
		what cu.DeviceAttribute
	}{
		{&major, cu.ComputeCapabilityMajor},
		{&minor, cu.ComputeCapabilityMinor},
		{&l2, cu.L2CacheSize},
		{&d.Multiprocessors, cu.MultiprocessorCount},
		{&d.ThreadsPerMultiprocessor, cu.MaxThreadsPerMultiprocessor},
		{&d.SharedPerBlock, C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
		{&d.SharedPerMultiprocessor, cu.MaxSharedMemoryPerMultiprocessor},
		{&d.RegistersPerMultiprocessor, cu.MaxRegistersPerMultiprocessor},
		{&cooperative, C.CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
		{&pooled, C.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
	} {
		if *a.into, err = device.Attribute(a.what); err != nil {
			return false, code(err)
		}
	}
	d.SM, d.L2, d.Cooperative = 10*major+minor, int64(l2), cooperative != 0
	if d.Name, err = device.Name(); err == nil {
		d.Total, err = device.TotalMem()
	}
	return pooled != 0, code(err)
}

func retain(id int) (handle, error) {
	device, err := cu.GetDevice(id)
	if err != nil {
		return 0, code(err)
	}
	context, err := device.RetainPrimaryCtx()
	return *(*handle)(unsafe.Pointer(&context)), code(err)
}

func push(context handle) error { return code(cu.PushCurrentCtx(contextOf(context))) }
func pop()                      { _, _ = cu.PopCurrentCtx() }
func synchronizeContext() error { return code(cu.Synchronize()) }

func memoryInfo() (free, total int64, err error) {
	free, total, err = cu.MemInfo()
	return free, total, code(err)
}

func makePool(id int, kept int64) (handle, error) {
	var pool C.CUmemoryPool
	err := result(C.gnd_make_pool(C.int(id), C.uint64_t(kept), &pool))
	return *(*handle)(unsafe.Pointer(&pool)), err
}

// poolUse returns how many bytes of GPU memory a pool has reserved, and how many of them are allocated.
func poolUse(pool handle) (reserved, used int64, err error) {
	if pool == 0 {
		return 0, 0, nil
	}
	var r, u C.cuuint64_t
	if err = result(C.cuMemPoolGetAttribute(poolOf(pool), C.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, unsafe.Pointer(&r))); err == nil {
		err = result(C.cuMemPoolGetAttribute(poolOf(pool), C.CU_MEMPOOL_ATTR_USED_MEM_CURRENT, unsafe.Pointer(&u)))
	}
	return int64(r), int64(u), err
}

func sharePool(pool handle, device int) error {
	return result(C.gnd_share_pool(poolOf(pool), C.int(device)))
}

func trimPool(pool handle) error {
	if pool == 0 {
		return nil
	}
	return result(C.cuMemPoolTrimTo(poolOf(pool), 0))
}

func allocate(pool handle, bytes int64, s handle) (uintptr, error) {
	var at C.CUdeviceptr
	err := result(C.gnd_allocate(poolOf(pool), C.size_t(bytes), rawStream(s), &at))
	return uintptr(at), err
}

func release(pool handle, at uintptr, s handle) error {
	if pool == 0 {
		return code(cu.MemFree(cu.DevicePtr(at)))
	}
	return result(C.cuMemFreeAsync(C.CUdeviceptr(at), rawStream(s)))
}

func ownerOf(address uintptr) (device int, err error) {
	var id C.int
	err = result(C.cuPointerGetAttribute(unsafe.Pointer(&id), C.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, C.CUdeviceptr(address)))
	return int(id), err
}

func pin(bytes int64) (p unsafe.Pointer, err error) {
	err = result(C.cuMemHostAlloc(&p, C.size_t(bytes), C.CU_MEMHOSTALLOC_PORTABLE))
	return p, err
}

func unpin(p unsafe.Pointer) error { return code(cu.MemFreeHost(p)) }

func register(p unsafe.Pointer, bytes int64, readOnly bool) error {
	flags := C.uint(C.CU_MEMHOSTREGISTER_PORTABLE)
	if readOnly {
		flags |= C.CU_MEMHOSTREGISTER_READ_ONLY
	}
	return result(C.cuMemHostRegister(p, C.size_t(bytes), flags))
}

func unregister(p unsafe.Pointer) error { return result(C.cuMemHostUnregister(p)) }

func pinnedRange(p unsafe.Pointer) (start uintptr, bytes int64, err error) {
	var kind C.uint
	var first C.CUdeviceptr
	var size C.size_t
	for _, of := range []struct {
		value     unsafe.Pointer
		attribute C.CUpointer_attribute
	}{
		{unsafe.Pointer(&kind), C.CU_POINTER_ATTRIBUTE_MEMORY_TYPE}, {unsafe.Pointer(&first), C.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR},
		{unsafe.Pointer(&size), C.CU_POINTER_ATTRIBUTE_RANGE_SIZE},
	} {
		if err := result(C.cuPointerGetAttribute(of.value, of.attribute, C.CUdeviceptr(uintptr(p)))); err != nil {
			return 0, 0, err
		}
	}
	if kind != C.CU_MEMORYTYPE_HOST {
		return 0, 0, nil
	}
	return uintptr(first), int64(size), nil
}

func copyIn(to uintptr, from unsafe.Pointer, bytes int64, s handle) error {
	return code(cu.MemcpyHtoDAsync(cu.DevicePtr(to), from, bytes, streamOf(s)))
}

func copyOut(to unsafe.Pointer, from uintptr, bytes int64, s handle) error {
	return code(cu.MemcpyDtoHAsync(to, cu.DevicePtr(from), bytes, streamOf(s)))
}

func copyPeer(to uintptr, toContext handle, from uintptr, fromContext handle, bytes int64, s handle) error {
	return code(cu.MemcpyPeerAsync(
		cu.DevicePtr(to), contextOf(toContext), cu.DevicePtr(from), contextOf(fromContext), bytes, streamOf(s)))
}

func copyDevice(to, from uintptr, bytes int64, s handle) error {
	return code(cu.MemcpyAsync(cu.DevicePtr(to), cu.DevicePtr(from), bytes, streamOf(s)))
}

func fill32(at uintptr, word uint32, count int64, s handle) error {
	return code(cu.MemsetD32Async(cu.DevicePtr(at), uint(word), count, streamOf(s)))
}

func makeStream() (handle, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	return *(*handle)(unsafe.Pointer(&s)), code(err)
}

func destroyStream(h handle) error {
	s := streamOf(h)
	return code(s.Destroy())
}

func waitFor(s, e handle) error  { return code(streamOf(s).Wait(eventOf(e), 0)) }
func synchronize(s handle) error { return code(streamOf(s).Synchronize()) }

func isCapturing(s handle) bool {
	var is C.CUstreamCaptureStatus
	return C.cuStreamIsCapturing(rawStream(s), &is) == C.CUDA_SUCCESS && is != C.CU_STREAM_CAPTURE_STATUS_NONE
}

func makeEvent() (handle, error) {
	e, err := cu.MakeEvent(cu.DefaultEvent)
	return *(*handle)(unsafe.Pointer(&e)), code(err)
}

func destroyEvent(h handle) error {
	e := eventOf(h)
	return code(cu.DestroyEvent(&e))
}

func record(e, s handle) error        { return code(eventOf(e).Record(streamOf(s))) }
func query(e handle) error            { return code(eventOf(e).Query()) }
func synchronizeEvent(e handle) error { return code(eventOf(e).Synchronize()) }

func elapsed(from, to handle) (milliseconds float64, err error) {
	milliseconds, err = eventOf(from).Elapsed(eventOf(to))
	return milliseconds, code(err)
}

// beginCapture captures the stream in thread-local mode: other threads may still synchronise and allocate memory.
func beginCapture(s handle) error {
	return result(C.cuStreamBeginCapture(rawStream(s), C.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
}

func endCapture(s handle) (handle, error) {
	var graph C.CUgraph
	var made C.CUgraphExec
	if err := result(C.cuStreamEndCapture(rawStream(s), &graph)); err != nil {
		return 0, err
	}
	err := result(C.cuGraphInstantiate(&made, graph, 0))
	C.cuGraphDestroy(graph)
	return *(*handle)(unsafe.Pointer(&made)), err
}

func launchGraph(g, s handle) error {
	return result(C.cuGraphLaunch(*(*C.CUgraphExec)(unsafe.Pointer(&g)), rawStream(s)))
}

func destroyGraph(g handle) error { return code(graphOf(g).Destroy()) }

func loadModule(image []byte) (handle, error) {
	m, err := cu.LoadData(unsafe.String(&image[0], len(image)))
	return *(*handle)(unsafe.Pointer(&m)), code(err)
}

func unloadModule(m handle) error { return code(moduleOf(m).Unload()) }

func moduleFunction(m handle, name string) (handle, error) {
	f, err := moduleOf(m).Function(name)
	return *(*handle)(unsafe.Pointer(&f)), code(err)
}

func functionNeeds(f handle) (registers, local int, err error) {
	if registers, err = functionOf(f).Attribute(cu.NumRegs); err == nil {
		local, err = functionOf(f).Attribute(cu.LocalSizeBytes)
	}
	return registers, local, code(err)
}

func allowShared(f handle, bytes int) error {
	return result(C.cuFuncSetAttribute(rawFunction(f), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes)))
}

func blocksPerMultiprocessor(f handle, threads, shared int) (int, error) {
	n, err := functionOf(f).MaxActiveBlocksPerMultiProcessor(threads, int64(shared))
	return n, code(err)
}

func launch(f handle, g Grid, s handle, argument unsafe.Pointer) error {
	cooperative := C.int(0)
	if g.Cooperative {
		cooperative = 1
	}
	return result(C.gnd_launch(rawFunction(f), C.uint(g.Blocks), C.uint(g.Threads), C.uint(g.Shared), rawStream(s), cooperative, (*C.uchar)(argument)))
}
