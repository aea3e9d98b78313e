//go:build cgo && linux

package cudatest

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static void *find(const char *name) {
	void *library = dlopen(getenv("GONEXTDOOR_LIBCUDA"), RTLD_NOW);
	return library ? dlsym(library, name) : 0;
}

static uint64_t get(const char *name) {
	uint64_t (*f)(const char *) = (uint64_t (*)(const char *))find("emulated_get");
	return f ? f(name) : ~0ull;
}

static int set(const char *name, uint64_t value) {
	int (*f)(const char *, uint64_t) = (int (*)(const char *, uint64_t))find("emulated_set");
	return f ? f(name, value) : 500;
}

static uint64_t calls(const char *kind, int device) {
	uint64_t (*f)(const char *, int) = (uint64_t (*)(const char *, int))find("emulated_calls");
	return f ? f(kind, device) : ~0ull;
}

static int inject(const char *kind, int device, uint64_t number, int code) {
	int (*f)(const char *, int, uint64_t, int) = (int (*)(const char *, int, uint64_t, int))find("emulated_inject");
	return f ? f(kind, device, number, code) : 500;
}

static uint64_t regions(void) {
	uint64_t (*f)(void) = (uint64_t (*)(void))find("emulated_regions");
	return f ? f() : ~0ull;
}
*/
import "C"

import "unsafe"

func get(name string) uint64 {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return uint64(C.get(c))
}

func set(name string, value uint64) bool {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.set(c, C.uint64_t(value)) == 0
}

func regions() uint64 { return uint64(C.regions()) }

func calls(kind string, device int) uint64 {
	c := C.CString(kind)
	defer C.free(unsafe.Pointer(c))
	return uint64(C.calls(c, C.int(device)))
}

func inject(kind string, device int, number uint64, code int) bool {
	c := C.CString(kind)
	defer C.free(unsafe.Pointer(c))
	return C.inject(c, C.int(device), C.uint64_t(number), C.int(code)) == 0
}
