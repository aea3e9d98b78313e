package hook

import (
	"slices"
	"unsafe"
)

// Image is the hooks of an app compiled for a GPU, in one kernel with the driver that calls them. The caller keeps it alive.
type Image struct {
	Name       string  `json:"name"` // a unique name of the contents
	Address    uintptr `json:"address"`
	Length     int64   `json:"length"`      // bytes
	Form       string  `json:"form"`        // the driver: see package engine/gpu
	Packed     bool    `json:"packed"`      // whether it reads rows by the packed table
	ArrayBytes []int64 `json:"array_bytes"` // the size of each array of the app
}

// Exists reports whether the image has code.
func (i Image) Exists() bool { return i.Length > 0 }

// Bytes returns the code. The caller must not change it.
func (i Image) Bytes() []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&i.Address))), i.Length)
}

// Names has the names of the hooks of an app, which are known before any is compiled.
type Names []string

// Has reports whether the app has a hook.
func (n Names) Has(name string) bool { return slices.Contains(n, name) }
