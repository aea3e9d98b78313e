package feature

import (
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// integer is any integer type that callers may use for ids.
type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// IDs is an array of integers in the memory of the caller, who may change it during a call. So each id is read once, and
// checked as it is read.
type IDs struct {
	Address unsafe.Pointer
	Count   int64
	Kind    int64 // bytes of an integer, negative if signed
}

// Of returns ids in Go's memory.
func Of(ids []int64) IDs {
	return IDs{Address: unsafe.Pointer(unsafe.SliceData(ids)), Count: int64(len(ids)), Kind: -8}
}

// Copy reads the ids from position lo on to all of into. It returns an IndexError unless they are below rows.
func (d IDs) Copy(lo int, into []int64, rows int64) error {
	switch d.Kind {
	case -1:
		return copyIDs[int8](d, lo, into, rows)
	case -2:
		return copyIDs[int16](d, lo, into, rows)
	case -4:
		return copyIDs[int32](d, lo, into, rows)
	case -8:
		return copyIDs[int64](d, lo, into, rows)
	case 1:
		return copyIDs[uint8](d, lo, into, rows)
	case 2:
		return copyIDs[uint16](d, lo, into, rows)
	case 4:
		return copyIDs[uint32](d, lo, into, rows)
	case 8:
		return copyIDs[uint64](d, lo, into, rows)
	}
	return refuse.Type("ids: expected integers")
}

// copyIDs is Copy for ids of type T.
func copyIDs[T integer](d IDs, lo int, into []int64, rows int64) error {
	if len(into) == 0 {
		return nil
	}
	from := unsafe.Slice((*T)(d.Address), d.Count)[lo : lo+len(into)]
	for i := range into {
		id := from[i]
		if uint64(id) >= uint64(rows) { // a negative id is a large unsigned one
			return outside(lo+i, id, rows)
		}
		into[i] = int64(id)
	}
	return nil
}

// outside returns the error for an id that is out of range.
func outside[T integer](i int, id T, rows int64) error {
	if rows == 0 {
		return refuse.Index("ids[%d] = %d: there are no rows", i, id)
	}
	return refuse.Index("ids[%d] = %d: there are %d rows, expected 0 to %d", i, id, rows, rows-1)
}
