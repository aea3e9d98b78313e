package graph

import (
	"encoding/json"
	"fmt"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// Array is a view of a one-dimensional contiguous array that the caller owns, for example a numpy array. The zero Array means
// that the array was not given.
type Array struct {
	Data  unsafe.Pointer
	Len   int
	Dtype string // int8 ... int64, uint8 ... uint64, float32, float64
}

// ArrayOf returns a view of a slice. The slice must outlive the view.
func ArrayOf[T Number](s []T) Array {
	return Array{unsafe.Pointer(unsafe.SliceData(s)), len(s), dtypeOf[T]()}
}

// Given reports whether the array was given.
func (a Array) Given() bool { return a.Dtype != "" }

// Integer is an integer type that arrays may have.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Number is an element type that arrays may have.
type Number interface{ Integer | float32 | float64 }

// dtypeOf returns the dtype of T.
func dtypeOf[T Number]() string { return fmt.Sprintf("%T", *new(T)) }

// View returns an array as a slice of T, without checking that its dtype is T and that its length is valid.
func View[T Number](a Array) []T { return unsafe.Slice((*T)(a.Data), a.Len) }

// UnmarshalJSON reads {"address": 140230, "length": 5, "dtype": "uint32"}, an array of a caller outside Go. The caller must
// keep it alive while it is used.
func (a *Array) UnmarshalJSON(text []byte) error {
	var given struct {
		Address uintptr `json:"address"`
		Length  int     `json:"length"`
		Dtype   string  `json:"dtype"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	// A direct conversion of the address would make vet report possible misuse of unsafe.Pointer.
	*a = Array{*(*unsafe.Pointer)(unsafe.Pointer(&given.Address)), given.Length, given.Dtype}
	return nil
}

// Elements returns an array as a slice of T. It returns an error if the array has another dtype.
func Elements[T Number](a Array) ([]T, error) {
	if a.Dtype != dtypeOf[T]() || a.Len < 0 {
		return nil, refuse.Type("an array of %d %s: expected %s", a.Len, a.Dtype, dtypeOf[T]())
	}
	return View[T](a), nil
}
