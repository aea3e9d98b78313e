//go:build cgo

package dlpack

/*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
	void *data;
	int32_t device_type, device_id;
	int32_t ndim;
	uint8_t code, bits;
	uint16_t lanes;
	int64_t *shape, *strides;
	uint64_t byte_offset;
} Tensor;

typedef struct Managed {
	Tensor tensor;
	void *context;
	void (*deleter)(struct Managed *);
} Managed;

typedef struct Versioned {
	uint32_t major, minor;
	void *context;
	void (*deleter)(struct Versioned *);
	uint64_t flags;
	Tensor tensor;
} Versioned;

// Block is all that one tensor needs.
typedef struct {
	union {
		Managed managed;
		Versioned versioned;
	} of;
	int64_t shape[4], strides[4];
	uint64_t number;
	pid_t process;
} Block;

extern void gonextdoorTensorEnds(uint64_t number);

// A forked child inherits tensors, but neither the card nor a runtime that could be called: there nothing is given back.
static void finish_block(Block *b) {
	if (b->process == getpid()) gonextdoorTensorEnds(b->number);
	free(b);
}
static void end_managed(Managed *m) { finish_block(m->context); }
static void end_versioned(Versioned *v) { finish_block(v->context); }

static Block *new_block(uintptr_t data, int32_t type, int32_t id, uint8_t code, uint8_t bits, int32_t ndim,
                        int64_t *shape, int64_t *strides, uint64_t number, int versioned) {
	Block *b = calloc(1, sizeof(Block));
	if (!b) return b;
	memcpy(b->shape, shape, sizeof b->shape);
	memcpy(b->strides, strides, sizeof b->strides);
	b->number = number;
	b->process = getpid();
	Tensor t = {(void *)data, type, id, ndim, code, bits, 1, b->shape, b->strides, 0};
	if (versioned) {
		Versioned v = {1, 0, b, end_versioned, 0, t};
		b->of.versioned = v;
	} else {
		Managed m = {t, b, end_managed};
		b->of.managed = m;
	}
	return b;
}

// Python's own functions, by address: this package knows nothing of Python's headers.
static int (*is_valid)(void *capsule, const char *name);
static void *(*pointer_of)(void *capsule, const char *name);

// A capsule that nobody took its tensor from still has its name.
static void end_capsule(void *capsule) {
	if (is_valid(capsule, "dltensor")) {
		Managed *m = pointer_of(capsule, "dltensor");
		m->deleter(m);
	} else if (is_valid(capsule, "dltensor_versioned")) {
		Versioned *v = pointer_of(capsule, "dltensor_versioned");
		v->deleter(v);
	}
}
static uintptr_t capsule_destructor(uintptr_t valid, uintptr_t pointer) {
	is_valid = (int (*)(void *, const char *))valid;
	pointer_of = (void *(*)(void *, const char *))pointer;
	return (uintptr_t)end_capsule;
}

// delete_tensor is what a consumer does in the end.
static void delete_tensor(uintptr_t deleter, uintptr_t tensor) { ((void (*)(void *))deleter)((void *)tensor); }
*/
import "C"

import (
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// New gives the address of a DLManagedTensor, or of a DLManagedTensorVersioned (1.0). Its deleter calls end, in whatever
// thread, and frees it.
func New(t Tensor, versioned bool, end func()) (uintptr, error) {
	if len(t.Shape) > MaxRank || len(t.Strides) != len(t.Shape) {
		return 0, refuse.Value("a tensor of shape %v and strides %v: expected as many strides, and 4 at most", t.Shape, t.Strides)
	}
	var shape, strides [MaxRank]C.int64_t
	for i := range t.Shape {
		shape[i], strides[i] = C.int64_t(t.Shape[i]), C.int64_t(t.Strides[i])
	}
	which := C.int(0)
	if versioned {
		which = 1
	}
	number := keep(end)
	b := C.new_block(C.uintptr_t(t.Address), C.int32_t(t.DeviceType), C.int32_t(t.DeviceID), C.uint8_t(t.Code),
		C.uint8_t(t.Bits), C.int32_t(len(t.Shape)), &shape[0], &strides[0], C.uint64_t(number), which)
	if b == nil {
		mu.Lock()
		delete(ends, number)
		mu.Unlock()
		return 0, refuse.Memory("no memory for a tensor")
	}
	return uintptr(unsafe.Pointer(b)), nil
}

// Destructor gives the address of the C function that ends a capsule whose tensor nobody took, given the addresses of
// PyCapsule_IsValid and PyCapsule_GetPointer.
func Destructor(isValid, getPointer uintptr) (uintptr, error) {
	return uintptr(C.capsule_destructor(C.uintptr_t(isValid), C.uintptr_t(getPointer))), nil
}

// Delete calls a tensor's deleter, as its consumer does in the end.
func Delete(deleter, tensor uintptr) { C.delete_tensor(C.uintptr_t(deleter), C.uintptr_t(tensor)) }
