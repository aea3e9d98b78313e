package selector

import (
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// Alias selects candidate i of a row with probability Biases[i]/sum, up to an error of 2^-32, by the integer alias table of
// the row. It returns -1 if the table is empty, and takes constant time. It is
//
//	i, fraction := Below(word, len(row)); if fraction < row[i].Threshold { return i }; return row[i].AliasPosition
//
// The table is that of index.AliasRow (Walker 1977; Vose 1991).
func Alias(word uint64, row []index.AliasSlot) int64 {
	if len(row) == 0 {
		return -1
	}
	i, fraction := rng.Below(word, uint64(len(row)))
	return AliasAt(i, fraction, row)
}

// AliasAt is the choice of Alias for a slot and a fraction.
func AliasAt(i uint64, fraction uint32, row []index.AliasSlot) int64 {
	if fraction < row[i].Threshold {
		return int64(i)
	}
	return int64(row[i].AliasPosition)
}
