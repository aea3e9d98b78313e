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
	W         Walk
	User      User
	LastEdges uint64 // like Trace.Ends, the edge that led to the present vertex of each walker; 0: no hook reads it
	PoolEdges uint64 // like Walk.Pool, the edge that led to each vertex
}

// HookedSample is the parameter of kernels that make samples of users' apps one at a time. It mirrors HookedSample of app/user.cuh.
type HookedSample struct {
	L           Layered
	User        User
	Fanouts     uint64 // picks per step, the last one for all later steps; all ones: all candidates
	FanoutCount uint64
	Steps       uint64 // 0: unbounded
	Nexts       uint64 // the vertex from which each vertex of a sample continues
	Spans       uint64 // per transit of a collective choice the number of candidates up to its last
	Biases      uint64 // of the candidates of a choice
	Sums        uint64 // the sums of tiles of them
	SumCapacity uint64 // elements of Sums per workspace
	ToVertices  uint64 // samples of one width: slot k of row r is at k*Stride + r; 0: samples are staged
	ToEdges     uint64 // likewise, from the first slot after the roots; 0: no edges
	Stride      uint64
}

// Digest returns a hash of Sources, in hexadecimal. Caches of compiled hooks are keyed by it.
var Digest = sync.OnceValue(func() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(Sources())) {
		h.Write([]byte(name + "\x00" + Sources()[name] + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))
})
