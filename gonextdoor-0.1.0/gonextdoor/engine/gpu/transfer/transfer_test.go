package transfer_test

import (
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// within calls f on a device with a link, a stream and an event that has been reached.
func within(t *testing.T, f func(d *cuda.Device, l *transfer.Link, s cuda.Stream, reached cuda.Event) error) {
	t.Helper()
	cudatest.Driver(t)
	d, err := cuda.Open(0)
	if err != nil {
		t.Skip(err)
	}
	err = d.Do(func() error {
		l, err := transfer.Of(d)
		if err != nil {
			return err
		}
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		reached, err := d.NewEvent()
		if err != nil {
			return err
		}
		return f(d, l, s, reached)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func put[T any](t *testing.T, d *cuda.Device, s cuda.Stream, values []T) cuda.Memory {
	t.Helper()
	m, err := d.Alloc(int64(len(values))*int64(unsafe.Sizeof(values[0])), s)
	if err == nil {
		err = d.CopyIn(m.Address, unsafe.Pointer(&values[0]), m.Bytes, s)
	}
	if err == nil {
		err = s.Synchronize()
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func rows[From uint32 | int64, To uint32 | int64](t *testing.T, count, width, stride int) {
	within(t, func(d *cuda.Device, l *transfer.Link, s cuda.Stream, reached cuda.Event) error {
		given := make([]From, width*stride)
		for i := range given {
			given[i] = From(i * 7)
			if i%5 == 0 {
				given[i]-- // -1 or graph.None in the first element
			}
		}
		m := put(t, d, s, given)
		size := int(unsafe.Sizeof(To(0)))
		c := transfer.Columns{Address: m.Address, Rows: count, Width: width, Stride: stride, Size: int(unsafe.Sizeof(From(0)))}
		got := make([]To, count*width+1)
		got[count*width] = 42
		if err := l.Rows(c, unsafe.Pointer(&got[0]), size, reached, 2, nil); err != nil {
			return err
		}
		for r := range count {
			for k := range width {
				v := given[k*stride+r]
				want := To(v)
				if size == 8 && v == ^From(0) {
					want = ^To(0)
				}
				if got[r*width+k] != want {
					t.Fatalf("%d x %d, stride %d: (%d, %d) is %v, expected %v", count, width, stride, r, k, got[r*width+k], want)
				}
			}
		}
		if got[count*width] != 42 {
			t.Errorf("%d x %d: written beyond the end", count, width)
		}
		return d.Free(m, s)
	})
}

func TestRowsTransposeColumns(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {1, 300, 32}, {33, 1, 64}, {31, 127, 31}, {100, 129, 128}, {70000, 11, 70016}} {
		rows[uint32, uint32](t, size[0], size[1], size[2])
		rows[uint32, int64](t, size[0], size[1], size[2])
		rows[int64, int64](t, size[0], size[1], size[2])
	}
}

func TestAStoppedJobEndsATransfer(t *testing.T) {
	within(t, func(d *cuda.Device, l *transfer.Link, s cuda.Stream, reached cuda.Event) error {
		m := put(t, d, s, make([]uint32, 8<<20))
		to := make([]uint32, 8<<20)
		c := transfer.Columns{Address: m.Address, Rows: 1 << 20, Width: 8, Stride: 1 << 20, Size: 4}
		if err := l.Rows(c, unsafe.Pointer(&to[0]), 4, reached, 2, &job.Job{Stop: 1}); refuse.KindOf(err) != refuse.KindInterrupted {
			t.Errorf("error %v", err)
		}
		return d.Free(m, s)
	})
}

func TestRootsAreChecked(t *testing.T) {
	within(t, func(d *cuda.Device, l *transfer.Link, s cuda.Stream, _ cuda.Event) error {
		m := put(t, d, s, []int16{4, 9, 5, 9, -1, 9, 6, 9})
		given := engine.DeviceArray{Address: m.Address, Rows: 4, Width: 1, Down: 2, Kind: -2}
		if _, err := l.Roots(given, s, 10); err == nil || err.Error() != "roots[2] = -1: the graph has 10 vertices, expected 0 to 9" {
			t.Errorf("error %v", err)
		}
		given.Rows = 2
		checked, err := l.Roots(given, s, 6)
		if err != nil {
			return err
		}
		var got [2]uint32
		c := transfer.Columns{Address: checked.Address, Rows: 2, Width: 1, Stride: 2, Size: 4}
		e, err := d.NewEvent()
		if err != nil {
			return err
		}
		if err := l.Rows(c, unsafe.Pointer(&got[0]), 4, e, 1, nil); err != nil || got != [2]uint32{4, 5} {
			t.Errorf("%v, error %v", got, err)
		}
		if _, err := l.Roots(given, s, 5); refuse.KindOf(err) != refuse.KindIndex {
			t.Errorf("error %v", err)
		}
		return d.Free(checked, s)
	})
}
