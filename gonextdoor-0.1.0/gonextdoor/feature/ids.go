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
func (d IDs) Copy(lo int, into []int64, rows int64) error { return scaled(d, lo, into, rows, 0, 1) }

// locate computes base + id * stride for the ids from position lo on. It returns an IndexError unless they are below rows.
func (d IDs) locate(lo int, into []uintptr, rows int64, base, stride uintptr) error {
	return scaled(d, lo, into, rows, base, stride)
}

// scaled computes base + id * stride for the ids from position lo on, for all of into.
func scaled[U int64 | uintptr](d IDs, lo int, into []U, rows int64, base, stride U) error {
	switch d.Kind {
	case -1:
		return scaledAs[int8](d, lo, into, rows, base, stride)
	case -2:
		return scaledAs[int16](d, lo, into, rows, base, stride)
	case -4:
		return scaledAs[int32](d, lo, into, rows, base, stride)
	case -8:
		return scaledAs[int64](d, lo, into, rows, base, stride)
	case 1:
		return scaledAs[uint8](d, lo, into, rows, base, stride)
	case 2:
		return scaledAs[uint16](d, lo, into, rows, base, stride)
	case 4:
		return scaledAs[uint32](d, lo, into, rows, base, stride)
	case 8:
		return scaledAs[uint64](d, lo, into, rows, base, stride)
	}
	return refuse.Type("ids: expected integers")
}

// scaledAs is scaled for ids of type T.
func scaledAs[T integer, U int64 | uintptr](d IDs, lo int, into []U, rows int64, base, stride U) error {
	if len(into) == 0 {
		return nil
	}
	from := unsafe.Slice((*T)(d.Address), d.Count)[lo : lo+len(into)]
	for i := range into {
		id := from[i]
		if uint64(id) >= uint64(rows) { // a negative id is a large unsigned one
			return outside(lo+i, id, rows)
		}
		into[i] = base + U(id)*stride
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
