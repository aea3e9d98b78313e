package mutant

import (
	"testing"

	"gonextdoor/gonextdoor/engine/enginetest"
)

// numberMutants are other functions in the place of rng.Stream.High. All are bijections of the ids, and their numbers are
// uniform: only joint distributions tell them from the right one.
var numberMutants = []memoryMutant{
	{
		"two rounds that are keyed by xor", "rng.go",
		"	x := id*(uint32(s>>32)|1) + uint32(s)\n	x = (x ^ x>>17) * High1\n	x = (x ^ x>>11) * High2\n	x = (x ^ x>>15) * High3\n	return x ^ x>>14\n",
		"	x := id ^ uint32(s)\n	x = (x ^ x>>16) * 0x7FEB352D\n	x = (x ^ x>>15 ^ uint32(s>>32)) * 0x846CA68B\n	return x ^ x>>16\n",
		"TestPairs",
	},
	{
		"a third round that is keyed by xor", "rng.go",
		"	x := id*(uint32(s>>32)|1) + uint32(s)\n	x = (x ^ x>>17) * High1\n	x = (x ^ x>>11) * High2\n",
		"	x := id ^ uint32(s)\n	x = (x ^ x>>16) * High1\n	x = (x ^ x>>15 ^ uint32(s>>32)) * High2\n",
		"TestPairs",
	},
	{
		"an affine function and one round", "rng.go",
		"	x = (x ^ x>>11) * High2\n	x = (x ^ x>>15) * High3\n", "",
		"TestPairs",
	},
}

// TestMutantsOfNumbers breaks package rng in an overlay of its source, and runs its test of pairs.
func TestMutantsOfNumbers(t *testing.T) {
	checkPackage(t, "numbers", "Numbers", numberMutants, "gonextdoor/rng", enginetest.NewShare(t, len(numberMutants)))
}
