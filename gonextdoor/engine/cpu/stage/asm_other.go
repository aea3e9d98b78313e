//go:build !amd64

package stage

import "unsafe"

// Processors without assembly twins also do without prefetches: the Go twins' loops still overlap their waits as far as
// the processor looks ahead.
const haveAssembly = false

func chooseIndex(*Tables, *Walkers, int, uint64) {}
func chooseSlot(*Tables, *Walkers, int, uint64)  {}
func proposeIndex(*Tables, *Walkers, int)        {}
func proposeSlot(*Tables, *Walkers, int)         {}

func followIndex(*Tables, *Walkers, int, unsafe.Pointer, uintptr) {}
func followSlot(*Tables, *Walkers, int, unsafe.Pointer, uintptr)  {}

func stopIndex(*Tables, *Walkers, int, *Traces) (alive, full int) { return 0, 0 }
func stopSlot(*Tables, *Walkers, int, *Traces) (alive, full int)  { return 0, 0 }

func decideIndex(*Tables, *Walkers, int, *Rule) int { return 0 }
func decideSlot(*Tables, *Walkers, int, *Rule) int  { return 0 }
func advance(*Walkers, int, *End) int               { return 0 }

func pack(_ *Packing, i, base int, _ uint64) (int, int) { return i, base }

func seek(*Walkers, int, *Edges) {}

func probe(*Walkers, int, *Edges) int { return 0 }
