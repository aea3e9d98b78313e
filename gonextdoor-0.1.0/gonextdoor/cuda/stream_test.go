package cuda

import (
	"errors"
	"slices"
	"testing"
	"unsafe"
)

func TestStreamsWaitForEvents(t *testing.T) {
	on(t, func(d *Device, first Stream) error {
		second, err := d.NewStream()
		if err != nil {
			return err
		}
		start, err := d.NewEvent()
		if err != nil {
			return err
		}
		end, err := d.NewEvent()
		if err != nil {
			return err
		}
		const n = 100_000
		m, err := d.Alloc(4*n, first)
		if err != nil {
			return err
		}
		got := make([]uint32, n)
		err = errors.Join(
			start.Record(first),
			d.Fill32(m.Address, 7, n, first),
			end.Record(first),
			second.Wait(end),
			d.CopyOut(unsafe.Pointer(&got[0]), m.Address, 4*n, second),
			d.Free(m, second),
			second.Synchronize(),
		)
		if err != nil {
			return err
		}
		if slices.Min(got) != 7 || slices.Max(got) != 7 {
			t.Error("the second stream did not wait")
		}
		if done, err := end.Done(); !done || err != nil {
			t.Errorf("the event is not reached: %v", err)
		}
		took, err := start.Elapsed(end)
		if err != nil || took < 0 {
			t.Errorf("the work took %v: %v", took, err)
		}
		return errors.Join(end.Synchronize(), start.Destroy(), end.Destroy(), second.Destroy())
	})
}

func TestForeignStreams(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		for _, known := range []Stream{d.ForeignStream(0), d.ForeignStream(1), d.ForeignStream(2), d.ForeignStream(s.Handle())} {
			m, err := d.Alloc(64, known)
			if err != nil {
				return err
			}
			if err := errors.Join(d.Fill32(m.Address, 1, 16, known), d.Free(m, known), known.Synchronize()); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestRecordedWork(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		f, err := load(t, d, "words")
		if err != nil {
			return err
		}
		const n = 64
		m, err := d.Alloc(5*8*n, s)
		if err != nil {
			return err
		}
		p := parameters{uint64(m.Address), uint64(m.Address) + 4*8*n, n}
		if err := s.Synchronize(); err != nil {
			return err
		}
		g, err := s.Capture(func() error {
			return errors.Join(
				d.Fill32(m.Address, 3, 2*4*n, s),
				f.Launch(Grid{Blocks: 1, Threads: 64}, s, unsafe.Pointer(&p), unsafe.Sizeof(p)),
			)
		})
		if err != nil {
			return err
		}
		p = parameters{} // the graph has a copy of the parameters
		var rounds [2][n]uint64
		for i := range rounds {
			if err := errors.Join(
				d.Fill32(m.Address, 0, 2*5*n, s),
				g.Launch(s),
				d.CopyOut(unsafe.Pointer(&rounds[i]), m.Address+4*8*n, 8*n, s),
				s.Synchronize(),
			); err != nil {
				return err
			}
		}
		if rounds[0] != rounds[1] || rounds[0][0] == 0 || rounds[0][0] != rounds[0][n-1] {
			t.Error("the recorded work computed other words")
		}
		want := errors.New("an error of f")
		if _, err := s.Capture(func() error { return want }); !errors.Is(err, want) {
			t.Errorf("Capture returned %v", err)
		}
		return errors.Join(g.Destroy(), d.Free(m, s))
	})
}
