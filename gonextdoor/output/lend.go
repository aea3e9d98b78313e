package output

import (
	"unsafe"

	"gonextdoor/gonextdoor/offheap"
)

// LendRagged gives a result for so many rows with so many vertices in all, lent from offheap.Results. Nothing in it is
// filled. On an error nothing stays lent.
func LendRagged(rows, vertices int, edges bool) (r Ragged, err error) {
	defer func() {
		if err != nil {
			r.Return()
			r = Ragged{}
		}
	}()
	if r.Offsets, err = lend[int64](rows + 1); err != nil {
		return r, err
	}
	if r.Vertices, err = lend[uint32](vertices); err != nil {
		return r, err
	}
	if edges {
		r.Edges, err = lend[int64](vertices)
	}
	return r, err
}

// Return gives the result's memory back.
func (r Ragged) Return() {
	for _, first := range []unsafe.Pointer{
		unsafe.Pointer(unsafe.SliceData(r.Offsets)),
		unsafe.Pointer(unsafe.SliceData(r.Vertices)),
		unsafe.Pointer(unsafe.SliceData(r.Edges)),
	} {
		if first != nil {
			offheap.Results.Return(uintptr(first))
		}
	}
}

func lend[T any](n int) ([]T, error) {
	var z T
	block, err := offheap.Results.Lend(int64(n) * int64(unsafe.Sizeof(z)))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(block), n), nil
}
