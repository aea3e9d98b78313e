//go:build !amd64

package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph/index"
)

// Other CPUs have neither assembly nor prefetches. In the Go loops, only out-of-order execution overlaps cache misses.
const haveAssembly = false

const hasAVX512 = false

func chooseIndex(*Tables, *Walkers, int, uint64) {}
func chooseSlot(*Tables, *Walkers, int, uint64)  {}
func proposeIndex(*Tables, *Walkers, int)        {}
func proposeSlot(*Tables, *Walkers, int)         {}

func proposeApartIndex(*Tables, *Walkers, int, *Outliers, *Strays) {}
func proposeApartSlot(*Tables, *Walkers, int, *Outliers, *Strays)  {}

func followIndex(*Tables, *Walkers, int, unsafe.Pointer, uintptr) {}
func followSlot(*Tables, *Walkers, int, unsafe.Pointer, uintptr)  {}

func drawIndex(*Tables, *Walkers, int, *WalkerBatch, uint64) {}
func drawSlot(*Tables, *Walkers, int, *WalkerBatch, uint64)  {}

func stopIndex(*Tables, *Walkers, int, *WalkerBatch) int { return 0 }
func stopSlot(*Tables, *Walkers, int, *WalkerBatch) int  { return 0 }

func writeRunsAVX512([]EdgeRun, *uint32, int, *int64, *int64, *int64) {}

func strideAVX512(*Tables, *Walkers, int, *WalkerBatch, uint64) int { return 0 }

func decideIndex(*Tables, *Walkers, int, *SecondOrder) int { return 0 }
func decideSlot(*Tables, *Walkers, int, *SecondOrder) int  { return 0 }
func advance(*Walkers, int, *End) int                      { return 0 }

func seek(*Walkers, int, *Edges) {}

func probe(*Walkers, int, *Edges) int { return 0 }

func keysAVX512([]uint64, uint64, uint64) {}

func wordsAVX512(*Walkers, int, uint64) {}

func compactAVX512(*uint32, *int64, *uint32, *uint32, *uint32, int, int) int { return 0 }

func hintedAVX512(*Walkers, *index.DecayRecord, int) int { return 0 }

func markedAVX512(*uint64, []uint32, *uint32) int { return 0 }

func smallNumbersAVX512(uint64, []uint32, uint32, uint32, *uint32, *uint32) int { return 0 }

func smallRatiosAVX512(uint64, []uint32, *uint32, uint64, uint64, uint32, *uint32) int { return 0 }

func leastAVX512([]uint32, uint64, *uint32, uint64, *uint64) int { return -1 }

func searchRowsAVX512(*uint32, *uint64, *uint32, *uint32, int) {}

func sumLabelled(*int32, *uint32, int, int32) uint64 { return 0 }

func aboveLabelled(*int32, *uint32, int, int32, uint64) (int, uint64) { return 0, 0 }
