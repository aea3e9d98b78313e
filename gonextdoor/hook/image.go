package hook

import (
	"slices"
	"unsafe"
)

// Image is an app's hooks compiled for a GPU, in one kernel with the driver that asks them. It outlives the app.
type Image struct {
	Name       string  `json:"name"` // of what it holds; no other image has it
	Address    uintptr `json:"address"`
	Length     int64   `json:"length"`
	Form       string  `json:"form"`        // which driver: see package engine/gpu
	Packed     bool    `json:"packed"`      // whether it finds rows by the packed table
	ArrayBytes []int64 `json:"array_bytes"` // of each of the app's arrays
}

// There says whether there is one.
func (i Image) There() bool { return i.Length > 0 }

// Bytes gives the code.
func (i Image) Bytes() []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&i.Address))), i.Length)
}

// Names are the names of an app's hooks, as they are known before any is compiled.
type Names []string

// Has says whether the app has a hook.
func (n Names) Has(name string) bool { return slices.Contains(n, name) }
