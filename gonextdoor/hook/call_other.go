//go:build !cgo

package hook

// Callable says whether this build can call compiled hooks.
const Callable = false

// Call runs a kernel over a block.
func Call(uint64, *Block) { panic("hook: this build has no cgo, and calls no compiled hooks") }
