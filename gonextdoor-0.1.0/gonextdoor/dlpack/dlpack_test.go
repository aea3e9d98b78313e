//go:build cgo

package dlpack_test

import (
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/refuse"
)

// tensor is DLTensor of dlpack.h.
type tensor struct {
	data       uintptr
	deviceType int32
	deviceID   int32
	rank       int32
	code, bits uint8
	lanes      uint16
	shape      *[dlpack.MaxRank]int64
	strides    *[dlpack.MaxRank]int64
	offset     uint64
}

type managed struct {
	tensor
	context, deleter uintptr
}

type versioned struct {
	major, minor     uint32
	context, deleter uintptr
	flags            uint64
	tensor
}

func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

func TestTensorsHaveTheFieldsOfDLPack(t *testing.T) {
	given := dlpack.Tensor{
		Address: 0x1000, DeviceType: dlpack.CUDA, DeviceID: 3, Code: dlpack.Int, Bits: 64, Shape: []int64{5, 7}, Strides: []int64{1, 32},
	}
	for _, with := range []bool{false, true} {
		deleted := 0
		address, err := dlpack.New(given, with, func() { deleted++ })
		if err != nil {
			t.Fatal(err)
		}
		if dlpack.Live() != 1 {
			t.Errorf("%d tensors are live, expected 1", dlpack.Live())
		}
		got, deleter := (*managed)(at(address)).tensor, (*managed)(at(address)).deleter
		if with {
			v := (*versioned)(at(address))
			got, deleter = v.tensor, v.deleter
			if v.major != 1 || v.flags != 0 {
				t.Errorf("version %d.%d, flags %d", v.major, v.minor, v.flags)
			}
		}
		if got.data != 0x1000 || got.deviceType != 2 || got.deviceID != 3 || got.rank != 2 || got.code != 0 || got.bits != 64 ||
			got.lanes != 1 || got.offset != 0 || got.shape[0] != 5 || got.shape[1] != 7 || got.strides[0] != 1 || got.strides[1] != 32 {
			t.Errorf("%+v, shape %v, strides %v", got, *got.shape, *got.strides)
		}
		dlpack.Delete(deleter, address)
		if deleted != 1 || dlpack.Live() != 0 {
			t.Errorf("deleted %d times, %d are live", deleted, dlpack.Live())
		}
	}
}

func TestTensorsOfTooManyDimensionsAreRefused(t *testing.T) {
	for _, bad := range []dlpack.Tensor{
		{Shape: make([]int64, 5), Strides: make([]int64, 5)},
		{Shape: make([]int64, 2), Strides: make([]int64, 1)},
	} {
		if _, err := dlpack.New(bad, false, func() {}); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if dlpack.Live() != 0 {
		t.Errorf("%d tensors are live", dlpack.Live())
	}
}
