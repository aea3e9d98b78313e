//go:build cuda && cgo && linux && amd64

// Opens the driver library at the first call of one of its functions, so that the extension can be imported on
// machines without it. libcuda_amd64.S holds the functions.

#define _GNU_SOURCE
#include "libcuda.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NoDriver = 100, NoEntry = 500, NotSupported = 801 };  // CUDA_ERROR_NO_DEVICE, _NOT_FOUND, _NOT_SUPPORTED

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static int status;
static char reason[512];

static void open_library(void) {
	const char *path = getenv("GONEXTDOOR_LIBCUDA");
	if (!path || !*path) path = "libcuda.so.1";
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		status = NoDriver;
		snprintf(reason, sizeof reason, "%s", dlerror());
		return;
	}
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
	if (!init) {
		status = NoEntry;
		snprintf(reason, sizeof reason, "%s has no cuInit", path);
		return;
	}
	status = init(0);
	if (status) snprintf(reason, sizeof reason, "cuInit of %s gave error %d", path, status);
}

int gnd_libcuda_status(const char **why) {
	pthread_once(&once, open_library);
	*why = reason;
	return status;
}

static int refused(void) { return status; }
static int not_supported(void) { return NotSupported; }

// The names that headers since 12.8 ask for, in drivers that are older.
static const char *older(const char *name) {
	if (!strcmp(name, "cuEventElapsedTime_v2")) return "cuEventElapsedTime";
	if (!strcmp(name, "cuDeviceGetUuid_v2")) return "cuDeviceGetUuid";
	return name;
}

// gnd_libcuda_resolve handles the first call of each function.
__attribute__((visibility("hidden"))) void *gnd_libcuda_resolve(struct gnd_entry *entry) {
	const char *why;
	if (gnd_libcuda_status(&why)) return (void *)refused;
	void *target = dlsym(library, entry->name);
	if (!target) target = dlsym(library, older(entry->name));
	if (!target) target = (void *)not_supported;
	__atomic_store_n(&entry->target, target, __ATOMIC_RELEASE);
	return target;
}

// cuInit does nothing: the package gorgonia.org/cu calls it when the extension is loaded, and ends the process if it fails.
__attribute__((visibility("hidden"))) int cuInit(unsigned flags) { return (void)flags, 0; }
