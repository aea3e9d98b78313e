package transfer_test

import (
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
)

// TestTouchedRows marks rows with a vertex of a set, of which vertices beyond the set and missing ones are not part.
func TestTouchedRows(t *testing.T) {
	within(t, func(d *cuda.Device, l *transfer.Link, s cuda.Stream, reached cuda.Event) error {
		const rows, width, stride = 70_000, 5, 70_016
		set, values := make([]uint64, 10), make([]uint32, width*stride)
		set[0], set[9] = 1<<7|1<<63, 1<<1 // 7, 63, 577
		for i := range values {
			values[i] = uint32(i * 31 % 900)
			if i%17 == 0 {
				values[i] = graph.None
			}
		}
		m := put(t, d, s, values)
		for read := range width + 1 {
			marks := make([]uint8, rows)
			marks[3] = 9
			c := transfer.Columns{Address: m.Address, Rows: rows, Width: read, Stride: stride, Size: 4}
			if err := l.Touched(c, set, marks, reached); err != nil {
				return err
			}
			for r := range rows {
				want := uint8(0)
				for slot := range read {
					if v := values[slot*stride+r]; v == 7 || v == 63 || v == 577 {
						want = 1
					}
				}
				if marks[r] != want {
					t.Fatalf("%d slots: row %d is marked %d, expected %d", read, r, marks[r], want)
				}
			}
		}
		return d.Free(m, s)
	})
}

// TestPlacedRows writes rows among others.
func TestPlacedRows(t *testing.T) {
	within(t, func(d *cuda.Device, l *transfer.Link, s cuda.Stream, reached cuda.Event) error {
		const rows, width, stride = 1000, 7, 1024
		want := make([]int64, width*stride)
		for i := range want {
			want[i] = int64(i)
		}
		m := put(t, d, s, want)
		var places, part []int64
		for r := int64(3); r < rows; r += 1 + r%50 {
			places = append(places, r)
			for slot := range int64(width) {
				part = append(part, -1-r*width-slot)
				want[slot*stride+r] = -1 - r*width - slot
			}
		}
		c := transfer.Columns{Address: m.Address, Rows: rows, Width: width, Stride: stride, Size: 8}
		if err := l.Place(c, unsafe.Pointer(&part[0]), places, s); err != nil {
			return err
		}
		got := make([]int64, width*stride)
		if err := d.CopyOut(unsafe.Pointer(&got[0]), m.Address, m.Bytes, s); err != nil {
			return err
		}
		if err := s.Synchronize(); err != nil {
			return err
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("element %d is %d, expected %d", i, got[i], want[i])
			}
		}
		return d.Free(m, s)
	})
}
