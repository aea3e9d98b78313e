//go:build !cgo

package dlpack

import "gonextdoor/gonextdoor/refuse"

// New needs a build with cgo.
func New(Tensor, bool, func()) (uintptr, error) {
	return 0, refuse.Device("this build has no cgo, so it cannot share arrays with other libraries")
}

// Destructor needs a build with cgo.
func Destructor(uintptr, uintptr) (uintptr, error) { return 0, nil }

// Delete needs a build with cgo.
func Delete(uintptr, uintptr) {}
