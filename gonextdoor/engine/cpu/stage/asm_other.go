//go:build !amd64

package stage

import "unsafe"

// Processors without assembly twins also do without prefetches: the Go twins' loops still overlap their waits as far as
// the processor looks ahead.
const haveAssembly = false

const wide = false

func chooseIndex(*Tables, *Walkers, int, uint64) {}
func chooseSlot(*Tables, *Walkers, int, uint64)  {}
func proposeIndex(*Tables, *Walkers, int)        {}
func proposeSlot(*Tables, *Walkers, int)         {}

func followIndex(*Tables, *Walkers, int, unsafe.Pointer, uintptr) {}
func followSlot(*Tables, *Walkers, int, unsafe.Pointer, uintptr)  {}

func drawIndex(*Tables, *Walkers, int, *Crowd, uint64) {}
func drawSlot(*Tables, *Walkers, int, *Crowd, uint64)  {}

func stopIndex(*Tables, *Walkers, int, *Crowd) int { return 0 }
func stopSlot(*Tables, *Walkers, int, *Crowd) int  { return 0 }

func strideWide(*Tables, *Walkers, int, *Crowd, uint64) int { return 0 }

func decideIndex(*Tables, *Walkers, int, *Rule) int { return 0 }
func decideSlot(*Tables, *Walkers, int, *Rule) int  { return 0 }
func advance(*Walkers, int, *End) int               { return 0 }

func seek(*Walkers, int, *Edges) {}

func probe(*Walkers, int, *Edges) int { return 0 }

func keysWide([]uint64, uint64, uint64) {}

func layWide(*uint32, *int64, *uint32, *uint32, *uint32, int, int) int { return 0 }

func markedWide(*uint64, []uint32, *uint32) int { return 0 }
