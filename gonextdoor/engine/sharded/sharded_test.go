package sharded

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/plan"
)

// rooted is a device that keeps uploaded roots. An upload fails if it has the root whose number is broken.
type rooted struct {
	engine.Device
	broken uint32
	live   *atomic.Int64 // uploads that were not freed
}

// heldRoots are roots of a rooted.
type heldRoots struct {
	engine.DeviceRoots
	vertices []uint32
	live     *atomic.Int64
}

func (d rooted) UploadRoots(n int, fill func(first int, into []uint32) error) (engine.DeviceRoots, error) {
	h := heldRoots{vertices: make([]uint32, n), live: d.live}
	for first := 0; first < n; first += 2 { // some at a time
		if err := fill(first, h.vertices[first:min(n, first+2)]); err != nil {
			return nil, err
		}
	}
	if slices.Contains(h.vertices, d.broken) {
		return nil, errBroken
	}
	d.live.Add(1)
	return h, nil
}

func (h heldRoots) Address() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(h.vertices))) }

func (h heldRoots) Free() error {
	h.live.Add(-1)
	return nil
}

// Each device gets the roots of its rows. After an error nothing is held.
func TestRootsAreUploadedToTheDevicesOfTheirRows(t *testing.T) {
	const none = ^uint32(0)
	for devices := 1; devices <= 3; devices++ {
		for _, r := range []plan.Roots{
			{Count: 7, Width: 1, Repeat: 1}, {Count: 5, Width: 2, Repeat: 3}, {Count: 1, Width: 1, Repeat: 1}, {Count: 2, Width: 3, Repeat: 1},
		} {
			var live atomic.Int64
			fill := func(first int, into []uint32) error {
				for i := range into {
					into[i] = uint32(first + i)
				}
				return nil
			}
			e := make(Engine, devices)
			for _, broken := range []uint32{none, 0, uint32(r.Count*r.Width - 1)} {
				for i := range e {
					e[i] = rooted{broken: broken, live: &live}
				}
				up, free, err := e.UploadRoots(r, fill)
				if broken != none {
					if !errors.Is(err, errBroken) || live.Load() != 0 {
						t.Errorf("%d devices, %+v, root %d broken: %v, %d uploads are held", devices, r, broken, err, live.Load())
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				checkUploaded(t, e, up)
				if err := free(); err != nil || live.Load() != 0 {
					t.Errorf("%d devices, %+v: %v, %d uploads are held", devices, r, err, live.Load())
				}
			}
		}
	}
}

// checkUploaded compares the roots of all rows with their numbers.
func checkUploaded(t *testing.T, e Engine, r plan.Roots) {
	t.Helper()
	err := e.each(plan.Batch{Roots: r}, func(_ int, part plan.Batch, _, _ int) error {
		for row := range part.Roots.Samples() {
			root := (part.Roots.From + row) / r.Repeat
			for k := range r.Width {
				at := part.Roots.OnDevice + uintptr(4*(root*r.Width+k))
				if v := **(**uint32)(unsafe.Pointer(&at)); int(v) != root*r.Width+k {
					t.Errorf("%d devices, %+v: row %d begins at %d", len(e), r, part.Roots.From+row, v)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// hosting is a device for which the CPU makes samples of batches from row number from on.
type hosting struct {
	engine.Device
	from int
}

func (d hosting) FromHost(_ plan.Plan, b plan.Batch) bool {
	return b.Roots.From >= d.from && b.Threads == 2
}

// The CPU makes samples if it makes those of some device. A device without rows makes none.
func TestTheHostMakesSamplesOfADevice(t *testing.T) {
	b := plan.Batch{Roots: plan.Roots{Count: 6, Width: 1, Repeat: 1}, Threads: 4}
	for _, c := range []struct {
		devices Engine
		rows    int
		want    bool
	}{
		{Engine{hosting{from: 3}, hosting{from: 3}}, 6, true}, {Engine{hosting{from: 4}, hosting{from: 4}}, 6, false},
		{Engine{hosting{from: 0}, hosting{from: 9}}, 1, false}, {Engine{rooted{}, rooted{}}, 6, false},
	} {
		b.Roots.Count = c.rows
		if got := c.devices.FromHost(plan.Plan{}, b); got != c.want {
			t.Errorf("%+v, %d rows: %v, expected %v", c.devices, c.rows, got, c.want)
		}
	}
}
