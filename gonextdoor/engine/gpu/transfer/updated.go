package transfer

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/kernels"
)

// Touched writes 1 to marks for each row of vertices that has a vertex of a set in the columns, and 0 for the others. Bit v%64 of
// word v/64 of the set is that of vertex v; a vertex beyond its words is not in it. It begins after the event and waits for the
// result.
func (l *Link) Touched(c Columns, set []uint64, marks []uint8, after cuda.Event) error {
	if c.Rows == 0 || c.Width == 0 || len(set) == 0 {
		clear(marks)
		return nil
	}
	return l.with(func(one *lane) (err error) {
		d, s := l.device, one.kernels
		words := 8 * int64(len(set))
		m, err := resident.Alloc(d, words+int64(c.Rows), s)
		if err != nil {
			return err
		}
		defer func() { err = first(err, d.Free(m, s)) }()
		a := kernels.Touched{
			From: uint64(c.Address), Rows: uint64(c.Rows), Width: uint64(c.Width), Stride: uint64(c.Stride),
			Set: uint64(m.Address), Words: uint64(len(set)), Marks: uint64(m.Address) + uint64(words),
		}
		return first(
			d.CopyIn(m.Address, unsafe.Pointer(&set[0]), words, s), s.Wait(after),
			l.start("updated_marks", blocksFor(c.Rows), &a, s),
			d.CopyOut(unsafe.Pointer(&marks[0]), uintptr(a.Marks), int64(c.Rows), s), s.Synchronize(),
		)
	})
}

// Place writes rows, which are in host memory one after the other, to places among the rows of c. from is the address of the first.
// The work is submitted to s; the memory of the rows has been read when Place returns.
func (l *Link) Place(c Columns, from unsafe.Pointer, places []int64, s cuda.Stream) (err error) {
	if len(places) == 0 || c.Width == 0 {
		return nil
	}
	d, at, bytes := l.device, 8*int64(len(places)), int64(len(places)*c.Width*c.Size)
	m, err := resident.Alloc(d, at+bytes, s)
	if err != nil {
		return err
	}
	defer func() { err = first(err, d.Free(m, s)) }()
	kernel := map[int]string{4: "updated_rows", 8: "updated_edges"}[c.Size]
	a := kernels.Placed{
		From: uint64(m.Address) + uint64(at), To: uint64(c.Address), Places: uint64(m.Address),
		Rows: uint64(len(places)), Width: uint64(c.Width), Stride: uint64(c.Stride),
	}
	return first(
		d.CopyIn(m.Address, unsafe.Pointer(&places[0]), at, s), d.CopyIn(m.Address+uintptr(at), from, bytes, s),
		l.start(kernel, blocksFor(len(places)*c.Width), &a, s),
	)
}
