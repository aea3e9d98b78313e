package app

import (
	"math"

	"gonextdoor/gonextdoor/refuse"
)

// MaxLength is the largest number of steps of a sample, 2^24.
const MaxLength = 1 << 24

// CheckLength returns an error if a number of steps is not from least to MaxLength.
func CheckLength(name string, length, least int) error {
	if length < least || length > MaxLength {
		return refuse.Value("%s = %d: expected a number of steps from %d to %d", name, length, least, MaxLength)
	}
	return nil
}

// MaxWidth is the largest number of vertices that grow from one root.
const MaxWidth = 1 << 28

// ThresholdOf returns a probability in units of 2^-32, rounded to nearest. A positive probability never becomes 0.
func ThresholdOf(probability float64) uint64 {
	if probability == 0 {
		return 0
	}
	return max(1, uint64(math.RoundToEven(probability*(1<<32))))
}
