package transfer

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Upload copies n vertices to GPU memory. fill writes those from number `first` on into pinned memory, some at a time, in order:
// the GPU reads one half of a small buffer while fill writes the other. Upload waits until the copy is complete. The caller
// frees the result.
func (l *Link) Upload(n int, fill func(first int, into []uint32) error) (m cuda.Memory, err error) {
	d, bytes := l.device, int64(4*n)
	err = l.with(func(one *lane) error {
		if m, err = resident.Alloc(d, bytes, one.copies); err != nil {
			return err
		}
		err := resident.UploadBy(d, one.copies, m.Address, bytes, func(at int64, into []byte) error {
			return fill(int(at/4), unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(into))), len(into)/4))
		})
		if err != nil {
			_ = d.Free(m, one.copies)
			m = cuda.Memory{}
		}
		return err
	})
	return m, err
}

// checks are the kernels that validate roots, by engine.DeviceArray.Kind: bytes per integer, negative if signed.
var checks = map[int]string{
	-1: "check_roots_i8", -2: "check_roots_i16", -4: "check_roots_i32", -8: "check_roots_i64",
	1: "check_roots_u8", 2: "check_roots_u16", 4: "check_roots_u32", 8: "check_roots_u64",
}

// Roots validates an array of another library: all integers must be at least 0 and below vertices. It returns a copy with
// 32 bits per integer, row by row, which the caller frees. The array is complete after the work that the stream given
// contains now. Roots waits for the validation, whose result of 8 bytes is copied to the host.
//
// Errors: IndexError that names the first integer that is no vertex; the text is that for arrays in host memory. TypeError
// if the array does not contain integers.
func (l *Link) Roots(g engine.DeviceArray, given cuda.Stream, vertices int) (m cuda.Memory, err error) {
	n := g.Rows * g.Width
	name, ok := checks[g.Kind]
	if !ok {
		return m, refuse.Type("roots: expected integers")
	}
	if n == 0 {
		return m, nil
	}
	err = l.with(func(one *lane) error {
		s := one.kernels
		// 1. Wait on the GPU for the work of the other library that completes the array.
		if err := first(one.transposed[0].Record(given), s.Wait(one.transposed[0])); err != nil {
			return err
		}
		if m, err = resident.Alloc(l.device, int64(4*n), s); err != nil {
			return err
		}
		// 2. Copy and validate.
		place, err := l.check(g, name, n, vertices, m, s)
		if err == nil && place < uint64(n) {
			err = l.refused(g, int(place), vertices, s)
		}
		if err != nil {
			_ = l.device.Free(m, s)
			m = cuda.Memory{}
		}
		return err
	})
	return m, err
}

// check runs the kernel and returns the index of the first integer that is no vertex. The index is past the end if all are
// vertices.
func (l *Link) check(g engine.DeviceArray, name string, n, vertices int, to cuda.Memory, s cuda.Stream) (place uint64, err error) {
	d := l.device
	word, err := d.Alloc(8, s)
	if err != nil {
		return 0, err
	}
	defer func() { err = first(err, d.Free(word, s)) }()
	a := kernels.Columns{
		From: uint64(g.Address), To: uint64(to.Address), Rows: uint64(g.Rows), Width: uint64(g.Width),
		Stride: uint64(g.Down), Across: uint64(g.Right), Vertices: uint64(vertices), Fault: uint64(word.Address),
	}
	if err := first(d.Fill32(word.Address, ^uint32(0), 2, s), l.launch(name, blocksFor(n), a, s)); err != nil {
		return 0, err
	}
	return l.word(word.Address, 8, s)
}

// word copies an integer of up to 8 bytes to the host, after the work that s contains now. The upper bytes are 0.
func (l *Link) word(at uintptr, bytes int, s cuda.Stream) (w uint64, err error) {
	p, err := l.device.Pin(8)
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.device.Unpin(p) }()
	*(*uint64)(p.Pointer) = 0
	if err := l.device.CopyOut(p.Pointer, at, int64(bytes), s); err != nil {
		return 0, err
	}
	if err := s.Synchronize(); err != nil {
		return 0, err
	}
	return *(*uint64)(p.Pointer), nil
}

// refused reads the integer at an index of the array, which is no vertex, and returns the error that names it.
func (l *Link) refused(g engine.DeviceArray, place, vertices int, s cuda.Stream) error {
	size := max(g.Kind, -g.Kind)
	at := g.Address + uintptr((place/g.Width*g.Down+place%g.Width*g.Right)*size)
	w, err := l.word(at, size, s)
	if err != nil {
		return err
	}
	const text = "roots[%d] = %d: the graph has %d vertices, expected 0 to %d"
	if g.Kind > 0 {
		return refuse.Index(text, place, w, vertices, vertices-1)
	}
	shift := 64 - 8*size
	return refuse.Index(text, place, int64(w<<shift)>>shift, vertices, vertices-1)
}
