package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
)

// Array is an array of the user's on the GPU; app/user.cuh has the same.
type Array struct{ Address, Length uint64 }

// User is what users' hooks read beside the graph and the sample.
type User struct {
	Fault  uint64     // the lowest of the run: row<<24 | step<<8 | kind, or all ones
	Params [32]uint64 // each an int64, or the bits of a float64
	Arrays [16]Array
}

// Hooked is the parameter of kernels with users' hooks.
type Hooked struct {
	W    Walk
	User User
}

// Digest tells one set of Sources from another.
var Digest = sync.OnceValue(func() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(Sources())) {
		h.Write([]byte(name + "\x00" + Sources()[name] + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))
})
