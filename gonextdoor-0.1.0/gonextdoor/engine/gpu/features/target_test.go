package features_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/features"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/refuse"
)

// caller is memory of a caller on a GPU, filled with ones.
type caller struct {
	d      *cuda.Device
	memory cuda.Memory
	stream cuda.Stream
}

func newCaller(t *testing.T, bytes int64) *caller {
	t.Helper()
	c := &caller{d: device(t)}
	err := c.d.Do(func() (err error) {
		if c.stream, err = c.d.NewStream(); err != nil {
			return err
		}
		if c.memory, err = c.d.Alloc(bytes, c.stream); err != nil {
			return err
		}
		return errors.Join(c.d.Fill32(c.memory.Address, ^uint32(0), bytes/4, c.stream), c.stream.Synchronize())
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := c.d.Do(func() error {
			return errors.Join(c.d.Free(c.memory, c.stream), c.stream.Synchronize(), c.stream.Destroy())
		})
		if err != nil {
			t.Error(err)
		}
	})
	return c
}

// content returns the memory.
func (c *caller) content(t *testing.T) []byte {
	t.Helper()
	all := make([]byte, c.memory.Bytes)
	err := c.d.Do(func() error {
		return errors.Join(c.d.CopyOut(unsafe.Pointer(&all[0]), c.memory.Address, c.memory.Bytes, c.stream), c.stream.Synchronize())
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Rows are copied to memory of the caller at any multiple of an element, and nothing beside them is written. Freeing the result
// leaves the memory.
func TestReadsToMemoryOfTheCaller(t *testing.T) {
	x := newTable(t, 97, 48)
	for i, o := range []features.Options{
		{Misses: features.ByCopy}, {Misses: features.ByKernel}, {Misses: features.ByBoth, Share: 20000}, {Slots: 97},
		{Slots: 10, Placed: gputest.FirstRows(10), Misses: features.ByBoth, Share: 40000},
		{Slots: 10, Lookahead: true, Misses: features.ByBoth, Share: 30000}, {Slots: 10, Lookahead: true, Misses: features.ByCopy},
	} {
		s := open(t, x, o)
		for k, at := range []int{0, 16, 8, 4, 2, 1} {
			ids := append(gputest.FeatureBatches(97, 1, 150, uint64(8*i+k))[0], 3)
			c := newCaller(t, int64(len(ids)*48+64))
			to := features.Target{Address: c.memory.Address + uintptr(at), Stream: c.stream.Handle()}
			all, err := features.Read([]features.Request{{Store: s, IDs: gputest.HostIDs(ids), To: to}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%v, %d slots, %v, at %d", o.Misses, o.Slots, o.Lookahead, at)
			if got, err := gputest.Fetched(all[0]); err != nil || !bytes.Equal(got, x.Read(ids)) {
				t.Fatalf("%s: other rows (%v)", name, err)
			}
			held := c.content(t)
			want := bytes.Repeat([]byte{255}, len(held))
			copy(want[at:], x.Read(ids))
			if !bytes.Equal(held, want) {
				t.Errorf("%s: memory beside the rows was written, or rows are missing", name)
			}
		}
	}
}

// A failed read has no work left that writes to memory of the caller when Wait returns.
func TestFailedReadsLeaveMemoryOfTheCaller(t *testing.T) {
	x := newTable(t, 40, 48)
	s := open(t, x, features.Options{Misses: features.ByBoth, Share: 1 << 15})
	ids := append(gputest.FirstRows(39), 40)
	c := newCaller(t, int64(len(ids)*48))
	to := features.Target{Address: c.memory.Address, Stream: c.stream.Handle()}
	all, err := features.Read([]features.Request{{Store: s, IDs: gputest.HostIDs(ids), To: to}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := all[0].Wait(); refuse.KindOf(err) != refuse.KindIndex {
		t.Errorf("%v, expected an IndexError", err)
	}
	if ready, _ := all[0].Ready(); !reached(t, c.d, ready) {
		t.Error("work on the rows is not complete")
	}
	if err := all[0].Free(); err != nil {
		t.Error(err)
	}
}

// reached reports whether an event has been reached.
func reached(t *testing.T, d *cuda.Device, e cuda.Event) (done bool) {
	t.Helper()
	err := d.Do(func() (err error) {
		done, err = e.Done()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return done
}
