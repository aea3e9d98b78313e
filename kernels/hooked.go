package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
)

// Array is a user's array in GPU memory. It mirrors Array of app/user.cuh.
type Array struct{ Address, Length uint64 }

// User is the data of users' hooks that is neither graph nor sample. It mirrors User of app/user.cuh.
type User struct {
	Fault  uint64     // the address of the lowest fault of the run: row<<24 | step<<8 | kind, or all ones
	Params [32]uint64 // each an int64, or the bits of a float64
	Arrays [16]Array
}

// Hooked is the parameter of kernels with users' hooks. It mirrors Hooked of app/user.cuh.
type Hooked struct {
	W    Walk
	User User
}

// Digest returns a hash of Sources, in hexadecimal. Caches of compiled hooks are keyed by it.
var Digest = sync.OnceValue(func() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(Sources())) {
		h.Write([]byte(name + "\x00" + Sources()[name] + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))
})
