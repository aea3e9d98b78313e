//go:build cgo

package dlpack

/*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// DLTensor, DLManagedTensor and DLManagedTensorVersioned of dlpack.h.
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

// Block is the memory of one tensor: the structure that the consumer sees first, then its shape and strides.
typedef struct {
	union {
		Managed managed;
		Versioned versioned;
	} of;
	int64_t shape[4], strides[4];
	uint64_t number;
	pid_t process;
} Block;

extern void gonextdoorTensorDeleted(uint64_t number);

// delete_block is the deleter. A forked child inherits tensors, but can use neither the GPU nor the Go runtime. There it
// frees the block only.
static void delete_block(Block *b) {
	if (b->process == getpid()) gonextdoorTensorDeleted(b->number);
	free(b);
}
static void delete_managed(Managed *m) { delete_block(m->context); }
static void delete_versioned(Versioned *v) { delete_block(v->context); }

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
		Versioned v = {1, 0, b, delete_versioned, 0, t};
		b->of.versioned = v;
	} else {
		Managed m = {t, b, delete_managed};
		b->of.managed = m;
	}
	return b;
}

// PyCapsule_IsValid and PyCapsule_GetPointer. Their addresses are passed in, so that this package does not need the headers
// of Python.
static int (*is_valid)(void *capsule, const char *name);
static void *(*pointer_of)(void *capsule, const char *name);

// destroy_capsule is the destructor of a capsule. A consumer that takes the tensor renames the capsule; one that still has
// its first name owns the tensor.
static void destroy_capsule(void *capsule) {
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
	return (uintptr_t)destroy_capsule;
}

// delete_tensor calls a deleter, as a consumer does.
static void delete_tensor(uintptr_t deleter, uintptr_t tensor) { ((void (*)(void *))deleter)((void *)tensor); }
*/
import "C"

import (
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// New returns the address of a DLManagedTensor, or of a DLManagedTensorVersioned (version 1.0). Its deleter calls deleted,
// in the thread of the consumer, and frees the structure.
//
// Errors: ValueError if the tensor has more than MaxRank dimensions or another number of strides.
func New(t Tensor, versioned bool, deleted func()) (uintptr, error) {
	if len(t.Shape) > MaxRank || len(t.Strides) != len(t.Shape) {
		return 0, refuse.Value("a tensor of shape %v and strides %v: expected one stride per dimension and at most 4 dimensions", t.Shape, t.Strides)
	}
	var shape, strides [MaxRank]C.int64_t
	for i := range t.Shape {
		shape[i], strides[i] = C.int64_t(t.Shape[i]), C.int64_t(t.Strides[i])
	}
	which := C.int(0)
	if versioned {
		which = 1
	}
	number := register(deleted)
	b := C.new_block(C.uintptr_t(t.Address), C.int32_t(t.DeviceType), C.int32_t(t.DeviceID), C.uint8_t(t.Code),
		C.uint8_t(t.Bits), C.int32_t(len(t.Shape)), &shape[0], &strides[0], C.uint64_t(number), which)
	if b == nil {
		mu.Lock()
		delete(deleters, number)
		mu.Unlock()
		return 0, refuse.Memory("cannot allocate memory for a tensor")
	}
	return uintptr(unsafe.Pointer(b)), nil
}

// Destructor returns the address of a C function for PyCapsule_New: it deletes the tensor of a capsule that was not
// consumed. The arguments are the addresses of PyCapsule_IsValid and PyCapsule_GetPointer.
func Destructor(isValid, getPointer uintptr) (uintptr, error) {
	return uintptr(C.capsule_destructor(C.uintptr_t(isValid), C.uintptr_t(getPointer))), nil
}

// Delete calls the deleter of a tensor, as its consumer does.
func Delete(deleter, tensor uintptr) { C.delete_tensor(C.uintptr_t(deleter), C.uintptr_t(tensor)) }
